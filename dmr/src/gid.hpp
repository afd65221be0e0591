// Global IDs of the spaces of jobs and pipelines.
#pragma once

namespace dmr {

// No two children of a space have the same at the same time. Counted from here on; a program gives its own children
// smaller ones.
inline int next_gid() {
  constexpr int kFirstGid = 1 << 24;
  static int gid = kFirstGid;
  return gid++;
}

}  // namespace dmr
