// The cores that a process may run on. "Core" here is what the kernel schedules: a hardware thread, where cores have
// several. As the wrappers of base/sys.hpp.
#pragma once

#include <string_view>
#include <vector>

#include <base/result.hpp>

namespace spmc::base {

unsigned usable_cores();                 // that this process may run on; at least 1
int current_core();                      // its number
std::vector<int> usable_core_numbers();  // in their order; empty when that cannot be told
// The number of the nth usable core, modulo how many there are; -1 when that cannot be told. Those that are the first
// hardware threads of their cores come first, by number, then the second ones: so whoever takes them in turn shares no
// core before all are taken. Not async-signal-safe.
int nth_usable_core(unsigned nth);
Status pin_to_core(unsigned nth);  // of the usable ones, as above
// Moves this process to the nth usable core now, and leaves it free to be moved on: spaces that start together would
// otherwise share a core until the kernel's balancer has noticed.
void move_to_core(unsigned nth);

// Finds out which hardware threads share cores, which is done once in a process: those that it forks need not.
void learn_cores();

// The place of hardware thread `core` in its core, from 0: how many of `siblings`, the list of the threads of that core
// as Linux has it ("3,11" or "0-1"), are before it. What is no such list counts as far as it is one.
unsigned place_in_core(std::string_view siblings, unsigned core);

}  // namespace spmc::base
