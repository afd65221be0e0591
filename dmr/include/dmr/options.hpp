// What a caller may choose, and what a job has counted.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace dmr {

struct Progress {
  uint64_t pieces_done = 0, pieces = 0;
  bool reducing = false;
};

// None of these changes the output, but `skip_at_most`.
struct Options {
  // 1 to kMostWorkers; 0: one per usable core. Of more than there are cores, some map only if others leave cores idle.
  int workers = 0;
  // Of which so many reduce: 1 to kMostWorkers; 0: as many, but no more than one per core. Reductions that wait, as for
  // a disk, may gain by more.
  int reducers = 0;
  // For the pairs of all workers together; 0: half of the machine's. Looked at between pieces: what a combiner's table
  // grows by within one piece comes on top, and a table that grows has its old and its new slots for a moment. What
  // maps and reductions themselves take is not counted, nor are input and channels.
  uint64_t memory_bytes = 0;
  std::string temporary_folder;  // for what does not fit; "": $TMPDIR, or /tmp
  // A map of one piece, or the reduction of one key, that takes longer ends the job; 0: no limit. Counts the time in
  // the job's functions map and reduce, without what the engine does for them meanwhile.
  double seconds_per_piece = 0;
  // So many failing records or keys are left out, of a map that does not tell its records (working_on) whole pieces.
  // The job is run again from its start after each. When the reduction of a key fails, results that were given out
  // before are void, and come again.
  uint64_t skip_at_most = 0;
  bool skip_keys = true;                                 // false: a reduction that fails ends the job
  std::function<void(const std::string& what)> skipped;  // told of each: where and why it failed
  std::function<void(const Progress&)> progress;         // called every tenth of a second or so
};

inline constexpr int kMostWorkers = 64;

// What the options come to: how many workers, and how many of them reduce, which throw JobError if there cannot be so
// many; and bytes for the pairs of all of them.
uint32_t workers_of(const Options& options);
uint32_t reducers_of(const Options& options);
uint64_t memory_of(const Options& options);

struct Statistics {
  int workers = 0;
  uint64_t pieces = 0, bytes = 0;
  // These two depend on who has mapped what, and so on timing, like the times.
  uint64_t pairs_mapped = 0;   // handed from maps to reductions, after combining
  uint64_t bytes_spilled = 0;  // written to temporary files
  uint64_t pairs_out = 0;
  double map_seconds = 0, reduce_seconds = 0;
};

}  // namespace dmr
