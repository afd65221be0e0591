// The whole program, started anew, gives the same bytes: identifiers, addresses, statuses; also when it is disturbed.
#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>

#include <algorithm>
#include <csignal>
#include <fstream>

#include "space_test.hpp"
#include "support/leak_check.hpp"

using test_support::kRuns;
using test_support::run_command;
using test_support::run_command_same;

namespace {

const char* program() {
  ::unsetenv("DLINUX_NO_REEXEC");
  const char* path = std::getenv("DLINUX_SPACE_PROGRAM");
  REQUIRE(path != nullptr);
  return path;
}

volatile std::sig_atomic_t g_enough = 0;

bool is_victim(pid_t pid, const std::string& name) {
  std::ifstream comm("/proc/" + std::to_string(pid) + "/comm");
  std::string its_name;
  return getpgid(pid) == getpgrp() && std::getline(comm, its_name) && its_name == name;
}

// Stops the processes `name` of our group, one after the other, and lets them go on, until SIGTERM; none stays stopped.
[[noreturn]] void disturb(const std::string& name, pid_t test) {
  std::signal(SIGTERM, [](int) { g_enough = 1; });
  for (unsigned n = 0; g_enough == 0 && getppid() == test; ++n) {
    DIR* dir = opendir("/proc");
    while (const dirent* entry = readdir(dir)) {
      const pid_t pid = std::atoi(entry->d_name);
      if (pid <= 0 || pid == test || pid == getpid() || !is_victim(pid, name)) continue;
      kill(pid, SIGSTOP);
      usleep(200 + n * 37 % 800);
      kill(pid, SIGCONT);
    }
    closedir(dir);
  }
  _exit(0);
}

}  // namespace

TEST_CASE("two runs print the same bytes, addresses included") {
  const auto run = run_command_same({program()});
  CHECK(run.exit_code == 45);
  CHECK(run.out.find("/1/3 gid 22") != std::string::npos);
  CHECK(run.out.find("environment: nothing") != std::string::npos);
  INFO(run.out << run.err);
  CHECK(std::count(run.out.begin(), run.out.end(), '\n') == 16);
}

TEST_CASE("the program is executed again once at most, with its arguments") {
  const std::string path = program();
  const int starts = memfd_create("starts", 0);
  REQUIRE(dup2(starts, 9) == 9);
  const auto run = run_command_same({path, "an argument", ""});
  CHECK(run.exit_code == 45);
  CHECK(run.out.find("argument 11 bytes\nargument 0 bytes\n") != std::string::npos);
  const off_t often = lseek(9, 0, SEEK_END);
  CHECK((often == kRuns || often == 2 * kRuns));
  const auto plain = run_command_same({"setarch", "-R", path, "1"});
  CHECK(plain.exit_code == 45);
  CHECK(lseek(9, 0, SEEK_END) == often + kRuns);
  close(9);
  close(starts);
}

TEST_CASE("stopping spaces, lowering their priority and loading the machine change nothing") {
  const std::string path = program();
  const auto calm = run_command({path});
  const pid_t test = getpid();
  const pid_t trouble = fork();
  if (trouble == 0) {
    const std::string file = path.substr(path.rfind('/') + 1);
    disturb(file.substr(0, 15), test);  // the kernel keeps 15 characters
  }
  for (const char* nice : {"0", "19"}) {
    const auto run = run_command({"nice", "-n", nice, path});
    CHECK(run.out == calm.out);
    CHECK(run.exit_code == calm.exit_code);
  }
  kill(trouble, SIGTERM);
  waitpid(trouble, nullptr, 0);
}
