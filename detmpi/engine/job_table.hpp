// What the ranks of a job share besides frames: one table in consecutive frames of the segment, made by whoever starts
// the job (the monitor) before the first rank runs.
//
//   JobTable                     4 KiB
//   RankRecord ranks[n]          256 B each; of the rank, but `state` after its end and `may_end`: of the monitor
//   LaneLine   lanes[n][n]       lanes[to][from]
//   uint64     sent[n][row]      sent[from][to]: cells that `from` has published in its lane to `to` (lane.hpp)
//   uint64     inbox[n][words]   bit `from` of inbox[to]: the lane from -> to has been opened
//   uint64     watch[n][words]   bit `w` of watch[r]: rank w watches rank r (horizon.hpp)
//   frames of the board of MPI_COMM_WORLD
//
// Rank r is space r + 1; space 0 is the monitor. A program that was not started by detmpirun is rank 0 and space 0.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include <base/wait.hpp>
#include <chan/board.hpp>
#include <chan/lane.hpp>
#include <spmc/segment.hpp>

namespace detmpi {

// Raised with every change of what lies in the segment, boards and lanes too: detmpirun and the library of a rank may
// be of different builds.
inline constexpr uint32_t kJobVersion = 26;
inline constexpr uint32_t kMaxRanks = 4096;
inline constexpr int kLeaksExit = 121;      // exit code of a job that would have ended with 0, but left something
inline constexpr int kStuckExit = 122;      // exit code after a deadlock, and where collective operations do not match
inline constexpr uint32_t kFirstSpace = 1;  // of rank 0, where there is a monitor
inline constexpr uint32_t kNestedSpaces = 1024;  // that the ranks of a job may have at once

// Legal transitions: kNew -> kRunning (MPI_Init) -> kFinalized (MPI_Finalize) -> kGone; any -> kGone (monitor).
enum class RankState : uint32_t { kNew, kRunning, kFinalized, kGone };

inline constexpr uint64_t kPollsPerSample = 64;  // see RankRecord::polls_at_once

struct alignas(64) RankRecord {
  std::atomic<int32_t> pid;
  std::atomic<uint32_t> state;         // RankState
  std::atomic<uint32_t> call;          // CallId of the MPI call in which it crashed; 0: none
  std::atomic<uint32_t> crash_signal;  // set by the rank's crash handler, before the two places are complete
  uint64_t crash_address;              // the address it touched, see spmc::base::Crash
  // Why it could not become the program (errno), set before it ends; with fork start in that of rank 0.
  std::atomic<int32_t> start_error;
  // What it waits for (describe.cpp): first frame; bytes, 0 until it is written.
  uint32_t description_frame;
  std::atomic<uint32_t> description_bytes;
  uint64_t digest;  // see events.hpp
  // Of what the rank prints now (job/rank_output.hpp). Release: what it printed in earlier epochs is in its file, and
  // marked. A stale read is safe, since it only grows.
  std::atomic<uint64_t> output_epoch;
  // Failed polls in a row, the clock of the first, and after how many of every 64th the next came at once. Relaxed: a
  // stale read is only old (job/polling_hint.hpp).
  std::atomic<uint64_t> polls;
  std::atomic<uint64_t> polls_since;
  std::atomic<uint64_t> polls_at_once;
  char crash_place[152];   // "function+0x12 in /path/prog", empty if unknown
  char crash_offset[256];  // "/path/prog+0x1234", empty if unknown or too long
  // It has failed, at this clock, + 1; 0: it has not (job/failure.hpp). Release: what it had printed is in its file. A
  // stale 0 is safe: its published clock is not beyond that yet, so the monitor looks again (job/ending.cpp).
  std::atomic<uint64_t> failed_at;
  // 1: it need not stay any longer. Release, by the monitor, which wakes it then; a stale 0 makes it look again.
  std::atomic<uint32_t> may_end;
  // 1: it is a session that keeps it in the job, since MPI_Finalize has been called or MPI_Init has not. Of the rank;
  // relaxed, since it is read when the rank ends, or has failed.
  std::atomic<uint32_t> session_open;
};
static_assert(sizeof(RankRecord) == 512);

// Bytes from which a message is copied from buffer to buffer (offer.hpp). Who only waits until the message is sent has
// nothing else to do; another rank copies into the window while the receiver is busy, and reads what has come for it
// while its own message is read.
struct DirectFrom {
  static constexpr uint64_t kNever = ~uint64_t{0};
  uint64_t one_way;  // of a send that blocks
  uint64_t pending;  // of one that does not, and of MPI_Sendrecv
  uint64_t surely;   // of any; a shorter one only where that is faster (medium_way.hpp)
};

struct alignas(4096) JobTable {
  uint32_t version;
  uint32_t ranks;
  uint32_t inbox_words;   // per rank, a multiple of 8 (whole cache lines)
  uint32_t lane_cells;    // of each lane's ring
  uint32_t slab_pages;    // of each slab of a window
  uint32_t slab_step;     // slabs of a window at first, and by which it grows
  uint32_t slab_soon;     // slabs of it as soon as they have been used in turn
  uint32_t slab_limit;    // slabs of a window at most
  uint32_t lookahead;     // L of LOGICAL-TIME: least time between a send and its arrival
  uint32_t world_board;   // first frame
  uint32_t real_time;     // 1: MPI_Wtime is the machine's clock
  uint32_t first_come;    // 1: messages are matched as they come, not in the order of logical time
  uint32_t strict_sends;  // 1: standard and ready sends, and those in partitions, behave as synchronous ones
  uint32_t tell_leaks;    // 1: what ranks have at MPI_Finalize and should not is told (job/leaks.cpp)
  uint32_t keep_digest;   // 1: ranks fold what happens to them into RankRecord::digest
  uint32_t first_space;   // of rank 0: kFirstSpace; 0 where there is no monitor
  uint32_t order_output;  // 1: what the ranks print is merged in logical-time order (job/output_merge.hpp)
  uint32_t label_output;  // 1: every line of it names its rank
  uint32_t with_errors;   // 1: both for standard error too
  uint32_t launcher;      // process that has made the job: detmpirun
  uint64_t board_room;    // bytes for the areas of a board, if that has not more of them anyway
  uint64_t seed;          // of the order of messages; 0: the plain one
  uint64_t ranks_offset;  // of the parts, from the table's start, in bytes
  uint64_t lanes_offset;
  uint64_t sent_offset;
  uint64_t inbox_offset;
  uint64_t watch_offset;
  uint64_t bytes;
  uint64_t start_ns;  // of the job, monotonic clock
  uint64_t end_ns;    // when it is ended if it still runs (--timeout); 0: never
  // So long may others take to come beyond the time at which a rank has failed; at which some are stuck.
  uint64_t grace_ns;
  uint64_t stuck_grace_ns;
  chan::LineCare lines;  // slabs and boards are fetched ahead, too, if lanes are
  uint64_t from_slab;    // bytes from which a message goes through a slab, if it would fit into the lane as well
  DirectFrom direct_from;
  // Of the first rank that ends the job early: kAborted and its exit code; 0: none has.
  static constexpr uint64_t kAborted = uint64_t{1} << 32;
  alignas(64) std::atomic<uint64_t> aborted;
  // Fork start: detmpirun sets it before it asks the monitor, by SIGTERM, to kill the ranks, show what they printed,
  // end.
  std::atomic<uint32_t> end_now;
  std::atomic<uint32_t> ending;  // 1: a monitor has begun to end the job
  // 1: it ends at a place of logical time that all ranks have come to, so that its output is the same in every run. By
  // whoever ends it; read when it has ended.
  std::atomic<uint32_t> even_end;
  // Output counts up to this clock; 0: nobody has found a deadlock. By whoever finds one, before `end_now`, which the
  // monitor sees first.
  std::atomic<uint64_t> output_end;
  // 1: a rank has asked what others may still do, so that blocked ones publish early; for a while.
  std::atomic<uint32_t> bounds_asked;
  // Not 0: there is a deadlock, and blocked ranks are to describe what they wait for; of other messages those that come
  // by this clock. detmpirun. Release: what was sent by then, of ranks that have come as far, is in the lanes.
  std::atomic<uint64_t> describe;
  std::atomic<uint32_t> describe_polls;  // number of the question for what ranks poll; 0: none. detmpirun
  // 1: there are boards besides that of MPI_COMM_WORLD. Whoever makes one; relaxed, since it is read after the barrier
  // of MPI_Finalize alone.
  std::atomic<uint32_t> boards_made;
  // 1: with `tell_leaks`, something was told. Rank 0; relaxed, since it is read when the job has ended.
  std::atomic<uint32_t> leaks_told;
  // Process that watches over the ranks: detmpirun, or with fork start the program's first one, from MPI_Init on. 0:
  // none yet.
  std::atomic<uint32_t> monitor;
  // What is told of collective operations that do not match, where that ends the job, for its report. Of the rank that
  // has set `aborted`; read when the job has ended. Empty: that is not why. The last byte is 0.
  char mismatch[2048];
};
static_assert(sizeof(JobTable) == 4096);

inline JobTable* g_job = nullptr;  // same address in every rank; null outside a job

template <typename T>
inline T* job_part(uint64_t offset) {
  return reinterpret_cast<T*>(reinterpret_cast<std::byte*>(g_job) + offset);
}
// Ranks are started when it is known. detmpirun, which it comes before, asks again at each look.
inline pid_t monitor_process() { return static_cast<pid_t>(g_job->monitor.load(std::memory_order_relaxed)); }
inline spmc::SpaceId space_of_rank(int rank) { return {static_cast<uint32_t>(rank) + g_job->first_space}; }
// After what the rank may be waiting for was published.
inline void wake_rank(int rank) { spmc::base::notify(spmc::segment::space_slot(space_of_rank(rank)).wait); }
inline RankRecord& rank_record(int rank) { return job_part<RankRecord>(g_job->ranks_offset)[rank]; }
inline chan::LaneLine& lane_line(int to, int from) {
  return job_part<chan::LaneLine>(
      g_job->lanes_offset)[static_cast<size_t>(to) * g_job->ranks + static_cast<size_t>(from)];
}
inline size_t sent_row(size_t ranks) { return (ranks + 7) / 8 * 8; }  // words: whole cache lines
inline std::atomic<uint64_t>& sent_word(int from, int to) {
  return job_part<std::atomic<uint64_t>>(
      g_job->sent_offset)[static_cast<size_t>(from) * sent_row(g_job->ranks) + static_cast<size_t>(to)];
}
inline std::atomic<uint64_t>& inbox_word(int to, size_t word) {
  return job_part<std::atomic<uint64_t>>(g_job->inbox_offset)[static_cast<size_t>(to) * g_job->inbox_words + word];
}
inline std::atomic<uint64_t>& watch_word(int rank, size_t word) {
  return job_part<std::atomic<uint64_t>>(g_job->watch_offset)[static_cast<size_t>(rank) * g_job->inbox_words + word];
}

}  // namespace detmpi
