// Ends in the way that its arguments name: ends HOW WHO [CODE [computing | quiet]]. The other ranks wait for a message
// that never comes, wait in a barrier, or ask for the time again and again, by rank: none of them would end by itself.
// With "computing" these do not ask, so that they never come to a later time. Ranks tell their process numbers first,
// but not with "quiet".
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <thread>

#include "testing.hpp"

using namespace mpi_test;

extern "C" {
// Named in the message about a crash; not inlined, to have a place of their own.
__attribute__((noinline)) void write_to_nowhere(volatile int* place) { *place = 1; }
__attribute__((noinline)) int divide_by_zero(volatile int* zero) { return 5 / *zero; }
__attribute__((noinline)) void give_up() { std::abort(); }
__attribute__((noinline)) int send_nowhere(const volatile int* place) {
  return MPI_Send(const_cast<const int*>(place), 1000, MPI_INT, (g_rank + 1) % g_size, 0, MPI_COMM_WORLD) + 1;
}
}

namespace {

[[noreturn]] void wait_for_ever(bool computing) {
  int value = 0;
  if (g_rank % 3 == 0) MPI_Recv(&value, 1, MPI_INT, g_rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (g_rank % 3 == 1) MPI_Barrier(MPI_COMM_WORLD);
  for (volatile uint64_t i = 0;;) {
    i = i + 1;
    if (!computing) MPI_Wtime();
  }
}

void write_where_nobody_reads() {
  int ends[2];
  EXPECT(pipe(ends) == 0 && close(ends[0]) == 0);
  (void)!write(ends[1], "x", 1);
}

// A thread waits for ever in a read of standard input, and has its lock.
void begin_to_read() {
  int ends[2];
  EXPECT(pipe(ends) == 0 && dup2(ends[0], STDIN_FILENO) == STDIN_FILENO);
  std::thread([] { (void)std::getchar(); }).detach();
  while (ftrylockfile(stdin) == 0) funlockfile(stdin), usleep(1000);
}

// What this rank has printed and what it is are no business of the child.
void let_child_crash() {
  std::printf("before the child\n");
  const int child = fork();
  if (child == 0) std::abort();
  int status = 0;
  EXPECT(waitpid(child, &status, 0) == child && WIFSIGNALED(status));
}

void end(const std::string& how, int code) {
  volatile int zero = 0;
  if (how == "exit" || how == "exit for ever") std::exit(code);
  if (how == "_exit") _exit(code);
  if (how == "abort beside a reader") begin_to_read();
  if (how == "abort after a child") let_child_crash();
  if (how.rfind("abort ", 0) == 0 || how == "abort") MPI_Abort(MPI_COMM_WORLD, code);
  if (how == "pipe") write_where_nobody_reads();
  if (how == "trap") asm volatile("int3");
  if (how == "segv") write_to_nowhere(reinterpret_cast<volatile int*>(static_cast<uintptr_t>(0x1234)));
  if (how == "fpe") std::exit(divide_by_zero(&zero));
  if (how == "abort()") give_up();
  if (how == "send") std::exit(send_nowhere(reinterpret_cast<volatile int*>(static_cast<uintptr_t>(0x1234))));
  if (how == "kill") kill(getpid(), SIGKILL);
  if (how == "sent segv") kill(getpid(), SIGSEGV);
  if (how == "argument") MPI_Send(&code, 1, MPI_INT, g_size + 5, 0, MPI_COMM_WORLD);
  if (how == "truncate") {
    MPI_Request request;
    MPI_Isend("abc", 3, MPI_CHAR, g_rank, 0, MPI_COMM_WORLD, &request);
    char c = 0;
    MPI_Recv(&c, 1, MPI_CHAR, g_rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  std::exit(98);  // it should have ended
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 97;
  const std::string how = argv[1];
  const std::string who = argv[2];
  const int code = argc > 3 ? std::atoi(argv[3]) : 0;
  const std::string others = argc > 4 ? argv[4] : "";
  if (how == "exit at SIGTERM") std::signal(SIGTERM, [](int) { std::exit(0); });
  if (how == "exit at SIGTERM") std::atexit([] { std::puts("left"); });
  if (how == "exit for ever") std::atexit([] { pause(); });  // comes after what MPI_Init registers
  if (who == "before") end(how, code);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &g_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &g_size);
  if (others != "quiet") std::printf("%d\n", getpid());
  std::fflush(stdout);
  if (who == "after") {
    MPI_Finalize();
    if (g_rank == 1 || g_size == 1) end(how, code);
    return 0;
  }
  if (who == "each after") {  // the first rank comes last
    MPI_Finalize();
    usleep(20'000 * static_cast<unsigned>(g_size - g_rank));
    end(how, code + g_rank);
  }
  MPI_Barrier(MPI_COMM_WORLD);  // all have told
  if (who == "all" || std::atoi(who.c_str()) == g_rank) end(how, code);
  wait_for_ever(others == "computing");
}
