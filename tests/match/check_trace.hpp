// The same semantics a second time, as a check and not as a simulation: a trace tells when every rank made which call,
// and then each rule is a formula over all calls of all ranks.
#pragma once

#include <string>

#include "program.hpp"

namespace match_test {

// Empty if the trace is that of the program; else the first thing that is wrong with it. No order of execution is
// assumed and no state is kept but what a rank holds in its slots. Every event must be what the formulas say; and a
// rank is stuck exactly if they give its next call no time to return.
//
// By induction on time only one trace passes: the formulas give each call from what was done at least L, or a tick,
// earlier.
std::string check_trace(const Program& program, const Trace& trace, unsigned max_polls = 200);

}  // namespace match_test
