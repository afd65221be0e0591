// The table of a mapper: byte strings and their combined values.
//
// Most of its time would be waiting for memory: a text has more words than caches hold. So a key of up to 16 bytes and
// its value lie together in one slot, and a slot is looked at some keys after it was asked for (kAhead).
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>
#include <vector>

#include <base/huge_pages.hpp>
#include <dmr/codec.hpp>
#include <dmr/error.hpp>

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

template <typename Combiner>
class HashTable {
 public:
  using Value = typename Combiner::Value;

  HashTable() { resize(kFirstSlots); }

  // So many keys will be there, about: makes room, but with no more than so many bytes.
  void expect(size_t keys, size_t most_bytes) {
    const size_t slots = std::bit_ceil(keys + keys / 4);
    if (slots > slots_.size() && slots * sizeof(Slot) <= most_bytes) resize(slots);
  }
  // In the order of the calls for each key.
  void add(std::string_view key, const Value& value) {
    if (key.size() > kShort) return add_long(key, value);
    Waiting& place = waiting_[next_++ % kAhead];
    if (place.size_and_one != 0) enter(place);
    place.size_and_one = static_cast<uint32_t>(key.size() + 1);
    place.words = KeyWords::of(key);
    place.hash = hash_of_key(place.words, key);
    place.value = value;
    if (key.size() > kInSlot) std::memcpy(place.key, key.data(), key.size());
    __builtin_prefetch(&slots_[place.hash >> shift_], 1);
  }

  // Empties the table, which keeps its memory. The order is that of hashes, nearly.
  template <typename Take>
  void take_all(Take&& take) {
    settle();
    char text[kInSlot];
    for (const Slot& slot : slots_) {
      if (slot.size_and_one != 0) take(key_of(slot, text), slot.value);
    }
    used_ = heap_ = 0;
    keys_.clear();
    slots_.assign(slots_.size(), {});
  }
  // Of an empty table: gives its memory back.
  void shrink() {
    Slots().swap(slots_);
    std::vector<char>().swap(keys_);
    resize(kFirstSlots);
  }
  // More than there is, once positions of keys might no longer fit: it is to be emptied then.
  size_t bytes_held() const {
    return keys_.size() < kMostKeyBytes ? slots_.size() * sizeof(Slot) + keys_.size() + heap_ : SIZE_MAX / 2;
  }

 private:
  static constexpr size_t kFirstSlots = 1 << 10, kAhead = 8, kInSlot = 16, kShort = 64, kMostKeyBytes = size_t{1} << 31;
  struct Slot {
    KeyWords words;
    uint32_t size_and_one = 0;  // 0: free
    uint32_t key = 0;           // in keys_, if it is longer than kInSlot
    Value value{};
  };
  using Slots = std::vector<Slot, spmc::base::HugePages<Slot>>;
  // Added, but not yet in its slot.
  struct Waiting {
    KeyWords words;
    uint64_t hash;
    uint32_t size_and_one = 0;  // 0: nothing
    char key[kShort];           // if it is longer than kInSlot
    Value value;
    std::string_view text() const { return {key, size_and_one - 1}; }
  };

  // What the value has outside of itself, about.
  static size_t heap_of(const Value& value) {
    if constexpr (std::is_trivially_copyable_v<Value>) return 0;
    else return ValueCodec<Value>::bytes(value).size();
  }
  void settle() {
    for (size_t i = 0; i < kAhead; ++i) {
      Waiting& place = waiting_[next_++ % kAhead];
      if (place.size_and_one != 0) enter(place);
      place.size_and_one = 0;
    }
  }
  void add_long(std::string_view key, const Value& value) {
    settle();
    const KeyWords words = KeyWords::of(key);
    put(words, hash_of_key(words, key), key, value);
  }
  void enter(const Waiting& place) { put(place.words, place.hash, place.text(), place.value); }

  void put(const KeyWords& words, uint64_t hash, std::string_view key, const Value& value) {
    const auto size_and_one = static_cast<uint32_t>(key.size() + 1);
    for (size_t at = hash >> shift_;; at = (at + 1) & (slots_.size() - 1)) {
      Slot& slot = slots_[at];
      if (slot.size_and_one == 0) {
        if (key.size() >= UINT32_MAX - keys_.size()) throw JobError("one piece has 4 GiB of keys");
        slot = {words, size_and_one, static_cast<uint32_t>(keys_.size()), value};
        if (key.size() > kInSlot) keys_.insert(keys_.end(), key.begin(), key.end());
        heap_ += heap_of(value);
        if (++used_ * 5 > slots_.size() * 4) resize(slots_.size() * 2);
        return;
      }
      if (slot.size_and_one == size_and_one && slot.words == words && same_middle(slot, key)) {
        heap_ -= heap_of(slot.value);
        Combiner::add(slot.value, value);
        heap_ += heap_of(slot.value);
        return;
      }
    }
  }
  bool same_middle(const Slot& slot, std::string_view key) const {
    return key.size() <= kInSlot || std::memcmp(keys_.data() + slot.key + 8, key.data() + 8, key.size() - 16) == 0;
  }
  std::string_view key_of(const Slot& slot, char (&text)[kInSlot]) const {
    const size_t size = slot.size_and_one - size_t{1};
    return size <= kInSlot ? slot.words.key(text, size) : std::string_view(keys_.data() + slot.key, size);
  }

  void resize(size_t count) {
    Slots old(count);
    old.swap(slots_);
    shift_ = 64 - std::countr_zero(count);
    char text[kInSlot];
    for (Slot& slot : old) {
      if (slot.size_and_one == 0) continue;
      size_t at = hash_of_key(slot.words, key_of(slot, text)) >> shift_;
      while (slots_[at].size_and_one != 0) at = (at + 1) & (count - 1);
      slots_[at] = std::move(slot);
    }
  }

  Slots slots_;  // a power of two
  size_t used_ = 0;
  size_t heap_ = 0;         // of all values
  std::vector<char> keys_;  // all that are not in slots, one behind the other
  int shift_ = 0;
  std::array<Waiting, kAhead> waiting_;  // the oldest at next_ % kAhead
  size_t next_ = 0;
};

}  // namespace dmr::detail
