/* Signal handlers, installed under each of the names that there are; and one that is left by a jump. */
#include <setjmp.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"

typedef void (*Handler)(int);
/* The headers declare them in some modes only. */
Handler bsd_signal(int number, Handler handler);
Handler ssignal(int number, Handler handler);
Handler sysv_signal(int number, Handler handler);

static volatile double sink;
static void work(int n) {
  for (int i = 0; i < n; ++i) sink = sink * 0.5 + i;
}

static volatile int blocked;
static void on_signal(int number) {
  sigset_t mask;
  sigprocmask(SIG_BLOCK, NULL, &mask);
  blocked = sigismember(&mask, number);
  work(1000000);
}

/* As glibc's manual has it: of a name of System V the handler is for one signal, and does not block it. */
static void tell(const char* name) {
  struct sigaction now;
  sigaction(SIGUSR1, NULL, &now);
  const char* kind = "strange";
  if (blocked && now.sa_handler == on_signal) kind = "BSD";
  if (!blocked && now.sa_handler == SIG_DFL) kind = "System V";
  printf("%s: %s\n", name, kind);
}

#define TRY(install)                                                                             \
  begin(), install(SIGUSR1, on_signal), raise(SIGUSR1), report(#install);                        \
  tell(#install);                                                                                \
  printf("returns %s\n", install(SIGUSR1, SIG_IGN) == SIG_ERR ? "an error" : "what was before"); \
  printf("which is %s\n", install(SIGUSR1, on_signal) == SIG_IGN ? "right" : "wrong")

/* What a handler for one signal has left behind is still the default when it is set again. */
static void restore_default(void) {
  sysv_signal(SIGUSR1, on_signal);
  raise(SIGUSR1);
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    struct sigaction now;
    sigaction(SIGUSR1, NULL, &now);
    sigaction(SIGUSR1, &now, NULL);
    raise(SIGUSR1);
    _exit(0);
  }
  int status;
  waitpid(child, &status, 0);
  printf("the default %s\n", WIFSIGNALED(status) && WTERMSIG(status) == SIGUSR1 ? "ends the process" : "does nothing");
}

static sigjmp_buf landing;
static void leave(int number) { siglongjmp(landing, number); }
static void raise_another(int number) { raise(number == SIGUSR1 ? SIGUSR2 : SIGUSR1); }

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  TRY(signal);
  TRY(bsd_signal);
  TRY(ssignal);
  TRY(sysv_signal);
  restore_default();

  begin(), work(100000), report("work");
  signal(SIGUSR1, leave);
  begin();
  if (sigsetjmp(landing, 1) == 0) raise(SIGUSR1);
  work(100000), report("work after a jump");
  begin(), work(100000), report("work after a call");
  signal(SIGUSR1, raise_another);
  signal(SIGUSR2, leave);
  begin();
  if (sigsetjmp(landing, 1) == 0) raise(SIGUSR1);
  work(100000), report("work after a jump out of two");
  signal(SIGUSR1, leave);
  if (sigsetjmp(landing, 1) == 0) raise(SIGUSR1);
  signal(SIGUSR1, on_signal);
  begin(), raise(SIGUSR1), report("handler after a jump");
  begin(), work(100000), report("work at last");
  return MPI_Finalize();
}
