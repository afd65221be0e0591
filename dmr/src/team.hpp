// The spaces of a job, which end with it, however it ends.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <space/space.h>
#include <base/sys.hpp>
#include <dmr/error.hpp>
#include <space/hooks.hpp>
#include <space/table.hpp>

#include "gid.hpp"

namespace dmr {

class Team {
 public:
  Team() = default;
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;
  ~Team() {
    for (const int sid : sids_) space_kill(sid);
  }

  // These throw JobError.
  void alloc(uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
      const int sid = space_alloc(next_gid());
      if (sid < 0) fail("starting a worker");
      sids_.push_back(sid);
    }
  }
  template <typename Body>
  void start(uint32_t number, Body body) {
    const auto run = [](void* argument) { return (*static_cast<Body*>(argument))(); };
    if (space_start(sids_[number], run, &body) != 0) fail("starting a worker");
  }

  // To be called often while one may end: SIGCHLD alone tells nothing where the program blocks, ignores or steals it.
  void notice_end(uint32_t number) const { space::look_at_child(sids_[number]); }
  int sid(uint32_t number) const { return sids_[number]; }
  bool alive(uint32_t number) const {
    auto slot = space::child_slot(sids_[number]);
    return slot && space::alive(slot.value());
  }
  // Processor time that it has taken; nothing where that is not known.
  std::optional<uint64_t> processor_ns(uint32_t number) const {
    auto slot = space::child_slot(sids_[number]);
    const uint32_t pid = slot ? space::load_life(slot.value()).pid : 0;
    if (pid == 0) return {};
    auto time = spmc::base::processor_ns(static_cast<pid_t>(pid));
    return time ? std::optional(time.value()) : std::nullopt;
  }
  void kill(uint32_t number) { space_kill(sids_[number]); }
  // Waits for it. Throws JobError.
  space_exit_info end(uint32_t number) {
    space_exit_info info = {};
    if (space_join(sids_[number]) != 0 || space_status(sids_[number], &info) != 0) fail("waiting for a worker");
    return info;
  }

 private:
  [[noreturn]] static void fail(const char* what) { throw JobError(std::string(what) + ": " + space_last_error()); }
  std::vector<int> sids_;
};

}  // namespace dmr
