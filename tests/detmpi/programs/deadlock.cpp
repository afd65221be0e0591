// Deadlocks, one by the name that is given. Where it says so, the ranks that are not part of it go on computing.
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <thread>
#include <vector>

#include "testing.hpp"

using namespace mpi_test;

namespace {

int g_value = 0;

void receive(int from, int tag, MPI_Comm comm = MPI_COMM_WORLD) {
  MPI_Recv(&g_value, 1, MPI_INT, from, tag, comm, MPI_STATUS_IGNORE);
}
void send(int to, int tag, MPI_Comm comm = MPI_COMM_WORLD) { MPI_Send(&g_value, 1, MPI_INT, to, tag, comm); }
void ssend(int to, int tag) { MPI_Ssend(&g_value, 1, MPI_INT, to, tag, MPI_COMM_WORLD); }
int right() { return (g_rank + 1) % g_size; }

// Every rank receives before it sends.
void cycle() {
  receive(right(), 3);
  send((g_rank + g_size - 1) % g_size, 3);
}
// Ranks 0 and 2 wait for each other; rank 1 works for ever.
void partial() {
  if (g_rank != 1) receive(2 - g_rank, 5);
  for (volatile bool never = false; !never;) {
  }
}
// Ranks 0 and 2 wait for each other, and rank 1, which has been away for a while, for one of them.
void late() {
  if (g_rank == 1) std::this_thread::sleep_for(std::chrono::milliseconds(300));
  receive(g_rank == 2 ? 0 : 2, 5);
}
// Ranks 0 and 1 never go on, as rank 2 finds out, and tells, in its receive from any source. Rank 1 has a receive for
// the synchronous message of rank 2, which goes on.
void stuck_receiver() {
  if (g_rank == 0) receive(0, 5);
  MPI_Request request;
  if (g_rank == 1) MPI_Irecv(&g_value, 1, MPI_INT, 2, 3, MPI_COMM_WORLD, &request);
  if (g_rank == 1) ssend(0, 4);
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  for (const int from : {2, MPI_ANY_SOURCE}) {
    send(2, 9);
    receive(from, 9);
  }
  ssend(1, 3);
  receive(0, 6);
}
// Rank 1 has taken the synchronous message of rank 0 with a matched probe, and waits for another one that is like it.
void matched_probe() {
  if (g_rank == 0) ssend(1, 4);
  if (g_rank != 1) return;
  MPI_Message message;
  MPI_Mprobe(0, 4, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
  receive(MPI_ANY_SOURCE, 4);
}
// Nobody sends to rank 0; rank 1 polls for ever for what nobody sends either.
void polling() {
  if (g_rank == 0) receive(2, 5);
  if (g_rank != 1) return;
  for (int flag = 0;;) MPI_Iprobe(0, 9, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
}
// An operation of the program's own that it never completes.
void generalized() {
  MPI_Request requests[2];
  MPI_Grequest_start([](void*, MPI_Status*) { return MPI_SUCCESS; }, [](void*) { return MPI_SUCCESS; },
                     [](void*, int) { return MPI_SUCCESS; }, nullptr, &requests[0]);
  MPI_Irecv(&g_value, 1, MPI_INT, right(), 4, MPI_COMM_WORLD, &requests[1]);
  send((g_rank + g_size - 1) % g_size, 4);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}
// Rank 0 waits for a partition that it has not said to be ready, rank 1 for all of them, rank 2 for rank 1; it does not
// ask for what rank 0 sends it.
void partitions() {
  static int values[2] = {};
  MPI_Request request;
  if (g_rank == 0) {
    MPI_Psend_init(values, 1, 1, MPI_INT, 2, 7, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    MPI_Pready(0, request);
  }
  if (g_rank == 0) MPI_Psend_init(values, 2, 1, MPI_INT, 1, 8, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  if (g_rank == 1) MPI_Precv_init(values, 1, 2, MPI_INT, 0, 8, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  if (g_rank == 2) MPI_Precv_init(values, 1, 2, MPI_INT, 1, 9, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  if (g_rank > 2) return;
  MPI_Start(&request);
  if (g_rank == 0) MPI_Pready(1, request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}
void wrong_tag() {
  if (g_rank == 0) receive(1, 5);
  if (g_rank == 1) send(0, 6);
}
// Many of one kind before others, which are more kinds than are told.
// Not in UTF-8.
void foreign_name() {
  MPI_Comm copy;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Comm_set_name(copy, "gr\xfc\xdf");
  receive(right(), 1, copy);
}
void wrong_tags() {
  constexpr int kAlike = 50, kKinds = 10;
  if (g_rank == 0) receive(1, 5);
  if (g_rank != 1) return;
  for (int i = 0; i < kAlike; ++i) send(0, 6);
  for (int kind = 1; kind < kKinds; ++kind) send(0, 6 + kind);
}
// With something after the call, which would else return to whoever has called this function.
[[gnu::noinline]] void lose(int tag) {
  MPI_Send(&g_value, 1, MPI_INT, 0, tag, MPI_COMM_WORLD);
  g_value += 1;
}
// Rank 1 sends a message that nobody receives among others of all lengths and kinds, so that it is counted right; and
// `later` more.
void lose_among_others(int later) {
  constexpr int kLong = 1 << 22;
  std::vector<char> bytes(kLong);
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  const auto all_ways = [&] {
    for (const int length : {0, 8, 100, 5000, 100'000, kLong}) {
      MPI_Request request;
      if (g_rank == 1) {
        MPI_Isend(bytes.data(), length, MPI_CHAR, 0, 1, comm, &request);
        MPI_Send(bytes.data(), length, MPI_CHAR, 0, 2, MPI_COMM_WORLD);
        MPI_Ssend(bytes.data(), length, MPI_CHAR, 0, 3, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
      } else if (g_rank == 0) {
        MPI_Recv(bytes.data(), length, MPI_CHAR, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(bytes.data(), length, MPI_CHAR, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Irecv(bytes.data(), length, MPI_CHAR, 1, 1, comm, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
      }
      MPI_Allreduce(MPI_IN_PLACE, &g_value, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    }
  };
  const auto short_ones = [&](int count) {
    for (int i = 0; i < count; ++i) {
      if (g_rank == 1) send(0, 7);
      if (g_rank == 0) receive(1, 7);
    }
  };
  short_ones(10);
  all_ways();
  if (g_rank == 1) lose(6);
  all_ways();
  short_ones(later);
  if (g_rank == 0) receive(1, 5);
}
void lost() { lose_among_others(10); }
void lost_long_ago() { lose_among_others(100); }
// Rank 2 of a communicator in which the ranks stand the other way round.
void other_ranks() {
  MPI_Comm reverse;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -g_rank, &reverse);
  MPI_Comm_set_name(reverse, "reverse");
  if (g_rank == 2) send(2, 8, reverse);
  if (g_rank == 0) receive(0, 7, reverse);
  if (g_rank == 1) MPI_Ssend(&g_value, 1, MPI_INT, 2, 9, reverse);
}
void wrong_communicator() {
  MPI_Comm other;
  MPI_Comm_dup(MPI_COMM_WORLD, &other);
  MPI_Comm_set_name(other, "other");
  if (g_rank == 0) receive(1, 5, other);
  if (g_rank == 1) send(0, 5);
}
// All but rank 0 enter a barrier, rank 0 receives what is to come after it.
void collective() {
  if (g_rank == 0) receive(1, 1);
  MPI_Barrier(MPI_COMM_WORLD);
  if (g_rank == 1) send(0, 1);
}
// All but rank 1 begin a barrier, and each waits for it in another call.
void ibarrier() {
  if (g_rank == 1) receive(0, 9);
  MPI_Request request;
  int index = 0;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  if (g_rank == 0) MPI_Wait(&request, MPI_STATUS_IGNORE);
  else if (g_rank == 2) MPI_Waitall(1, &request, MPI_STATUSES_IGNORE);
  else MPI_Waitany(1, &request, &index, MPI_STATUS_IGNORE);
}
// Two wait for each other, and the third one sends both what they do not wait for.
void disturbed() {
  if (g_rank < 2) receive(1 - g_rank, 1);
  for (int i = 0; i < 2000; ++i) {
    send(0, 9);
    send(1, 9);
    usleep(20000);
  }
}
// The wildcard takes the message that the other receive needs.
void starve() {
  if (g_rank == 1) send(0, 1);
  if (g_rank != 0) return;
  MPI_Request any;
  MPI_Irecv(&g_value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &any);
  receive(1, 1);
  MPI_Wait(&any, MPI_STATUS_IGNORE);
}
void requests() {
  if (g_rank != 0) return;
  int values[2];
  MPI_Request pending[2];
  const int from = g_size > 1 ? 1 : 0;
  MPI_Irecv(&values[0], 1, MPI_INT, from, 1, MPI_COMM_WORLD, &pending[0]);
  MPI_Irecv(&values[1], 1, MPI_INT, from, 2, MPI_COMM_WORLD, &pending[1]);
  MPI_Waitall(2, pending, MPI_STATUSES_IGNORE);
}
// Both make a communicator of the same ranks, by tags that differ.
void group_tags() {
  MPI_Group group;
  MPI_Comm comm;
  MPI_Comm_group(MPI_COMM_WORLD, &group);
  MPI_Comm_create_group(MPI_COMM_WORLD, group, 5 + g_rank, &comm);
}
void any_of() {
  if (g_rank != 0) return;
  int values[2], index = 0;
  MPI_Request pending[2];
  MPI_Irecv(&values[0], 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &pending[0]);
  MPI_Irecv(&values[1], 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &pending[1]);
  MPI_Waitany(2, pending, &index, MPI_STATUS_IGNORE);
}
// With more to wait for a rank's record no longer lies in its slot (job_view.hpp): here four words for each receive.
void any_of_many() {
  std::vector<MPI_Request> pending(9 + static_cast<size_t>(g_rank));
  int tag = 0, index = 0;
  for (MPI_Request& one : pending) MPI_Irecv(&g_value, 1, MPI_INT, right(), ++tag, MPI_COMM_WORLD, &one);
  MPI_Waitany(tag, pending.data(), &index, MPI_STATUS_IGNORE);
}
void synchronous() {
  ssend(right(), 4);
  receive(MPI_ANY_SOURCE, 4);
}
// Works because sends are buffered.
void unsafe() {
  send(right(), 4);
  receive(MPI_ANY_SOURCE, 4);
}
// Each waits for its partition to be on its way before it says where that of the other one shall go.
void unsafe_partitions() {
  int in = 0, out = 0;
  MPI_Request send, receive;
  MPI_Psend_init(&out, 1, 1, MPI_INT, right(), 7, MPI_COMM_WORLD, MPI_INFO_NULL, &send);
  MPI_Precv_init(&in, 1, 1, MPI_INT, (g_rank + g_size - 1) % g_size, 7, MPI_COMM_WORLD, MPI_INFO_NULL, &receive);
  MPI_Start(&send);
  MPI_Pready(0, send);
  MPI_Wait(&send, MPI_STATUS_IGNORE);
  MPI_Start(&receive);
  MPI_Wait(&receive, MPI_STATUS_IGNORE);
  MPI_Request_free(&send);
  MPI_Request_free(&receive);
}
void mismatch() {
  if (g_rank == 0) MPI_Barrier(MPI_COMM_WORLD);
  else MPI_Allreduce(MPI_IN_PLACE, &g_value, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}
void left_early() {
  if (g_rank != 1) receive(1, 7);
}
void probe() {
  if (g_rank == 0) MPI_Probe(MPI_ANY_SOURCE, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

constexpr Case kCases[] = {
    {"cycle", cycle},
    {"partial", partial},
    {"late", late},
    {"stuck_receiver", stuck_receiver},
    {"matched_probe", matched_probe},
    {"polling", polling},
    {"generalized", generalized},
    {"partitions", partitions},
    {"wrong_tag", wrong_tag},
    {"wrong_tags", wrong_tags},
    {"lost", lost},
    {"lost_long_ago", lost_long_ago},
    {"foreign_name", foreign_name},
    {"other_ranks", other_ranks},
    {"disturbed", disturbed},
    {"starve", starve},
    {"requests", requests},
    {"collective", collective},
    {"ibarrier", ibarrier},
    {"wrong_communicator", wrong_communicator},
    {"group_tags", group_tags},
    {"any_of", any_of},
    {"any_of_many", any_of_many},
    {"probe", probe},
    {"synchronous", synchronous},
    {"left_early", left_early},
    {"unsafe", unsafe},
    {"unsafe_partitions", unsafe_partitions},
    {"mismatch", mismatch},
};

}  // namespace

int main(int argc, char** argv) {
  Mpi mpi(argc, argv);
  EXPECT(argc == 2);
  run_case(kCases, argv[1]);
}
