// A master hands out work to whoever asks first, everybody prints all the time, and who gets certain tasks fails: by
// the way that the argument names, or each of three in another way ("several"; "calls" without a crash), of whom the
// first in logical time is the last to come to it. The last rank has nothing to do with the others; it calls and prints
// for ever, and is soon far ahead of them.
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>

#include "testing.hpp"

using namespace mpi_test;

namespace {

constexpr auto kComm = MPI_COMM_WORLD;
constexpr int kFatalTask = 60;

[[noreturn]] void run_ahead() {
  for (uint64_t line = 0;; ++line) {
    std::printf("runner: line %lu\n", static_cast<unsigned long>(line));
    for (int call = 0; call < 20; ++call) MPI_Wtime();
  }
}

int* nowhere() {
  static volatile uintptr_t place = 16;
  return reinterpret_cast<int*>(place);
}

// "kill 15": by this function, of this signal; "handler 15": in the handler of another one.
void fail_by_signal(const char* how) {
  const char* number = std::strchr(how, ' ');
  if (number == nullptr) return;
  const int signal = std::atoi(number);
  if (std::strncmp(how, "raise ", 6) == 0) raise(signal);
  if (std::strncmp(how, "pthread_kill ", 13) == 0) pthread_kill(pthread_self(), signal);
  if (std::strncmp(how, "kill ", 5) == 0) kill(getpid(), signal);
  static int sent;
  sent = signal;
  std::signal(SIGUSR2, [](int) { kill(getpid(), sent); });
  if (std::strncmp(how, "handler ", 8) == 0) raise(SIGUSR2);
}

int g_handled = 0;

// By signals that do not end the rank it does not fail: ignored, of no effect, handled, held back, for a child.
void survive_signals() {
  raise(SIGCHLD);
  kill(getpid(), 0);
  std::signal(SIGUSR1, SIG_IGN);
  raise(SIGUSR1);
  std::signal(SIGUSR1, [](int) { ++g_handled; });
  kill(getpid(), SIGUSR1);
  sigset_t held, before;
  sigemptyset(&held);
  sigaddset(&held, SIGHUP);
  sigprocmask(SIG_BLOCK, &held, &before);
  raise(SIGHUP);
  std::signal(SIGHUP, SIG_IGN);
  sigprocmask(SIG_SETMASK, &before, nullptr);
  const pid_t child = fork();
  if (child == 0) raise(SIGTERM);
  int status = 0;
  const bool died = waitpid(child, &status, 0) == child && WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM;
  if (g_handled != 1 || !died || raise(-1) != -1) std::abort();
}

void fail(const char* how) {
  std::printf("rank %d fails (%s)", g_rank, how);  // without an end of the line
  if (std::strcmp(how, "abort") == 0) MPI_Abort(kComm, 40 + g_rank);
  if (std::strcmp(how, "exit") == 0) std::exit(20 + g_rank);
  if (std::strcmp(how, "_exit") == 0) _exit(20 + g_rank);
  if (std::strcmp(how, "_Exit") == 0) std::_Exit(20 + g_rank);
  if (std::strcmp(how, "quick_exit") == 0) std::quick_exit(20 + g_rank);
  if (std::strcmp(how, "crash") == 0) *nowhere() = 0;
  if (std::strcmp(how, "raise") == 0) std::abort();
  if (std::strcmp(how, "error") == 0) MPI_Send(nullptr, -1, MPI_INT, 0, 0, kComm);
  if (std::strcmp(how, "inside") == 0) MPI_Send(nowhere(), 100, MPI_INT, 0, 0, kComm);
  fail_by_signal(how);
  std::_Exit(99);  // it should have ended
}

void master(int workers) {
  for (int task = 0;; ++task) {
    int done = 0;
    MPI_Status status;
    MPI_Recv(&done, 1, MPI_INT, MPI_ANY_SOURCE, 0, kComm, &status);
    std::printf("master: %d of %d asks, has done %d, gets %d\n", status.MPI_SOURCE, workers, done, task);
    MPI_Send(&task, 1, MPI_INT, status.MPI_SOURCE, 0, kComm);
  }
}

void work(const char* how, int task) {
  const bool calls = std::strcmp(how, "calls") == 0;
  const bool several = calls || std::strcmp(how, "several") == 0;
  if (task == kFatalTask && several) compute(20'000'000);
  if (task == kFatalTask) fail(several ? "abort" : how);
  if (task == kFatalTask + 1 && several) fail("exit");
  if (task == kFatalTask + 2 && several) fail(calls ? "error" : "crash");
  for (uint32_t part = 0; part < mix(static_cast<uint64_t>(task)) % 5; ++part) {
    compute(mix(static_cast<uint64_t>(task) + part) % 20'000);
    for (uint64_t k = 0; k < mix(part) % 40; ++k) MPI_Wtime();
    std::printf("worker %d: part %u of task %d%s", g_rank, part, task, part % 4 == 3 ? ", " : "\n");
    if (part % 2 == 0) std::fflush(stdout);
  }
}

void worker(const char* how) {
  for (int task = 0, done = 0;; ++done) {
    MPI_Sendrecv(&done, 1, MPI_INT, 0, 0, &task, 1, MPI_INT, 0, 0, kComm, MPI_STATUS_IGNORE);
    work(how, task);
  }
}

}  // namespace

int main(int argc, char** argv) {
  Mpi mpi(argc, argv);
  const char* how = argc > 1 ? argv[1] : "several";
  if (g_rank == g_size - 1) run_ahead();
  if (std::strchr(how, ' ') != nullptr) survive_signals();
  if (g_rank == 0) master(g_size - 2);
  worker(how);
}
