// A pair on its way from a mapper to a reducer, as it lies in memory, in messages and in temporary files:
//
//   0  u32 bytes of the key   4  u32 bytes of the value   8  u64 number of the piece   16  key, value
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

#include <dmr/engine.hpp>

namespace dmr {

struct PairHeader {
  uint32_t key = 0, value = 0;
  uint64_t piece = 0;
};
static_assert(sizeof(PairHeader) == 16);

struct PairView {
  std::string_view key, value;
  uint64_t piece = 0;
  size_t bytes() const { return sizeof(PairHeader) + key.size() + value.size(); }
};

inline PairView read_pair(const char* from) {
  PairHeader header;
  std::memcpy(&header, from, sizeof header);
  from += sizeof header;
  return {{from, header.key}, {from + header.key, header.value}, header.piece};
}

// Do these bytes begin with all of a pair?
inline bool is_whole_pair(std::string_view bytes) {
  PairHeader header;
  if (bytes.size() < sizeof header) return false;
  std::memcpy(&header, bytes.data(), sizeof header);
  return bytes.size() - sizeof header >= uint64_t{header.key} + header.value;
}

inline void write_pair(char* to, const PairView& pair) {
  const PairHeader header{static_cast<uint32_t>(pair.key.size()), static_cast<uint32_t>(pair.value.size()), pair.piece};
  std::memcpy(to, &header, sizeof header);
  to += sizeof header;
  if (!pair.key.empty()) std::memcpy(to, pair.key.data(), pair.key.size());
  if (!pair.value.empty()) std::memcpy(to + pair.key.size(), pair.value.data(), pair.value.size());
}

// The first eight bytes of a key as a number of the same order.
inline uint64_t prefix_of(std::string_view key) {
  uint64_t bytes = 0;
  if (key.size() >= sizeof bytes) std::memcpy(&bytes, key.data(), sizeof bytes);
  else if (!key.empty()) std::memcpy(&bytes, key.data(), key.size());
  return __builtin_bswap64(bytes);
}

// The order of keys of a job.
class KeyOrder {
 public:
  explicit KeyOrder(ByteJob::Less less) : less_(less) {}
  uint64_t prefix(std::string_view key) const { return less_ == nullptr ? prefix_of(key) : 0; }
  // Negative, 0, positive; of keys with equal prefixes.
  int compare(std::string_view a, std::string_view b) const {
    if (less_ == nullptr) return a.compare(b);
    return less_(a, b) ? -1 : less_(b, a) ? 1 : 0;
  }

 private:
  ByteJob::Less less_;
};

}  // namespace dmr
