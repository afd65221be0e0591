// MPI_Comm_disconnect: what was started on the communicator is complete afterwards, also if it is waited for later, or
// never, because its request has been freed.
#include "testing.hpp"

using namespace mpi_test;

namespace {

constexpr int kBytes = 1 << 20;

// `start`: of a receive into one buffer from the left and a send of the other to the right.
template <typename Start>
void given_up(int seed, Start&& start) {
  MPI_Comm copy;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  const auto of = [&](int rank) { return static_cast<uint64_t>(seed + rank); };
  std::vector<unsigned char> in(kBytes), out = message(kBytes, of(g_rank));
  start(in.data(), out.data(), copy);
  MPI_Comm_disconnect(&copy);
  EXPECT(holds(in.data(), kBytes, of(left())));
}

void two_requests(unsigned char* in, const unsigned char* out, MPI_Comm comm) {
  MPI_Request requests[2];
  MPI_Irecv(in, kBytes, MPI_BYTE, left(), 1, comm, &requests[0]);
  MPI_Isend(out, kBytes, MPI_BYTE, right(), 1, comm, &requests[1]);
  for (MPI_Request& request : requests) MPI_Request_free(&request);
}

void one_request(unsigned char* in, const unsigned char* out, MPI_Comm comm) {
  MPI_Request request;
  MPI_Isendrecv(out, kBytes, MPI_BYTE, right(), 1, in, kBytes, MPI_BYTE, left(), 1, comm, &request);
  MPI_Request_free(&request);
}

// Refused at once, not when everything on it is complete.
void predefined() {
  int in = -1;
  MPI_Request request;
  MPI_Irecv(&in, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &request);
  MPI_Comm comm = MPI_COMM_SELF;
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  const int code = MPI_Comm_disconnect(&comm);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
  EXPECT(error_class(code) == MPI_ERR_COMM && comm == MPI_COMM_SELF);
  MPI_Send(&g_rank, 1, MPI_INT, 0, 0, MPI_COMM_SELF);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  EXPECT(in == g_rank);
}

}  // namespace

int main(int argc, char** argv) {
  Mpi mpi(argc, argv);
  predefined();
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
  given_up(100, two_requests);
  given_up(200, one_request);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm world = MPI_COMM_WORLD;
  EXPECT(error_class(MPI_Comm_disconnect(&world)) == MPI_ERR_COMM);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  Report report;
  report.line("done");
  report.print();
}
