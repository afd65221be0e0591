// Logical time: the vocabulary of the matching engine. Everything in chan/match is pure logic: no shared memory, no
// system call, no process. The rules are those of docs/DETERMINISM.md, "Logical time".
#pragma once

#include <compare>
#include <cstdint>

namespace chan::match {

using Time = uint64_t;
inline constexpr Time kNever = ~Time{0};

// a + b, where never stays never.
constexpr Time later(Time a, Time b) { return a > kNever - b ? kNever : a + b; }

inline constexpr int kAny = -1;  // any source, any tag

// From the match of a synchronous message to its acknowledgement. No lookahead is needed here: who waits for an
// acknowledgement depends on one rank, which says of what it has taken in when it will be matched.
inline constexpr Time kAckLatency = 1;

// The order of messages at their receiver, and so the order in which they count as delivered.
struct Key {
  Time arrival = 0;
  int source = 0;       // rank in the job
  uint64_t number = 0;  // among the messages of the pair and context, from 0
  auto operator<=>(const Key&) const = default;
};

// What is known of the time at which a request completes.
struct Outlook {
  bool final = false;
  Time time = 0;  // of completion if final, else: not before
};

}  // namespace chan::match
