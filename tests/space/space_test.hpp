// A test of spaces: the body runs as the root space of a process of its own, twice, and its output is compared.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <set>
#include <string>

#include <space/space.h>
#include <space/space.hpp>
#include <space/table.hpp>

#include <catch2/catch.hpp>
#include "support/run_child.hpp"

namespace space_test {

// What a body prints on stdout and returns.
inline test_support::RunResult run_as_root(const std::function<int()>& body, int nspaces = 16) {
  ::setenv("DLINUX_NO_REEXEC", "1", 1);  // the body is no whole program
  auto run = test_support::run_same([&] {
    if (space_init(nspaces) != 0) {
      std::printf("space_init: %s\n", space_last_error());
      return 99;
    }
    return body();
  });
  if (!run.err.empty()) UNSCOPED_INFO("standard error: " << run.err);
  return run;
}

// Starts a child that ends with body's result. Ends the test's process on an error.
template <typename Body>
int start(int gid, const Body& body) {
  const int sid = space_alloc(gid);
  std::decay_t<Body> copy = body;
  const auto run = [](void* arg) -> int { return (*static_cast<std::decay_t<Body>*>(arg))(); };
  if (sid < 0 || space_start(sid, run, &copy) != 0) {
    std::printf("starting a child: %s\n", space_last_error());
    std::exit(98);
  }
  return sid;
}

inline space_exit_info status(int sid) {
  space_exit_info info = {};
  info.state = -1;
  space_status(sid, &info);
  return info;
}

inline space_exit_info join(int sid) {
  if (space_join(sid) != 0) std::printf("join: %s\n", space_last_error());
  return status(sid);
}

}  // namespace space_test
