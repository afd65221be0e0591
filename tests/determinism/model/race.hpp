// A race among the members of a communicator, in another one that they make for it: each sends messages to members
// that it draws by lot, and receives those that are for it from whoever sent them. How often and by which calls it asks
// before it waits is drawn, too. Whatever the order of messages, and on whichever communicator, it comes to its end.
#pragma once

#include <array>
#include <list>
#include <numeric>
#include <string>

#include "parcel.hpp"

namespace model_test {

class Race {
 public:
  // `drawn`: the same at all members.
  Race(MPI_Comm parent, uint64_t drawn) : drawn_(drawn) {
    make(parent);
    int inter = 0;
    MPI_Comm_test_inter(comm_, &inter);
    MPI_Comm_rank(comm_, &me_);
    MPI_Comm_size(comm_, &there_);
    if (inter != 0) MPI_Comm_remote_size(comm_, &there_);
    from_ = inter != 0 ? 1 - side_ : side_;
  }

  // What this member saw, in one line.
  std::string run() {
    send_all();
    const bool frees_early = of_me(7, 3) == 0;
    switch (of_me(1, 5)) {
      case 0: receive_probed(); break;
      case 1: receive_matched(); break;
      case 2: receive_some(frees_early); break;
      case 3: receive_any(); break;
      default: receive_each(); break;
    }
    if (comm_ != MPI_COMM_NULL && frees_early) MPI_Comm_free(&comm_);
    MPI_Waitall(static_cast<int>(sends_.size()), sends_.data(), MPI_STATUSES_IGNORE);
    for (MPI_Request& request : persistent_) MPI_Request_free(&request);
    if (comm_ != MPI_COMM_NULL) MPI_Comm_free(&comm_);
    if (session_ != MPI_SESSION_NULL) MPI_Session_finalize(&session_);
    return text_ + "\n";
  }

 private:
  static constexpr uint64_t kMost = 6, kTags = 3, kAsked = 12;

  uint64_t draw(uint64_t what, uint64_t a = 0, uint64_t b = 0, uint64_t c = 0) const {
    return mix_all({drawn_, what, a, b, c});
  }
  // One of n, a choice of this member.
  uint64_t of_me(uint64_t what, uint64_t n) { return draw(100 + what, number(side_), number(me_), ++choices_) % n; }
  static uint64_t number(int value) { return static_cast<uint64_t>(value); }

  // Message `i` of a member, which has this side.
  struct Message {
    int to = 0, tag = 0;
    size_t words = 0;
    uint64_t name = 0;
  };
  uint64_t messages_of(int side, int member) const { return draw(1, number(side), number(member)) % (kMost + 1); }
  Message message(int side, int member, uint64_t i, int receivers) const {
    const uint64_t lot = draw(2, number(side), number(member), i);
    Message m;
    m.to = static_cast<int>(lot / 64 % number(receivers));
    m.tag = static_cast<int>(lot % kTags);
    m.words = varied_length({side, member, m.to}, lot);
    m.name = (number(side) * 1000 + number(member)) * 1000 + i;
    return m;
  }
  // How many there are for this member, of each tag.
  std::array<int, kTags> expected() const {
    int here = 0;
    MPI_Comm_size(comm_, &here);
    std::array<int, kTags> sum{};
    for (int member = 0; member < there_; ++member) {
      for (uint64_t i = 0; i < messages_of(from_, member); ++i) {
        const Message m = message(from_, member, i, here);
        if (m.to == me_) ++sum[static_cast<size_t>(m.tag)];
      }
    }
    return sum;
  }

  void make(MPI_Comm parent) {
    int rank = 0, size = 0;
    MPI_Comm_rank(parent, &rank);
    MPI_Comm_size(parent, &size);
    const uint64_t way = draw(3) % (size > 1 ? 7 : 5);
    const int periodic = 1, next = (rank + 1) % size, previous = (rank + size - 1) % size;
    switch (way) {
      case 0: MPI_Comm_dup(parent, &comm_); return;
      case 1:
        side_ = static_cast<int>(draw(4, number(rank)) % 2);
        MPI_Comm_split(parent, side_, -rank, &comm_);
        return;
      case 2: MPI_Cart_create(parent, 1, &size, &periodic, 1, &comm_); return;
      case 3:
        MPI_Dist_graph_create_adjacent(parent, 1, &previous, MPI_UNWEIGHTED, 1, &next, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                       &comm_);
        return;
      case 4: make_by_session(parent); return;
      default: make_between_halves(parent, rank, size, way == 6); return;
    }
  }

  void make_by_session(MPI_Comm parent) {
    MPI_Group world, members, all, group;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Comm_group(parent, &members);
    int n = 0;
    MPI_Group_size(members, &n);
    std::vector<int> ranks(number(n)), in_world(number(n));
    std::iota(ranks.begin(), ranks.end(), 0);
    MPI_Group_translate_ranks(members, n, ranks.data(), world, in_world.data());
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session_);
    MPI_Group_from_session_pset(session_, "mpi://WORLD", &all);
    MPI_Group_incl(all, n, in_world.data(), &group);
    const std::string name = "race " + std::to_string(drawn_);
    MPI_Comm_create_from_group(group, name.c_str(), MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm_);
    for (MPI_Group* used : {&world, &members, &all, &group}) MPI_Group_free(used);
  }

  void make_between_halves(MPI_Comm parent, int rank, int size, bool merged) {
    const int low = 1 + static_cast<int>(draw(5) % number(size - 1));  // members of the first half
    MPI_Comm half, between;
    const int side = rank < low ? 0 : 1;
    MPI_Comm_split(parent, side, rank, &half);
    MPI_Intercomm_create(half, 0, parent, side == 0 ? low : 0, 5, &between);
    MPI_Comm_free(&half);
    if (!merged) {
      side_ = side;
      comm_ = between;
      return;
    }
    MPI_Intercomm_merge(between, side, &comm_);
    MPI_Comm_free(&between);
  }

  void send_all() {
    for (uint64_t i = 0; i < messages_of(side_, me_); ++i) {
      const Message m = message(side_, me_, i, there_);
      Parcel& parcel = sent_.emplace_back(m.words, of_me(2, 3) == 0);
      parcel.fill(m.name);
      MPI_Request request = MPI_REQUEST_NULL;
      const auto with = [&](auto call) {
        call(parcel.data(), parcel.words(), parcel.type(), m.to, m.tag, comm_, &request);
      };
      switch (of_me(3, 6)) {
        case 0: MPI_Send(parcel.data(), parcel.words(), parcel.type(), m.to, m.tag, comm_); break;
        case 1: with(MPI_Issend); break;
        case 2: with(MPI_Ibsend); break;
        case 3:
          with(MPI_Send_init);
          MPI_Start(&request);
          persistent_.push_back(request);
          break;
        default: with(MPI_Isend); break;
      }
      sends_.push_back(request);
    }
  }

  // Each is received into memory of its own, by any tag or, one tag after the other, by its own.
  template <typename Receive>
  void for_all_expected(Receive&& receive) {
    const auto sum = expected();
    const bool by_tag = of_me(4, 2) == 0;
    for (size_t tag = 0; tag < kTags; ++tag) {
      for (int i = 0; i < sum[tag]; ++i) receive(by_tag ? static_cast<int>(tag) : MPI_ANY_TAG);
    }
  }
  Parcel& room() { return received_.emplace_back(Parcel::kMostWords, of_me(5, 4) == 0); }

  void got(const Parcel& parcel, const MPI_Status& status) {
    const uint64_t name = parcel.number(), member = name / 1000 % 1000;
    int here = 0;
    if (comm_ != MPI_COMM_NULL) MPI_Comm_size(comm_, &here);
    EXPECT(number(status.MPI_SOURCE) == member && number(from_) == name / 1000'000);
    if (here != 0) {
      const Message m = message(from_, static_cast<int>(member), name % 1000, here);
      EXPECT(m.to == me_ && m.tag == status.MPI_TAG && parcel.holds(m.words));
    }
    text_ += " " + std::to_string(name);
  }

  // Asks some times, and waits if that was in vain.
  template <typename Ask, typename Wait>
  void ask_or_wait(Ask&& ask, Wait&& wait) {
    uint64_t left = of_me(6, kAsked);
    while (left > 0 && !ask()) --left;
    if (left == 0) wait();
    text_ += left == 0 ? " waited" : " asked";
  }

  void receive_probed() {
    for_all_expected([this](int tag) {
      MPI_Status status;
      ask_or_wait(
          [&] {
            int flag = 0;
            MPI_Iprobe(MPI_ANY_SOURCE, tag, comm_, &flag, &status);
            return flag != 0;
          },
          [&] { MPI_Probe(MPI_ANY_SOURCE, tag, comm_, &status); });
      Parcel& parcel = room();
      MPI_Recv(parcel.data(), parcel.words(), parcel.type(), status.MPI_SOURCE, status.MPI_TAG, comm_, &status);
      got(parcel, status);
    });
  }

  void receive_matched() {
    for_all_expected([this](int tag) {
      MPI_Message message;
      MPI_Status status;
      ask_or_wait(
          [&] {
            int flag = 0;
            MPI_Improbe(MPI_ANY_SOURCE, tag, comm_, &flag, &message, &status);
            return flag != 0;
          },
          [&] { MPI_Mprobe(MPI_ANY_SOURCE, tag, comm_, &message, &status); });
      Parcel& parcel = room();
      MPI_Mrecv(parcel.data(), parcel.words(), parcel.type(), &message, &status);
      got(parcel, status);
    });
  }

  std::vector<MPI_Request> post_all() {
    std::vector<MPI_Request> requests;
    for_all_expected([&](int tag) {
      Parcel& parcel = room();
      MPI_Irecv(parcel.data(), parcel.words(), parcel.type(), MPI_ANY_SOURCE, tag, comm_, &requests.emplace_back());
    });
    return requests;
  }
  Parcel& received(int i) { return *std::next(received_.begin(), i); }

  void receive_some(bool frees_early) {
    auto requests = post_all();
    const auto n = static_cast<int>(requests.size());
    if (frees_early) MPI_Comm_free(&comm_);  // what is under way goes on
    std::vector<int> indices(requests.size() + 1);
    std::vector<MPI_Status> statuses(requests.size() + 1);
    int found = 0;
    for (int left = n; left > 0; left -= found) {
      ask_or_wait([&] { return MPI_Testsome(n, requests.data(), &found, indices.data(), statuses.data()), found > 0; },
                  [&] { MPI_Waitsome(n, requests.data(), &found, indices.data(), statuses.data()); });
      for (int i = 0; i < found; ++i) got(received(indices[number(i)]), statuses[number(i)]);
    }
  }

  void receive_any() {
    auto requests = post_all();
    const auto n = static_cast<int>(requests.size());
    for (int left = n; left > 0; --left) {
      int index = MPI_UNDEFINED;
      MPI_Status status;
      ask_or_wait(
          [&] {
            int flag = 0;
            MPI_Testany(n, requests.data(), &index, &flag, &status);
            return flag != 0;
          },
          [&] { MPI_Waitany(n, requests.data(), &index, &status); });
      got(received(index), status);
    }
  }

  void receive_each() {
    for_all_expected([this](int tag) {
      MPI_Status status;
      Parcel& parcel = room();
      MPI_Recv(parcel.data(), parcel.words(), parcel.type(), MPI_ANY_SOURCE, tag, comm_, &status);
      got(parcel, status);
    });
  }

  uint64_t drawn_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  MPI_Session session_ = MPI_SESSION_NULL;
  // The group of this member, as far as races go, and of those who send to it.
  int side_ = 0, from_ = 0;
  int me_ = 0, there_ = 0;  // there: members to whom it sends
  uint64_t choices_ = 0;
  std::list<Parcel> sent_, received_;
  std::vector<MPI_Request> sends_, persistent_;
  std::string text_;
};

}  // namespace model_test
