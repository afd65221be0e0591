// The collective steps of the player. The members of a communicator know how many there were before, so each takes one
// of several operations by that number: blocking, not blocking, persistent, a ring of partitioned messages, or a race.
// Those that do not block are waited for later, so that messages and other collective operations come in between.
#pragma once

#include <list>

#include "race.hpp"

namespace model_test {

class Collectives {
 public:
  explicit Collectives(uint64_t program) : program_(program) {}

  // Everybody waits for everybody.
  void barrier(int comm_index, MPI_Comm comm, uint64_t number) {
    Call& call = begin(comm_index, comm, number);
    const int n = call.words();
    switch (call.choice % 10) {
      case 0: MPI_Barrier(comm); break;
      case 1: MPI_Ibarrier(comm, &call.request); break;
      case 2: MPI_Allreduce(call.in.data(), call.out.data(), n, MPI_UINT64_T, MPI_SUM, comm); break;
      case 3: MPI_Iallreduce(call.in.data(), call.out.data(), n, MPI_UINT64_T, MPI_SUM, comm, &call.request); break;
      case 4:
        MPI_Iallgather(call.in.data(), n, MPI_UINT64_T, call.out.data(), n, MPI_UINT64_T, comm, &call.request);
        break;
      case 5:
        MPI_Allreduce_init(call.in.data(), call.out.data(), n, MPI_UINT64_T, MPI_SUM, comm, MPI_INFO_NULL,
                           &call.request);
        MPI_Start(&call.request);
        break;
      case 6: within_copy(comm); break;
      case 7:
      case 8: race(comm, call.choice); break;
      default: ring_of_partitions(call); break;
    }
    end(call);
  }

  // The others wait for the root.
  void from_root(int comm_index, MPI_Comm comm, uint64_t number, int root) {
    Call& call = begin(comm_index, comm, number);
    const int n = call.words();
    if (call.me == root) call.out = call.in;
    switch (call.choice % 5) {
      case 0: MPI_Bcast(call.out.data(), n, MPI_UINT64_T, root, comm); break;
      case 1: MPI_Ibcast(call.out.data(), n, MPI_UINT64_T, root, comm, &call.request); break;
      case 2: MPI_Scatter(call.in.data(), n, MPI_UINT64_T, call.out.data(), n, MPI_UINT64_T, root, comm); break;
      case 3:
        MPI_Iscatter(call.in.data(), n, MPI_UINT64_T, call.out.data(), n, MPI_UINT64_T, root, comm, &call.request);
        break;
      default:
        MPI_Bcast_init(call.out.data(), n, MPI_UINT64_T, root, comm, MPI_INFO_NULL, &call.request);
        MPI_Start(&call.request);
        break;
    }
    end(call);
  }

  void race(MPI_Comm comm, uint64_t drawn) {
    text_ += std::to_string(mpi_test::g_rank) + ": race" + Race(comm, drawn).run();
  }

  // Asks for all that are under way, in one call. Nothing: there is none.
  void test() {
    if (under_way_.empty()) return;
    std::vector<MPI_Request> requests;
    for (const Call& call : under_way_) requests.push_back(call.request);
    std::vector<int> indices(requests.size());
    int found = 0;
    MPI_Testsome(static_cast<int>(requests.size()), requests.data(), &found, indices.data(), MPI_STATUSES_IGNORE);
    std::vector<bool> over(requests.size());
    for (int i = 0; i < found; ++i) over[static_cast<size_t>(indices[static_cast<size_t>(i)])] = true;
    size_t at = 0;
    for (auto call = under_way_.begin(); call != under_way_.end(); ++at) {
      call->request = requests[at];
      if (over[at]) conclude(*call);
      call = over[at] ? under_way_.erase(call) : std::next(call);
    }
  }
  void wait() {
    for (Call& call : under_way_) {
      MPI_Wait(&call.request, MPI_STATUS_IGNORE);
      conclude(call);
    }
    under_way_.clear();
  }

  // Of all that has come, one line for each.
  std::string text() const { return text_; }

 private:
  static constexpr int kMostWords = 3000;

  struct Call {
    int comm_index = 0;
    uint64_t number = 0;
    MPI_Comm comm = MPI_COMM_NULL;
    int me = 0, size = 0;
    uint64_t choice = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    std::vector<uint64_t> in, out;
    int words() const { return static_cast<int>(in.size()) / size; }
  };

  Call& begin(int comm_index, MPI_Comm comm, uint64_t number) {
    Call& call = under_way_.emplace_back();
    call.comm_index = comm_index;
    call.number = number;
    call.comm = comm;
    call.choice = mix_all({program_, 77, static_cast<uint64_t>(comm_index), number});
    MPI_Comm_rank(comm, &call.me);
    MPI_Comm_size(comm, &call.size);
    const Route route{comm_index, 0, 0};
    const size_t words = std::min<size_t>(kMostWords, varied_length(route, number)) * static_cast<size_t>(call.size);
    for (size_t i = 0; i < words; ++i) call.in.push_back(number * 1000 + i * static_cast<size_t>(call.me + 1));
    call.out.resize(words);
    return call;
  }

  void end(Call& call) {
    if (call.request != MPI_REQUEST_NULL) return;
    conclude(call);
    under_way_.pop_back();
  }

  void conclude(Call& call) {
    uint64_t sum = 0;
    for (const uint64_t word : call.out) sum = mix_all({sum, word});
    text_ += std::to_string(mpi_test::g_rank) + ": collective " + std::to_string(call.number) + " of communicator " +
             std::to_string(call.comm_index) + " gave " + std::to_string(sum) + "\n";
    if (call.request != MPI_REQUEST_NULL) MPI_Request_free(&call.request);
  }

  // On a communicator that is made for it.
  static void within_copy(MPI_Comm comm) {
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Request request;
    MPI_Comm_idup(comm, &copy, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Barrier(copy);
    MPI_Comm_free(&copy);
  }

  // To the next member, from the one before: in parts, which arrive in an order of their own.
  void ring_of_partitions(Call& call) {
    constexpr int kParts = 3;
    const int next = (call.me + 1) % call.size, previous = (call.me + call.size - 1) % call.size, n = call.words();
    std::vector<uint64_t> from(static_cast<size_t>(n * kParts)), to(from.size());
    for (size_t i = 0; i < from.size(); ++i) from[i] = call.in[i % call.in.size()] + i;
    MPI_Request requests[2];
    MPI_Psend_init(from.data(), kParts, n, MPI_UINT64_T, next, 0, call.comm, MPI_INFO_NULL, &requests[0]);
    MPI_Precv_init(to.data(), kParts, n, MPI_UINT64_T, previous, 0, call.comm, MPI_INFO_NULL, &requests[1]);
    MPI_Startall(2, requests);
    for (int i = 0; i < kParts; ++i) {
      const int part = static_cast<int>((call.choice / 64 + static_cast<uint64_t>(i)) % kParts);
      MPI_Pready(part, requests[0]);
      int arrived = 0;
      MPI_Parrived(requests[1], part, &arrived);
      text_ += std::to_string(mpi_test::g_rank) + (arrived != 0 ? ": part arrived\n" : ": part not arrived\n");
    }
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    for (MPI_Request& request : requests) MPI_Request_free(&request);
    for (size_t i = 0; i < call.out.size(); ++i) call.out[i] = to[i % to.size()];
  }

  uint64_t program_;
  std::list<Call> under_way_;
  std::string text_;
};

}  // namespace model_test
