// Disturbs a running job, as detmpirun --verify wants it: stops and continues ranks, moves them between cores, lowers
// their priorities, keeps the cores busy. Only timing changes; a deterministic program does not notice.
//
// All of it is done by detmpirun itself, between two looks at its signals. So there is no process besides that could be
// killed while a rank is stopped; and when detmpirun is killed the kernel kills the job and the load.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <base/unique_fd.hpp>

#include "../engine/event_log.hpp"

namespace detmpi {

struct Disturbance {
  bool one_core = false;    // the whole job on one core, drawn at random
  bool moves = false;       // ranks are moved to random sets of cores
  bool priorities = false;  // ranks get random priorities
  bool stops = false;       // ranks are stopped for some milliseconds at most
  bool load = false;        // another process on every core

  bool none() const { return !(one_core || moves || priorities || stops || load); }
};

// Of the n-th run, n >= 1.
Disturbance disturbance_of(int n);
std::string to_string(const Disturbance& disturbance);

// Processes that burn time, at first all the time, while this object lives, and this process.
class Load {
 public:
  explicit Load(size_t processes);
  ~Load();
  Load(const Load&) = delete;
  Load& operator=(const Load&) = delete;

 private:
  std::vector<int> pids_;
};

class Disturber {
 public:
  // `log`: of the run, where its ranks appear. Draws from `seed`.
  Disturber(const Disturbance& how, EventLog log, uint64_t seed);
  ~Disturber() { release(); }
  Disturber(const Disturber&) = delete;
  Disturber& operator=(const Disturber&) = delete;

  // Does what is due. Returns the time until it is to be called again, in ns.
  uint64_t step();
  // Continues those that are stopped, and does nothing more.
  void release();
  unsigned stops() const { return stops_; }

 private:
  struct Rank {
    int pid;
    spmc::base::UniqueFd process;
  };
  uint64_t draw(uint64_t limit) { return random_() % limit; }
  void find_ranks();
  void shift(const Rank& rank);
  void stop_some();
  void continue_all();

  Disturbance how_;
  EventLog log_;
  std::mt19937_64 random_;
  std::vector<int> cores_;
  std::vector<int> missing_;  // ranks that have not begun yet
  std::vector<Rank> ranks_;
  std::vector<size_t> stopped_;  // among ranks_
  uint64_t begin_ns_ = 0;        // of the first rank
  uint64_t due_ns_ = 0;
  unsigned stops_ = 0;
  bool released_ = false;
};

}  // namespace detmpi
