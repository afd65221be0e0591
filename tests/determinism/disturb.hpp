// Disturbs a running job: stops and continues its ranks, changes their priorities, and keeps the cores busy.
// Only timing changes; a deterministic program must not notice.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

namespace determinism_test {

// Burns processor time in `processes` processes of its own until it goes out of scope.
class Load {
 public:
  explicit Load(int processes);
  ~Load();
  Load(const Load&) = delete;
  Load& operator=(const Load&) = delete;

 private:
  std::vector<int> pids_;
};

// Stops, continues and re-nices the processes below `root` at random, drawn from `seed`, until it goes out of
// scope or `root` has ended. The caller has one thread more meanwhile and must not fork.
class Stopper {
 public:
  Stopper(int root, uint64_t seed);
  ~Stopper();
  Stopper(const Stopper&) = delete;
  Stopper& operator=(const Stopper&) = delete;

  int stops() const { return stops_; }

 private:
  void run(int root, uint64_t seed);
  std::atomic<bool> enough_{false};
  std::atomic<int> stops_{0};
  std::thread thread_;
};

}  // namespace determinism_test
