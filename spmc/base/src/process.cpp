// Processes: forking them tied to their parent, waiting for them, scheduling.
#include <base/check.hpp>
#include <base/files.hpp>
#include <base/sys.hpp>

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <ctime>
#include <span>

namespace spmc::base {

namespace {

timespec timespec_of(uint64_t ns) {
  return {static_cast<time_t>(ns / 1'000'000'000u), static_cast<long>(ns % 1'000'000'000u)};
}

struct ProcessState {
  char letter = 0;  // 0: there is no such process
  pid_t parent = 0;
};

ProcessState state_of(pid_t pid) {
  char text[128] = "";  // number (name) state parent ...; the name may have brackets, and is at most 15 characters long
  const std::string path = "/proc/" + std::to_string(pid) + "/stat";
  const std::string_view read = read_start(path.c_str(), std::span(text).first(sizeof text - 1));
  const size_t name_end = read.rfind(')');
  ProcessState state;
  if (name_end == read.npos || std::sscanf(text + name_end, ") %c %d", &state.letter, &state.parent) != 2) return {};
  return state;
}

}  // namespace

void tie_to_parent(pid_t expected_parent) {
  // The order matters: a parent that dies after the prctl kills us, one that died before is seen by getppid.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != expected_parent) die(128 + SIGKILL);
}

Status on_fork(void (*in_child)()) {
  if (const int error = ::pthread_atfork(nullptr, nullptr, in_child); error != 0) return Error{error, "pthread_atfork"};
  return {};
}

Result<pid_t> fork_tied() {
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) return Error{errno, "fork"};
  if (child == 0) tie_to_parent(parent);
  return child;
}

Status execute(const char* path, char* const arguments[]) {
  ::execvp(path, arguments);
  return Error{errno, "starting the program"};
}

Status change_folder(const char* path) {
  if (::chdir(path) != 0) return Error{errno, "chdir"};
  return {};
}

Status keep_across_exec(int fd) {
  const int flags = ::fcntl(fd, F_GETFD);
  if (flags < 0 || ::fcntl(fd, F_SETFD, flags & ~FD_CLOEXEC) < 0) return Error{errno, "fcntl"};
  return {};
}

void empty_standard_input() {
  const int null = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (null < 0) return;
  ::dup2(null, STDIN_FILENO);
  if (null != STDIN_FILENO) ::close(null);
}

unsigned thread_count() {
  // Its links: a folder for each thread, and two as every folder has.
  struct stat tasks;
  return ::stat("/proc/self/task", &tasks) == 0 && tasks.st_nlink > 2 ? static_cast<unsigned>(tasks.st_nlink) - 2 : 1;
}

std::string host_name() {
  char name[256] = "";
  ::gethostname(name, sizeof name - 1);
  return name;
}

pid_t process_id() { return ::getpid(); }
pid_t parent_process_id() { return ::getppid(); }

pid_t parent_of(pid_t pid) { return state_of(pid).parent; }

bool is_running(pid_t pid) {
  const char letter = state_of(pid).letter;
  if (letter == 0) return send_signal(pid, 0).ok();  // where there is no /proc
  return letter != 'Z' && letter != 'X';
}

Result<ExitReport> wait_child(pid_t pid, WaitMode mode) {
  int status = 0;
  const pid_t ended = ::waitpid(pid, &status, mode == WaitMode::kPoll ? WNOHANG : 0);
  if (ended < 0) return Error{errno, "waitpid"};
  ExitReport report;
  report.pid = ended;
  if (ended == 0) return report;
  report.signalled = WIFSIGNALED(status);
  report.status = report.signalled ? WTERMSIG(status) : WEXITSTATUS(status);
  report.core_dumped = report.signalled && WCOREDUMP(status);
  return report;
}

Status send_signal(pid_t pid, int signal) {
  if (::kill(pid, signal) != 0) return Error{errno, "kill"};
  return {};
}

bool addresses_repeat() {
  const int now = ::personality(0xffffffff);
  return now >= 0 && (now & ADDR_NO_RANDOMIZE) != 0;
}

Status make_addresses_repeat() {
  const int now = ::personality(0xffffffff);
  if (now < 0 || ::personality(static_cast<unsigned long>(now) | ADDR_NO_RANDOMIZE) < 0) {
    return Error{errno, "turning address-space randomisation off"};
  }
  return {};
}

void forbid_huge_pages() { (void)::prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0); }

unsigned runnable_threads() {
  char text[128] = "";  // three averages, and runnable/all
  unsigned runnable = 0;
  if (read_start("/proc/loadavg", std::span(text).first(sizeof text - 1)).empty()) return 0;
  return std::sscanf(text, "%*s %*s %*s %u/", &runnable) == 1 ? runnable : 0;
}

void yield_core() { ::sched_yield(); }

uint64_t monotonic_ns() {
  timespec t;
  ::clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<uint64_t>(t.tv_sec) * 1'000'000'000u + static_cast<uint64_t>(t.tv_nsec);
}

Result<uint64_t> processor_ns(pid_t pid) {
  clockid_t clock;
  timespec t;
  if (const int error = ::clock_getcpuclockid(pid, &clock); error != 0) return Error{error, "clock_getcpuclockid"};
  if (::clock_gettime(clock, &t) != 0) return Error{errno, "clock_gettime"};
  return static_cast<uint64_t>(t.tv_sec) * 1'000'000'000u + static_cast<uint64_t>(t.tv_nsec);
}

Activity activity_of(pid_t pid) {
  switch (state_of(pid).letter) {
    case 'R': return Activity::kRunnable;
    case 'T':
    case 't': return Activity::kStopped;
    default: return Activity::kAsleep;
  }
}

void sleep_ns(uint64_t ns) {
  timespec left = timespec_of(ns);
  while (::nanosleep(&left, &left) != 0 && errno == EINTR) {
  }
}

void nap_ns(uint64_t ns) {
  const timespec most = timespec_of(ns);
  (void)::nanosleep(&most, nullptr);
}

}  // namespace spmc::base
