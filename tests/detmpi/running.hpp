// A program that runs while the test goes on: to be signalled, waited for, asked what it has printed so far.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "support/run_child.hpp"

namespace mpi_test {

class Running {
 public:
  // `folder`: where it runs; empty: here. Aborts with a message if the system refuses.
  explicit Running(const std::vector<std::string>& argv, const std::string& folder = "");
  ~Running();  // kills what still runs
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  int pid() const { return pid_; }
  std::string out() const;  // standard output so far
  // Waits until it has printed that many lines; false if it ends or half a minute passes before.
  bool wait_for_lines(size_t lines);
  // The same for so many ranks of a job with ordered output that have shown something, which need not be printed yet: a
  // rank that waits does so before it sleeps, that is, under load, not at once.
  bool wait_for_shown(size_t ranks);
  std::vector<int> numbers() const;  // the lines of its output that are numbers
  void signal(int number) const;
  // Waits for its end. What it leaves behind is the leak check's business.
  test_support::RunResult finish();

 private:
  bool poll_end();
  size_t files_with_output() const;
  int pid_ = -1;
  int status_ = 0;
  bool ended_ = false;
  int out_ = -1;
  int err_ = -1;
};

int parent_of(int pid);  // -1 when it has gone

// True once no process of these is left (zombies count as gone); waits for at most 10 s.
bool all_gone(const std::vector<int>& pids);

class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count(); }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace mpi_test
