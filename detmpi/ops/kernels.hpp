// The loops of the predefined reductions.
#pragma once

#include <cstddef>

#include "../types/element.hpp"

namespace detmpi {

// acc[i] = acc[i] OP other[i], or acc[i] = other[i] OP acc[i]. The buffers do not overlap and hold whole
// elements.
using Kernel = void (*)(void* acc, const void* other, size_t n);

enum class Side { kAccLeft, kAccRight };

// `op` is the low byte of the predefined operation's handle. Null where there is no such reduction.
Kernel find_kernel(int op, Element element, Side side);
Kernel find_pair_kernel(int op, Element element, Side side);

}  // namespace detmpi
