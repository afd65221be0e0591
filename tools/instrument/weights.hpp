// What statements weigh, in units of work: a function of the program alone, and the same on every machine.
#pragma once

#include "gcc.hpp"

namespace instrument {

constexpr int64_t kCallUnits = 8;
constexpr int64_t kBytesPerUnit = 2;

// What the table (weights.def) says of a function.
struct Entry {
  enum class Kind { kNone, kCall, kBytes, kSleep, kHandler };
  Kind kind = Kind::kNone;
  int64_t units = kCallUnits;
  unsigned argument = 0;          // kBytes: which counts the bytes
  const char* counted = nullptr;  // kSleep, kHandler: detmpi_work_<counted> has its arguments
};
Entry entry_of(const gimple* statement);  // kNone for what is no call, or not by name

// What is known when the program is compiled.
int64_t weight_of(gimple* statement);

// The call may end up in an MPI call, which reads the clock.
bool may_reach_mpi(gimple* statement);

// Runs its argument in other threads too (OpenMP).
bool starts_threads(const gimple* statement);

}  // namespace instrument
