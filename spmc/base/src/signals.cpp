#include <base/check.hpp>
#include <base/signals.hpp>
#include <base/sys.hpp>

#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <iterator>

namespace spmc::base {
namespace {

sigset_t set_of(std::initializer_list<int> signals) {
  sigset_t set;
  sigemptyset(&set);
  for (const int s : signals) sigaddset(&set, s);
  return set;
}

CrashHook g_crash_hook = nullptr;
void (*g_last_hook)() = nullptr;
constexpr int kCrashSignals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGPIPE, SIGTRAP, SIGXFSZ, SIGXCPU, SIGSYS};
struct sigaction g_before[_NSIG];  // what was there for them; zero: the default

const void* object_of(const void* address) {
  Dl_info info;
  return ::dladdr(address, &info) != 0 ? info.dli_fbase : nullptr;
}

void on_crash(int signal, siginfo_t* info, void* context);

// Where the program called what crashed, if that was the C library or one of ours: abort, memcpy, MPI_Send. 0 if not
// known.
uintptr_t calling_place(uintptr_t place) {
  const void* libraries[] = {object_of(reinterpret_cast<void*>(&::abort)),
                             object_of(reinterpret_cast<void*>(&on_crash)),
                             object_of(reinterpret_cast<void*>(g_crash_hook))};
  const auto is_library = [&](const void* address) {
    const void* object = object_of(address);
    return std::find(std::begin(libraries), std::end(libraries), object) != std::end(libraries);
  };
  if (!is_library(reinterpret_cast<void*>(place))) return 0;
  void* frames[64];
  const int count = ::backtrace(frames, 64);
  bool crashed = false;  // a frame before this one
  for (int i = 0; i < count; ++i) {
    const auto address = reinterpret_cast<uintptr_t>(frames[i]);
    if (crashed && !is_library(frames[i]))
      return address - 1;  // in the call, which may be its function's last instruction
    crashed = crashed || address == place;
  }
  return 0;
}

void on_crash(int signal, siginfo_t* info, void* context) {
  const auto* registers = static_cast<const ucontext_t*>(context);
  Crash crash;
  crash.signal = signal;
  crash.place = static_cast<uintptr_t>(registers->uc_mcontext.gregs[REG_RIP]);
  const bool has_address = signal == SIGSEGV || signal == SIGBUS;
  if (has_address && info->si_code > 0) crash.address = reinterpret_cast<uintptr_t>(info->si_addr);
  if (g_crash_hook != nullptr) {
    g_crash_hook(crash);
    // What is known is noted: walking a broken stack may end the process.
    const uintptr_t caller = calling_place(crash.place);
    if (caller != 0) {
      crash.place = caller;
      g_crash_hook(crash);
    }
    g_last_hook();
  }
  // Returning runs into the fault again, which then ends the process, also where another handler has passed the signal
  // on to this one; a signal that was sent, or comes of a call or behind an instruction, must be raised again.
  ::sigaction(signal, &g_before[signal], nullptr);
  const bool comes_again = signal == SIGSEGV || signal == SIGBUS || signal == SIGFPE || signal == SIGILL;
  if (info->si_code <= 0 || !comes_again) ::raise(signal);
}

// One after the other, without the heap: a process that has crashed may hold its lock.
class Lines {
 public:
  explicit Lines(const char* file) : fd_(::open(file, O_RDONLY | O_CLOEXEC)) {}
  ~Lines() {
    if (fd_ >= 0) ::close(fd_);
  }
  Lines(const Lines&) = delete;
  Lines& operator=(const Lines&) = delete;

  // The next one, without its end, valid until the one after it; null behind the last. A longer one than there is room
  // for comes in parts.
  char* next() {
    have_ -= used_;
    std::memmove(text_, text_ + used_, have_);
    for (;;) {
      auto* end = static_cast<char*>(std::memchr(text_, '\n', have_));
      const ssize_t got = end != nullptr || have_ == kRoom ? 0 : ::read(fd_, text_ + have_, kRoom - have_);
      if (got > 0) {
        have_ += static_cast<size_t>(got);
        continue;
      }
      used_ = end != nullptr ? static_cast<size_t>(end - text_) + 1 : have_;
      if (used_ == 0) return nullptr;
      text_[end != nullptr ? used_ - 1 : used_] = 0;
      return text_;
    }
  }

 private:
  static constexpr size_t kRoom = kPlaceBytes;
  int fd_;
  size_t have_ = 0, used_ = 0;
  char text_[kRoom + 1];
};

// By its whole path, which the dynamic linker does not know: of the program it has the first argument, as it was given,
// and of a library the name by which it was loaded, in whatever folder that was. Null: none; valid as long as `lines`,
// which are those of /proc/self/maps.
const char* file_mapped_at(uintptr_t address, Lines& lines) {
  while (char* line = lines.next()) {
    char* rest = nullptr;
    const uintptr_t first = std::strtoul(line, &rest, 16);
    if (*rest != '-') continue;
    const uintptr_t end = std::strtoul(rest + 1, nullptr, 16);
    const char* path = std::strchr(line, '/');
    if (first <= address && address < end) return path;
  }
  return nullptr;
}

// The one by which Fortran's runtime library prints a backtrace, and then lets the process die.
bool is_fortrans(const struct sigaction& action) {
  Dl_info info;
  return ::dladdr(reinterpret_cast<void*>(action.sa_handler), &info) != 0 && info.dli_fname != nullptr &&
         std::strstr(info.dli_fname, "libgfortran") != nullptr;
}

}  // namespace

uintptr_t caller_outside(const void* ours) {
  const void* libraries[] = {object_of(reinterpret_cast<void*>(&on_crash)), object_of(ours)};
  void* frames[64];
  const int count = ::backtrace(frames, 64);
  bool inside = false;  // before that comes the function by which a sanitizer has replaced backtrace
  for (int i = 0; i < count; ++i) {
    const void* object = object_of(frames[i]);
    const bool is_ours = object == libraries[0] || object == libraries[1];
    if (inside && !is_ours) return reinterpret_cast<uintptr_t>(frames[i]) - 1;
    inside = inside || is_ours;
  }
  return 0;
}

sigset_t hold_signals(std::initializer_list<int> signals) {
  sigset_t set = set_of(signals), before;
  for (const int signal : signals) {
    struct sigaction action;
    ::sigaction(signal, nullptr, &action);
    if (action.sa_handler != SIG_IGN) continue;
    if (signal == SIGCHLD) ::signal(signal, SIG_DFL);
    else sigdelset(&set, signal);  // held back, it would come
  }
  ::sigprocmask(SIG_BLOCK, &set, &before);
  return before;
}

void restore_signal_mask(const sigset_t& mask) { ::sigprocmask(SIG_SETMASK, &mask, nullptr); }

void ignore_broken_pipes() { ::signal(SIGPIPE, SIG_IGN); }

SignalReport wait_signal(std::initializer_list<int> signals, uint64_t timeout_ns) {
  const sigset_t set = set_of(signals);
  const uint64_t begin = monotonic_ns();
  siginfo_t info;
  for (;;) {
    // Another signal, handled meanwhile, makes it no longer.
    const uint64_t left = timeout_ns - std::min(timeout_ns, monotonic_ns() - begin);
    timespec t{static_cast<time_t>(left / 1'000'000'000u), static_cast<long>(left % 1'000'000'000u)};
    const int got = timeout_ns == 0 ? ::sigwaitinfo(&set, &info) : ::sigtimedwait(&set, &info, &t);
    if (got > 0) return {got, info.si_code == SI_USER || info.si_code == SI_QUEUE || info.si_code == SI_TKILL};
    if (errno != EINTR) return {};
  }
}

void report_crashes(CrashHook hook, void (*last)()) {
  g_crash_hook = hook;
  g_last_hook = last;
  void* frame;
  (void)::backtrace(&frame, 1);  // its first call loads what it needs, which a crashed process should not
  constexpr size_t kStackBytes = 64 * 1024;
  stack_t there;
  if (::sigaltstack(nullptr, &there) == 0 && (there.ss_flags & SS_DISABLE) != 0) {
    void* memory = ::mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return;
    const stack_t stack{.ss_sp = memory, .ss_flags = 0, .ss_size = kStackBytes};
    ::sigaltstack(&stack, nullptr);
  }
  for (const int signal : kCrashSignals) {
    struct sigaction before;
    ::sigaction(signal, nullptr, &before);
    if (before.sa_handler != SIG_DFL && !is_fortrans(before)) continue;
    g_before[signal] = before;
    struct sigaction action {};
    action.sa_sigaction = on_crash;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | static_cast<int>(SA_RESETHAND);
    sigemptyset(&action.sa_mask);
    ::sigaction(signal, &action, nullptr);
  }
}

void describe_place(uintptr_t place, char* text, unsigned long size) {
  Dl_info info;
  if (place == 0 || ::dladdr(reinterpret_cast<void*>(place), &info) == 0 || info.dli_fname == nullptr) {
    std::snprintf(text, size, "address 0x%lx", static_cast<unsigned long>(place));
    return;
  }
  if (info.dli_sname != nullptr) {
    const auto offset = place - reinterpret_cast<uintptr_t>(info.dli_saddr);
    std::snprintf(text, size, "%s+0x%lx in %s", info.dli_sname, static_cast<unsigned long>(offset), info.dli_fname);
  } else {
    const auto offset = place - reinterpret_cast<uintptr_t>(info.dli_fbase);
    std::snprintf(text, size, "%s+0x%lx", info.dli_fname, static_cast<unsigned long>(offset));
  }
}

void describe_offset(uintptr_t place, char* text, unsigned long size) {
  text[0] = 0;
  Dl_info info;
  if (place == 0 || ::dladdr(reinterpret_cast<void*>(place), &info) == 0) return;
  const auto base = reinterpret_cast<uintptr_t>(info.dli_fbase);
  Lines lines("/proc/self/maps");
  const char* file = file_mapped_at(base, lines);
  if (file == nullptr) return;
  const int n = std::snprintf(text, size, "%s+0x%lx", file, static_cast<unsigned long>(place - base));
  if (static_cast<unsigned long>(n) >= size) text[0] = 0;
}

void die_after(unsigned seconds, int status) {
  static int end_status;
  end_status = status;
  struct sigaction action = {};
  action.sa_handler = [](int) { die(end_status); };
  ::sigaction(SIGALRM, &action, nullptr);
  const sigset_t alarms = set_of({SIGALRM});
  ::pthread_sigmask(SIG_UNBLOCK, &alarms, nullptr);
  ::alarm(seconds);
}

const char* signal_name(int signal) {
  static char text[16];
  const char* abbreviation = ::sigabbrev_np(signal);
  if (abbreviation == nullptr) std::snprintf(text, sizeof text, "signal %d", signal);
  else std::snprintf(text, sizeof text, "SIG%s", abbreviation);
  return text;
}

}  // namespace spmc::base
