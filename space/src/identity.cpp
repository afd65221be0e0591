#include "identity.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include <space/space.h>
#include <base/sys.hpp>

namespace space {

namespace base = spmc::base;

Identity g_me;

namespace {
char g_last_error[256];
}  // namespace

void forget_failures() { g_last_error[0] = 0; }

base::Status check_is_space() {
  if (g_me.process == 0) return base::Error{ENXIO, "space_init was not called"};
  if (g_me.process != base::process_id()) {
    return base::Error{EPERM, "this process was forked without space_start: it is no space"};
  }
  return {};
}

bool initialised() { return g_me.process != 0 && g_me.process == base::process_id(); }
spmc::SpaceId self() { return g_me.slot; }
uint64_t path_hash() { return g_me.path_hash; }

std::string child_path(const std::string& parent, unsigned number) {
  return (parent == "/" ? parent : parent + "/") + std::to_string(number);
}

uint64_t hash_path(const std::string& path) {
  // FNV-1a, then a mix, so that all bits depend on all numbers.
  uint64_t h = 0xcbf2'9ce4'8422'2325;
  for (const char c : path) h = (h ^ static_cast<unsigned char>(c)) * 0x100'0000'01b3;
  h ^= h >> 32;
  h *= 0x9e37'79b9'7f4a'7c15;
  return h ^ h >> 29;
}

int fail(const base::Error& error) {
  // Without Error::message: private memory may be used up.
  if (error.code == 0) std::snprintf(g_last_error, sizeof g_last_error, "%s", error.what);
  else std::snprintf(g_last_error, sizeof g_last_error, "%s: %s", error.what, std::strerror(error.code));
  errno = error.code;
  return -1;
}

}  // namespace space

extern "C" {

const char* space_last_error(void) { return space::g_last_error; }
const char* space_path(void) { return space::g_me.path.c_str(); }
int space_self(void) { return space::g_me.gid; }

}  // extern "C"
