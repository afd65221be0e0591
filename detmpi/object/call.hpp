// The call that a rank is in: what messages name, and where the logical clock advances.
// Owned by the rank's one MPI thread.
#pragma once

#include <stdio_ext.h>

#include <atomic>
#include <cstdint>
#include <cstdio>

#include <base/wait.hpp>

#include "../heap/library_memory.hpp"
#include "call_ids.hpp"
#include "work.hpp"

namespace detmpi {

struct Comm;
struct Errhandler;
struct Session;

struct CallState {
  CallId id = CallId::kNone;
  Comm* comm = nullptr;  // whose error handler is called; null means MPI_COMM_WORLD's
  // These come before it, the latter first: what the call acts on, or the error handler that it was given.
  Session* session = nullptr;
  Errhandler* errhandler = nullptr;
};

// kBefore -> kRunning (MPI_Init) -> kAfter (MPI_Finalize).
enum class JobState : uint8_t { kBefore, kRunning, kAfter };

inline CallState g_call;
inline JobState g_job_state = JobState::kBefore;
inline bool g_checks = true;  // DETMPI_CHECKS=0 turns argument checks off
inline uint64_t g_clock = 0;
inline uint64_t g_extra_ticks = 0;  // of the clock, that came from work between calls or from --seed

// Where the rank publishes its clock for the others, and from which clock on they want to be woken (space/table.hpp,
// ClockLine); private words outside a job.
inline std::atomic<uint64_t> g_unpublished_clock{0};
inline std::atomic<uint64_t>* g_published_clock = &g_unpublished_clock;
inline std::atomic<uint64_t> g_no_watcher{0};
inline std::atomic<uint64_t>* g_wake_at = &g_no_watcher;

// The clock is not published beyond this: something that was sent later still waits for room. All ones: nothing does.
inline uint64_t g_clock_limit = ~uint64_t{0};

[[gnu::cold]] void wake_own_watchers();

// Something is to be done in every call: --seed gives calls different times, --verify logs them, receives are held
// (engine/usual.cpp).
inline bool g_watch_calls = false;
// Returns the ticks that the call takes beyond one.
[[gnu::cold]] uint64_t watched_call();
// From this clock on, what the program prints belongs to another epoch (job/rank_output.hpp). All ones: nobody asks.
inline uint64_t g_next_output_epoch = ~uint64_t{0};

void mark_output();
// Where output is in order, stdout and stderr, which hold nothing when a call returns (job/rank_output.hpp); else a
// file that never does.
inline FILE g_no_stdio{};
inline const FILE* g_watched_stdio[] = {&g_no_stdio, &g_no_stdio};
void show_printed();
inline bool stdio_holds(const FILE* file) {
  const bool wide = file->_mode > 0;
  return wide ? __fpending(const_cast<FILE*>(file)) != 0 : file->_IO_write_ptr != file->_IO_write_base;
}

// What the program prints from now on does not belong together with what it has printed before.
inline void end_output_epoch() {
  if (g_next_output_epoch != ~uint64_t{0}) g_next_output_epoch = g_clock;
}

// Before the program goes on, be it after a call or in a function of its own that a call has called.
inline void output_tick() {
  if (stdio_holds(g_watched_stdio[0]) || stdio_holds(g_watched_stdio[1])) [[unlikely]]
    show_printed();
  if (g_clock >= g_next_output_epoch) [[unlikely]]
    mark_output();
}

// Everything stamped up to the clock has been sent, so release makes it visible first; what the rank does next comes
// later.
inline void publish_running_clock() {
  const uint64_t visible = g_clock < g_clock_limit ? g_clock : g_clock_limit;
  g_published_clock->store(visible, std::memory_order_release);
  spmc::base::light_fence();
  // 0, for nobody, becomes the largest number.
  if (g_wake_at->load(std::memory_order_relaxed) - 1 < visible) [[unlikely]]
    wake_own_watchers();
}

// Runs once in every MPI call inside MPI_Init .. MPI_Finalize, before anything else. What is published is the clock at
// which the work since the call before ended.
inline void engine_tick() {
  take_work();
  publish_running_clock();
  g_clock += 1;
  if (g_watch_calls) [[unlikely]]
    g_clock += watched_call();
}

// The thread that is in a call, as a number of its own; 0: none. By whoever is; relaxed. Two at once are a defect of
// the program, which would show somewhere else. It is found mostly, and not always: to make sure every call would need
// a locked instruction. Threads that take turns see no stale value, as what lets the next one go on orders it.
inline std::atomic<uintptr_t> g_calling_thread{0};
[[noreturn, gnu::cold]] void fail_two_threads(CallId first);

struct Outside {};  // a call that may come before MPI_Init or after MPI_Finalize, and does not advance the clock

class CallScope {
 public:
  explicit CallScope(CallId id) : CallScope(id, Outside{}) {
    enter();
    engine_tick();
  }
  CallScope(CallId id, Outside) : outer_(g_call) { g_call = {id}; }
  ~CallScope() {
    output_tick();
    if (entered_) g_calling_thread.store(outer_thread_, std::memory_order_relaxed);
    g_call = outer_;  // user callbacks may call MPI: scopes nest
  }
  CallScope(const CallScope&) = delete;
  CallScope& operator=(const CallScope&) = delete;

 private:
  void enter() {
    const auto self = reinterpret_cast<uintptr_t>(&detmpi_inside_library);
    outer_thread_ = g_calling_thread.load(std::memory_order_relaxed);
    if (outer_thread_ != self && outer_thread_ != 0) [[unlikely]]
      fail_two_threads(outer_.id);
    g_calling_thread.store(self, std::memory_order_relaxed);
    entered_ = true;
  }

  InLibrary in_library_;
  CallState outer_;
  bool entered_ = false;
  uintptr_t outer_thread_ = 0;
};

// While a call runs a function of the program's.
class CallbackScope {
 public:
  CallbackScope() { output_tick(); }

 private:
  InProgram in_program_;
};

}  // namespace detmpi
