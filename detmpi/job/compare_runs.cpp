#include "compare_runs.hpp"

#include <base/text.hpp>

#include <algorithm>
#include <string_view>
#include <tuple>

namespace detmpi {
namespace {

bool same(const EventRecord& a, const EventRecord& b, const CompareRules& rules) {
  if (!rules.first_come) return a == b;
  EventRecord c = b;
  c.time = a.time;
  return a == c;
}

LogEnd end_of(const EventLog& log, int rank) {
  return static_cast<LogEnd>(log.rank(rank).end.load(std::memory_order_relaxed));
}

// How far a rank came that was ended with the job is a matter of timing: the longer log may go on, and how it would
// have ended is not known.
bool ends_count(const EventLog& a, const EventLog& b, int rank) {
  return end_of(a, rank) != LogEnd::kOpen && end_of(b, rank) != LogEnd::kOpen;
}

bool all_ends_count(const EventLog& a, const EventLog& b) {
  for (int rank = 0; rank < static_cast<int>(a.head().ranks); ++rank) {
    if (!ends_count(a, b, rank)) return false;
  }
  return true;
}

bool goes_beyond(const EventLog& log, int rank) { return log.rank(rank).count.load() > log.head().room; }

// A rank that was killed may have been about to write its last event, or to replace the call in it by what it does.
uint64_t whole(const EventLog& log, int rank) {
  const uint64_t kept = log.kept(rank);
  return kept > 0 && end_of(log, rank) == LogEnd::kOpen ? kept - 1 : kept;
}

std::optional<EventDifference> compare_rank(const EventLog& a, const EventLog& b, int rank, const CompareRules& rules) {
  const uint64_t kept_a = whole(a, rank), kept_b = whole(b, rank);
  const uint64_t both = std::min(kept_a, kept_b);
  const EventRecord* in_a = a.records(rank);
  const EventRecord* in_b = b.records(rank);
  uint64_t i = 0;
  while (i < both && same(in_a[i], in_b[i], rules)) ++i;
  const LogEnd end_a = end_of(a, rank), end_b = end_of(b, rank);
  const bool same_end = end_a == end_b || goes_beyond(a, rank) || goes_beyond(b, rank);
  if (i == both && (!ends_count(a, b, rank) || (kept_a == kept_b && same_end))) return std::nullopt;
  EventDifference found{.rank = rank, .index = i, .reference_end = end_a, .other_end = end_b};
  if (i < kept_a) found.reference = &in_a[i];
  if (i < kept_b) found.other = &in_b[i];
  if (i > 0) found.before = &in_a[i - 1];
  return found;
}

// What did not find room in the logs.
bool same_beyond(const EventLog& a, const EventLog& b, int rank) {
  if (!ends_count(a, b, rank)) return true;
  const auto &in_a = a.rank(rank), &in_b = b.rank(rank);
  return in_a.count.load() == in_b.count.load() && in_a.digest.load() == in_b.digest.load() &&
         end_of(a, rank) == end_of(b, rank);
}

// An act counts first, wherever it stands: the program itself is to blame for it, and perhaps for all the others.
// Then messages that differ in more than their content, which may be a consequence. Then the time decides.
bool is_nearer_the_cause(const EventDifference& a, const EventDifference& b) {
  const auto key = [](const EventDifference& d) { return std::tuple(!d.is_act(), d.only_content(), d.time(), d.rank); };
  return key(a) < key(b);
}

Cause cause_of(const EventDifference& d, const CompareRules& rules) {
  if (d.is_act()) return Cause::kOutside;
  if (d.only_content()) return Cause::kContent;
  return rules.first_come ? Cause::kRace : Cause::kDefect;
}

std::optional<Difference> compare_events(const EventLog& a, const EventLog& b, const CompareRules& rules) {
  Difference difference;
  std::optional<int> beyond;
  for (int rank = 0; rank < static_cast<int>(a.head().ranks); ++rank) {
    const auto found = compare_rank(a, b, rank, rules);
    if (!found && !beyond && !same_beyond(a, b, rank)) beyond = rank;
    if (!found) continue;
    if (difference.ranks == 0 || is_nearer_the_cause(*found, difference.event)) difference.event = *found;
    difference.ranks += 1;
  }
  if (difference.ranks == 0 && !beyond) return std::nullopt;
  if (difference.ranks > 0) {
    difference.cause = cause_of(difference.event, rules);
  } else {
    difference.cause = Cause::kBeyondLog;
    difference.event.rank = *beyond;
    difference.event.index = a.head().room;
  }
  return difference;
}

// Each with its newline, which the last one may not have.
std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (size_t at = 0; at < text.size();) {
    const size_t newline = text.find('\n', at);
    const size_t end = newline == std::string::npos ? text.size() : newline + 1;
    lines.push_back(text.substr(at, end - at));
    at = end;
  }
  return lines;
}

// In any order, so that the one without a newline may be another one.
std::vector<std::string> sorted_lines_of(const std::string& text) {
  auto lines = lines_of(text);
  if (!lines.empty() && !lines.back().ends_with('\n')) lines.back() += '\n';
  std::sort(lines.begin(), lines.end());
  return lines;
}

std::string quoted(const std::string& line) {
  const bool ended = line.ends_with('\n');
  const std::string text = spmc::base::printable(std::string_view(line).substr(0, line.size() - (ended ? 1 : 0)));
  return "\"" + text + (ended ? "\"" : "\", without a newline");
}

// What the ranks have printed on standard error. The job's own messages stand between their lines, and tell of what the
// machine was busy with, too: the hint that ranks poll, threads that a program had before it was forked.
std::string without_messages(const std::string& errors) {
  std::string rest;
  bool in_message = false;
  for (const std::string& line : lines_of(errors)) {
    const bool begins = line.starts_with("DLinux: ") || line.starts_with("detmpirun: ");
    in_message = begins || (in_message && line.starts_with("  "));  // its further lines are indented
    if (!in_message) rest += line;
  }
  return rest;
}

std::optional<LineDifference> compare_output(const std::string& a, const std::string& b, const CompareRules& rules) {
  if (a == b) return std::nullopt;
  const auto in_a = rules.first_come ? sorted_lines_of(a) : lines_of(a);
  const auto in_b = rules.first_come ? sorted_lines_of(b) : lines_of(b);
  if (in_a == in_b) return std::nullopt;
  size_t i = 0;
  while (i < in_a.size() && i < in_b.size() && in_a[i] == in_b[i]) ++i;
  const auto line = [i](const std::vector<std::string>& lines) {
    return i < lines.size() ? quoted(lines[i]) : std::string("nothing more");
  };
  return LineDifference{i + 1, line(in_a), line(in_b)};
}

}  // namespace

uint64_t RunOutcome::events() const {
  uint64_t sum = 0;
  for (int rank = 0; rank < static_cast<int>(log.head().ranks); ++rank) sum += log.rank(rank).count.load();
  return sum;
}

uint64_t EventDifference::time() const {
  if (reference != nullptr && other != nullptr) return std::min(reference->time, other->time);
  const EventRecord* one = reference != nullptr ? reference : other != nullptr ? other : before;
  return one != nullptr ? one->time : 0;
}

// Where one is an act and the other an answer, a call has told one of them more than the other.
bool EventDifference::is_act() const {
  return (reference == nullptr || detmpi::is_act(reference->kind)) && (other == nullptr || detmpi::is_act(other->kind));
}

bool EventDifference::only_content() const {
  if (reference == nullptr || other == nullptr) return false;
  EventRecord copy = *other;
  copy.content = reference->content;
  return copy == *reference;
}

bool output_counts(const RunOutcome& a, const RunOutcome& b) { return a.even() && b.even(); }

bool errors_count(const RunOutcome& a, const RunOutcome& b) { return output_counts(a, b) && !a.early() && !b.early(); }

std::optional<Difference> compare_runs(const RunOutcome& a, const RunOutcome& b, const CompareRules& rules) {
  if (auto found = compare_events(a.log, b.log, rules)) return found;
  Difference difference;
  std::optional<LineDifference> line;
  if (output_counts(a, b)) line = compare_output(a.output, b.output, rules);
  if (!line && errors_count(a, b)) {
    line = compare_output(without_messages(a.errors), without_messages(b.errors), rules);
    difference.in_errors = line.has_value();
  }
  if (line) {
    difference.cause = Cause::kOutput;
    difference.line = *line;
    return difference;
  }
  if (a.code == b.code) return std::nullopt;
  difference.cause = all_ends_count(a.log, b.log) ? Cause::kStatus : Cause::kExit;
  return difference;
}

}  // namespace detmpi
