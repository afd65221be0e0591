// Persistent requests: started again and again with new contents, one by one and together, freed while
// inactive.
#include "testing.hpp"

using namespace mpi_test;

namespace {

using Init = int (*)(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);

void rounds(Init send_init, bool ready, int bytes, int tag) {
  std::vector<unsigned char> out(static_cast<size_t>(bytes)), in(static_cast<size_t>(bytes));
  MPI_Request requests[2];
  MPI_Recv_init(in.data(), bytes, MPI_BYTE, left(), tag, MPI_COMM_WORLD, &requests[0]);
  send_init(out.data(), bytes, MPI_BYTE, right(), tag, MPI_COMM_WORLD, &requests[1]);
  // Inactive: nothing to wait for.
  MPI_Status status;
  int flag = 0;
  MPI_Wait(&requests[0], &status);
  EXPECT(requests[0] != MPI_REQUEST_NULL && status.MPI_SOURCE == MPI_ANY_SOURCE);
  MPI_Test(&requests[1], &flag, &status);
  EXPECT(flag && requests[1] != MPI_REQUEST_NULL);
  for (int round = 0; round < 5; ++round) {
    const auto seed = static_cast<uint64_t>(round * 100);
    for (size_t i = 0; i < out.size(); ++i) out[i] = byte_of(seed + static_cast<uint64_t>(g_rank), i);
    std::fill(in.begin(), in.end(), static_cast<unsigned char>(0));
    MPI_Start(&requests[0]);
    if (ready) MPI_Barrier(MPI_COMM_WORLD);
    MPI_Start(&requests[1]);
    MPI_Status statuses[2];
    MPI_Waitall(2, requests, statuses);
    EXPECT(requests[0] != MPI_REQUEST_NULL && requests[1] != MPI_REQUEST_NULL);
    EXPECT(statuses[0].MPI_SOURCE == left() && statuses[0].MPI_TAG == tag);
    EXPECT(holds(in.data(), in.size(), seed + static_cast<uint64_t>(left())));
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
  EXPECT(requests[0] == MPI_REQUEST_NULL);
}

// A halo exchange as programs write it.
void together() {
  constexpr int kTags = 4;
  int out[kTags], in[kTags];
  MPI_Request requests[2 * kTags];
  for (int i = 0; i < kTags; ++i) {
    MPI_Recv_init(&in[i], 1, MPI_INT, left(), 100 + i, MPI_COMM_WORLD, &requests[i]);
    MPI_Send_init(&out[i], 1, MPI_INT, right(), 100 + i, MPI_COMM_WORLD, &requests[kTags + i]);
  }
  for (int round = 0; round < 50; ++round) {
    for (int i = 0; i < kTags; ++i) out[i] = round * 1000 + g_rank * 10 + i;
    MPI_Startall(2 * kTags, requests);
    MPI_Waitall(2 * kTags, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < kTags; ++i) EXPECT(in[i] == round * 1000 + left() * 10 + i);
  }
  for (MPI_Request& request : requests) MPI_Request_free(&request);
}

// Any source, and a buffer that is smaller than the sender's message in one of the rounds.
void changing() {
  if (g_size < 2) return;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (g_rank == 1) {
    for (int round = 0; round < 3; ++round) {
      const int pair[2] = {round, round + 1};
      MPI_Send(pair, round == 1 ? 2 : 1, MPI_INT, 0, 200, MPI_COMM_WORLD);
    }
  } else if (g_rank == 0) {
    int in[2] = {-1, -1};
    MPI_Request request;
    MPI_Recv_init(in, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
    for (int round = 0; round < 3; ++round) {
      MPI_Start(&request);
      MPI_Status status;
      const int code = MPI_Wait(&request, &status);
      EXPECT(error_class(code) == (round == 1 ? MPI_ERR_TRUNCATE : MPI_SUCCESS));
      EXPECT(in[0] == round && in[1] == -1 && status.MPI_SOURCE == 1 && status.MPI_TAG == 200);
    }
    MPI_Request_free(&request);
  }
}

}  // namespace

int main(int argc, char** argv) {
  Mpi mpi(argc, argv);
  std::vector<char> room(3000000);
  MPI_Buffer_attach(room.data(), static_cast<int>(room.size()));
  int tag = 0;
  for (const int bytes : {0, 8, 100, 16385, 500000}) {
    rounds(MPI_Send_init, false, bytes, tag++);
    rounds(MPI_Ssend_init, false, bytes, tag++);
    rounds(MPI_Bsend_init, false, bytes, tag++);
    rounds(MPI_Rsend_init, true, bytes, tag++);
  }
  void* base = nullptr;
  int size = 0;
  MPI_Buffer_detach(&base, &size);
  together();
  changing();
  if (g_rank == 0) std::puts("again and again");
}
