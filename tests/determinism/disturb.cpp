#include "disturb.hpp"

#include <dirent.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <random>
#include <string>

#include "../detmpi/running.hpp"

namespace determinism_test {
namespace {

// Leaves of the tree of processes below `root`: the ranks, not those who watch over them.
std::vector<int> leaves_below(int root) {
  std::multimap<int, int> children;
  DIR* dir = opendir("/proc");
  if (dir == nullptr) return {};
  while (const dirent* entry = readdir(dir)) {
    const int pid = std::atoi(entry->d_name);
    if (pid <= 0) continue;
    std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
    std::string line;
    if (!std::getline(file, line)) continue;
    char state = 0;
    int parent = 0;
    const size_t close = line.rfind(')');
    if (close == std::string::npos || std::sscanf(line.c_str() + close + 1, " %c %d", &state, &parent) != 2) continue;
    if (state != 'Z' && state != 'X') children.emplace(parent, pid);
  }
  closedir(dir);
  std::vector<int> leaves, todo = {root};
  while (!todo.empty()) {
    const int pid = todo.back();
    todo.pop_back();
    const auto [first, last] = children.equal_range(pid);
    if (first == last && pid != root) leaves.push_back(pid);
    for (auto i = first; i != last; ++i) todo.push_back(i->second);
  }
  return leaves;
}

}  // namespace

Load::Load(int processes) {
  for (int i = 0; i < processes; ++i) {
    const int pid = fork();
    if (pid < 0) {
      std::perror("fork");
      std::abort();
    }
    if (pid == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      volatile bool never = false;
      while (!never) {
      }
      _exit(0);
    }
    pids_.push_back(pid);
  }
}

Load::~Load() {
  for (const int pid : pids_) {
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
  }
}

Stopper::Stopper(int root, uint64_t seed) : thread_([this, root, seed] { run(root, seed); }) {}

Stopper::~Stopper() {
  enough_ = true;
  thread_.join();
}

void Stopper::run(int root, uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto draw = [&random](unsigned limit) { return static_cast<unsigned>(random() % limit); };
  std::vector<int> ranks;
  for (int turn = 0; !enough_; ++turn) {
    if (ranks.empty() || turn % 8 == 0) ranks = leaves_below(root);
    if (ranks.empty()) {
      usleep(500);
      continue;
    }
    const int pid = ranks[draw(static_cast<unsigned>(ranks.size()))];
    // A process that is stopped cannot end: the number is still its own when it is continued.
    if (kill(pid, SIGSTOP) == 0) ++stops_;
    if (draw(3) == 0) setpriority(PRIO_PROCESS, static_cast<id_t>(pid), static_cast<int>(draw(20)));
    usleep(200 + draw(4000));
    kill(pid, SIGCONT);
    usleep(100 + draw(1500));
  }
}

test_support::RunResult run_disturbed(const Disturbance& how, std::vector<std::string> argv, uint64_t seed) {
  if (how.one_core) argv.insert(argv.begin(), {"taskset", "-c", "0"});
  if (how.nice) argv.insert(argv.begin(), {"nice", "-n", "5"});
  const Load load(how.load);
  mpi_test::Running running(argv);
  std::unique_ptr<Stopper> stopper;
  if (how.stops) stopper = std::make_unique<Stopper>(running.pid(), seed);
  return running.finish();
}

}  // namespace determinism_test
