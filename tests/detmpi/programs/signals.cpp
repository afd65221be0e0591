// signals HOW: waits for signals that are sent to the job. `count`: until every rank has had SIGUSR1 and
// SIGUSR2, then ends well. `clean`: ends with 3 on SIGTERM, after a word. `stubborn`: ignores SIGTERM and
// SIGINT. `asked FILE`: writes a line into the file, its own, and ends when it has had SIGUSR1, after a word. Else: the
// default.
#include <fcntl.h>
#include <unistd.h>

#include <csignal>

#include "testing.hpp"

using namespace mpi_test;

namespace {

volatile std::sig_atomic_t g_seen[65];

extern "C" void note(int signal) { g_seen[signal] = 1; }
extern "C" void clean_up(int) {
  const char word[] = "cleaned up\n";
  if (write(1, word, sizeof word - 1) < 0) _exit(4);
  _exit(3);
}

// Who sends it the signal does so when the line is there.
void wait_to_be_asked(const char* file) {
  std::signal(SIGUSR1, note);
  const int made = open(file, O_CREAT | O_WRONLY | O_TRUNC, 0600);
  EXPECT(made >= 0 && dprintf(made, "%d\n", getpid()) > 0);
  close(made);
  constexpr int kMost = 20000;  // ms
  for (int i = 0; i < kMost && !g_seen[SIGUSR1]; ++i) usleep(1000);
  std::puts(g_seen[SIGUSR1] ? "asked" : "not asked");
}

}  // namespace

int main(int argc, char** argv) {
  const std::string how = argc > 1 ? argv[1] : "";
  Mpi mpi(argc, argv);
  if (how == "asked") {
    wait_to_be_asked(argv[2]);
    return 0;
  }
  if (how == "count") {
    std::signal(SIGUSR1, note);
    std::signal(SIGUSR2, note);
  } else if (how == "clean") {
    std::signal(SIGTERM, clean_up);
  } else if (how == "stubborn") {
    std::signal(SIGTERM, SIG_IGN);
    std::signal(SIGINT, SIG_IGN);
  }
  std::printf("%d\n", getpid());
  std::fflush(stdout);
  if (how != "count") {
    int value = 0;
    MPI_Recv(&value, 1, MPI_INT, g_rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);  // never comes
  }
  while (!g_seen[SIGUSR1] || !g_seen[SIGUSR2]) usleep(1000);
  MPI_Barrier(MPI_COMM_WORLD);
}
