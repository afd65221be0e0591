// A message longer than the buffer: an error for that receive, which gets what fits, nothing written behind the buffer,
// and the next message is as it should be. All ways of receiving, short and long.
#include "testing.hpp"

using namespace mpi_test;

namespace {

constexpr int kSizes[][2] = {{2, 1},     {40, 33},       {1000, 0},         {16384, 16383},
                             {70000, 5}, {70000, 69999}, {2000000, 1000000}};

void expect_truncated(int code, const MPI_Status& status, const std::vector<unsigned char>& in, int room) {
  EXPECT(code != MPI_SUCCESS && error_class(code) == MPI_ERR_TRUNCATE);
  EXPECT(status.MPI_SOURCE == 0 && status.MPI_TAG == 3);
  EXPECT(count_of(status, MPI_BYTE) == room);
  EXPECT(holds(in.data(), static_cast<size_t>(room), 1));
  for (size_t i = static_cast<size_t>(room); i < in.size(); ++i) EXPECT(in[i] == 0xab);
}

void receive(int way, int bytes, int room) {
  std::vector<unsigned char> in(static_cast<size_t>(room) + 64, 0xab);
  MPI_Status status;
  MPI_Request request;
  MPI_Message found;
  int code = MPI_SUCCESS;
  switch (way) {
    case 0: code = MPI_Recv(in.data(), room, MPI_BYTE, 0, 3, MPI_COMM_WORLD, &status); break;
    case 1:
      MPI_Irecv(in.data(), room, MPI_BYTE, 0, 3, MPI_COMM_WORLD, &request);
      code = MPI_Wait(&request, &status);
      EXPECT(request == MPI_REQUEST_NULL);
      break;
    case 2:
      MPI_Probe(0, 3, MPI_COMM_WORLD, &status);
      EXPECT(count_of(status, MPI_BYTE) == bytes);
      code = MPI_Recv(in.data(), room, MPI_BYTE, 0, 3, MPI_COMM_WORLD, &status);
      break;
    case 3:
      MPI_Mprobe(0, 3, MPI_COMM_WORLD, &found, &status);
      code = MPI_Mrecv(in.data(), room, MPI_BYTE, &found, &status);
      break;
    case 4:
      MPI_Recv_init(in.data(), room, MPI_BYTE, 0, 3, MPI_COMM_WORLD, &request);
      MPI_Start(&request);
      code = MPI_Wait(&request, &status);
      MPI_Request_free(&request);
      break;
    case 5:
      code = MPI_Sendrecv(nullptr, 0, MPI_BYTE, MPI_PROC_NULL, 0, in.data(), room, MPI_BYTE, 0, 3, MPI_COMM_WORLD,
                          &status);
      break;
    default:
      MPI_Irecv(in.data(), room, MPI_BYTE, 0, 3, MPI_COMM_WORLD, &request);
      code = MPI_Waitall(1, &request, &status);
      EXPECT(error_class(code) == MPI_ERR_IN_STATUS);
      code = status.MPI_ERROR;
  }
  expect_truncated(code, status, in, room);
  int next = 0;
  MPI_Recv(&next, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, &status);
  EXPECT(next == bytes);
}

int g_folds = 0;

extern "C" void count_folds(void*, void*, int*, MPI_Datatype*) { ++g_folds; }

// Contributions longer than the root's own: it is told, as often as it asks, and nothing is folded.
void operations() {
  MPI_Op op;
  MPI_Op_create(count_folds, 1, &op);
  int in[3] = {1, 2, 3};
  int out[3] = {-1, -1, -1};
  MPI_Request request;
  MPI_Ireduce(in, out, g_rank == 0 ? 2 : 3, MPI_INT, op, 0, MPI_COMM_WORLD, &request);
  int done = 0;
  int code = MPI_SUCCESS;
  while (done == 0 && code == MPI_SUCCESS) code = MPI_Request_get_status(request, &done, MPI_STATUS_IGNORE);
  EXPECT(error_class(code) == (g_rank == 0 ? MPI_ERR_TRUNCATE : MPI_SUCCESS));
  code = MPI_Wait(&request, MPI_STATUS_IGNORE);
  EXPECT(error_class(code) == (g_rank == 0 ? MPI_ERR_TRUNCATE : MPI_SUCCESS));
  EXPECT(request == MPI_REQUEST_NULL);
  EXPECT(g_folds == 0 && out[0] == -1 && out[1] == -1 && out[2] == -1);
  MPI_Op_free(&op);
}

// Errors of requests go to the communicator that they are on, also after the program has freed it.
void on_its_communicator() {
  const int two[2] = {1, 2};
  int one = 0;
  for (const bool is_freed : {false, true}) {
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Request requests[2];
    for (MPI_Request& request : requests) {
      MPI_Irecv(&one, 1, MPI_INT, 0, 8, comm, &request);
      MPI_Send(two, 2, MPI_INT, 0, 8, comm);
    }
    if (is_freed) MPI_Comm_free(&comm);
    int done = 0, code = MPI_SUCCESS;
    while (done == 0 && code == MPI_SUCCESS) code = MPI_Request_get_status(requests[0], &done, MPI_STATUS_IGNORE);
    EXPECT(error_class(code) == MPI_ERR_TRUNCATE);
    EXPECT(error_class(MPI_Wait(&requests[0], MPI_STATUS_IGNORE)) == MPI_ERR_TRUNCATE);
    EXPECT(error_class(MPI_Waitall(1, &requests[1], MPI_STATUSES_IGNORE)) == MPI_ERR_IN_STATUS);
    if (!is_freed) {
      MPI_Ibarrier(comm, &requests[0]);
      EXPECT(error_class(MPI_Start(&requests[0])) == MPI_ERR_REQUEST);
      EXPECT(error_class(MPI_Request_free(&requests[0])) == MPI_ERR_REQUEST);
      EXPECT(error_class(MPI_Cancel(&requests[0])) == MPI_ERR_REQUEST);
      MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
      MPI_Comm_free(&comm);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  Mpi mpi(argc, argv);
  on_its_communicator();
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  for (const auto& [bytes, room] : kSizes) {
    for (int way = 0; way < 7; ++way) {
      if (g_rank == 0) {
        const auto out = message(static_cast<size_t>(bytes), 1);
        for (int to = 1; to < g_size; ++to) {
          MPI_Send(out.data(), bytes, MPI_BYTE, to, 3, MPI_COMM_WORLD);
          MPI_Send(&bytes, 1, MPI_INT, to, 3, MPI_COMM_WORLD);
        }
      } else {
        receive(way, bytes, room);
      }
    }
  }
  if (g_size > 1) operations();
  // A message to oneself.
  int pair[2] = {1, 2};
  int one = 0;
  MPI_Request request;
  MPI_Irecv(&one, 1, MPI_INT, g_rank, 8, MPI_COMM_WORLD, &request);
  MPI_Send(pair, 2, MPI_INT, g_rank, 8, MPI_COMM_WORLD);
  EXPECT(error_class(MPI_Wait(&request, MPI_STATUS_IGNORE)) == MPI_ERR_TRUNCATE);
  EXPECT(one == 1);
  if (g_rank == 0) std::puts("each was told");
}
