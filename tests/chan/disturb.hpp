// The same bytes whatever the scheduler does: children of the root are stopped and continued at odd moments and run at
// other priorities, and the job's output does not change.
//
//   expect_same_bytes([](bool disturbed) {           // runs the job undisturbed, too
//     Disturbance disturbance(kVictims, disturbed);
//     Child victim([=] { disturbance.enter(i); ... });
//     disturbance.add(i, victim);                    // for each
//     victim.start();
//     disturbance.start();
//     ...                                            // what the job prints
//     disturbance.stop();
//   });
//
// start() returns once one of the victims has been stopped and continued. That it was at work then, and not at its end,
// is for the job to see to: each victim must have more for the root than can wait to be read (most_waiting).
#pragma once

#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <base/sys.hpp>

#include "job.hpp"

namespace chan_job {

// Bytes of a channel or stream with this window that may wait to be read.
constexpr size_t most_waiting(size_t window) { return std::min<size_t>(64 * window, 4 << 20); }

class Disturbance {
 public:
  Disturbance(int victims, bool disturbed) : disturbed_(disturbed), told_(make_channel()), stopped_(make_channel()) {
    for (int i = 0; i < victims; ++i) hello_.push_back(make_channel(8192));
  }

  // Before the victim, a child of the caller, is started.
  void add(int number, const Child& victim) const { EXPECT(chan_setprod(hello(number), victim.number(), 1) == 0); }

  // In the victim: says who it is, and takes a priority of its own.
  void enter(int number) const {
    errno = 0;
    EXPECT(nice(disturbed_ ? number * 7 : 0) != -1 || errno == 0 || errno == EPERM);
    const int32_t pid = spmc::base::process_id();
    EXPECT(chan_send(hello(number), &pid, sizeof(pid)) == 0);
  }

  // Once all victims have been started; before the root reads anything of theirs.
  void start() {
    std::vector<int32_t> pids(hello_.size());
    for (size_t i = 0; i < pids.size(); ++i) EXPECT(chan_recv(hello_[i], &pids[i], sizeof(pids[i])) == sizeof(pids[i]));
    if (!disturbed_) return;
    disturber_.emplace([this, pids] { return disturb(pids); });
    EXPECT(chan_setcons(told_, disturber_->number()) == 0);
    EXPECT(chan_setprod(stopped_, disturber_->number(), 1) == 0);
    disturber_->start();
    EXPECT(receive(stopped_, 16) == "stopped");
  }

  void stop() {
    if (!disturbed_) return;
    send(told_, "enough");
    disturber_->join_well();
  }

 private:
  chan_id hello(int number) const { return hello_[static_cast<size_t>(number)]; }

  // Stops and continues one after the other until told that it is enough. Fails if that stops nobody.
  int disturb(const std::vector<int32_t>& pids) const {
    constexpr int kMostTries = 5000;
    unsigned seed = 3;
    int stops = 0;
    for (int tries = 0; chan_test(told_) == 0 && (stops > 0 || tries < kMostTries); ++tries) {
      const int32_t victim = pids[static_cast<size_t>(rand_r(&seed)) % pids.size()];
      if (!spmc::base::send_signal(victim, SIGSTOP)) break;
      spmc::base::sleep_ns(static_cast<uint64_t>(rand_r(&seed) % 1500) * 1000);
      const bool stopped = is_stopped(victim);
      if (!spmc::base::send_signal(victim, SIGCONT)) break;
      if (stopped && stops++ == 0) send(stopped_, "stopped");
      spmc::base::sleep_ns(static_cast<uint64_t>(rand_r(&seed) % 1000) * 1000);
    }
    return stops > 0 ? 0 : 1;
  }

  // Not one that has ended, nor one that has not come to notice the signal.
  static bool is_stopped(int32_t process) {
    std::ifstream file("/proc/" + std::to_string(process) + "/stat");
    std::string line;
    std::getline(file, line);
    const size_t name_end = line.rfind(") ");
    return name_end != line.npos && line[name_end + 2] == 'T';
  }

  bool disturbed_;
  std::vector<chan_id> hello_;  // each victim's process ID
  chan_id told_;                // ends the disturbance
  chan_id stopped_;             // the disturber has stopped a victim
  std::optional<Child> disturber_;
};

inline void expect_same_bytes(const std::function<void(bool disturbed)>& job) {
  std::string expected;
  for (const Mode mode : kModes) {
    const auto calm = run_job(mode, [&] { job(false); });
    const auto disturbed = run_job(mode, [&] { job(true); });
    CHECK(!calm.out.empty());
    CHECK(calm.out == disturbed.out);
    if (expected.empty()) expected = calm.out;
    CHECK(calm.out == expected);
  }
}

}  // namespace chan_job
