// The hash of a key, from which follow its place in a hash table and the part of all keys that it belongs to: both by
// the highest bits, so that the keys of a part lie side by side in every table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace dmr::detail {

// A key: its first and its last eight bytes, which overlap if it is shorter than 16.
struct KeyWords {
  uint64_t first = 0, last = 0;
  bool operator==(const KeyWords&) const = default;

  static uint64_t word_at(const char* p) {
    uint64_t word;
    std::memcpy(&word, p, 8);
    return word;
  }
  // Up to seven bytes as a number.
  static uint64_t few_bytes(const char* p, size_t n) {
    if (n >= 4) {
      uint32_t first, last;
      std::memcpy(&first, p, 4);
      std::memcpy(&last, p + n - 4, 4);
      return first | uint64_t{last} << 32;
    }
    if (n == 0) return 0;
    const auto byte = [p](size_t at) { return uint64_t{static_cast<uint8_t>(p[at])}; };
    return byte(0) | byte(n / 2) << 8 | byte(n - 1) << 16;
  }
  static KeyWords of(std::string_view key) {
    if (key.size() < 8) return {few_bytes(key.data(), key.size()), 0};
    return {word_at(key.data()), word_at(key.data() + key.size() - 8)};
  }
  // The key of these words, if it has at most 16 bytes.
  std::string_view key(char (&to)[16], size_t size) const {
    if (size >= 8) {
      std::memcpy(to, &first, 8);
      std::memcpy(to + size - 8, &last, 8);
    } else if (size >= 4) {
      const auto low = static_cast<uint32_t>(first), high = static_cast<uint32_t>(first >> 32);
      std::memcpy(to, &low, 4);
      std::memcpy(to + size - 4, &high, 4);
    } else if (size > 0) {
      const auto byte = [this](int shift) { return static_cast<char>(static_cast<uint8_t>(first >> shift)); };
      to[0] = byte(0);
      to[size / 2] = byte(8);
      to[size - 1] = byte(16);
    }
    return {to, size};
  }
};

inline uint64_t fold_multiply(uint64_t a, uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = Wide{a} * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

inline uint64_t hash_of_key(const KeyWords& words, std::string_view key) {
  uint64_t hash = fold_multiply(words.first ^ 0x9e3779b97f4a7c15u, words.last ^ 0xd1342543de82ef95u ^ key.size());
  for (size_t at = 8; at + 8 < key.size(); at += 8) {
    hash = fold_multiply(hash ^ 0xff51afd7ed558ccdu, KeyWords::word_at(key.data() + at) ^ 0xc4ceb9fe1a85ec53u);
  }
  return hash;
}
inline uint64_t hash_of_key(std::string_view key) { return hash_of_key(KeyWords::of(key), key); }

// Which of so many parts of all keys. 0 if `parts` is 1.
inline uint32_t part_of(uint64_t hash, uint32_t parts) { return static_cast<uint32_t>((hash >> 32) * parts >> 32); }

// The hashes of a part.
struct HashRange {
  uint64_t first, last;
};
inline HashRange hashes_of_part(uint32_t part, uint32_t parts) {
  const auto first = [parts](uint64_t of) { return ((of << 32) + parts - 1) / parts << 32; };
  return {first(part), part + 1 == parts ? UINT64_MAX : first(part + 1) - 1};
}

}  // namespace dmr::detail
