// The engine as every rank runs it, on ranks that are coroutines of one process: an adversarial scheduler lets any of
// them go on between any two looks at shared state.
#pragma once

#include "program.hpp"

namespace match_test {

struct EngineRun {
  Trace trace;
  bool false_verdict = false;  // a rank that had been found in a deadlock went on
  bool hung = false;           // the schedule was cut off: somebody waited for ever without a verdict
};

// `schedule`: seed of the scheduler. Two runs of one program must give the same trace for any two seeds.
EngineRun run_engine(const Program& program, uint64_t schedule, unsigned max_polls = 200);

}  // namespace match_test
