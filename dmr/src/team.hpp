// The spaces of a job, which end with it, however it ends.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <space/space.h>
#include <dmr/error.hpp>
#include <space/hooks.hpp>
#include <space/table.hpp>

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
      if (sid < 0) fail();
      sids_.push_back(sid);
    }
  }
  template <typename Body>
  void start(uint32_t number, Body body) {
    const auto run = [](void* argument) { return (*static_cast<Body*>(argument))(); };
    if (space_start(sids_[number], run, &body) != 0) fail();
  }

  int sid(uint32_t number) const { return sids_[number]; }
  bool alive(uint32_t number) const {
    auto slot = space::child_slot(sids_[number]);
    return slot && space::alive(slot.value());
  }
  void kill(uint32_t number) { space_kill(sids_[number]); }
  // Waits for it.
  space_exit_info end(uint32_t number) {
    space_exit_info info = {};
    space_join(sids_[number]);
    space_status(sids_[number], &info);
    return info;
  }

 private:
  [[noreturn]] static void fail() { throw JobError(std::string("starting a worker: ") + space_last_error()); }
  // No two children of a space have the same at the same time; others of the program's have small ones.
  static int next_gid() {
    constexpr int kFirstGid = 1 << 24;
    static int gid = kFirstGid;
    return gid++;
  }
  std::vector<int> sids_;
};

}  // namespace dmr
