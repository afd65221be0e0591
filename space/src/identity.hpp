// Which space this process is. Private memory: written once at its start, before anything else can look.
#pragma once

#include <string>

#include <base/result.hpp>
#include <space/hooks.hpp>

namespace space {

struct Identity {
  pid_t process = 0;  // 0: space_init was not called. A process that a plain fork made has another number
  spmc::SpaceId slot;
  int gid = 0;
  unsigned depth = 0;
  std::string path = "/";
  uint64_t path_hash = 0;
};
extern Identity g_me;

// In a child at its start.
void forget_failures();

// Errors ENXIO before space_init, EPERM in a process that is no space.
spmc::base::Status check_is_space();

std::string child_path(const std::string& parent, unsigned number);
uint64_t hash_path(const std::string& path);

// For C entry points: remembers the error for space_last_error, sets errno, gives -1.
int fail(const spmc::base::Error& error);

}  // namespace space
