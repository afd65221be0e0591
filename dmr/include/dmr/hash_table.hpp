// The table of mappers and reducers: byte strings and their combined values, in the form that the combiner keeps them
// in.
//
// Most of its time would be waiting for memory: a text has more words than caches hold. So a key of up to 16 bytes and
// its value lie together in one slot, and a slot is looked at some keys after it was asked for (kAhead).
#pragma once

#include <algorithm>
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
#include <dmr/combiners.hpp>
#include <dmr/error.hpp>
#include <dmr/key_hash.hpp>

namespace dmr::detail {

// `Added`: values, or states (StateOf<Combiner>).
template <typename Combiner, typename Added = typename Combiner::Value>
class HashTable {
 public:
  using State = StateOf<Combiner>;

  enum class Keys {
    kOfAllParts,  // can be given by parts
    kOfOnePart,   // may come in the order of another table's slots, which must not fill one end of this table first
  };
  explicit HashTable(Keys keys = Keys::kOfAllParts) : spread_(keys == Keys::kOfAllParts ? 1 : kGoldenRatio) {
    resize(kFirstSlots);
  }

  // Of an empty table: so many keys will be there, about. Makes room, but with no more than so many bytes.
  void expect(size_t keys, size_t most_bytes) {
    const size_t slots = std::bit_ceil(keys + keys / 4);
    if (slots > slots_.size() && slots * sizeof(Slot) <= most_bytes) resize(slots);
  }
  // In the order of the calls for each key.
  void add(std::string_view key, const Added& value) {
    if (key.size() > kShort) return add_long(key, value);
    Waiting& place = waiting_[next_++ % kAhead];
    if (place.size_and_one != 0) enter(place);
    place.size_and_one = static_cast<uint32_t>(key.size() + 1);
    place.words = KeyWords::of(key);
    place.hash = spread_hash(place.words, key);
    place.value = value;
    if (key.size() > kInSlot) std::memcpy(place.key, key.data(), key.size());
    // Looking for a key often goes on into the next line.
    const size_t at = place.hash >> shift_;
    __builtin_prefetch(&slots_[at], 1);
    __builtin_prefetch(&slots_[(at + kNextLine) & (slots_.size() - 1)], 1);
  }

  // Of a table for all keys, those of a part: what was added before. They lie side by side, and the last of them
  // perhaps behind the first of the next part, or round the end.
  template <typename Take>
  void give_part(uint32_t part, uint32_t parts, Take&& take) {
    settle();
    const auto [first, last] = hashes_of_part(part, parts);
    char text[kInSlot];
    for (size_t at = first >> shift_; at < slots_.size() || at % slots_.size() < first >> shift_; ++at) {
      const Slot& slot = slots_[at & (slots_.size() - 1)];
      if (slot.size_and_one == 0) {
        if (at >= last >> shift_) return;
        continue;
      }
      const std::string_view key = key_of(slot, text);
      const uint64_t hash = hash_of_key(slot.words, key);
      if (first <= hash && hash <= last) take(key, slot.state);
    }
  }
  // Empties the table, which keeps its memory. The order is that of hashes, nearly.
  template <typename Take>
  void take_all(Take&& take) {
    settle();
    char text[kInSlot];
    for (const Slot& slot : slots_) {
      if (slot.size_and_one != 0) take(key_of(slot, text), slot.state);
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
  size_t keys() {
    settle();
    return used_;
  }
  // Beyond what an empty table has. More than there is, once positions of keys might no longer fit: it is to be emptied
  // then.
  size_t bytes_held() const {
    if (keys_.size() >= kMostKeyBytes) return SIZE_MAX / 2;
    return (slots_.size() - kFirstSlots) * sizeof(Slot) + keys_.size() + heap_;
  }

 private:
  static constexpr size_t kFirstSlots = 1 << 10, kAhead = 16, kInSlot = 16, kShort = 64,
                          kMostKeyBytes = size_t{1} << 31;
  static constexpr uint64_t kGoldenRatio = 0x9e3779b97f4a7c15u;
  struct Slot {
    KeyWords words;
    uint32_t size_and_one = 0;  // 0: free
    uint32_t key = 0;           // in keys_, if it is longer than kInSlot
    State state{};
  };
  static constexpr size_t kNextLine = std::max<size_t>(64 / sizeof(Slot), 1);  // slots from one line to the next
  using Slots = std::vector<Slot, spmc::base::HugePages<Slot>>;
  // Added, but not yet in its slot.
  struct Waiting {
    KeyWords words;
    uint64_t hash;
    uint32_t size_and_one = 0;  // 0: nothing
    char key[kShort];           // if it is longer than kInSlot
    Added value;
    std::string_view text() const { return {key, size_and_one - 1}; }
  };

  // Its highest bits tell the slot.
  uint64_t spread_hash(const KeyWords& words, std::string_view key) const { return hash_of_key(words, key) * spread_; }
  // What the state has outside of itself, about.
  static size_t heap_of(const State& state) {
    if constexpr (std::is_trivially_copyable_v<State>) return 0;
    else if constexpr (requires { state.heap_bytes(); }) return state.heap_bytes();
    else if constexpr (requires { ValueCodec<State>::bytes(state); }) return ValueCodec<State>::bytes(state).size();
    else return ValueEncoder<State>()(state).size();
  }
  void settle() {
    for (size_t i = 0; i < kAhead; ++i) {
      Waiting& place = waiting_[next_++ % kAhead];
      if (place.size_and_one != 0) enter(place);
      place.size_and_one = 0;
    }
  }
  void add_long(std::string_view key, const Added& value) {
    settle();
    const KeyWords words = KeyWords::of(key);
    put(words, spread_hash(words, key), key, value);
  }
  void enter(const Waiting& place) { put(place.words, place.hash, place.text(), place.value); }

  void put(const KeyWords& words, uint64_t hash, std::string_view key, const Added& value) {
    const auto size_and_one = static_cast<uint32_t>(key.size() + 1);
    for (size_t at = hash >> shift_;; at = (at + 1) & (slots_.size() - 1)) {
      Slot& slot = slots_[at];
      if (slot.size_and_one == 0) {
        if (key.size() >= UINT32_MAX - keys_.size()) throw JobError("a table has 4 GiB of keys");
        slot.words = words;
        slot.size_and_one = size_and_one;
        slot.key = static_cast<uint32_t>(keys_.size());
        begin_state<Combiner>(slot.state, value);
        if (key.size() > kInSlot) keys_.insert(keys_.end(), key.begin(), key.end());
        heap_ += heap_of(slot.state);
        if (++used_ * 5 > slots_.size() * 4) resize(slots_.size() * 2);
        return;
      }
      if (slot.size_and_one == size_and_one && slot.words == words && same_middle(slot, key)) {
        heap_ -= heap_of(slot.state);
        Combiner::add(slot.state, value);
        heap_ += heap_of(slot.state);
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
      size_t at = spread_hash(slot.words, key_of(slot, text)) >> shift_;
      while (slots_[at].size_and_one != 0) at = (at + 1) & (count - 1);
      slots_[at] = std::move(slot);
    }
  }

  uint64_t spread_;
  Slots slots_;  // a power of two
  size_t used_ = 0;
  size_t heap_ = 0;         // of all states
  std::vector<char> keys_;  // all that are not in slots, one behind the other
  int shift_ = 0;
  std::array<Waiting, kAhead> waiting_;  // the oldest at next_ % kAhead
  size_t next_ = 0;
};

}  // namespace dmr::detail
