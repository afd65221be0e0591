// Ranks that poll, for the time that is given in seconds. In the end whoever polls gets what it polls for.
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstring>

#include "testing.hpp"

using namespace mpi_test;

namespace {

constexpr int kTag = 9;
constexpr int kRelease = 10;

double g_seconds = 0;
int g_value = 0;

bool time_is_up() {
  static const auto begin = std::chrono::steady_clock::now();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() > g_seconds;
}
void send(int to, int tag) { MPI_Send(&g_value, 1, MPI_INT, to, tag, MPI_COMM_WORLD); }
void receive(int from, int tag) { MPI_Recv(&g_value, 1, MPI_INT, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE); }
int iprobe(int from) {
  int flag = 0;
  MPI_Iprobe(from, kTag, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
  return flag;
}
void burn_ms(double ms) {
  const auto begin = std::chrono::steady_clock::now();
  while (std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count() < ms) continue;
}

// Rank 0 polls for a message from rank 1, which waits for one of rank 0; the last rank has nothing to do.
void iprobe_loop() {
  if (g_rank == 0) {
    while (!time_is_up()) EXPECT(!iprobe(1));
    send(1, kRelease);
    receive(1, kTag);
  } else if (g_rank == 1) {
    receive(0, kRelease);
    send(0, kTag);
  }
}
// Rank 1 has sent, but with another tag.
void wrong_tag() {
  if (g_rank == 1) send(0, kRelease);
  if (g_rank == 0) {
    while (!time_is_up()) EXPECT(!iprobe(MPI_ANY_SOURCE));
    receive(1, kRelease);
  }
}
// Who has sent it polls too, so that it tells where.
void wrong_tags() {
  send(1 - g_rank, kRelease);
  while (!time_is_up()) EXPECT(!iprobe(1 - g_rank));
  receive(1 - g_rank, kRelease);
}
// All test for each other's messages before they send.
void test_each_other() {
  MPI_Request request;
  int value = 0, flag = 0;
  MPI_Irecv(&value, 1, MPI_INT, (g_rank + 1) % g_size, kTag, MPI_COMM_WORLD, &request);
  while (!time_is_up() && !flag) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
  send((g_rank + g_size - 1) % g_size, kTag);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}
// Rank 1 computes; all others poll for its message.
void other_computes() {
  if (g_rank != 1) {
    while (!iprobe(1)) continue;
    receive(1, kTag);
    return;
  }
  while (!time_is_up()) continue;
  for (int to = 0; to < g_size; ++to) {
    if (to != 1) send(to, kTag);
  }
}
// Rank 1 sleeps, and tells rank 2 every second that it lives; rank 0 polls for its last message.
void other_makes_calls() {
  if (g_rank == 0) {
    while (!iprobe(1)) continue;
    receive(1, kTag);
  } else if (g_rank == 1) {
    for (bool up = false; !up;) {
      ::usleep(700'000);
      up = time_is_up();
      g_value = up;
      send(2, kRelease);
    }
    send(0, kTag);
  } else if (g_rank == 2) {
    while (g_value == 0) receive(1, kRelease);
  }
}
// Rank 0 computes, and polls in between; all others wait for it.
void computes_between() {
  if (g_rank != 0) {
    receive(0, kRelease);
    send(0, kTag);
    return;
  }
  while (!time_is_up()) {
    EXPECT(!iprobe(MPI_ANY_SOURCE));
    burn_ms(0.2);
  }
  for (int to = 1; to < g_size; ++to) send(to, kRelease);
  for (int from = 1; from < g_size; ++from) receive(from, kTag);
}

// Rank 1 is stopped in its receive: that its message has come it does not know yet.
void stopped() {
  g_value = ::getpid();
  if (g_rank == 1) {
    send(0, kRelease);
    receive(0, kRelease);
    send(0, kTag);
  } else if (g_rank == 0) {
    receive(1, kRelease);
    const int process = g_value;
    ::usleep(300'000);  // it sleeps by then
    ::kill(process, SIGSTOP);
    ::usleep(100'000);
    send(1, kRelease);
    while (!iprobe(1)) {
      if (time_is_up()) ::kill(process, SIGCONT);
    }
    receive(1, kTag);
  }
}

constexpr Case kCases[] = {
    {"iprobe_loop", iprobe_loop},
    {"wrong_tag", wrong_tag},
    {"wrong_tags", wrong_tags},
    {"test_each_other", test_each_other},
    {"other_computes", other_computes},
    {"other_makes_calls", other_makes_calls},
    {"computes_between", computes_between},
    {"stopped", stopped},
};

}  // namespace

int main(int argc, char** argv) {
  Mpi mpi(argc, argv);
  EXPECT(argc == 3);
  g_seconds = std::atof(argv[2]);
  (void)time_is_up();
  run_case(kCases, argv[1]);
  if (g_rank == 0) std::puts("went on");
}
