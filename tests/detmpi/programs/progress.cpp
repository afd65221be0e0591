// Sends that are under way go on while their rank is inside any other blocking call.
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
  if (g_rank == 0) std::puts("on their way");
}
