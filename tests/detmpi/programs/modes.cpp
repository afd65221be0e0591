// Every send mode, blocking and not, to the right-hand neighbour (with one rank: to itself), received by
// name.
#include "testing.hpp"

using namespace mpi_test;

namespace {

using Blocking = int (*)(const void*, int, MPI_Datatype, int, int, MPI_Comm);
using Nonblocking = int (*)(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);

constexpr size_t kSizes[] = {0, 1, 32, 33, 1000, 16384, 16385, 100000, 5000000};
constexpr size_t kLargest = 5000000;
constexpr int kRanksForLargest = 4;

// The receive is posted before anybody sends: a ready send may come.
void blocking(Blocking send, size_t bytes, int tag) {
  const auto out = message(bytes, static_cast<uint64_t>(g_rank * 1000 + tag));
  std::vector<unsigned char> in(bytes + 1, 0xee);
  MPI_Request request;
  MPI_Status status;
  MPI_Irecv(in.data(), static_cast<int>(bytes), MPI_BYTE, left(), tag, MPI_COMM_WORLD, &request);
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT(send(out.data(), static_cast<int>(bytes), MPI_BYTE, right(), tag, MPI_COMM_WORLD) == MPI_SUCCESS);
  MPI_Wait(&request, &status);
  EXPECT(request == MPI_REQUEST_NULL);
  EXPECT(status.MPI_SOURCE == left() && status.MPI_TAG == tag);
  EXPECT(count_of(status, MPI_BYTE) == static_cast<int>(bytes));
  EXPECT(holds(in.data(), bytes, static_cast<uint64_t>(left() * 1000 + tag)) && in[bytes] == 0xee);
}

// The send comes first; but for ready sends.
void nonblocking(Nonblocking send, bool ready, size_t bytes, int tag) {
  const auto out = message(bytes, static_cast<uint64_t>(g_rank * 1000 + tag));
  std::vector<unsigned char> in(bytes + 1, 0xee);
  MPI_Request requests[2];
  MPI_Status statuses[2];
  if (ready) {
    MPI_Irecv(in.data(), static_cast<int>(bytes), MPI_BYTE, left(), tag, MPI_COMM_WORLD, &requests[0]);
    MPI_Barrier(MPI_COMM_WORLD);
    send(out.data(), static_cast<int>(bytes), MPI_BYTE, right(), tag, MPI_COMM_WORLD, &requests[1]);
  } else {
    send(out.data(), static_cast<int>(bytes), MPI_BYTE, right(), tag, MPI_COMM_WORLD, &requests[1]);
    MPI_Irecv(in.data(), static_cast<int>(bytes), MPI_BYTE, left(), tag, MPI_COMM_WORLD, &requests[0]);
  }
  EXPECT(MPI_Waitall(2, requests, statuses) == MPI_SUCCESS);
  EXPECT(requests[0] == MPI_REQUEST_NULL && requests[1] == MPI_REQUEST_NULL);
  EXPECT(statuses[0].MPI_SOURCE == left() && statuses[0].MPI_TAG == tag);
  EXPECT(holds(in.data(), bytes, static_cast<uint64_t>(left() * 1000 + tag)) && in[bytes] == 0xee);
}

// A synchronous message to the rank itself, which nobody receives yet, and one that is received much later in logical
// time: that is the one that a wait for the first of them, or a test of both, is to find out about.
void synchronous_to_itself(bool wait, int tag) {
  int value = g_rank, in = -1, index = 1;
  if (g_rank == g_size - 1 && g_size > 1) {
    detmpi_work_usleep(1'000'000);
    MPI_Recv(&in, 1, MPI_INT, 0, tag + 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    EXPECT(in == 0);
  }
  if (g_rank != 0) return;
  MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  MPI_Issend(&value, 1, MPI_INT, 0, tag, MPI_COMM_WORLD, &requests[0]);
  if (g_size > 1) MPI_Issend(&value, 1, MPI_INT, g_size - 1, tag + 1, MPI_COMM_WORLD, &requests[1]);
  for (int flag = 0; g_size > 1 && flag == 0;) {
    if (!wait) {
      MPI_Testany(2, requests, &index, &flag, MPI_STATUS_IGNORE);
    } else {
      MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
      flag = 1;
    }
  }
  EXPECT(index == 1);
  MPI_Recv(&in, 1, MPI_INT, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  EXPECT(MPI_Wait(&requests[0], MPI_STATUS_IGNORE) == MPI_SUCCESS && in == 0);
}

}  // namespace

int main(int argc, char** argv) {
  Mpi mpi(argc, argv);
  std::vector<char> room(8 * (kLargest + MPI_BSEND_OVERHEAD));
  MPI_Buffer_attach(room.data(), static_cast<int>(room.size()));
  int tag = 1;
  for (const size_t bytes : kSizes) {
    if (bytes == kLargest && g_size > kRanksForLargest) continue;
    blocking(MPI_Send, bytes, tag++);
    blocking(MPI_Bsend, bytes, tag++);
    blocking(MPI_Rsend, bytes, tag++);
    blocking(MPI_Ssend, bytes, tag++);
    nonblocking(MPI_Isend, false, bytes, tag++);
    nonblocking(MPI_Ibsend, false, bytes, tag++);
    nonblocking(MPI_Irsend, true, bytes, tag++);
    nonblocking(MPI_Issend, false, bytes, tag++);
  }
  synchronous_to_itself(true, tag);
  synchronous_to_itself(false, tag + 2);
  void* base = nullptr;
  int size = 0;
  MPI_Buffer_detach(&base, &size);
  EXPECT(base == room.data() && size == static_cast<int>(room.size()));
  if (g_rank == 0) std::printf("%d messages per rank\n", tag - 1);
}
