#include "fair_time.hpp"

#include <base/cores.hpp>
#include <base/sys.hpp>

#include <algorithm>
#include <utility>

#include "job.hpp"

namespace detmpi {
namespace {

constexpr uint64_t kMostLostNs = 10'000'000'000;  // nobody waits longer than that for ranks that get nothing
constexpr uint64_t kMostOfLookNs = 150'000'000;   // who looks more seldom has got no core itself, and saw one moment

}  // namespace

void FairTime::restart() {
  processor_ns_.assign(g_job->ranks, 0);
  began_ns_ = looked_ns_ = spmc::base::monotonic_ns();
  fair_ns_ = 0;
}

// Those that want a core share what there are; by how much of that they got the time is measured.
uint64_t FairTime::fair_since(uint64_t elapsed_ns, const std::vector<int>& ranks) {
  uint64_t got_ns = 0;
  unsigned wanting = 0;
  bool stopped = false;
  for (const int rank : ranks) {
    // Of a rank that has none yet this is the monitor's own time, as it sleeps: then time passes as it does.
    const auto pid = static_cast<pid_t>(rank_record(rank).pid.load(std::memory_order_relaxed));
    auto now = spmc::base::processor_ns(pid);
    if (!now) continue;  // it has just ended
    const uint64_t before = std::exchange(processor_ns_[static_cast<size_t>(rank)], now.value());
    if (before != 0) got_ns += now.value() - before;
    const auto activity = spmc::base::activity_of(pid);
    wanting += activity == spmc::base::Activity::kRunnable ? 1 : 0;
    stopped = stopped || activity == spmc::base::Activity::kStopped;
  }
  if (stopped) return 0;
  return wanting == 0 ? elapsed_ns : std::min(elapsed_ns, got_ns / std::min(wanting, spmc::base::usable_cores()));
}

void FairTime::look(const std::vector<int>& ranks) {
  const uint64_t now = spmc::base::monotonic_ns();
  const uint64_t elapsed = now - std::exchange(looked_ns_, now);
  fair_ns_ += std::min(fair_since(elapsed, ranks), kMostOfLookNs);
}

uint64_t FairTime::passed_ns() const {
  const uint64_t real_ns = looked_ns_ - began_ns_;
  return real_ns > fair_ns_ + kMostLostNs ? real_ns - kMostLostNs : fair_ns_;
}

}  // namespace detmpi
