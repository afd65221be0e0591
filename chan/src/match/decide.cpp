#include <chan/match/decide.hpp>

#include <algorithm>

namespace chan::match {
namespace {

bool is_after(const Outlook& outlook, Time now) { return outlook.time > now; }
bool all_after(std::span<const Outlook> requests, Time until) {
  return std::all_of(requests.begin(), requests.end(), [until](const Outlook& r) { return is_after(r, until); });
}

}  // namespace

std::optional<Time> wait_all(std::span<const Outlook> requests, Time now) {
  Time last = now;
  for (const Outlook& request : requests) {
    if (!request.final) return {};
    last = std::max(last, request.time);
  }
  return last;
}

std::optional<First> wait_any(std::span<const Outlook> requests) {
  // The least (time, index), final or not; if that one is not final, nobody else can be known to be before it.
  size_t least = 0;
  for (size_t i = 1; i < requests.size(); ++i) {
    if (requests[i].time < requests[least].time) least = i;
  }
  if (requests.empty() || !requests[least].final || requests[least].time == kNever) return {};
  return First{least, requests[least].time};
}

std::optional<Some> wait_some(std::span<const Outlook> requests, Time now) {
  Time first = kNever;
  for (const Outlook& request : requests) {
    if (request.final) first = std::min(first, request.time);
  }
  if (first == kNever) return {};
  Some some;
  some.time = std::max(now, first);
  for (size_t i = 0; i < requests.size(); ++i) {
    if (is_after(requests[i], some.time)) continue;
    if (!requests[i].final) return {};
    some.indices.push_back(i);
  }
  return some;
}

std::optional<All> test_all(std::span<const Outlook> requests, Time now, Time until) {
  const auto late = [until](const Outlook& r) { return is_after(r, until); };
  if (std::any_of(requests.begin(), requests.end(), late)) return All{false, until};
  const auto time = wait_all(requests, now);
  return time ? std::optional(All{true, *time}) : std::nullopt;
}

std::optional<First> test_any(std::span<const Outlook> requests, Time now, Time until) {
  if (all_after(requests, until)) return First{kNone, until};
  const auto first = wait_any(requests);
  if (!first || first->time > until) return {};
  return First{first->index, std::max(now, first->time)};
}

std::optional<Some> test_some(std::span<const Outlook> requests, Time now, Time until) {
  if (all_after(requests, until)) return Some{{}, until};
  auto some = wait_some(requests, now);
  return some && some->time <= until ? some : std::nullopt;
}

std::optional<bool> cancel(const Outlook& request, Time now) {
  if (is_after(request, now)) return true;
  if (request.final) return false;
  return {};
}

}  // namespace chan::match
