#include "support/leak_check.hpp"

#include <dirent.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <vector>

namespace test_support {
namespace {

std::vector<int> numbered_entries(const char* folder) {
  std::vector<int> numbers;
  DIR* dir = opendir(folder);
  if (dir == nullptr) return numbers;
  const int own = dirfd(dir);
  while (const dirent* entry = readdir(dir)) {
    char* end = nullptr;
    const long number = strtol(entry->d_name, &end, 10);
    if (end != entry->d_name && *end == 0) numbers.push_back(static_cast<int>(number));
  }
  closedir(dir);
  if (std::strcmp(folder, "/proc/self/fd") == 0) std::erase(numbers, own);
  return numbers;
}

std::set<int> children_of_all_threads() {
  std::set<int> children;
  for (int thread : numbered_entries("/proc/self/task")) {
    std::ifstream list("/proc/self/task/" + std::to_string(thread) + "/children");
    for (int child; list >> child;) children.insert(child);
  }
  return children;
}

std::map<int, Process> live_group_members() {
  std::map<int, Process> members;
  const int group = getpgrp();
  for (int pid : numbered_entries("/proc")) {
    if (pid == getpid()) continue;
    std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
    std::string line;
    if (!std::getline(file, line)) continue;  // it has gone
    const size_t open = line.find('('), close = line.rfind(')');
    if (open == std::string::npos || close == std::string::npos) continue;
    std::istringstream rest(line.substr(close + 1));
    char state = 0;
    int parent = 0, its_group = 0;
    rest >> state >> parent >> its_group;
    const bool live = state != 'Z' && state != 'X';
    if (live && its_group == group) members[pid] = {line.substr(open + 1, close - open - 1), parent};
  }
  return members;
}

std::map<int, std::string> open_files() {
  std::map<int, std::string> files;
  for (int fd : numbered_entries("/proc/self/fd")) {
    char target[256];
    const std::string link = "/proc/self/fd/" + std::to_string(fd);
    const ssize_t length = readlink(link.c_str(), target, sizeof target);
    if (length >= 0) files[fd] = std::string(target, static_cast<size_t>(length));
  }
  return files;
}

std::multiset<std::string> memory_file_mappings() {
  std::multiset<std::string> mappings;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    const size_t name = line.find("/memfd:");
    if (name != std::string::npos) mappings.insert(line.substr(0, line.find(' ')) + " " + line.substr(name));
  }
  return mappings;
}

// Whether a member of the group that was there before started the process, itself or by way of others, and we did not.
// An orphan of ours has none of these above it.
bool is_of_others(int pid, const Snapshot& before, const Snapshot& after) {
  bool below_others = false;
  // Numbers may be used again while a snapshot is taken: a way up without an end is none.
  for (size_t steps = 0; pid != getpid() && steps <= after.group.size(); ++steps) {
    const auto process = after.group.find(pid);
    if (process == after.group.end()) return below_others;
    below_others = below_others || before.group.contains(pid);
    pid = process->second.parent;
  }
  return false;
}

// Live members of the group that a test has left behind.
std::map<int, Process> left_in_group(const Snapshot& before, const Snapshot& after) {
  std::map<int, Process> left = after.group;
  std::erase_if(left, [&](const auto& process) {
    return before.group.contains(process.first) || is_of_others(process.first, before, after);
  });
  return left;
}

}  // namespace

Snapshot take_snapshot() {
  return {children_of_all_threads(), live_group_members(), open_files(), memory_file_mappings()};
}

std::string describe_leaks(const Snapshot& before, const Snapshot& after) {
  std::ostringstream out;
  for (int child : after.children)
    if (!before.children.contains(child)) out << "  child process " << child << " was not waited for\n";
  for (const auto& [pid, process] : left_in_group(before, after))
    if (!after.children.contains(pid)) out << "  process " << pid << " (" << process.name << ") lives on\n";
  for (const auto& [fd, target] : after.files) {
    const auto was = before.files.find(fd);
    if (was == before.files.end() || was->second != target)
      out << "  descriptor " << fd << " is open: " << target << "\n";
  }
  // A range that grew or was split is not a leak by itself: their number counts.
  if (after.mappings.size() > before.mappings.size()) {
    out << "  " << before.mappings.size() << " mappings of memory files before, " << after.mappings.size()
        << " after:\n";
    for (const auto& mapping : after.mappings)
      if (!before.mappings.contains(mapping)) out << "    " << mapping << "\n";
  }
  return out.str();
}

std::string leaks_since(const Snapshot& before) {
  constexpr int kTries = 500;
  constexpr useconds_t kPause = 10'000;
  std::string leaks;
  for (int i = 0; i < kTries; ++i) {
    const Snapshot now = take_snapshot();
    leaks = describe_leaks(before, now);
    if (left_in_group(before, now).empty()) break;
    usleep(kPause);
  }
  return leaks;
}

}  // namespace test_support
