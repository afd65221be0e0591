// MPI_PROC_NULL in every call that takes a peer, and messages to oneself.
#include "testing.hpp"

using namespace mpi_test;

namespace {

void expect_null(const MPI_Status& status) {
  EXPECT(status.MPI_SOURCE == MPI_PROC_NULL && status.MPI_TAG == MPI_ANY_TAG && count_of(status, MPI_INT) == 0);
}

void nobody() {
  int value = 17;
  int flag = 0;
  MPI_Status status;
  MPI_Request request;
  MPI_Message found;
  const auto comm = MPI_COMM_WORLD;
  MPI_Send(&value, 1, MPI_INT, MPI_PROC_NULL, 0, comm);
  MPI_Ssend(&value, 1, MPI_INT, MPI_PROC_NULL, 0, comm);
  MPI_Bsend(&value, 1, MPI_INT, MPI_PROC_NULL, 0, comm);
  MPI_Rsend(&value, 1, MPI_INT, MPI_PROC_NULL, 0, comm);
  MPI_Recv(&value, 1, MPI_INT, MPI_PROC_NULL, 0, comm, &status);
  expect_null(status);
  MPI_Issend(&value, 1, MPI_INT, MPI_PROC_NULL, 0, comm, &request);
  MPI_Wait(&request, &status);
  EXPECT(request == MPI_REQUEST_NULL);
  MPI_Irecv(&value, 1, MPI_INT, MPI_PROC_NULL, 0, comm, &request);
  MPI_Test(&request, &flag, &status);
  EXPECT(flag && request == MPI_REQUEST_NULL);
  expect_null(status);
  MPI_Probe(MPI_PROC_NULL, 1, comm, &status);
  expect_null(status);
  MPI_Iprobe(MPI_PROC_NULL, 1, comm, &flag, &status);
  EXPECT(flag);
  expect_null(status);
  MPI_Mprobe(MPI_PROC_NULL, 1, comm, &found, &status);
  EXPECT(found == MPI_MESSAGE_NO_PROC);
  MPI_Mrecv(&value, 1, MPI_INT, &found, &status);
  EXPECT(found == MPI_MESSAGE_NULL);
  expect_null(status);
  MPI_Improbe(MPI_PROC_NULL, 1, comm, &flag, &found, &status);
  EXPECT(flag && found == MPI_MESSAGE_NO_PROC);
  MPI_Imrecv(&value, 1, MPI_INT, &found, &request);
  MPI_Wait(&request, &status);
  expect_null(status);
  MPI_Recv_init(&value, 1, MPI_INT, MPI_PROC_NULL, 0, comm, &request);
  for (int i = 0; i < 2; ++i) {
    MPI_Start(&request);
    MPI_Wait(&request, &status);
    expect_null(status);
  }
  MPI_Request_free(&request);
  MPI_Sendrecv(&value, 1, MPI_INT, MPI_PROC_NULL, 0, &value, 1, MPI_INT, MPI_PROC_NULL, 0, comm, &status);
  expect_null(status);
  MPI_Sendrecv_replace(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_PROC_NULL, 0, comm, &status);
  expect_null(status);
  EXPECT(value == 17);
}

// Where there is no message there need be no buffer; nobody on one side of an exchange is not enough.
void null_buffers() {
  const auto comm = MPI_COMM_WORLD;
  MPI_Status status;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Message none = MPI_MESSAGE_NO_PROC;
  MPI_Mrecv(nullptr, 1, MPI_INT, &none, &status);
  expect_null(status);
  none = MPI_MESSAGE_NO_PROC;
  MPI_Imrecv(nullptr, 1, MPI_INT, &none, &request);
  MPI_Wait(&request, &status);
  expect_null(status);
  MPI_Sendrecv_replace(nullptr, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_PROC_NULL, 0, comm, &status);
  expect_null(status);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  for (const bool sends : {false, true}) {
    const int dest = sends ? g_rank : MPI_PROC_NULL, source = sends ? MPI_PROC_NULL : g_rank;
    int code = MPI_Sendrecv_replace(nullptr, 1, MPI_INT, dest, 0, source, 0, comm, &status);
    EXPECT(error_class(code) == MPI_ERR_BUFFER);
    code = MPI_Isendrecv_replace(nullptr, 1, MPI_INT, dest, 0, source, 0, comm, &request);
    EXPECT(error_class(code) == MPI_ERR_BUFFER && request == MPI_REQUEST_NULL);
  }
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_ARE_FATAL);
}

void self(int bytes) {
  const int me = g_rank;
  const auto comm = MPI_COMM_WORLD;
  const auto out = message(static_cast<size_t>(bytes), static_cast<uint64_t>(bytes));
  std::vector<unsigned char> in(static_cast<size_t>(bytes));
  const auto arrived = [&] { return holds(in.data(), in.size(), static_cast<uint64_t>(bytes)); };
  MPI_Request requests[2];
  MPI_Status status;
  // Sent first, then received.
  MPI_Isend(out.data(), bytes, MPI_BYTE, me, 1, comm, &requests[0]);
  MPI_Recv(in.data(), bytes, MPI_BYTE, me, 1, comm, &status);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  EXPECT(arrived() && status.MPI_SOURCE == me && count_of(status, MPI_BYTE) == bytes);
  // A synchronous send completes only when it is received.
  std::fill(in.begin(), in.end(), static_cast<unsigned char>(0));
  int flag = 1;
  MPI_Issend(out.data(), bytes, MPI_BYTE, me, 2, comm, &requests[0]);
  MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
  EXPECT(!flag);
  MPI_Recv(in.data(), bytes, MPI_BYTE, MPI_ANY_SOURCE, 2, comm, &status);
  MPI_Request_get_status(requests[0], &flag, MPI_STATUS_IGNORE);  // programs look once
  EXPECT(flag);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  EXPECT(arrived() && status.MPI_SOURCE == me);
  // Posted first.
  std::fill(in.begin(), in.end(), static_cast<unsigned char>(0));
  MPI_Irecv(in.data(), bytes, MPI_BYTE, me, MPI_ANY_TAG, comm, &requests[1]);
  MPI_Ssend(out.data(), bytes, MPI_BYTE, me, 3, comm);
  MPI_Wait(&requests[1], &status);
  EXPECT(arrived() && status.MPI_TAG == 3);
  std::fill(in.begin(), in.end(), static_cast<unsigned char>(0));
  MPI_Sendrecv(out.data(), bytes, MPI_BYTE, me, 4, in.data(), bytes, MPI_BYTE, me, 4, comm, &status);
  EXPECT(arrived());
  MPI_Sendrecv_replace(in.data(), bytes, MPI_BYTE, me, 5, me, 5, comm, &status);
  EXPECT(arrived());
  // MPI_COMM_SELF is apart from MPI_COMM_WORLD.
  MPI_Isend(out.data(), bytes, MPI_BYTE, 0, 6, MPI_COMM_SELF, &requests[0]);
  MPI_Iprobe(me, 6, comm, &flag, MPI_STATUS_IGNORE);
  EXPECT(!flag);
  MPI_Recv(in.data(), bytes, MPI_BYTE, 0, 6, MPI_COMM_SELF, &status);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  EXPECT(arrived());
}

}  // namespace

int main(int argc, char** argv) {
  Mpi mpi(argc, argv);
  nobody();
  null_buffers();
  for (const int bytes : {0, 1, 33, 20000, 300000}) self(bytes);
  if (g_rank == 0) std::puts("nobody and myself");
}
