// A pair on its way from a mapper to a reducer, as it lies in memory, in messages and in temporary files:
//
//   2 * bytes of the key, + 1 if there is a number of a piece | bytes of the value | number of the piece | key | value
//
// The numbers are written seven bits to a byte, the low ones first, with the eighth bit set in all but the last.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

#include <dmr/engine.hpp>
#include <dmr/key_prefix.hpp>

namespace dmr {

struct PairView {
  std::string_view key, value;
  uint64_t piece = 0;
};

inline size_t bytes_of_number(uint64_t number) { return (static_cast<size_t>(std::bit_width(number | 1)) + 6) / 7; }

inline char* write_number(char* to, uint64_t number) {
  for (; number >= 0x80; number >>= 7) *to++ = static_cast<char>(number | 0x80);
  *to++ = static_cast<char>(number);
  return to;
}

// Behind the number; null if not all of it is there.
inline const char* read_number(const char* from, const char* end, uint64_t& number) {
  number = 0;
  for (int shift = 0; from != end && shift < 64; shift += 7) {
    const auto byte = static_cast<uint8_t>(*from++);
    number |= uint64_t{byte & 0x7fu} << shift;
    if (byte < 0x80) return from;
  }
  return nullptr;
}

inline uint64_t first_number(const PairView& pair) { return 2 * pair.key.size() + (pair.piece != 0); }

inline size_t bytes_of(const PairView& pair) {
  return bytes_of_number(first_number(pair)) + bytes_of_number(pair.value.size()) +
         (pair.piece != 0 ? bytes_of_number(pair.piece) : 0) + pair.key.size() + pair.value.size();
}

inline void check_size(const PairView& pair) {
  if (pair.key.size() > UINT32_MAX || pair.value.size() > UINT32_MAX)
    throw JobError("a key or value has 4 GiB or more");
}

// bytes_of(pair) are written.
inline void write_pair(char* to, const PairView& pair) {
  to = write_number(to, first_number(pair));
  to = write_number(to, pair.value.size());
  if (pair.piece != 0) to = write_number(to, pair.piece);
  if (!pair.key.empty()) std::memcpy(to, pair.key.data(), pair.key.size());
  if (!pair.value.empty()) std::memcpy(to + pair.key.size(), pair.value.data(), pair.value.size());
}

// The pair with which these bytes begin; how many it has, 0: not all of them are there.
inline size_t read_pair(std::string_view bytes, PairView& pair) {
  const char *at = bytes.data(), *const end = at + bytes.size();
  uint64_t first = 0, value = 0, piece = 0;
  if ((at = read_number(at, end, first)) == nullptr) return 0;
  if ((at = read_number(at, end, value)) == nullptr) return 0;
  if (first % 2 != 0 && (at = read_number(at, end, piece)) == nullptr) return 0;
  const uint64_t key = first / 2;
  if (static_cast<uint64_t>(end - at) < key + value) return 0;
  pair = {{at, key}, {at + key, value}, piece};
  return static_cast<size_t>(at - bytes.data()) + key + value;
}

// The order of keys of a job.
class KeyOrder {
 public:
  explicit KeyOrder(ByteJob::Less less) : less_(less) {}
  uint64_t prefix(std::string_view key) const { return less_ == nullptr ? prefix_of(key) : 0; }
  // Negative, 0, positive; of keys with equal prefixes. 0 only for the same bytes: which keys are one must not depend
  // on who has which.
  int compare(std::string_view a, std::string_view b) const {
    if (less_ == nullptr) return a.compare(b);
    return less_(a, b) ? -1 : less_(b, a) ? 1 : a.compare(b);
  }

 private:
  ByteJob::Less less_;
};

}  // namespace dmr
