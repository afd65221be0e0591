// Sends that are under way go on while their rank is inside any other blocking call.
#include <chrono>
#include <thread>

#include "testing.hpp"

using namespace mpi_test;

namespace {

constexpr int kBytes = 10 << 20;  // more than is buffered

// Rank 0 starts a send and goes into `elsewhere`, which it leaves only after the receiver has got everything.
template <typename Elsewhere>
void under_way(int tag, Elsewhere elsewhere) {
  std::vector<unsigned char> data(g_rank == 0 || g_rank == 1 ? kBytes : 0);
  MPI_Request request = MPI_REQUEST_NULL;
  if (g_rank == 0) {
    data = message(kBytes, static_cast<uint64_t>(tag));
    MPI_Isend(data.data(), kBytes, MPI_BYTE, 1, tag, MPI_COMM_WORLD, &request);
  } else if (g_rank == 1) {
    MPI_Recv(data.data(), kBytes, MPI_BYTE, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    EXPECT(holds(data.data(), data.size(), static_cast<uint64_t>(tag)));
  }
  elsewhere();
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

// `source`: whom the receiver names.
void transfer(int from, int to, int source, decltype(&MPI_Send) send = MPI_Send) {
  int token = 0;
  if (g_rank == from) send(&token, 1, MPI_INT, to, 41, MPI_COMM_WORLD);
  if (g_rank == to) MPI_Recv(&token, 1, MPI_INT, source, 41, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
void transfer(int from, int to) { transfer(from, to, from); }

void transfer_much(int from, int to, int bytes) {
  std::vector<unsigned char> data(g_rank == from || g_rank == to ? static_cast<size_t>(bytes) : 0);
  if (g_rank == from) MPI_Send(data.data(), bytes, MPI_BYTE, to, 42, MPI_COMM_WORLD);
  if (g_rank == to) MPI_Recv(data.data(), bytes, MPI_BYTE, from, 42, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

// What rank 1 is blocked in until rank 0 has sent its synchronous message: each lets it return later than that.
void after_rank_0(int how) {
  MPI_Request request;
  int flag = 0;
  switch (how) {
    case 0: MPI_Barrier(MPI_COMM_WORLD); break;
    case 1: transfer(0, 1); break;
    case 2:  // by way of the last rank
      if (g_size > 2) transfer(0, g_size - 1);
      if (g_size > 2) transfer(g_size - 1, 1);
      break;
    case 3:
      if (g_rank == 1) MPI_Probe(0, 41, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      transfer(0, 1);
      break;
    case 4:
      MPI_Ibarrier(MPI_COMM_WORLD, &request);
      MPI_Waitany(1, &request, &flag, MPI_STATUS_IGNORE);
      break;
    case 5: transfer(0, 1, MPI_ANY_SOURCE); break;
    case 6: transfer(1, 0, 1, MPI_Ssend); break;
    case 7: transfer_much(1, 0, 100'000); break;
    case 8: transfer_much(1, 0, kBytes); break;
    default: MPI_Allreduce(&g_rank, &flag, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); break;
  }
}

// Lets rank 0 be far ahead in logical time: what it sends is matched later than the clock of whoever receives it.
void go_ahead() {
  for (int call = 0, flag = 0; call < 300 && g_rank == 0; ++call) MPI_Comm_test_inter(MPI_COMM_WORLD, &flag);
}

// A synchronous message is acknowledged although its receiver is blocked in something that its sender does afterwards.
// `source`: whom the receiver names.
void acknowledged_meanwhile(int source) {
  if (g_size < 2) return;
  for (int how = 0; how < 10; ++how) {
    for (const int late : {0, 1}) {  // who comes late, physically
      int value = how;
      MPI_Request request;
      go_ahead();
      if (g_rank == late) std::this_thread::sleep_for(std::chrono::milliseconds(3));
      if (g_rank == 0) MPI_Ssend(&value, 1, MPI_INT, 1, 40, MPI_COMM_WORLD);
      if (g_rank == 1) MPI_Irecv(&value, 1, MPI_INT, source, 40, MPI_COMM_WORLD, &request);
      after_rank_0(how);
      if (g_rank == 1) MPI_Wait(&request, MPI_STATUS_IGNORE);
      EXPECT(value == how);
    }
  }
}

// The same where the receiver has got what it receives from any source from one rank alone so far (engine/usual.cpp).
void acknowledged_meanwhile_by_habit(int usual) {
  if (g_size < 2) return;
  constexpr int kHabit = 20;
  for (int i = 0, value = 0; i < kHabit; ++i) {
    if (g_rank == usual) MPI_Send(&value, 1, MPI_INT, 1, 40, MPI_COMM_WORLD);
    if (g_rank == 1) MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 40, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  acknowledged_meanwhile(MPI_ANY_SOURCE);
}

}  // namespace

int main(int argc, char** argv) {
  Mpi mpi(argc, argv);
  if (g_size > 1) {
    under_way(1, [] { MPI_Barrier(MPI_COMM_WORLD); });
    under_way(2, [] {
      int value = g_rank;
      MPI_Bcast(&value, 1, MPI_INT, 1, MPI_COMM_WORLD);
      EXPECT(value == 1);
    });
    under_way(3, [] {
      int value = g_rank;
      if (g_rank == 1) MPI_Send(&value, 1, MPI_INT, 0, 30, MPI_COMM_WORLD);
      if (g_rank == 0) MPI_Recv(&value, 1, MPI_INT, 1, 30, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    });
    under_way(4, [] {
      int value = g_rank;
      if (g_rank == 1) MPI_Recv(&value, 1, MPI_INT, 0, 40, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      if (g_rank == 0) MPI_Ssend(&value, 1, MPI_INT, 1, 40, MPI_COMM_WORLD);
    });
    under_way(5, [] {
      MPI_Comm copy;
      MPI_Comm_dup(MPI_COMM_WORLD, &copy);
      MPI_Comm_free(&copy);
    });
    under_way(6, [] {
      int value = 1;
      if (g_rank == 1) MPI_Send(&value, 1, MPI_INT, 0, 60, MPI_COMM_WORLD);
      int flag = 0;
      while (g_rank == 0 && !flag) MPI_Iprobe(1, 60, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
      if (g_rank == 0) MPI_Recv(&value, 1, MPI_INT, 1, 60, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    });
  }
  // The last thing a program does may be a send that nobody waits for.
  static std::vector<unsigned char> last = message(kBytes / 4, 7);
  if (g_rank == 0 && g_size > 1) {
    MPI_Request request;
    MPI_Isend(last.data(), kBytes / 4, MPI_BYTE, 1, 7, MPI_COMM_WORLD, &request);
    MPI_Request_free(&request);
  } else if (g_rank == 1) {
    std::vector<unsigned char> in(kBytes / 4);
    MPI_Recv(in.data(), kBytes / 4, MPI_BYTE, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    EXPECT(holds(in.data(), in.size(), 7));
  }
  acknowledged_meanwhile(0);
  acknowledged_meanwhile_by_habit(0);
  if (g_size > 2) acknowledged_meanwhile_by_habit(g_size - 1);
  if (g_rank == 0) std::puts("on their way");
}
