// Distinct types for the numbers of the substrate, so that one cannot be taken for another.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>

namespace spmc {

inline constexpr size_t kPageSize = 4096;
inline constexpr size_t kPageShift = 12;

template <typename Tag>
struct Number {
  uint32_t value = 0;
  constexpr auto operator<=>(const Number&) const = default;
};

using SpaceId = Number<struct SpaceTag>;    // index into the space table; 0 is the root space
using RegionId = Number<struct RegionTag>;  // index into the region table
using VPage = Number<struct VPageTag>;      // page number within a space's SPMC-VM

// A frame of the segment. 28 bits; 0 is never handed out, so it can stand for "none".
struct EPageIndex {
  uint32_t value = 0;
  constexpr bool none() const { return value == 0; }
  constexpr auto operator<=>(const EPageIndex&) const = default;
};
inline constexpr uint32_t kMaxFrames = 1u << 28;

using Generation = uint64_t;  // how often a region has been extended

}  // namespace spmc
