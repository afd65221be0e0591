// Disturbs a running job: stops and continues its ranks, changes their priorities, and keeps the cores busy.
// Only timing changes; a deterministic program must not notice.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "support/run_child.hpp"

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

// A way of running a job in bad conditions.
struct Disturbance {
  const char* name;
  int load;       // processes that burn time
  bool one_core;  // all ranks on the first core
  bool stops;     // ranks are stopped, continued and re-niced
  bool nice;      // the whole job at a lower priority
};

// Under load a message costs a time slice of the others: more load would take long and show nothing more.
inline constexpr Disturbance kDisturbances[] = {
    {"load", 2, false, false, false},
    {"one core", 0, true, false, false},
    {"stops", 0, false, true, false},
    {"stops on one core", 0, true, true, false},
    {"stops under load", 1, false, true, false},
    {"load at low priority", 1, false, false, true},
};

// Runs the command to its end; `seed` decides who is stopped when.
test_support::RunResult run_disturbed(const Disturbance& how, std::vector<std::string> argv, uint64_t seed);

}  // namespace determinism_test
