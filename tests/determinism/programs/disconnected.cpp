// disconnected WAY LATE: a communicator is disconnected while rank 0 has a synchronous send on it: begun by MPI_Issend,
// or freed then, or by MPI_Ssend_init. LATE is the rank that comes later in real time, which nothing else tells.
#include <unistd.h>

#include <string>

#include "testing.hpp"

using namespace mpi_test;

namespace {

void pass_time(int calls) {
  for (int i = 0; i < calls; ++i) MPI_Wtime();
}

void begin_send(const std::string& way, int* value, MPI_Comm comm) {
  MPI_Request request;
  if (way == "persistent") {
    MPI_Ssend_init(value, 1, MPI_INT, 1, 5, comm, &request);
    MPI_Start(&request);
  } else {
    MPI_Issend(value, 1, MPI_INT, 1, 5, comm, &request);
  }
  if (way == "freed") MPI_Request_free(&request);
}

}  // namespace

int main(int argc, char** argv) {
  static int value = 0;
  Mpi mpi(argc, argv);
  EXPECT(argc == 3 && g_size == 3);
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  if (g_rank == 0) begin_send(argv[1], &value, comm);
  if (g_rank == 1) {
    pass_time(1000);
    MPI_Send(nullptr, 0, MPI_INT, 2, 1, MPI_COMM_WORLD);
    pass_time(3000);
    std::printf("rank 1 receives\n");
  }
  if (g_rank == std::atoi(argv[2])) usleep(50000);
  if (g_rank == 1) MPI_Recv(&value, 1, MPI_INT, 0, 5, comm, MPI_STATUS_IGNORE);
  MPI_Comm_disconnect(&comm);
  if (g_rank == 0) {
    std::printf("rank 0 knows of it\n");
    MPI_Send(nullptr, 0, MPI_INT, 2, 1, MPI_COMM_WORLD);
  }
  for (int i = 0; g_rank == 2 && i < 2; ++i) {
    MPI_Status status;
    MPI_Recv(nullptr, 0, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status);
    std::printf("from rank %d, at %.6f\n", status.MPI_SOURCE, MPI_Wtime());
  }
}
