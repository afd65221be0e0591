// A job: its table in shared memory, its ranks, and the monitor that watches over them.
//
// The monitor is detmpirun itself when the ranks are started by exec, and the program's first process, up to MPI_Init,
// when they are started by fork. It owns the ranks as their parent: they die with it, it learns how each
// ended, and it ends the job when one of them crashed or gave up. It is the root space, and the ranks are its children.
// A rank may use SPMC memory, spaces and channels between its MPI calls.
#pragma once

#include <cstdint>
#include <optional>

#include <base/result.hpp>

#include "../engine/job_table.hpp"

namespace detmpi {

struct JobOptions {
  int ranks = 1;
  uint64_t memory = 0;  // bytes of shared memory for messages; 0: half of the machine's
  uint32_t lookahead = 256;
  uint32_t first_space = kFirstSpace;  // see JobTable
  bool real_time = true;               // MPI_Wtime
  bool first_come = false;             // see JobTable, as all that follows
  bool strict_sends = false;
  bool tell_leaks = false;
  bool keep_digest = false;
  bool order_output = false;
  bool label_output = false;
  bool with_errors = false;
  uint64_t seed = 0;
  double timeout_s = 0;                 // after which the job is ended; 0: never
  double grace_s = 2;                   // see JobTable::grace_ns, as the next
  double stuck_grace_s = 0.3;           // so that a deadlock is told within a second
  std::optional<uint64_t> direct_from;  // bytes, see DirectFrom; not given: by the number of ranks and cores
};

// Environment through which detmpirun hands the job to the program.
inline constexpr const char* kEnvSegment = "DETMPI_SEGMENT";  // descriptor of the segment
inline constexpr const char* kEnvRank = "DETMPI_RANK";        // exec: the rank; absent: fork at MPI_Init
inline constexpr const char* kEnvProgram = "DETMPI_PROGRAM";  // its number (programs.hpp), as MPI_APPNUM, and ranks
inline constexpr const char* kEnvOutput = "DETMPI_OUTPUT";    // exec: descriptors, see RankOutputFiles
inline constexpr const char* kEnvEvents = "DETMPI_EVENTS";    // --verify: descriptor of the event log

// Makes segment and table; this process is SPMC space 0, and not yet a space of the space layer. g_job is set.
spmc::base::Status job_create(const JobOptions& options);
// Finds the table in the segment that this process has attached; g_job is set.
spmc::base::Status job_find();
// In the root space: allocates the spaces of all ranks, before the first one starts and may allocate slots itself.
// Errors as space_alloc.
spmc::base::Status job_alloc_ranks();
// The number of a rank among the children of the root space.
inline int child_of_rank(int rank) { return rank + 1; }

// In a rank: tells how it is going, catches crashes.
void rank_begin(int rank);

}  // namespace detmpi
