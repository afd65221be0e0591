// A member's part of a vector that is folded in parts.
#pragma once

#include <cstdint>

namespace detmpi {

// Elements of a vector that one member folds, for all or for itself.
struct Share {
  int64_t first = 0;
  int64_t last = 0;
  int64_t size() const { return last - first; }
};

}  // namespace detmpi
