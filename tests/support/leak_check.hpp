// What a test may leave behind: nothing. A snapshot counts what this process holds; two snapshots are
// compared.
//
// Single thread; not async-signal safe. The check needs /proc. Processes count when they are our children
// (zombies too) or live members of our process group: a space never leaves its group, so an orphan is found
// there. What others in the group start meanwhile, such as the script that runs the test, is theirs.
#pragma once

#include <map>
#include <set>
#include <string>

namespace test_support {

struct Process {
  std::string name;
  int parent = 0;
};

struct Snapshot {
  std::set<int> children;               // of every thread, zombies included
  std::map<int, Process> group;         // live members of our process group other than us
  std::map<int, std::string> files;     // open descriptors: what each refers to
  std::multiset<std::string> mappings;  // shared mappings of memory files, by address range and name
};

Snapshot take_snapshot();

// What `after` holds that `before` does not, one line each; empty when nothing was left behind.
std::string describe_leaks(const Snapshot& before, const Snapshot& after);

// Compares with now. An orphan whose parent was killed may need a moment to die: waits for it up to 5 s.
std::string leaks_since(const Snapshot& before);

// Called inside a test that sets up state meant to last as long as the process: what it leaves is no leak.
void keep_resources();

// Called inside a test that cannot run here and now: prints `why` and counts the test as skipped. Returns;
// the test returns by itself.
void skip_test(const std::string& why);

}  // namespace test_support
