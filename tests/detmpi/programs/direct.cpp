// Large messages that stay in the sender's buffer until they are received: taken early, late, never in time, in another
// order, by several at once; buffers that the kernel cannot reach into; what tests and probes see meanwhile.
#include <sys/mman.h>
#include <unistd.h>
#include <csignal>

#include "testing.hpp"

using namespace mpi_test;

namespace {

constexpr size_t kBytes = 300'000;
constexpr int kCount = static_cast<int>(kBytes);

uint64_t seed(int from, int number) { return static_cast<uint64_t>(from) * 1000 + static_cast<uint64_t>(number); }

struct Pair {
  std::vector<unsigned char> out, in;
  explicit Pair(int number) : out(message(kBytes, seed(g_rank, number))), in(kBytes, 0xcd) {}
  void check(int number) const { EXPECT(holds(in.data(), kBytes, seed(left(), number))); }
};

void computes() { usleep(20'000); }

// The send gives up waiting, and goes another way.
void a_receive_that_comes_late() {
  Pair data(1);
  if (g_rank % 2 == 0) {
    MPI_Send(data.out.data(), kCount, MPI_BYTE, right(), 1, MPI_COMM_WORLD);
  } else {
    computes();
  }
  if (left() % 2 == 0) {
    MPI_Recv(data.in.data(), kCount, MPI_BYTE, left(), 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    data.check(1);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

// More than can be offered at once, and the receiver wants the last one first.
void many_in_another_order() {
  constexpr int kMany = 70;
  std::vector<Pair> all;
  std::vector<MPI_Request> sends(kMany);
  for (int i = 0; i < kMany; ++i) all.emplace_back(i);
  for (int i = 0; i < kMany; ++i) {
    MPI_Isend(all[static_cast<size_t>(i)].out.data(), kCount, MPI_BYTE, right(), i, MPI_COMM_WORLD,
              &sends[static_cast<size_t>(i)]);
  }
  for (int i = kMany - 1; i >= 0; --i) {
    MPI_Recv(all[static_cast<size_t>(i)].in.data(), kCount, MPI_BYTE, left(), i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    all[static_cast<size_t>(i)].check(i);
  }
  MPI_Waitall(kMany, sends.data(), MPI_STATUSES_IGNORE);
}

// A standard send is complete when it is tested, whether anybody has received it or not.
void a_test_of_a_send() {
  Pair data(2);
  MPI_Request send;
  MPI_Isend(data.out.data(), kCount, MPI_BYTE, right(), 2, MPI_COMM_WORLD, &send);
  int done = 0;
  MPI_Test(&send, &done, MPI_STATUS_IGNORE);
  EXPECT(done == 1);
  std::fill(data.out.begin(), data.out.end(), static_cast<unsigned char>(0));  // the buffer is the program's again
  MPI_Recv(data.in.data(), kCount, MPI_BYTE, left(), 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  data.check(2);
}

void a_request_given_up() {
  static Pair data(3);
  MPI_Request send;
  MPI_Isend(data.out.data(), kCount, MPI_BYTE, right(), 3, MPI_COMM_WORLD, &send);
  MPI_Request_free(&send);
  computes();
  MPI_Recv(data.in.data(), kCount, MPI_BYTE, left(), 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  data.check(3);
}

void probed_and_matched() {
  Pair data(4);
  MPI_Request send;
  MPI_Isend(data.out.data(), kCount, MPI_BYTE, right(), 4, MPI_COMM_WORLD, &send);
  MPI_Message probed;
  MPI_Status status;
  MPI_Mprobe(left(), 4, MPI_COMM_WORLD, &probed, &status);
  EXPECT(count_of(status, MPI_BYTE) == kCount);
  MPI_Mrecv(data.in.data(), kCount, MPI_BYTE, &probed, &status);
  EXPECT(status.MPI_SOURCE == left() && status.MPI_TAG == 4);
  data.check(4);
  MPI_Wait(&send, MPI_STATUS_IGNORE);
}

void synchronous_from_anybody() {
  Pair data(5);
  MPI_Request receive;
  MPI_Irecv(data.in.data(), kCount, MPI_BYTE, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &receive);
  MPI_Ssend(data.out.data(), kCount, MPI_BYTE, right(), 5, MPI_COMM_WORLD);
  MPI_Wait(&receive, MPI_STATUS_IGNORE);
  data.check(5);
}

// Less is wanted than is sent, or nothing.
void too_long() {
  Pair data(6);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  for (const int room : {100'001, 1, 0}) {
    MPI_Request send;
    MPI_Isend(data.out.data(), kCount, MPI_BYTE, right(), 6, MPI_COMM_WORLD, &send);
    std::fill(data.in.begin(), data.in.end(), static_cast<unsigned char>(0xcd));
    const int code = MPI_Recv(data.in.data(), room, MPI_BYTE, left(), 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    EXPECT(error_class(code) == MPI_ERR_TRUNCATE);
    EXPECT(holds(data.in.data(), static_cast<size_t>(room), seed(left(), 6)));
    for (size_t i = static_cast<size_t>(room); i < kBytes; ++i) EXPECT(data.in[i] == 0xcd);
    MPI_Wait(&send, MPI_STATUS_IGNORE);
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

// The receiver takes every second element: bytes that cannot be copied as they lie.
void into_a_vector() {
  constexpr int kInts = 50'000;
  std::vector<int> out(kInts), in(2 * kInts, -1);
  for (int i = 0; i < kInts; ++i) out[static_cast<size_t>(i)] = g_rank * 7 + i;
  MPI_Datatype every_second;
  MPI_Type_vector(kInts, 1, 2, MPI_INT, &every_second);
  MPI_Type_commit(&every_second);
  MPI_Sendrecv(out.data(), kInts, MPI_INT, right(), 8, in.data(), 1, every_second, left(), 8, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  for (int i = 0; i < kInts; ++i) {
    EXPECT(in[static_cast<size_t>(2 * i)] == left() * 7 + i);
    EXPECT(in[static_cast<size_t>(2 * i + 1)] == -1);
  }
  MPI_Type_free(&every_second);
}

// Memory that is opened page by page as it is touched: the kernel cannot copy there, the processor can.
void open_page(int, siginfo_t* info, void*) {
  const auto page = reinterpret_cast<uintptr_t>(info->si_addr) & ~uintptr_t{4095};
  if (mprotect(reinterpret_cast<void*>(page), 4096, PROT_READ | PROT_WRITE) != 0) _exit(98);
}

void guarded_buffers() {
  struct sigaction open = {}, before = {};
  open.sa_sigaction = open_page;
  open.sa_flags = SA_SIGINFO;
  sigaction(SIGSEGV, &open, &before);
  constexpr size_t kRoom = (kBytes + 4095) & ~size_t{4095};
  auto* guarded =
      static_cast<unsigned char*>(mmap(nullptr, 2 * kRoom, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  EXPECT(guarded != MAP_FAILED);
  unsigned char* in = guarded + kRoom;
  for (int round = 0; round < 3; ++round) {
    const Pair data(10 + round);
    mprotect(guarded, 2 * kRoom, PROT_READ | PROT_WRITE);
    std::memcpy(guarded, data.out.data(), kBytes);
    if (round != 1) mprotect(guarded, kRoom, PROT_NONE);
    if (round != 0) mprotect(in, kRoom, PROT_NONE);
    MPI_Sendrecv(guarded, kCount, MPI_BYTE, right(), 9, in, kCount, MPI_BYTE, left(), 9, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    EXPECT(holds(in, kBytes, seed(left(), 10 + round)));
  }
  munmap(guarded, 2 * kRoom);
  sigaction(SIGSEGV, &before, nullptr);
}

}  // namespace

int main(int argc, char** argv) {
  Mpi mpi(argc, argv);
  Report report;
  a_receive_that_comes_late();
  many_in_another_order();
  a_test_of_a_send();
  a_request_given_up();
  probed_and_matched();
  synchronous_from_anybody();
  too_long();
  into_a_vector();
  guarded_buffers();
  report.line("well");
  report.print();
}
