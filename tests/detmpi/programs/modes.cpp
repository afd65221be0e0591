// Every send mode, blocking and not, to the right-hand neighbour (with one rank: to itself), received by
// name.
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "../../support/sanitized.hpp"
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

// By which rank 0 wakes rank 1 without MPI, which shall not tell that apart from run to run.
class Bell {
 public:
  Bell() : fd_(socket(AF_UNIX, SOCK_DGRAM, 0)) {
    EXPECT(fd_ >= 0);
    // A name that is no file: the monitor is the parent of all ranks.
    std::snprintf(name_.sun_path + 1, sizeof name_.sun_path - 1, "detmpi modes %d", getppid());
  }
  ~Bell() { close(fd_); }
  Bell(const Bell&) = delete;
  Bell& operator=(const Bell&) = delete;
  void hang_up() { EXPECT(bind(fd_, address(), sizeof name_) == 0); }
  void ring() { EXPECT(sendto(fd_, "x", 1, 0, address(), sizeof name_) == 1); }
  bool rings() const {
    pollfd ready{fd_, POLLIN, 0};
    int found = -1;
    while (found < 0) found = poll(&ready, 1, 30'000);  // a stopped rank is interrupted
    return found == 1;
  }

 private:
  const sockaddr* address() const { return reinterpret_cast<const sockaddr*>(&name_); }
  int fd_;
  sockaddr_un name_{AF_UNIX, ""};
};

// Complete at once: the receiver is in no call until the sender has gone on.
void buffered(int way, int tag) {
  constexpr int kBytes = 8 << 20;
  const auto comm = MPI_COMM_WORLD;
  std::vector<unsigned char> in(kBytes);
  Bell bell;
  if (g_rank == 1) {
    bell.hang_up();
    MPI_Send(nullptr, 0, MPI_INT, 0, tag, comm);
    EXPECT(bell.rings());
    MPI_Recv(in.data(), kBytes, MPI_BYTE, 0, tag, comm, MPI_STATUS_IGNORE);
    EXPECT(holds(in.data(), in.size(), 5));
  }
  if (g_rank != 0) return;
  MPI_Recv(nullptr, 0, MPI_INT, 1, tag, comm, MPI_STATUS_IGNORE);
  auto out = message(kBytes, 5);
  int flag = 0;
  MPI_Request request;
  if (way == 2) {
    MPI_Bsend_init(out.data(), kBytes, MPI_BYTE, 1, tag, comm, &request);
    MPI_Start(&request);
  } else {
    MPI_Ibsend(out.data(), kBytes, MPI_BYTE, 1, tag, comm, &request);
  }
  if (way == 1) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
  else MPI_Wait(&request, MPI_STATUS_IGNORE);
  EXPECT(flag == (way == 1));
  if (way == 2) MPI_Request_free(&request);
  std::fill(out.begin(), out.end(), static_cast<unsigned char>(0));
  bell.ring();
}

// More than there is memory for: little memory of the program's, many times.
void too_much() {
  constexpr int kCount = 40, kTag = 30000;
  const auto comm = MPI_COMM_WORLD;
  std::vector<char> small(1024);
  char* const buf = small.data();
  MPI_Datatype tebibyte;
  MPI_Request request = MPI_REQUEST_NULL, persistent;
  MPI_Type_create_hvector(1 << 30, 1024, 0, MPI_BYTE, &tebibyte);
  MPI_Type_commit(&tebibyte);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  const auto fails = [](int code) { return error_class(code) == MPI_ERR_NO_MEM; };
  EXPECT(fails(MPI_Bsend(buf, kCount, tebibyte, g_rank, kTag, comm)));
  EXPECT(fails(MPI_Ibsend(buf, kCount, tebibyte, g_rank, kTag, comm, &request)));
  EXPECT(fails(MPI_Sendrecv_replace(buf, kCount, tebibyte, g_rank, kTag, MPI_PROC_NULL, 0, comm, MPI_STATUS_IGNORE)));
  EXPECT(fails(MPI_Isendrecv_replace(buf, kCount, tebibyte, g_rank, kTag, MPI_PROC_NULL, 0, comm, &request)));
  EXPECT(request == MPI_REQUEST_NULL);
  MPI_Bsend_init(buf, kCount, tebibyte, g_rank, kTag, comm, &persistent);
  for (int time = 0; time < 2; ++time) EXPECT(fails(MPI_Start(&persistent)));
  MPI_Request_free(&persistent);
  // Nothing is sent, so nothing is copied.
  MPI_Sendrecv_replace(buf, kCount, tebibyte, MPI_PROC_NULL, kTag, MPI_PROC_NULL, 0, comm, MPI_STATUS_IGNORE);
  MPI_Isendrecv_replace(buf, kCount, tebibyte, MPI_PROC_NULL, kTag, MPI_PROC_NULL, 0, comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_ARE_FATAL);
  MPI_Type_free(&tebibyte);
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
  for (int way = 0; way < 3 && g_size > 1; ++way) buffered(way, tag + 4 + way);
  if (!test_support::kAddressSanitizer) too_much();  // its malloc ends the program
  void* base = nullptr;
  int size = 0;
  MPI_Buffer_detach(&base, &size);
  EXPECT(base == room.data() && size == static_cast<int>(room.size()));
  if (g_rank == 0) std::printf("%d messages per rank\n", tag - 1);
}
