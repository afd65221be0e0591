// signals HOW: waits for signals that are sent to the job. `count`: until every rank has had SIGUSR1 and
// SIGUSR2, then ends well. `clean`: ends with 3 on SIGTERM, after a word. `stubborn`: ignores SIGTERM and
// SIGINT. Else: the default.
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

}  // namespace

int main(int argc, char** argv) {
  const std::string how = argc > 1 ? argv[1] : "";
  Mpi mpi(argc, argv);
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
