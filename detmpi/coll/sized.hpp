// Data that carry their length through a round: a reader that expects another one finds what is there, and can tell.
// The length stands in the member's place, and behind it what has room there; longer data are in its area.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "rounds.hpp"

namespace detmpi {

inline constexpr size_t kMostBehindLength = chan::kPlaceBytes - sizeof(uint64_t);

// Bytes for which a round has room that is not the place.
inline size_t room_beside_place(size_t bytes) { return std::max(bytes, chan::kPlaceBytes + 1); }

// Where this member writes its data of the coming round, up to Rounds::block() of them.
inline std::byte* prepare_sized(Rounds& rounds, size_t bytes) {
  std::byte* data = bytes > kMostBehindLength ? rounds.prepare(room_beside_place(bytes)) : nullptr;
  std::byte* const place = rounds.prepare(chan::kPlaceBytes);
  const uint64_t length = bytes;
  std::memcpy(place, &length, sizeof length);
  if (data == nullptr) data = place + sizeof length;
  rounds.publishes(data, bytes);
  return data;
}

// Waits until the member has published; its data. None of a member that differs; where that is not checked, no more than
// there is room for.
inline std::span<const std::byte> await_sized(Rounds& rounds, uint32_t member) {
  const std::byte* const place = rounds.await(member, chan::kPlaceBytes, 0);
  uint64_t length = 0;
  std::memcpy(&length, place, sizeof length);
  length = std::min<uint64_t>(length, rounds.block());
  if (length <= kMostBehindLength) return {place + sizeof length, length};
  return {rounds.data(member, room_beside_place(length)), length};
}

}  // namespace detmpi
