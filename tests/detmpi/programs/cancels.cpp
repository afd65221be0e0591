// A receive that is cancelled leaves its buffer as it was, and the one behind it gets its message and no byte of the
// one that it would have got before: although both messages have come, and are only late in logical time. From the rank
// itself, whose messages are there at once, and from a neighbour, which has worked before it sends.
#include <iterator>

#include "testing.hpp"

using namespace mpi_test;

namespace {

constexpr int kOwnTag = 3, kTag = 4;
constexpr size_t kShort[] = {0, 1, 8, 5000}, kLong[] = {64, 3000, 20000, 400000};

enum class Way { kPlain, kAny, kPersistent, kFreed };
constexpr Way kWays[] = {Way::kPlain, Way::kAny, Way::kPersistent, Way::kFreed};

struct Buffer {
  std::vector<unsigned char> bytes;
  explicit Buffer(size_t size) : bytes(size, 0xab) {}
  void* data() { return bytes.data(); }
  int room() const { return static_cast<int>(bytes.size()); }
  // The message with that seed, and nothing behind it.
  bool has(size_t size, uint64_t seed) const {
    for (size_t i = size; i < bytes.size(); ++i) {
      if (bytes[i] != 0xab) return false;
    }
    return holds(bytes.data(), size, seed);
  }
};

MPI_Request start(Buffer& buffer, int from, int tag, Way way) {
  MPI_Request request;
  const int source = way == Way::kAny ? MPI_ANY_SOURCE : from;
  if (way == Way::kPersistent) {
    MPI_Recv_init(buffer.data(), buffer.room(), MPI_BYTE, source, tag, MPI_COMM_WORLD, &request);
    MPI_Start(&request);
  } else {
    MPI_Irecv(buffer.data(), buffer.room(), MPI_BYTE, source, tag, MPI_COMM_WORLD, &request);
  }
  return request;
}

void end(MPI_Request& request, Way way, MPI_Status* status) {
  MPI_Wait(&request, status);
  if (way == Way::kPersistent) MPI_Request_free(&request);
}

bool cancel(MPI_Request& request, Way way) {
  MPI_Status status;
  int cancelled = 0;
  status.MPI_ERROR = kTag;
  MPI_Cancel(&request);
  end(request, way, &status);
  EXPECT(status.MPI_ERROR == kTag);  // of one request it is left alone
  MPI_Test_cancelled(&status, &cancelled);
  return cancelled != 0;
}

// So that all that the rank has been sent is there, as a rule.
void look_around() {
  for (int look = 0, flag = 0; look < 20; ++look) {
    MPI_Iprobe(MPI_ANY_SOURCE, kTag + 1, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
  }
}

// Three messages to the rank `to`, and two receives from `from`, of which the first is cancelled once messages have
// come. The last message tells that the others have been received, also where nobody waits for that.
void exchange(int to, int from, size_t small, size_t large, Way way) {
  Buffer first(large), second(large), third(large), last(1);
  const bool own = to == g_rank;
  const int tag = own ? kOwnTag : kTag;
  MPI_Request cancelled = start(first, from, tag, way), behind = start(second, from, tag, way);
  if (way == Way::kFreed) MPI_Request_free(&behind);
  if (!own && g_rank % 2 == 0) detmpi_work_usleep(1'000'000);
  const auto a = message(small, 1), b = message(large, 2), c = message(1, 3);
  MPI_Request sends[3];
  MPI_Isend(a.data(), static_cast<int>(small), MPI_BYTE, to, tag, MPI_COMM_WORLD, &sends[0]);
  MPI_Isend(b.data(), static_cast<int>(large), MPI_BYTE, to, tag, MPI_COMM_WORLD, &sends[1]);
  MPI_Isend(c.data(), 1, MPI_BYTE, to, tag, MPI_COMM_WORLD, &sends[2]);
  if (!own) look_around();
  const bool taken_back = cancel(cancelled, way);
  EXPECT(taken_back || !own);  // own messages have come, but later in logical time
  if (way != Way::kFreed) end(behind, way, MPI_STATUS_IGNORE);
  if (taken_back) MPI_Recv(third.data(), third.room(), MPI_BYTE, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Recv(last.data(), last.room(), MPI_BYTE, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  EXPECT(last.has(1, 3));
  EXPECT(taken_back ? first.has(0, 0) : first.has(small, 1));
  EXPECT(taken_back ? second.has(small, 1) : second.has(large, 2));
  EXPECT(third.has(taken_back ? large : 0, 2));
  MPI_Waitall(3, sends, MPI_STATUSES_IGNORE);
}

// What has come on a communicator is in its buffer once that is disconnected, and cannot be taken back any more.
void disconnected() {
  int in[3] = {-1, -1, -1};
  MPI_Comm comm;
  MPI_Request requests[3];
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  for (int i = 0; i < 2; ++i) {
    MPI_Irecv(&in[i], 1, MPI_INT, g_rank, i, comm, &requests[i]);
    MPI_Send(&i, 1, MPI_INT, g_rank, i, comm);
  }
  MPI_Isendrecv(&g_size, 1, MPI_INT, g_rank, 2, &in[2], 1, MPI_INT, g_rank, 2, comm, &requests[2]);
  for (int i = 1; i < 3; ++i) MPI_Request_free(&requests[i]);
  EXPECT(in[0] == -1 && in[1] == -1 && in[2] == -1);
  MPI_Comm_disconnect(&comm);
  EXPECT(in[0] == 0 && in[1] == 1 && in[2] == g_size);
  EXPECT(!cancel(requests[0], Way::kPlain));
}

}  // namespace

int main(int argc, char** argv) {
  Mpi mpi(argc, argv);
  for (const Way way : kWays) {
    for (size_t i = 0; i < std::size(kShort); ++i) {
      exchange(g_rank, g_rank, kShort[i], kLong[i], way);
      exchange((g_rank + 1) % g_size, (g_rank + g_size - 1) % g_size, kShort[i], kLong[i], way);
    }
  }
  disconnected();
  if (g_rank == 0) std::puts("cancelled receives have left no trace");
}
