// A hash table of byte strings and values, for one thread at a time.
#pragma once

#include <cstring>
#include <deque>

#include "common.hpp"

namespace threads {

template <typename Value>
class WordTable {
 public:
  struct Slot {
    std::string_view word;
    uint64_t hash = 0;
    Value value{};
    bool used() const { return word.data() != nullptr; }
  };

  static uint64_t hash_of(std::string_view word) {
    uint64_t hash = word.size();
    for (; word.size() >= 8; word.remove_prefix(8)) hash = mix(hash, word.data(), 8);
    return mix(hash, word.data(), word.size());
  }

  // The word is copied if it is new.
  Value& operator[](std::string_view word) { return at(word, hash_of(word), true); }
  // The word must live as long as the table.
  Value& at_kept(std::string_view word, uint64_t hash) { return at(word, hash, false); }

  template <typename Take>
  void each(Take&& take) const {
    for (const Slot& slot : slots_) {
      if (slot.used()) take(slot);
    }
  }

 private:
  static uint64_t mix(uint64_t hash, const char* bytes, size_t count) {
    uint64_t word = 0;
    if (count > 0) std::memcpy(&word, bytes, count);
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 32;
  }

  Value& at(std::string_view word, uint64_t hash, bool copy) {
    for (size_t i = hash & (slots_.size() - 1);; i = (i + 1) & (slots_.size() - 1)) {
      Slot& slot = slots_[i];
      if (slot.hash == hash && slot.word == word && slot.used()) return slot.value;
      if (slot.used()) continue;
      if (2 * (used_ + 1) > slots_.size()) {
        grow();
        return at(word, hash, copy);
      }
      ++used_;
      slot.word = copy ? keep(word) : word;
      slot.hash = hash;
      return slot.value;
    }
  }

  std::string_view keep(std::string_view word) {
    constexpr size_t kBlock = 1 << 16;
    if (blocks_.empty() || blocks_.back().size() + word.size() > blocks_.back().capacity()) {
      blocks_.emplace_back().reserve(std::max(kBlock, word.size() + 1));
    }
    std::string& block = blocks_.back();
    const size_t begin = block.size();
    block.append(word);
    return std::string_view(block).substr(begin);
  }

  void grow() {
    std::vector<Slot> old(2 * slots_.size());
    old.swap(slots_);
    for (Slot& slot : old) {
      if (!slot.used()) continue;
      size_t i = slot.hash & (slots_.size() - 1);
      while (slots_[i].used()) i = (i + 1) & (slots_.size() - 1);
      slots_[i] = std::move(slot);
    }
  }

  std::vector<Slot> slots_ = std::vector<Slot>(1 << 12);
  size_t used_ = 0;
  std::deque<std::string> blocks_;  // of the words
};

// The tables of all threads as one list, sorted by word: every thread puts together, and sorts, the words of its share
// of the hashes. `add(into, value)`.
template <typename Value, typename Add>
std::vector<std::pair<std::string_view, Value>> merge_tables(const std::vector<WordTable<Value>>& tables, Add&& add) {
  using List = std::vector<std::pair<std::string_view, Value>>;
  const size_t threads = tables.size();
  std::vector<List> lists(threads);
  on_threads(threads, [&](size_t thread) {
    WordTable<Value> mine;
    for (const auto& table : tables) {
      table.each([&](const auto& slot) {
        if ((slot.hash >> 32) % threads == thread) add(mine.at_kept(slot.word, slot.hash), slot.value);
      });
    }
    mine.each([&](const auto& slot) { lists[thread].emplace_back(slot.word, slot.value); });
    std::sort(lists[thread].begin(), lists[thread].end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
  });
  List all;
  for (List& list : lists) {
    const auto middle = static_cast<ptrdiff_t>(all.size());
    all.insert(all.end(), std::make_move_iterator(list.begin()), std::make_move_iterator(list.end()));
    std::inplace_merge(all.begin(), all.begin() + middle, all.end(),
                       [](const auto& a, const auto& b) { return a.first < b.first; });
  }
  return all;
}

}  // namespace threads
