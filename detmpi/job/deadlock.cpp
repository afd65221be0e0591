#include "deadlock.hpp"

#include <base/sys.hpp>
#include <base/wait.hpp>
#include <chan/match/bounds.hpp>
#include <chan/match/snapshot.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <sstream>

#include "../engine/job_view.hpp"

namespace detmpi {
namespace {

using chan::match::kNever;
using chan::match::Need;
using chan::match::Time;
using Kind = chan::match::RankState::Kind;

constexpr uint64_t kPatienceNs = 1'000'000'000;  // for ranks that describe what they wait for
constexpr uint64_t kStepNs = 1'000'000;
constexpr uint32_t kNotBlocked = 1;

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields;
  std::istringstream in(line);
  for (std::string field; std::getline(in, field, '\t');) fields.push_back(field);
  fields.resize(5);
  return fields;
}

std::string description_of(int rank) {
  const RankRecord& record = rank_record(rank);
  const uint32_t bytes = record.description_bytes.load(std::memory_order_acquire);
  if (bytes == 0) return "";
  return {reinterpret_cast<const char*>(spmc::segment::frame(spmc::EPageIndex{record.description_frame})), bytes};
}

void wait_for_descriptions(const std::vector<StuckRank>& stuck) {
  g_job->describe.store(1);
  const auto missing = [](const StuckRank& s) {
    return rank_record(s.rank).description_bytes.load(std::memory_order_acquire) == 0;
  };
  const uint64_t until = spmc::base::monotonic_ns() + kPatienceNs;
  while (std::ranges::any_of(stuck, missing) && spmc::base::monotonic_ns() < until) {
    for (const StuckRank& s : stuck) {
      if (missing(s)) wake_rank(s.rank);
    }
    spmc::base::sleep_ns(kStepNs);
  }
}

// "function, file.c:12" of a place that ranks give as "/path/object+0x12", where there are symbols and addr2line; empty
// otherwise.
std::string with_source_line(const std::string& place) {
  const size_t plus = place.rfind("+0x");
  if (plus == std::string::npos || place.find('\'') != std::string::npos) return "";
  for (const uint64_t base : {uint64_t{0}, uint64_t{0x400000}}) {  // where a program that does not move is loaded
    char command[1024];
    std::snprintf(command, sizeof command, "addr2line -Cfs -e '%s' 0x%lx 2>/dev/null", place.substr(0, plus).c_str(),
                  static_cast<unsigned long>(base + std::strtoul(place.c_str() + plus + 1, nullptr, 16)));
    FILE* output = ::popen(command, "r");
    if (output == nullptr) return "";
    char function[256] = "", line[512] = "";
    const bool both = std::fgets(function, sizeof function, output) && std::fgets(line, sizeof line, output);
    ::pclose(output);
    function[std::strcspn(function, "\n")] = 0;
    line[std::strcspn(line, "\n")] = 0;
    if (char* note = std::strstr(line, " (discriminator")) *note = 0;  // says nothing to people
    if (both && function[0] != '?') return std::string(function) + (line[0] != '?' ? std::string(", ") + line : "");
  }
  return "";
}

// Many ranks are stuck in the same place, and each question to addr2line starts a process.
class SourceLines {
 public:
  const std::string& of(const std::string& place) {
    const auto [known, fresh] = lines_.try_emplace(place);
    if (fresh) known->second = with_source_line(place);
    return known->second;
  }

 private:
  std::map<std::string, std::string> lines_;
};

// What the rank says of itself, next to its record.
void add_description(StuckRank& stuck, const std::vector<Need>& needs, SourceLines& lines) {
  std::istringstream text(description_of(stuck.rank));
  size_t at = 0;
  for (std::string line; std::getline(text, line);) {
    const auto f = fields_of(line);
    if (f[0] == "call") {
      stuck.call = f[1];
      stuck.place = lines.of(f[3]);
      if (stuck.place.empty()) stuck.place = f[2];
    } else if (f[0] == "unmatched") {
      stuck.unmatched.push_back({std::stoi(f[1]), f[2], f[3]});
    } else if (f[0] == "need" && at < needs.size()) {
      const Need& own = needs[at++];
      const bool repeats = own.kind == Need::Kind::kRepeat && own.repeats < needs.size();
      const Need& need = repeats ? needs[own.repeats] : own;
      Unmet unmet{f[1], f[2], f[3], f[4], {}};
      for (const auto& source : need.sources) unmet.from.push_back(source.rank);
      if (need.kind == Need::Kind::kAck) unmet.from.push_back(need.peer);
      if (need.kind != Need::Kind::kFixed) stuck.needs.push_back(unmet);
    }
  }
}

// Follows from each stuck rank the first rank that it waits for, until one comes again.
std::vector<int> find_cycle(const std::vector<StuckRank>& stuck) {
  const auto next = [&](int rank) {
    const auto at = std::ranges::find(stuck, rank, &StuckRank::rank);
    if (at == stuck.end()) return -1;
    for (const Unmet& need : at->needs) {
      for (const int from : need.from) {
        if (from != rank && std::ranges::find(stuck, from, &StuckRank::rank) != stuck.end()) return from;
      }
    }
    return -1;
  };
  for (const StuckRank& first : stuck) {
    std::vector<int> path;
    for (int rank = first.rank; rank >= 0; rank = next(rank)) {
      const auto seen = std::ranges::find(path, rank);
      if (seen != path.end()) return {seen, path.end()};
      path.push_back(rank);
    }
  }
  return {};
}

std::vector<int> finished_ranks(const std::vector<StuckRank>& stuck) {
  std::vector<int> finished;
  for (const StuckRank& s : stuck) {
    for (const Unmet& need : s.needs) {
      for (const int from : need.from) {
        const bool done = clock_line(from).kind.load() == static_cast<uint32_t>(space::ClockKind::kDone);
        if (done && std::ranges::find(finished, from) == finished.end()) finished.push_back(from);
      }
    }
  }
  return finished;
}

}  // namespace

// Since the last look.
bool DeadlockFinder::anybody_blocked() {
  bool any = false;
  versions_.resize(g_job->ranks, kNotBlocked);
  for (int rank = 0; rank < static_cast<int>(g_job->ranks); ++rank) {
    const space::ClockLine& line = clock_line(rank);
    const uint32_t version = line.version.load(std::memory_order_acquire);
    const auto kind = static_cast<space::ClockKind>(line.kind.load());
    const bool blocked = kind == space::ClockKind::kWaitAll || kind == space::ClockKind::kWaitAny;
    uint32_t& before = versions_[static_cast<size_t>(rank)];
    any = any || (blocked && version == before);
    before = blocked && version % 2 == 0 ? version : kNotBlocked;
  }
  return any;
}

std::optional<Deadlock> DeadlockFinder::look() {
  const auto ranks = static_cast<int>(g_job->ranks);
  if (!anybody_blocked()) return {};
  spmc::base::heavy_fence();
  JobView view;
  chan::match::Snapshot snapshot(view, g_job->lookahead);
  const auto states = snapshot.take();
  const auto bounds = chan::match::solve_bounds(states);
  Deadlock deadlock;
  deadlock.ranks = ranks;
  deadlock.strict_sends = g_job->strict_sends != 0;
  for (int rank = 0; rank < ranks; ++rank) {
    const auto& state = states[static_cast<size_t>(rank)];
    if (state.kind != Kind::kWait || bounds[static_cast<size_t>(rank)] != kNever) continue;
    StuckRank& stuck = deadlock.stuck.emplace_back();
    stuck.rank = rank;
    stuck.clock = state.clock;
    stuck.any = state.any;
  }
  std::vector<int> stuck;
  for (const StuckRank& s : deadlock.stuck) stuck.push_back(s.rank);
  const bool settled = stuck == stuck_;
  stuck_ = stuck;
  if (stuck.empty() || !settled) return {};
  wait_for_descriptions(deadlock.stuck);
  SourceLines lines;
  for (StuckRank& one : deadlock.stuck) {
    chan::match::Record record;
    uint64_t version = 0;
    view.read_record(one.rank, record, &version);
    add_description(one, record.needs, lines);
  }
  deadlock.cycle = find_cycle(deadlock.stuck);
  deadlock.finished = finished_ranks(deadlock.stuck);
  return deadlock;
}

}  // namespace detmpi
