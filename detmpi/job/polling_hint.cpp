#include "polling_hint.hpp"

#include <base/sys.hpp>

#include <algorithm>
#include <sstream>

#include "../engine/job_view.hpp"
#include "description.hpp"

namespace detmpi {
namespace {

using space::ClockKind;

constexpr uint64_t kSecond = 1'000'000'000;
constexpr uint64_t kPatienceNs = 5 * kSecond;
constexpr uint64_t kPauseNs = kSecond;  // in which each that polls must get on, however many they are
constexpr uint64_t kLeastPolls = 8 * kPollsPerSample;
constexpr uint64_t kDescribeNs = 5 * kSecond;  // for ranks that describe for what they poll, on a busy machine
constexpr size_t kMostTold = 8;                // ranks

struct List {
  std::vector<int> ranks;
  std::string text() const {
    std::ostringstream out;
    out << (ranks.size() == 1 ? "rank" : "ranks");
    for (size_t i = 0; i < std::min(ranks.size(), kMostTold); ++i) out << (i == 0 ? " " : ", ") << ranks[i];
    if (ranks.size() > kMostTold) out << " and " << ranks.size() - kMostTold << " more";
    return out.str();
  }
  const char* verb(const char* of_one, const char* of_several) const { return ranks.size() == 1 ? of_one : of_several; }
};

void describe(std::ostream& out, int rank, double seconds) {
  Description said = description_of(rank);
  for (Unmatched& message : said.unmatched) add_place(message, rank, description_of(message.from));
  out << "  rank " << rank << "  " << (said.call.empty() ? "polls" : said.call);
  if (!said.place.empty()) out << " at " << said.place;
  out << ", " << rank_record(rank).polls.load(std::memory_order_relaxed) << " times in vain, for "
      << static_cast<uint64_t>(seconds) << " s\n";
  for (const Unmet& need : said.needs) {
    if (need.kind != "complete") out << "          polls for " << need.text() << "\n";
  }
  write_unmatched(out, said.unmatched, said.others_unmatched);
}

}  // namespace

std::string PollingWatch::look() {
  const uint64_t now = spmc::base::monotonic_ns();
  if (told_) return "";
  if (now - looked_at_ >= kPauseNs) {
    const bool quiet = nothing_but_polls();
    if (!quiet) quiet_since_ = 0;
    else if (quiet_since_ == 0) quiet_since_ = looked_at_;
    looked_at_ = now;
    if (!quiet) stop_asking();
    else if (asked_at_ == 0 && now - quiet_since_ >= kPatienceNs && polls_in_loops()) ask_to_describe(now);
  }
  if (asked_at_ == 0 || (!has_answers() && now - asked_at_ < kDescribeNs)) return "";
  stop_asking();
  told_ = true;
  return hint(now - quiet_since_);
}

std::vector<int> PollingWatch::doing(Doing what) const {
  std::vector<int> ranks;
  for (size_t rank = 0; rank < seen_.size(); ++rank) {
    if (seen_[rank].doing == what) ranks.push_back(static_cast<int>(rank));
  }
  return ranks;
}

// What they may have said to an earlier question does not count.
void PollingWatch::ask_to_describe(uint64_t now) {
  for (const int rank : doing(Doing::kPolling)) rank_record(rank).description_bytes.store(0);
  g_job->describe_polls.store(++questions_);
  asked_at_ = now;
}

void PollingWatch::stop_asking() {
  g_job->describe_polls.store(0);
  asked_at_ = 0;
}

bool PollingWatch::has_answers() const { return std::ranges::all_of(doing(Doing::kPolling), has_described_itself); }

// Since the last look.
bool PollingWatch::nothing_but_polls() {
  seen_.resize(g_job->ranks);
  bool quiet = true;
  bool anybody_polls = false;
  for (int rank = 0; rank < static_cast<int>(g_job->ranks); ++rank) {
    const space::ClockLine& line = clock_line(rank);
    const RankRecord& record = rank_record(rank);
    Seen& before = seen_[static_cast<size_t>(rank)];
    Seen now;
    now.polls = record.polls.load(std::memory_order_relaxed);
    const auto kind = static_cast<ClockKind>(line.kind.load(std::memory_order_acquire));
    if (kind == ClockKind::kDone) {
      now.doing = Doing::kFinished;
    } else if (now.polls > before.polls) {  // whoever polls may be blocked too, for a moment
      now.doing = Doing::kPolling;
      now.clock = record.polls_since.load(std::memory_order_relaxed);
      anybody_polls = true;
    } else if (kind != ClockKind::kRun && !JobView().unexamined_but({}, rank)) {  // else it goes on once it has a core
      now.doing = Doing::kBlocked;
      now.clock = line.clock.load(std::memory_order_relaxed);
    }
    quiet = quiet && now.doing != Doing::kOther && now.doing == before.doing && now.clock == before.clock;
    before = now;
  }
  return quiet && anybody_polls;
}

// Most pauses between the polls of each were short.
bool PollingWatch::polls_in_loops() const {
  for (size_t rank = 0; rank < seen_.size(); ++rank) {
    const uint64_t at_once = rank_record(static_cast<int>(rank)).polls_at_once.load(std::memory_order_relaxed);
    const uint64_t polls = seen_[rank].polls;
    if (seen_[rank].doing != Doing::kPolling) continue;
    if (polls < kLeastPolls || at_once * 2 * kPollsPerSample < polls) return false;
  }
  return true;
}

std::string PollingWatch::hint(uint64_t quiet_ns) const {
  const List polling{doing(Doing::kPolling)}, blocked{doing(Doing::kBlocked)}, finished{doing(Doing::kFinished)};
  const double seconds = static_cast<double>(quiet_ns) / static_cast<double>(kSecond);
  std::ostringstream out;
  out << "hint: all that happens is that " << polling.text() << " " << polling.verb("polls", "poll")
      << " for what does not come; the job goes on\n";
  for (size_t i = 0; i < std::min(polling.ranks.size(), kMostTold); ++i) describe(out, polling.ranks[i], seconds);
  if (!blocked.ranks.empty()) out << "  " << blocked.text() << " " << blocked.verb("is", "are") << " blocked\n";
  if (!finished.ranks.empty()) out << "  " << finished.text() << " " << finished.verb("has", "have") << " finished\n";
  return out.str();
}

}  // namespace detmpi
