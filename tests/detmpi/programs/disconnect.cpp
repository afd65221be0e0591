// MPI_Comm_disconnect: what was started on the communicator is complete afterwards, also if it is waited for later.
#include "testing.hpp"

using namespace mpi_test;

int main(int argc, char** argv) {
  Mpi mpi(argc, argv);
  MPI_Comm copy;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  const size_t bytes = 1 << 20;
  std::vector<unsigned char> in(bytes), out = message(bytes, static_cast<uint64_t>(g_rank));
  MPI_Request requests[2];
  MPI_Irecv(in.data(), static_cast<int>(bytes), MPI_BYTE, left(), 1, copy, &requests[0]);
  MPI_Isend(out.data(), static_cast<int>(bytes), MPI_BYTE, right(), 1, copy, &requests[1]);
  MPI_Comm_disconnect(&copy);
  EXPECT(copy == MPI_COMM_NULL);
  EXPECT(holds(in.data(), bytes, static_cast<uint64_t>(left())));
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm world = MPI_COMM_WORLD;
  EXPECT(error_class(MPI_Comm_disconnect(&world)) == MPI_ERR_COMM);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  Report report;
  report.line("done");
  report.print();
}
