// A rank's part in ordered output: it marks in its files (output_files.hpp) when it printed what.
//
// Logical time is cut into epochs of one lookahead each, and for a rank also where it is told that a synchronous send
// is complete; an epoch is named by the clock at its begin. What a rank prints between two calls belongs to the epoch
// of its clock there. A message takes at least the lookahead: so what its receiver prints after receiving belongs to an
// epoch that began later than the clock at which its sender printed before sending. An acknowledgement takes less, and
// is the begin of an epoch itself. So merging by (epoch, rank) never shows an effect before its cause; and neither
// depends on timing, as the clock does not.
//
// The rank looks at its files whenever a call returns in a later epoch than it began, before the program goes on, and
// when work between calls leads to a later one (output_tick): what is new was printed in the epoch that is over. It
// does not matter who wrote it, the rank or a child process that it has waited for.
#pragma once

#include <cstdint>

#include <chan/match/types.hpp>

#include "output_files.hpp"

namespace detmpi {

// Epoch of what is printed after MPI_Finalize, or by a rank that has failed once the others are where the job ends:
// later than everything else, but no later than output can be cut off.
inline constexpr uint64_t kLastEpoch = chan::match::kNever - 1;

void rank_output_begin(int rank, RankOutputFiles files);

// In MPI_Finalize, when nothing of it is left to be done; and of a rank that has failed, when it is told to end.
void rank_output_end();

// What stdio still holds becomes visible: before the rank waits for longer, since it may be killed there, and before it
// publishes that it waits, since all that it printed is in its file then. Whether a call waits depends on timing, and
// what the program does next may show it (write(2), fork): so every call does it before it returns (output_tick). No
// effect on the order of what stdio prints.
void show_printed();

// The same in a process that has crashed, or leaves by _exit, by write(2) alone.
void show_printed_by_crashed();

}  // namespace detmpi
