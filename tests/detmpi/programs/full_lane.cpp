// More is under way to a rank that does not look than there is room for. Who has sent it waits for a third, which must
// know how far the first has come: it says so once what it has sent has found room. And acknowledgements that found
// none are sent when there is some.
#include <unistd.h>

#include <vector>

#include "testing.hpp"

using namespace mpi_test;

namespace {

constexpr int kMessages = 2000, kWords = 100;
constexpr unsigned kLongMicroseconds = 50'000;  // until others sleep
constexpr auto kComm = MPI_COMM_WORLD;

void fill() {
  std::vector<MPI_Request> requests(kMessages);
  const std::vector<int> words(kWords, 1);
  int answer = 0;
  for (MPI_Request& request : requests) MPI_Isend(words.data(), kWords, MPI_INT, 1, 0, kComm, &request);
  MPI_Recv(&answer, 1, MPI_INT, 2, 0, kComm, MPI_STATUS_IGNORE);
  EXPECT(answer == 2);
  MPI_Waitall(kMessages, requests.data(), MPI_STATUSES_IGNORE);
}

void take_late() {
  std::vector<int> words(kWords);
  usleep(kLongMicroseconds);
  for (int i = 0; i < kMessages; ++i) MPI_Recv(words.data(), kWords, MPI_INT, 0, 0, kComm, MPI_STATUS_IGNORE);
  usleep(kLongMicroseconds);
  MPI_Send(words.data(), 1, MPI_INT, 2, 0, kComm);
}

void answer_whoever_comes() {
  int word = 0;
  MPI_Recv(&word, 1, MPI_INT, MPI_ANY_SOURCE, 0, kComm, MPI_STATUS_IGNORE);
  word += 1;
  MPI_Send(&word, 1, MPI_INT, 0, 0, kComm);
}

void send_synchronously() {
  std::vector<MPI_Request> requests(kMessages);
  for (int i = 0; i < kMessages; ++i) {
    MPI_Issend(nullptr, 0, MPI_INT, 1, 1, kComm, &requests[static_cast<size_t>(i)]);
    if (i % 100 == 0) usleep(1000);  // so that they are taken, and this rank need not look
  }
  usleep(kLongMicroseconds);
  MPI_Waitall(kMessages, requests.data(), MPI_STATUSES_IGNORE);
  MPI_Send(nullptr, 0, MPI_INT, 1, 2, kComm);
}

void acknowledge() {
  for (int i = 0; i < kMessages; ++i) MPI_Recv(nullptr, 0, MPI_INT, 0, 1, kComm, MPI_STATUS_IGNORE);
  MPI_Recv(nullptr, 0, MPI_INT, 0, 2, kComm, MPI_STATUS_IGNORE);
}

}  // namespace

int main(int argc, char** argv) {
  const Mpi mpi(argc, argv);
  if (g_rank == 0) fill();
  if (g_rank == 1) take_late();
  if (g_rank == 2) answer_whoever_comes();
  MPI_Barrier(kComm);
  if (g_rank == 0) send_synchronously();
  if (g_rank == 1) acknowledge();
  MPI_Barrier(kComm);
  if (g_rank == 0) std::printf("done\n");
}
