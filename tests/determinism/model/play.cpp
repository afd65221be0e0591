// Plays a random program of the model of logical time (tests/match) with real messages: play NUMBER [varied |
// free | failing]. Each rank prints what it was told by each call, and when that was.
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <thread>

#include "collectives.hpp"
#include "failure.hpp"
#include "parcel.hpp"
#include "playable.hpp"

using namespace model_test;
using mpi_test::g_rank;

namespace {

uint64_t g_start = 0;

// Not a call that the clock sees. The variable counts from when it was first read.
uint64_t read_clock() {
  static MPI_T_pvar_session session = nullptr;
  static MPI_T_pvar_handle handle;
  if (session == nullptr) {
    int provided, index, count;
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    EXPECT(MPI_T_pvar_get_index("clock", MPI_T_PVAR_CLASS_COUNTER, &index) == MPI_SUCCESS);
    MPI_T_pvar_session_create(&session);
    MPI_T_pvar_handle_alloc(session, index, nullptr, &handle, &count);
    MPI_T_pvar_start(session, handle);
  }
  unsigned long long clock = 0;
  MPI_T_pvar_read(session, handle, &clock);
  return clock;
}

// How a program is played. Varied: with messages of many lengths and types, and by other calls that mean the same in
// logical time. Free: also by calls that the reference does not know, some by several threads. Failing: so, and some
// ranks fail.
enum class Mode { kPlain, kVaried, kFree, kFailing };
bool is_free(Mode mode) { return mode == Mode::kFree || mode == Mode::kFailing; }
bool has_threads(Mode mode, uint64_t number) { return is_free(mode) && number % 3 == 1; }

Mode mode_from(const char* name) {
  if (name == nullptr) return Mode::kPlain;
  const std::string text = name;
  if (text == "varied") return Mode::kVaried;
  if (text == "free") return Mode::kFree;
  EXPECT(text == "failing");
  return Mode::kFailing;
}

class Player {
 public:
  Player(const Program& program, uint64_t number, Mode mode)
      : program_(program),
        steps_(program.steps[static_cast<size_t>(g_rank)]),
        number_(number),
        mode_(mode),
        entered_(program.comms.size()) {
    for (size_t i = 0; i < program.comms.size(); ++i) {
      comms_.push_back(make_comm(program.comms[i], static_cast<int>(i)));
      const auto& group = program.comms[i];
      const auto me = std::find(group.begin(), group.end(), g_rank);
      me_.push_back(static_cast<int>(me - group.begin()));
    }
    slots_.resize(number_of_slots(steps_));
    std::map<std::pair<int, int>, uint64_t> sent;  // so far, by communicator and member
    for (const Step& step : steps_) {
      const bool is_send = step.op == Op::kIsend || step.op == Op::kIssend;
      if (is_send) prepare(step, sent[{step.comm, step.peer}]++);
      else if (step.op == Op::kIrecv || step.op == Op::kRecv) prepare(step, 0);
    }
    if (mode == Mode::kFailing) failure_ = failure_of(number, g_rank, program.ranks, steps_.size());
  }

  void play() {
    if (is_free(mode_)) race(1);
    for (step_ = 0; step_ < steps_.size(); ++step_) {
      fail_if_it_is_time();
      const Step& step = steps_[step_];
      if (step.op == Op::kWork) {
        detmpi_work_usleep(static_cast<unsigned>(step.work));
        continue;
      }
      do {
        event_ = {static_cast<int>(step_), true, 0, {}};
        if (has_threads(mode_, number_) && sometimes(2)) std::thread([&] { call(step); }).join();
        else call(step);
        event_.clock = read_clock() - g_start;
        std::sort(event_.done.begin(), event_.done.end(), [](const auto& a, const auto& b) { return a.slot < b.slot; });
        text_ += trace_line(static_cast<size_t>(g_rank), step, event_);
        if (mode_ == Mode::kFailing) print();
      } while (!event_.flag && step.until_true);
    }
    fail_if_it_is_time();
    collectives_.wait();
    while (!probed_.empty()) receive_probed(probed_.begin());
    if (is_free(mode_)) race(2);
    text_ += collectives_.text();
    check_received();
    print();
  }

 private:
  struct Slot {
    const Step* step = nullptr;  // which fills it
    MPI_Request request = MPI_REQUEST_NULL;
    bool active = false;
    bool persistent = false, buffered = false;
    uint64_t number = 0;  // of the message that it sends
    std::optional<Parcel> parcel;
    bool sends() const { return step->op == Op::kIsend || step->op == Op::kIssend; }
  };
  struct Probed {
    MPI_Message message;
    Route route;
    int tag;
  };

  void print() {
    std::fputs(text_.c_str(), stdout);
    text_.clear();
  }

  // In some of the communicators.
  void race(uint64_t when) {
    for (size_t i = 0; i < comms_.size(); ++i) {
      const uint64_t drawn = mix_all({number_, 20 + when, i});
      if (comms_[i] != MPI_COMM_NULL && drawn % 3 != 0) collectives_.race(comms_[i], drawn);
    }
  }

  void fail_if_it_is_time() const {
    if (failure_ && failure_->step == step_) failure_->happen();
  }

  static MPI_Comm make_comm(const std::vector<int>& members, int tag) {
    MPI_Group world = MPI_GROUP_NULL, group = MPI_GROUP_NULL;
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, static_cast<int>(members.size()), members.data(), &group);
    if (std::count(members.begin(), members.end(), g_rank) != 0) {
      MPI_Comm_create_group(MPI_COMM_WORLD, group, tag, &comm);
    }
    MPI_Group_free(&world);
    MPI_Group_free(&group);
    return comm;
  }

  static int rank_or_any(int peer) { return peer == match_test::kAny ? MPI_ANY_SOURCE : peer; }
  static int tag_or_any(int tag) { return tag == match_test::kAny ? MPI_ANY_TAG : tag; }
  MPI_Comm comm_of(const Step& step) const { return comms_[static_cast<size_t>(step.comm)]; }
  int me_in(int comm) const { return me_[static_cast<size_t>(comm)]; }
  size_t length(const Route& route, uint64_t number) const {
    return mode_ == Mode::kPlain ? 1 : varied_length(route, number);
  }
  // One of `n`, the same in every run.
  uint64_t choice(uint64_t what, uint64_t about, uint64_t n) const {
    return mode_ == Mode::kPlain ? 0 : mix_all({number_, what, static_cast<uint64_t>(g_rank), about}) % n;
  }

  // In one of `n` cases, for calls that the reference does not know.
  bool sometimes(uint64_t n) { return is_free(mode_) && choice(10 + ++choices_, step_, n) == 1; }

  // Before the clock is looked at: persistent requests and types take none of its ticks then.
  void prepare(const Step& step, uint64_t number) {
    const auto at = static_cast<size_t>(step.slot);
    Slot& slot = slots_[at];
    EXPECT(slot.step == nullptr);
    slot.step = &step;
    slot.number = number;
    // Receives from a usual source stay undecided over MPI_Isend and MPI_Irecv alone.
    const bool leaves_open = program_.habits && !is_free(mode_) && match_test::lets_hold(step.op);
    slot.persistent = !leaves_open && step.op != Op::kRecv && choice(1, at, 3) == 1;
    slot.buffered = !leaves_open && step.op == Op::kIsend && choice(2, at, 4) == 1;
    const size_t most = mode_ == Mode::kPlain ? 1 : Parcel::kMostWords;
    slot.parcel.emplace(slot.sends() ? length({step.comm, me_in(step.comm), step.peer}, number) : most,
                        choice(3, at, 4) == 1);
    slot.parcel->type();
    if (slot.sends()) slot.parcel->fill(number);
    if (slot.persistent) create(slot);
  }

  void create(Slot& slot) {
    const Step& step = *slot.step;
    Parcel& parcel = *slot.parcel;
    if (!slot.sends()) {
      MPI_Recv_init(parcel.data(), parcel.words(), parcel.type(), rank_or_any(step.peer), tag_or_any(step.tag),
                    comm_of(step), &slot.request);
      return;
    }
    const auto init = step.op == Op::kIssend ? MPI_Ssend_init : slot.buffered ? MPI_Bsend_init : MPI_Send_init;
    init(parcel.data(), parcel.words(), parcel.type(), step.peer, step.tag, comm_of(step), &slot.request);
  }

  void call(const Step& step) {
    switch (step.op) {
      case Op::kIsend:
      case Op::kIssend: return send(slots_[static_cast<size_t>(step.slot)]);
      case Op::kIrecv: return receive(slots_[static_cast<size_t>(step.slot)]);
      case Op::kRecv: return receive_now(slots_[static_cast<size_t>(step.slot)]);
      case Op::kProbe:
      case Op::kIprobe: return probe(step);
      case Op::kBarrier:
      case Op::kBcast: return collective(step, entered_[static_cast<size_t>(step.comm)]++);
      case Op::kCancel: return cancel(step);
      default: complete(step);
    }
  }

  void send(Slot& slot) {
    const Step& step = *slot.step;
    Parcel& parcel = *slot.parcel;
    slot.active = true;
    if (slot.persistent) {
      MPI_Start(&slot.request);
    } else if (step.op == Op::kIsend && sometimes(8)) {
      MPI_Isendrecv(parcel.data(), parcel.words(), parcel.type(), step.peer, step.tag, nullptr, 0, MPI_BYTE,
                    MPI_PROC_NULL, 0, comm_of(step), &slot.request);
    } else {
      const auto start = step.op == Op::kIssend ? MPI_Issend : slot.buffered ? MPI_Ibsend : MPI_Isend;
      start(parcel.data(), parcel.words(), parcel.type(), step.peer, step.tag, comm_of(step), &slot.request);
    }
    if (sometimes(8)) MPI_Cancel(&slot.request);  // never succeeds
    if (sometimes(12)) forget(slot);
  }

  void receive(Slot& slot) {
    const Step& step = *slot.step;
    Parcel& parcel = *slot.parcel;
    const int source = rank_or_any(step.peer), tag = tag_or_any(step.tag);
    slot.active = true;
    const auto probed = probed_for(step);
    if (slot.persistent) {
      MPI_Start(&slot.request);
    } else if (probed != probed_.end()) {
      MPI_Imrecv(parcel.data(), parcel.words(), parcel.type(), &probed->message, &slot.request);
      probed_.erase(probed);
    } else if (sometimes(8)) {
      MPI_Isendrecv(nullptr, 0, MPI_BYTE, MPI_PROC_NULL, 0, parcel.data(), parcel.words(), parcel.type(), source, tag,
                    comm_of(step), &slot.request);
    } else {
      MPI_Irecv(parcel.data(), parcel.words(), parcel.type(), source, tag, comm_of(step), &slot.request);
    }
    if (sometimes(24)) forget(slot);
  }

  // Its request is complete some time, and nobody is told.
  static void forget(Slot& slot) {
    slot.active = slot.persistent = false;
    MPI_Request_free(&slot.request);
  }

  void receive_now(Slot& slot) {
    const Step& step = *slot.step;
    MPI_Status status;
    slot.active = true;
    const auto probed = probed_for(step);
    if (probed != probed_.end()) {
      MPI_Mrecv(slot.parcel->data(), slot.parcel->words(), slot.parcel->type(), &probed->message, &status);
      probed_.erase(probed);
    } else {
      MPI_Recv(slot.parcel->data(), slot.parcel->words(), slot.parcel->type(), rank_or_any(step.peer),
               tag_or_any(step.tag), comm_of(step), &status);
    }
    completed(step.slot, status);
  }

  void cancel(const Step& step) {
    int unused;
    Slot& slot = slots_[static_cast<size_t>(step.slot)];
    if (slot.active) MPI_Cancel(&slot.request);
    else MPI_Comm_test_inter(comm_of(step), &unused);
  }

  void collective(const Step& step, uint64_t number) {
    if (step.op == Op::kBarrier) collectives_.barrier(step.comm, comm_of(step), number);
    else collectives_.from_root(step.comm, comm_of(step), number, step.peer);
    if (choice(5, step_, 2) == 0) collectives_.wait();
  }

  void probe(const Step& step) {
    MPI_Status status;
    MPI_Message message;
    const int source = rank_or_any(step.peer), tag = tag_or_any(step.tag);
    int flag = 1;
    const bool matched = sometimes(2);
    if (step.op == Op::kProbe) {
      if (matched) MPI_Mprobe(source, tag, comm_of(step), &message, &status);
      else MPI_Probe(source, tag, comm_of(step), &status);
    } else {
      if (matched) MPI_Improbe(source, tag, comm_of(step), &flag, &message, &status);
      else MPI_Iprobe(source, tag, comm_of(step), &flag, &status);
    }
    event_.flag = flag != 0;
    if (!event_.flag) return;
    event_.done.push_back({-1, status.MPI_SOURCE, status.MPI_TAG, 0, false});
    if (matched) probed_.push_back({message, {step.comm, status.MPI_SOURCE, me_in(step.comm)}, status.MPI_TAG});
  }

  // The first message that was taken by a probe, and that the receive could have got.
  std::vector<Probed>::iterator probed_for(const Step& step) {
    return std::find_if(probed_.begin(), probed_.end(), [&](const Probed& probed) {
      return probed.route.comm == step.comm && (step.peer == match_test::kAny || step.peer == probed.route.from) &&
             (step.tag == match_test::kAny || step.tag == probed.tag);
    });
  }

  void receive_probed(std::vector<Probed>::iterator probed) {
    Parcel parcel(Parcel::kMostWords, false);
    MPI_Mrecv(parcel.data(), parcel.words(), parcel.type(), &probed->message, MPI_STATUS_IGNORE);
    EXPECT(parcel.holds(length(probed->route, parcel.number())));
    text_ += std::to_string(g_rank) + ": had probed for #" + std::to_string(parcel.number()) + "\n";
    probed_.erase(probed);
  }

  void completed(int at, const MPI_Status& status) {
    Slot& slot = slots_[static_cast<size_t>(at)];
    EXPECT(slot.active);
    slot.active = false;
    Event::Completion done;
    done.slot = at;
    done.cancelled = (status.count_hi_and_cancelled & 1) != 0;
    if (done.cancelled) {
      EXPECT(slot.parcel->is_untouched());
    } else if (!slot.sends()) {
      done = {at, status.MPI_SOURCE, status.MPI_TAG, slot.parcel->number(), false};
      received_.emplace_back(at, status);
    }
    event_.done.push_back(done);
  }

  // At the end, since MPI_Get_count takes a tick.
  void check_received() const {
    for (const auto& [at, status] : received_) {
      const Slot& slot = slots_[static_cast<size_t>(at)];
      const Route route{slot.step->comm, status.MPI_SOURCE, me_in(slot.step->comm)};
      const size_t expected = length(route, slot.parcel->number());
      int words = 0;
      MPI_Get_count(&status, slot.parcel->type(), &words);
      EXPECT(static_cast<size_t>(words) == expected && slot.parcel->holds(expected));
    }
  }

  // As the program would pass it: an inactive persistent request as what it is, or as none.
  MPI_Request handle(int at) const {
    const Slot& slot = slots_[static_cast<size_t>(at)];
    return slot.active || is_free(mode_) ? slot.request : MPI_REQUEST_NULL;
  }

  void ask_for_status(int at) {
    int flag = 0;
    MPI_Request_get_status(handle(at), &flag, MPI_STATUS_IGNORE);
    text_ +=
        std::to_string(g_rank) + ": request " + std::to_string(at) + (flag != 0 ? " is over" : " is not over") + "\n";
  }

  void complete(const Step& step) {
    if (sometimes(3)) collectives_.test();
    if (sometimes(3) && !step.slots.empty()) ask_for_status(step.slots.back());
    const size_t n = step.slots.size();
    std::vector<MPI_Request> requests;
    requests.reserve(n + 1);
    std::vector<MPI_Status> statuses(n + 1);  // never null
    std::vector<int> indices(n + 1);
    std::vector<bool> active;
    for (const int slot : step.slots) {
      requests.push_back(handle(slot));
      active.push_back(slots_[static_cast<size_t>(slot)].active);
    }
    int found = wait_or_test(step, requests, indices, statuses);
    const bool one = step.op == Op::kWaitany || step.op == Op::kTestany;
    if (one) found = found != 0 && indices[0] != MPI_UNDEFINED;
    if (found == MPI_UNDEFINED) found = 0;
    for (size_t i = 0; i < n; ++i) {
      Slot& slot = slots_[static_cast<size_t>(step.slots[i])];
      const auto at = static_cast<size_t>(std::find(indices.begin(), indices.begin() + found, static_cast<int>(i)) -
                                          indices.begin());
      if (!active[i] || at == static_cast<size_t>(found)) continue;
      EXPECT(requests[i] == (slot.persistent ? slot.request : MPI_REQUEST_NULL));
      slot.request = requests[i];
      completed(step.slots[i], statuses[at]);
    }
  }

  // How many there are in `indices`, those of `statuses`; or MPI_UNDEFINED. Sets the event's flag.
  int wait_or_test(const Step& step, std::vector<MPI_Request>& requests, std::vector<int>& indices,
                   std::vector<MPI_Status>& statuses) {
    const auto n = static_cast<int>(requests.size());
    const bool single = n == 1 && choice(9, step_, 2) == 1;
    int flag = 1, found = 0;
    std::iota(indices.begin(), indices.end(), 0);
    switch (step.op) {
      case Op::kWaitall:
        if (single) MPI_Wait(requests.data(), statuses.data());
        else MPI_Waitall(n, requests.data(), statuses.data());
        found = n;
        break;
      case Op::kTestall:
        if (single) MPI_Test(requests.data(), &flag, statuses.data());
        else MPI_Testall(n, requests.data(), &flag, statuses.data());
        found = flag != 0 ? n : 0;
        break;
      case Op::kWaitany:
        MPI_Waitany(n, requests.data(), indices.data(), statuses.data());
        found = 1;
        break;
      case Op::kTestany:
        MPI_Testany(n, requests.data(), indices.data(), &flag, statuses.data());
        found = flag;
        break;
      case Op::kWaitsome: MPI_Waitsome(n, requests.data(), &found, indices.data(), statuses.data()); break;
      default:
        MPI_Testsome(n, requests.data(), &found, indices.data(), statuses.data());
        flag = found;  // MPI_UNDEFINED: nothing to test
        break;
    }
    event_.flag = flag != 0;
    return found;
  }

  const Program& program_;
  const std::vector<Step>& steps_;
  const uint64_t number_;
  const Mode mode_;
  std::optional<Failure> failure_;
  std::vector<MPI_Comm> comms_;
  std::vector<int> me_;  // as a member of each
  std::vector<Slot> slots_;
  std::vector<uint64_t> entered_;  // collective steps of each communicator, so far
  Collectives collectives_{number_};
  std::vector<Probed> probed_;                        // messages that nobody has received yet
  std::vector<std::pair<int, MPI_Status>> received_;  // by slot
  size_t step_ = 0;
  uint64_t choices_ = 0;
  Event event_;
  std::string text_;
};

// Whoever has probed for any source has no usual one. No probe fails: the reference counts failed polls.
void give_up_habits() {
  MPI_Request request;
  MPI_Isend(nullptr, 0, MPI_BYTE, g_rank, 0, MPI_COMM_WORLD, &request);
  MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Recv(nullptr, 0, MPI_BYTE, g_rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

// All ranks begin at the same time.
void start_together() {
  constexpr uint64_t kLater = 100'000;  // than the sum below takes
  const double tick = MPI_Wtick(), now = MPI_Wtime();
  const uint64_t base = static_cast<uint64_t>(std::llround(now / tick)) - read_clock();  // the whole clock, read so far
  uint64_t start = base + read_clock() + kLater;
  MPI_Allreduce(MPI_IN_PLACE, &start, 1, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
  g_start = start - base;
  detmpi_work_usleep(static_cast<unsigned>(g_start - read_clock()));
}

}  // namespace

int main(int argc, char** argv) {
  EXPECT(argc == 2 || argc == 3);
  const uint64_t number = std::strtoul(argv[1], nullptr, 10);
  const Mode mode = mode_from(argv[2]);
  mpi_test::Mpi mpi(argc, argv, has_threads(mode, number) ? MPI_THREAD_SERIALIZED : MPI_THREAD_SINGLE);
  static const Program program = playable(number, is_free(mode));
  EXPECT(program.ranks == mpi_test::g_size);
  // Kept: messages may be copied from and to its buffers until the process has ended.
  static Player& player = *new Player(program, number, mode);
  if (!program.habits) give_up_habits();
  start_together();
  player.play();
}
