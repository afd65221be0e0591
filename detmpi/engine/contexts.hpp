// Contexts of messages: a communicator has three, so that collective operations, and messages in partitions, never
// match the program's messages. Those are even, the others odd. p2p.hpp makes them.
#pragma once

#include <cstdint>

namespace detmpi {

inline constexpr uint32_t kPartitioned = 1u << 31;  // beyond the contexts of all communicators (coll/comm_idup.cpp)

constexpr uint32_t communicator_of(uint32_t context) { return (context & ~kPartitioned) / 2; }
constexpr bool is_partitioned(uint32_t context) { return (context & kPartitioned) != 0; }
constexpr bool is_collective(uint32_t context) { return context % 2 != 0 && !is_partitioned(context); }

}  // namespace detmpi
