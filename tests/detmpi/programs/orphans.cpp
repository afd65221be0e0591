// A rank starts a process that starts another and ends: the monitor inherits that orphan, and collects it when it ends.
#include "testing.hpp"

#include <sys/wait.h>
#include <unistd.h>

using namespace mpi_test;

namespace {

struct Process {
  char state = 0;  // 0: there is none
  int parent = 0;
};

Process look_at(int pid) {
  Process process;
  FILE* file = std::fopen(("/proc/" + std::to_string(pid) + "/stat").c_str(), "r");
  if (file == nullptr) return process;
  if (std::fscanf(file, "%*d (%*[^)]) %c %d", &process.state, &process.parent) != 2) process = Process();
  std::fclose(file);
  return process;
}

// An orphan ends when `hold` is closed. Returns its process number.
int leave_orphan(int hold[2]) {
  int told[2];
  EXPECT(pipe(hold) == 0 && pipe(told) == 0);
  const int child = fork();
  EXPECT(child >= 0);
  if (child == 0) {
    const int orphan = fork();
    if (orphan != 0) _exit(write(told[1], &orphan, sizeof orphan) == sizeof orphan ? 0 : 1);
    close(hold[1]);
    char byte;
    _exit(read(hold[0], &byte, 1) == 0 ? 0 : 1);
  }
  int status = -1, orphan = -1;
  EXPECT(waitpid(child, &status, 0) == child && status == 0);
  EXPECT(read(told[0], &orphan, sizeof orphan) == sizeof orphan && orphan > 0);
  close(told[0]), close(told[1]), close(hold[0]);
  return orphan;
}

}  // namespace

int main(int argc, char** argv) {
  Mpi mpi(argc, argv);
  Report report;
  const int monitor = getppid();
  for (int i = 0; i < 20; ++i) {
    int hold[2];
    const int orphan = leave_orphan(hold);
    EXPECT(look_at(orphan).parent == monitor);
    close(hold[1]);
    // The bound of 10 s is for a monitor that never collects it.
    int waited_ms = 0;
    while (look_at(orphan).parent == monitor && waited_ms < 10000) usleep(1000), ++waited_ms;
    EXPECT(look_at(orphan).state == 0 || look_at(orphan).parent != monitor);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  report.line("20 orphans are gone");
  report.print();
}
