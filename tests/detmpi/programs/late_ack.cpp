// A synchronous send that finds no room at first, behind others: its sender must not take it for one that the receiver
// has looked at, and not accepted, because what was in front of it has been taken in. The number of tests until it is
// complete follows from the program alone.
#include <unistd.h>

#include <vector>

#include "testing.hpp"

using namespace mpi_test;

namespace {

constexpr int kRounds = 40, kMessages = 150, kWords = 100;
constexpr auto kComm = MPI_COMM_WORLD;

// In front of the synchronous message.
void fill(std::vector<MPI_Request>& requests) {
  static const std::vector<int> words(kWords, 1);
  for (MPI_Request& request : requests) MPI_Isend(words.data(), kWords, MPI_INT, 1, 1, kComm, &request);
}

int tests_until_acknowledged() {
  std::vector<MPI_Request> requests(kMessages);
  MPI_Request request;
  fill(requests);
  MPI_Issend(nullptr, 0, MPI_INT, 1, 2, kComm, &request);
  int tests = 0;
  for (int flag = 0; flag == 0; ++tests) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
  MPI_Waitall(kMessages, requests.data(), MPI_STATUSES_IGNORE);
  return tests;
}

// Accepts the synchronous message from early on, and waits for something that comes late.
void accept() {
  MPI_Request request;
  std::vector<int> words(kWords);
  MPI_Irecv(nullptr, 0, MPI_INT, 0, 2, kComm, &request);
  MPI_Recv(nullptr, 0, MPI_INT, 2, 3, kComm, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (int i = 0; i < kMessages; ++i) MPI_Recv(words.data(), kWords, MPI_INT, 0, 1, kComm, MPI_STATUS_IGNORE);
}

// By then, in logical time, all others have come far.
void send_late() {
  for (int i = 0, flag = 0; i < 20 * kMessages; ++i) MPI_Comm_test_inter(kComm, &flag);
  MPI_Send(nullptr, 0, MPI_INT, 1, 3, kComm);
}

}  // namespace

int main(int argc, char** argv) {
  const Mpi mpi(argc, argv);
  int tests = 0;
  for (int i = 0; i < kRounds; ++i) {
    if (g_rank == 0) tests += tests_until_acknowledged();
    if (g_rank == 1) accept();
    if (g_rank == 2) send_late();
    MPI_Barrier(kComm);
  }
  if (g_rank == 0) std::printf("%d tests\n", tests);
}
