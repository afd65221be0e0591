#include "disturb.hpp"

#include <base/control.hpp>
#include <base/cores.hpp>
#include <base/sys.hpp>

#include <algorithm>
#include <csignal>
#include <iterator>

namespace detmpi {
namespace {

constexpr uint64_t kUs = 1000;
constexpr uint64_t kFindNs = 300 * kUs;     // between two looks for ranks that have not begun yet
constexpr uint64_t kIdleNs = 20'000 * kUs;  // between two steps where nobody is stopped
constexpr int kNiceLimit = 20;

// A rank that is stopped, or waits for a time slice, holds up all that wait for its messages. So disturbances thin out
// as the run lasts: a short one is disturbed all the time, a longer one about a hundred times more as its length
// doubles.
constexpr uint64_t kThinOutStops = 64;  // a pause of up to this part of the run so far
constexpr uint64_t kThinOutLoad = 8;

// An odd number of them: each comes with both ways of starting.
constexpr Disturbance kDisturbances[] = {
    {.stops = true},
    {.one_core = true, .stops = true},
    {.load = true},
    {.moves = true, .priorities = true, .stops = true},
    {.one_core = true, .priorities = true},
    {.stops = true, .load = true},
    {.moves = true, .load = true},
};

[[noreturn]] void burn(uint64_t seed) {
  std::mt19937_64 random(seed);
  const uint64_t begin = spmc::base::monotonic_ns();
  for (;;) {
    const uint64_t until = spmc::base::monotonic_ns() + random() % (20'000 * kUs);
    uint64_t now = begin;
    while (now < until) now = spmc::base::monotonic_ns();
    spmc::base::sleep_ns(random() % (1 + (now - begin) / kThinOutLoad));
  }
}

}  // namespace

Disturbance disturbance_of(int n) { return kDisturbances[static_cast<size_t>(n - 1) % std::size(kDisturbances)]; }

std::string to_string(const Disturbance& d) {
  std::string text;
  const auto add = [&text](bool is, const char* what) {
    if (is) text += (text.empty() ? "" : ", ") + std::string(what);
  };
  add(d.none(), "undisturbed");
  add(d.one_core, "pinned to one core");
  add(d.moves, "moved between cores");
  add(d.priorities, "random priorities");
  add(d.load, "load on every core");
  add(d.stops, "stops");
  return text;
}

Load::Load(size_t processes) {
  for (size_t i = 0; i < processes; ++i) {
    auto child = spmc::base::fork_tied();
    if (!child) return;  // a smaller load, then
    if (child.value() == 0) burn(i);
    pids_.push_back(child.value());
  }
}

Load::~Load() {
  for (const int pid : pids_) (void)spmc::base::send_signal(pid, SIGKILL);
  for (const int pid : pids_) (void)spmc::base::wait_child(pid, spmc::base::WaitMode::kBlock);
}

Disturber::Disturber(const Disturbance& how, EventLog log, uint64_t seed)
    : how_(how), log_(log), random_(seed), cores_(spmc::base::usable_core_numbers()) {
  if (how.none()) return;
  for (int rank = static_cast<int>(log.head().ranks) - 1; rank >= 0; --rank) missing_.push_back(rank);
}

uint64_t Disturber::step() {
  if (released_ || !(how_.moves || how_.priorities || how_.stops)) return 10 * kIdleNs;
  find_ranks();
  const uint64_t now = spmc::base::monotonic_ns();
  if (now < due_ns_) return due_ns_ - now;
  uint64_t pause = kIdleNs;
  if (!stopped_.empty()) {
    continue_all();
    pause = (100 + draw(1500)) * kUs + draw(1 + (now - begin_ns_) / kThinOutStops);
  } else if (!ranks_.empty()) {
    if (begin_ns_ == 0) begin_ns_ = now;
    shift(ranks_[draw(ranks_.size())]);
    if (how_.stops) {
      stop_some();
      pause = (200 + draw(4000)) * kUs;
    }
  }
  if (!missing_.empty()) pause = std::min(pause, kFindNs);
  due_ns_ = now + pause;
  return pause;
}

void Disturber::release() {
  continue_all();
  released_ = true;
}

// A rank that ends at once may be gone before its process can be opened: then it is not disturbed.
void Disturber::find_ranks() {
  std::erase_if(missing_, [this](int rank) {
    const int pid = log_.rank(rank).pid.load(std::memory_order_relaxed);
    if (pid == 0) return false;
    if (auto process = spmc::base::open_process(pid)) {
      ranks_.push_back({pid, std::move(process).value()});
      shift(ranks_.back());
    }
    return true;
  });
}

// Other cores, another priority. By number: the process was there just now, and numbers are not given out again at
// once.
void Disturber::shift(const Rank& rank) {
  if (!spmc::base::signal_process(rank.process, 0)) return;
  if (how_.moves && !cores_.empty()) {
    std::vector<int> some;
    for (const int core : cores_) {
      if (draw(2) == 0) some.push_back(core);
    }
    if (some.empty()) some.push_back(cores_[draw(cores_.size())]);
    (void)spmc::base::set_cores(rank.pid, some);
  }
  if (how_.priorities) (void)spmc::base::set_niceness(rank.pid, static_cast<int>(draw(kNiceLimit)));
}

// Mostly one, sometimes up to all.
void Disturber::stop_some() {
  const uint64_t count = draw(4) == 0 ? 1 + draw(ranks_.size()) : 1;
  for (uint64_t i = 0; i < count; ++i) {
    const size_t which = draw(ranks_.size());
    if (!spmc::base::signal_process(ranks_[which].process, SIGSTOP)) continue;
    stopped_.push_back(which);
    ++stops_;
  }
}

void Disturber::continue_all() {
  for (const size_t which : stopped_) (void)spmc::base::signal_process(ranks_[which].process, SIGCONT);
  stopped_.clear();
}

}  // namespace detmpi
