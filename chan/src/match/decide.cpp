#include <chan/match/decide.hpp>

#include <algorithm>

namespace chan::match {
namespace {

bool is_after(const Outlook& outlook, Time now) { return outlook.time > now; }
bool is_by(const Outlook& outlook, Time now) { return outlook.final && outlook.time <= now; }

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

std::optional<bool> test_all(std::span<const Outlook> requests, Time now) {
  if (std::any_of(requests.begin(), requests.end(), [now](const Outlook& r) { return is_after(r, now); })) return false;
  if (std::all_of(requests.begin(), requests.end(), [now](const Outlook& r) { return is_by(r, now); })) return true;
  return {};
}

std::optional<size_t> test_any(std::span<const Outlook> requests, Time now) {
  if (std::all_of(requests.begin(), requests.end(), [now](const Outlook& r) { return is_after(r, now); })) return kNone;
  const auto first = wait_any(requests);
  if (!first || first->time > now) return {};
  return first->index;
}

std::optional<std::vector<size_t>> test_some(std::span<const Outlook> requests, Time now) {
  std::vector<size_t> complete;
  for (size_t i = 0; i < requests.size(); ++i) {
    if (is_after(requests[i], now)) continue;
    if (!requests[i].final) return {};
    complete.push_back(i);
  }
  return complete;
}

std::optional<bool> cancel(const Outlook& request, Time now) {
  if (is_after(request, now)) return true;
  if (request.final) return false;
  return {};
}

}  // namespace chan::match
