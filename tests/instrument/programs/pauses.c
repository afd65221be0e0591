/* What does not count, and what counts by the table: sleeping, system calls, signal handlers, other processes, threads,
 * work before MPI_Init and after MPI_Finalize. */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"

static volatile double sink;
static void work(int n) {
  for (int i = 0; i < n; ++i) sink = sink * 0.5 + i;
}

static void on_signal(int number) { work(number > 0 ? 1000000 : 0); }
static void on_signal_with_info(int number, siginfo_t* info, void* context) {
  (void)context;
  work(info != NULL && number > 0 ? 1000000 : 0);
}
static void* in_thread(void* unused) {
  work(1000000);
  return unused;
}

int main(int argc, char** argv) {
  work(1000000);
  MPI_Init(&argc, &argv);
  printf("init %ld\n", (long)(MPI_Wtime() * 1e6 + 0.5));
  begin(), work(100000), report("work");
  begin(), usleep(2000), report("usleep");
  begin();
  nanosleep(&(struct timespec){0, 3000000}, NULL);
  report("nanosleep");
  begin();
  clock_nanosleep(CLOCK_MONOTONIC, 0, &(struct timespec){0, 1500000}, NULL);
  report("clock_nanosleep");
  begin();
  const int file = open("/dev/null", O_WRONLY);
  for (int i = 0; i < 1000; ++i) {
    if (write(file, &i, sizeof i) < 0) return 1;
  }
  close(file);
  report("system calls");

  signal(SIGUSR1, on_signal);
  begin(), raise(SIGUSR1), raise(SIGUSR1), report("signal");
  struct sigaction action = {.sa_sigaction = on_signal_with_info, .sa_flags = SA_SIGINFO}, old;
  sigaction(SIGUSR1, &action, &old);
  begin(), raise(SIGUSR1), report("sigaction");
  const int same = old.sa_handler == on_signal && signal(SIGUSR1, SIG_IGN) != SIG_ERR &&
                   signal(SIGUSR1, on_signal) == SIG_IGN && signal(SIGUSR1, SIG_DFL) == on_signal;
  printf("handlers %s\n", same ? "as the program set them" : "not as the program set them");

  begin();
  pthread_t thread;
  pthread_create(&thread, NULL, in_thread, NULL);
  pthread_join(thread, NULL);
  report("thread");
  begin();
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    work(1000000);
    _exit(0);
  }
  waitpid(child, NULL, 0);
  report("process");
  begin();
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < 64; ++i) {
    volatile double mine = 0;
    for (int k = 0; k < 10000; ++k) mine = mine * 0.5 + k;
  }
  report("team");
  MPI_Finalize();
  work(1000000);
  return 0;
}
