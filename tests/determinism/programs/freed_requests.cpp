// The handles of requests when others are freed while they are under way: when those are complete depends on timing.
#include <vector>

#include "testing.hpp"

using namespace mpi_test;

namespace {

constexpr int kRounds = 400;
constexpr int kAhead = 12;  // rounds by which the receives lag behind the sends
constexpr int kMostBytes = 60000;

int g_left = 0, g_right = 0;
uint64_t g_hash = 1;

int bytes_of(int round, int from) { return (round * 7919 + from * 331) % kMostBytes; }

MPI_Request noted(MPI_Request request) {
  g_hash = (g_hash ^ static_cast<unsigned>(request)) * 0x9e3779b97f4a7c15u;
  return request;
}

// Freed ones, for which MPI_Comm_disconnect waits; then the handles of others.
void disconnect(const std::vector<char>& sent, std::vector<char>& received) {
  constexpr int kMessages = 4;
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  for (int i = 0; i < kMessages; ++i) {
    MPI_Request request;
    MPI_Irecv(received.data() + i * 1000, 1000, MPI_BYTE, g_left, i, comm, &request);
    MPI_Request_free(&request);
    MPI_Isend(sent.data(), 1000, MPI_BYTE, g_right, i, comm, &request);
    MPI_Request_free(&request);
  }
  MPI_Comm_disconnect(&comm);
  std::vector<MPI_Request> later(2 * kMessages + 2);
  for (MPI_Request& request : later) {
    MPI_Irecv(nullptr, 0, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request);
    noted(request);
  }
  MPI_Waitall(static_cast<int>(later.size()), later.data(), MPI_STATUSES_IGNORE);
}

}  // namespace

int main(int argc, char** argv) {
  // Before MPI: the last messages need their buffer until MPI_Finalize has returned.
  const std::vector<char> sent(kMostBytes);
  std::vector<char> received(kMostBytes);
  Mpi mpi(argc, argv);
  g_left = (g_rank + g_size - 1) % g_size, g_right = (g_rank + 1) % g_size;
  Report report;
  for (int round = 0; round < kRounds; ++round) {
    MPI_Request freed, kept;
    MPI_Isend(sent.data(), bytes_of(round, g_rank), MPI_BYTE, g_right, 0, MPI_COMM_WORLD, &freed);
    noted(freed);
    MPI_Request_free(&freed);
    if (round >= kAhead) {
      const int bytes = bytes_of(round - kAhead, g_left);
      MPI_Irecv(received.data(), bytes, MPI_BYTE, g_left, 0, MPI_COMM_WORLD, &kept);
      noted(kept);
      MPI_Wait(&kept, MPI_STATUS_IGNORE);
    }
    if (round % 40 == 0) disconnect(sent, received);
    if (round % 20 == 0) report.line("round %d: %016lx", round, static_cast<unsigned long>(g_hash));
  }
  for (int round = kRounds - kAhead; round < kRounds; ++round)
    MPI_Recv(received.data(), bytes_of(round, g_left), MPI_BYTE, g_left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  report.print();
}
