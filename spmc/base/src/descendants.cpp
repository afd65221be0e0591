// All of this runs in a signal handler, too: system calls, and memory on the stack.
#include <base/descendants.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstring>

#include <base/children.hpp>
#include <base/sys.hpp>

namespace spmc::base {

namespace {

// /proc/PID/task/PID/children
int open_children(pid_t parent) {
  char path[64] = "/proc/", number[16];
  *std::to_chars(number, number + sizeof number - 1, parent).ptr = '\0';
  for (const char* const part :
       {static_cast<const char*>(number), "/task/", static_cast<const char*>(number), "/children"}) {
    std::strcat(path, part);
  }
  return ::open(path, O_RDONLY | O_CLOEXEC);
}

// Calls take(child) for each child that the first thread of a process has. While some end, others may be missed.
template <typename Take>
void each_child(pid_t parent, Take&& take) {
  const int list = open_children(parent);
  if (list < 0) return;
  char text[1024];
  pid_t number = 0;
  for (ssize_t got; (got = ::read(list, text, sizeof text)) > 0;) {
    for (ssize_t i = 0; i < got; ++i) {
      if (text[i] >= '0' && text[i] <= '9') {
        number = number * 10 + (text[i] - '0');
      } else if (number != 0) {
        take(number);
        number = 0;
      }
    }
  }
  ::close(list);
}

// More than that a shell does not leave to the program that it becomes.
constexpr size_t kMostSpared = 256;
pid_t g_spared[kMostSpared];
size_t g_spared_count = 0;

bool is_spared(pid_t child) {
  pid_t* const end = g_spared + g_spared_count;
  return std::find(g_spared, end, child) != end;
}

// How many were found. What lies deeper than any pipeline is not stopped.
size_t stop_children(pid_t parent, int levels = 50) {
  size_t found = 0;
  if (levels == 0) return found;
  each_child(parent, [&](pid_t child) {
    if (is_spared(child)) return;
    (void)send_signal(child, SIGSTOP);
    found += 1 + stop_children(child, levels - 1);
  });
  return found;
}

// One that was told to stop goes on for a moment, and may start others.
void stop_descendants() {
  constexpr int kMostLooks = 100;
  size_t known = 0;
  for (int i = 0; i < kMostLooks; ++i) {
    const size_t found = stop_children(process_id());
    if (found == known) return;
    known = found;
  }
}

pid_t g_owner = 0;  // whose descendants a signal ends; written before there are any

void end_all_and_die(int signal) {
  if (process_id() == g_owner) end_descendants();
  std::signal(signal, SIG_DFL);
  (void)send_signal(process_id(), signal);  // comes when this function returns, which holds it back
}

}  // namespace

void spare_present_children() {
  g_spared_count = 0;
  each_child(process_id(), [](pid_t child) {
    if (g_spared_count < kMostSpared) g_spared[g_spared_count++] = child;
  });
}

void end_descendants() {
  stop_descendants();
  // Children of a dead one become ours (adopt_orphans), so that there may be more after each look.
  for (bool ended = true; ended;) {
    ended = false;
    each_child(process_id(), [&](pid_t child) {
      if (is_spared(child) || !send_signal(child, SIGKILL)) return;
      (void)wait_child(child, WaitMode::kBlock);
      ended = true;
    });
  }
}

void end_descendants_on_signals() {
  (void)adopt_orphans();
  g_owner = process_id();
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
    struct sigaction before, ours = {};
    ::sigaction(signal, nullptr, &before);
    if (before.sa_handler == SIG_IGN) continue;
    ours.sa_handler = end_all_and_die;
    sigfillset(&ours.sa_mask);
    ::sigaction(signal, &ours, nullptr);
  }
}

}  // namespace spmc::base
