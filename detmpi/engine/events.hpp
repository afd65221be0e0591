// Events: what the order of messages decides for a rank (answers), and what its program does (acts).
//
// All answers of a rank are folded into one number, its part of the digest of the run: a request completes (call,
// source, tag, bytes, time), a probe sees a message, a test fails, a collective operation takes a step (call, time).
// Two runs in which all ranks have the same digests took the same course. With --order=arrival times are left out: they
// are no promise there. Under detmpirun --verify answers and acts are logged as well, with what messages contain
// (event_log.hpp).
//
// Owned by the rank's one MPI thread.
#pragma once

#include <mpi.h>

#include <base/result.hpp>
#include <base/unique_fd.hpp>

#include "event_log.hpp"

namespace detmpi {

inline bool g_note_events = false;  // the digest is asked for, or there is a log
inline bool g_log_events = false;   // there is a log

// While it lives, what messages contain is not logged: they are DetMPI's own, and name memory that is given out as it
// comes.
class ContentsHidden {
 public:
  ContentsHidden() { ++depth_; }
  ~ContentsHidden() { --depth_; }
  ContentsHidden(const ContentsHidden&) = delete;
  ContentsHidden& operator=(const ContentsHidden&) = delete;
  static bool any() { return depth_ > 0; }

 private:
  inline static int depth_ = 0;
};

struct Event {
  EventKind kind;
  int peer = MPI_ANY_SOURCE;
  int tag = MPI_ANY_TAG;
  uint64_t bytes = 0;
  uint64_t time = 0;
  uint32_t context = 0;
  uint64_t content = 0;
};

[[gnu::cold]] void fold_answer(const Event& event);
[[gnu::cold]] void log_act(const Event& event);
// The call that has begun; replaced by the first act in it.
[[gnu::cold]] void log_call();

inline void note_answer(const Event& event) {
  if (g_note_events) [[unlikely]]
    fold_answer(event);
}
inline void note_act(const Event& event) {
  if (g_log_events) [[unlikely]]
    log_act(event);
}

uint64_t hash_bytes(const void* data, size_t bytes, uint64_t seed = 0);

// Maps the log and closes its file; the ranks that this process forks have it too.
spmc::base::Status map_event_log(spmc::base::UniqueFd file);
// In a rank, where there is a log.
void event_log_begin(int rank);
void event_log_end(LogEnd how);

}  // namespace detmpi
