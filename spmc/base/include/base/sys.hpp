// Thin wrappers of the system calls that the project uses. Nothing outside spmc/base makes one itself.
// Every wrapper restarts after EINTR unless it says otherwise, and is async-signal-safe.
#pragma once

#include <sys/types.h>

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <string>

#include <base/result.hpp>
#include <base/unique_fd.hpp>

namespace spmc::base {

// --- shared memory ---
// A sparse, anonymous, shared file of `size` bytes that disappears with its last user. It never gets the number of a
// standard file. EFBIG: the hard limit on the size of files (RLIMIT_FSIZE) is lower; the soft one is no obstacle.
Result<UniqueFd> create_shared_file(const char* name, size_t size);
Result<size_t> file_size(int fd);
// Gives the pages of a range of a shared file back to the system; they read as zero afterwards.
Status punch_hole(int fd, size_t offset, size_t size);
size_t physical_memory_bytes();

// --- processes ---
// Forks; the child is killed (SIGKILL) when its parent ends, also if the parent ended before that was arranged.
// Returns 0 in the child, the process number in the parent. Flushes nothing.
Result<pid_t> fork_tied();
// For a process that was started by exec: the same tie to the parent `expected_parent`; dies at once if it is gone.
void tie_to_parent(pid_t expected_parent);
// `in_child` runs first of all in every process that this one forks, and those that they fork, by whomever. It may be
// called more than once where this function was. Not for processes that do nothing but execute (posix_spawn, system).
Status on_fork(void (*in_child)());
pid_t process_id();
unsigned thread_count();  // of this process
// Runs the program `path` (looked for in PATH) in place of this one; returns only when that failed.
Status execute(const char* path, char* const arguments[]);
Status change_folder(const char* path);  // in which this process works
// The descriptor survives execute().
Status keep_across_exec(int fd);
// Standard input becomes empty.
void empty_standard_input();
std::string host_name();
pid_t parent_process_id();
pid_t parent_of(pid_t pid);  // 0: there is no such process. Not async-signal-safe
// Has not ended, not even as one that nobody has waited for yet. Not async-signal-safe
bool is_running(pid_t pid);

struct ExitReport {
  pid_t pid = 0;
  bool signalled = false;
  int status = 0;  // exit status, or the signal's number
  bool core_dumped = false;
};
enum class WaitMode { kBlock, kPoll };
// Waits for child `pid`, or any child when pid is -1. pid 0 in the report: none has ended yet (kPoll only).
// Error ECHILD when there is no such child; EINTR is reported, not restarted.
Result<ExitReport> wait_child(pid_t pid, WaitMode mode);
Status send_signal(pid_t pid, int signal);
// Address-space randomisation: is it off for this process?  Turn it off for programs that it executes from now on.
bool addresses_repeat();
Status make_addresses_repeat();
// Neither this process nor those that it starts, or becomes, get huge pages from now on. Where the system
// knows nothing of this, it has none.
void forbid_huge_pages();

// --- the memory of another process ---
// Where the kernel lets only descendants look into a process (Yama), also `ancestor` and its descendants may from now
// on.
void let_family_copy(pid_t ancestor);
// Copies bytes at address `theirs` of a process. A page that cannot be touched is an error (EFAULT), never a signal,
// and part of the bytes may have been copied. EPERM, ENOSYS: not allowed here at all. ESRCH: the process has ended.
Status read_memory(pid_t from, uint64_t theirs, void* mine, size_t bytes);
Status write_memory(pid_t to, uint64_t theirs, const void* mine, size_t bytes);

// --- scheduling ---
unsigned runnable_threads();  // of the whole machine, now; 0 if that is not known. Not async-signal-safe
void yield_core();
uint64_t monotonic_ns();
Result<uint64_t> processor_ns(pid_t pid);  // that the process has taken; error ESRCH when there is none
// What the first thread of a process does, or would do if it had a core; asleep where that is not known.
enum class Activity : uint8_t { kAsleep, kRunnable, kStopped };
Activity activity_of(pid_t pid);  // Not async-signal-safe
void sleep_ns(uint64_t ns);
// For so long, or until a signal is handled, as SIGCHLD is when a space ends. It misses one that was handled just
// before it, so a caller looks at what it waits for after every nap, and naps no longer than it may be late.
void nap_ns(uint64_t ns);

inline void cpu_relax() { __builtin_ia32_pause(); }
// The line will be written here, and other cores will not read it before that. A hint.
inline void prefetch_to_write(const void* line) {
  asm volatile("prefetchw %0" : : "m"(*static_cast<const char*>(line)));
}
// The same of all lines of a block that begins with one.
inline void prefetch_to_write(const void* block, size_t bytes) {
  constexpr size_t kLine = 64;
  for (size_t at = 0; at < bytes; at += kLine) prefetch_to_write(static_cast<const char*>(block) + at);
}
// The line was written here, and another core reads it next: to the cache that both share. A hint, of which processors
// that do not know it take no notice.
inline void demote_line(const void* line) { asm volatile("cldemote %0" : : "m"(*static_cast<const char*>(line))); }

}  // namespace spmc::base
