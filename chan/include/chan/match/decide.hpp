// When may a call return, and with what? Decisions from the outlooks of its requests (LOGICAL-TIME section 4).
//
// Each answer is a function of completion times alone, so it does not depend on how much was known when it was given:
// what is not final only delays it.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include <chan/match/types.hpp>

namespace chan::match {

// The answers of blocking calls: empty as long as they must wait. `now`: the clock of the call.

// The time at which all are complete; at least `now`.
std::optional<Time> wait_all(std::span<const Outlook> requests, Time now);

inline constexpr size_t kNone = ~size_t{0};
struct First {
  size_t index = kNone;
  Time time = 0;  // of a wait: of completion, may be before `now`
  bool in_vain() const { return index == kNone; }
};
// The request that completes first; of those that do at one time, the one that stands first.
std::optional<First> wait_any(std::span<const Outlook> requests);

struct Some {
  std::vector<size_t> indices;  // ascending
  Time time = 0;                // of the call's return
  bool in_vain() const { return indices.empty(); }
};
// All that are complete at the time at which the first one is, or now.
std::optional<Some> wait_some(std::span<const Outlook> requests, Time now);

// The answers of tests, which wait from `now` until `until` at most: empty as long as it cannot be told. The time is
// that at which the test returns; in vain, it is `until`.

struct All {
  bool complete = false;
  Time time = 0;
  bool in_vain() const { return !complete; }
};
std::optional<All> test_all(std::span<const Outlook> requests, Time now, Time until);
std::optional<First> test_any(std::span<const Outlook> requests, Time now, Time until);
// All that are complete at the time at which the first one is, or now.
std::optional<Some> test_some(std::span<const Outlook> requests, Time now, Time until);
// Does a cancel at `now` succeed?
std::optional<bool> cancel(const Outlook& request, Time now);

}  // namespace chan::match
