// Ranks exchange messages, and one of them brings something in from outside, or several race, as the argument says: for
// detmpirun --verify, which is to find it out.
#include <mpi.h>
#include <sys/random.h>
#include <sys/time.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

int g_rank = 0, g_size = 1;

uint64_t random_number() {
  uint64_t number = 0;
  if (getrandom(&number, sizeof number, 0) != sizeof number) std::abort();
  return number;
}

// An exit code that is not 0.
int random_code() { return static_cast<int>(random_number() % 255 + 1); }

// The same in every run.
uint64_t exchange(int rounds) {
  uint64_t value = static_cast<uint64_t>(g_rank) + 1;
  for (int i = 0; i < rounds; ++i) {
    const int right = (g_rank + 1) % g_size, left = (g_rank + g_size - 1) % g_size;
    uint64_t theirs = 0;
    MPI_Sendrecv(&value, 1, MPI_UINT64_T, right, i, &theirs, 1, MPI_UINT64_T, left, i, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    value = value * 31 + theirs;
  }
  return value;
}

void send_to_first(const void* data, int bytes, int tag) { MPI_Send(data, bytes, MPI_BYTE, 0, tag, MPI_COMM_WORLD); }

// Rank 0 takes in one message of rank 2.
void first_receives(int bytes) {
  char data[64];
  if (g_rank == 0) MPI_Recv(data, bytes, MPI_BYTE, 2, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

// Rank 0 takes what comes first; the others compute for about as long as each other in between.
void race() {
  constexpr int kMessages = 200;
  uint64_t order = 0;
  for (int i = 0; i < kMessages; ++i) {
    volatile uint64_t work = 0;
    for (int k = 0; k < 2000; ++k) work = work + 1;
    if (g_rank != 0) MPI_Send(&g_rank, 1, MPI_INT, 0, 7, MPI_COMM_WORLD);
    for (int k = 1; g_rank == 0 && k < g_size; ++k) {
      int from = 0;
      MPI_Recv(&from, 1, MPI_INT, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      order = order * 31 + static_cast<uint64_t>(from);
    }
  }
  MPI_Bcast(&order, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
  std::printf("order %lu\n", static_cast<unsigned long>(order));
}

// The first rank alone, and the two others with each other: 100,000 bytes of `number`.
void exchange_parts(int number) {
  MPI_Comm comm;
  MPI_Comm_split(MPI_COMM_WORLD, g_rank == 0 ? 0 : 1, 0, &comm);
  const int counts[] = {25'000, 25'000}, starts[] = {0, 25'000};
  std::vector<int> out(50'000, number), in(out.size());
  MPI_Alltoallv(out.data(), counts, starts, MPI_INT, in.data(), counts, starts, MPI_INT, comm);
  MPI_Comm_free(&comm);
}

void outside(const std::string& what) {
  if (what == "time") {
    timeval now;
    gettimeofday(&now, nullptr);
    if (g_rank == 2) send_to_first(&now, sizeof now, 5);
    first_receives(sizeof now);
  } else if (what == "tag") {
    if (g_rank == 2) send_to_first(&what, 0, static_cast<int>(random_number() % 30000));
    first_receives(0);
  } else if (what == "pid") {
    int mine = g_rank == 1 ? getpid() : 0, sum = 0;
    MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  } else if (what == "parts") {
    exchange_parts(g_rank == 1 ? getpid() : 0);
  } else if (what == "polls") {
    const uint64_t polls = g_rank == 1 ? random_number() % 100'000 : 0;
    for (uint64_t i = 0; i < polls; ++i) {
      int flag = 0;
      MPI_Iprobe(0, 99, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    }
  } else if (what == "wtime") {
    const double now = MPI_Wtime();
    if (g_rank == 2) send_to_first(&now, sizeof now, 6);
    first_receives(sizeof now);
  } else if (what == "print") {
    if (g_rank == 1) std::printf("random %lu\n", static_cast<unsigned long>(random_number()));
  } else if (what == "nul") {
    if (g_rank == 1) std::printf("a%c%lu\n", 0, static_cast<unsigned long>(random_number()));
  } else if (what == "abort") {
    if (g_rank == 1) MPI_Abort(MPI_COMM_WORLD, random_code());
  } else if (what == "leave") {
    if (g_rank == 1) std::exit(random_code());
  } else if (what == "race") {
    race();
  } else if (what == "die") {
    if (g_rank == 1) kill(getpid(), SIGKILL);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "nothing";
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 20;
  if (what == "start") std::puts("once or at every rank");
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &g_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &g_size);
  std::printf("rank %d: %lu\n", g_rank, static_cast<unsigned long>(exchange(rounds)));
  outside(what);
  exchange(10);
  MPI_Finalize();
  return what.starts_with("exit") && g_rank == 1 ? std::atoi(what.c_str() + 4) : 0;
}
