// The table of mappers and reducers by itself.
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <dmr/combiners.hpp>
#include <dmr/hash_table.hpp>

namespace {

using Table = dmr::detail::HashTable<dmr::Sum<uint64_t>>;

std::string key_of(uint64_t number) { return "key " + std::to_string(number); }

// Each key from `first` on with its number.
void fill(Table& table, uint64_t first, uint64_t count) {
  for (uint64_t i = first; i < first + count; ++i) table.add(key_of(i), i);
}

}  // namespace

TEST_CASE("parts of a table: each key is in one of them, in the one of its hash") {
  for (const uint64_t keys : {0, 1, 800, 820, 5'000}) {
    for (const uint32_t parts : {1, 2, 3, 7, 64, 1000}) {
      Table table;
      fill(table, 0, keys);
      std::vector<int> times(keys);
      bool in_place = true;
      for (uint32_t part = 0; part < parts; ++part) {
        table.give_part(part, parts, [&](std::string_view key, uint64_t number) {
          in_place =
              in_place && dmr::detail::part_of(dmr::detail::hash_of_key(key), parts) == part && key == key_of(number);
          ++times[number];
        });
      }
      CHECK(in_place);
      CHECK(times == std::vector<int>(keys, 1));
      CHECK(table.keys() == keys);
    }
  }
}

// In the order of slots, they must not pile up at one end of a table that is too small for all of them: that would take
// hours.
TEST_CASE("a table takes what others give in the order of their slots") {
  constexpr uint64_t kKeys = 400'000, kTables = 5;
  Table all(Table::Keys::kOfOnePart);
  all.expect(kKeys, SIZE_MAX);
  for (uint64_t i = 0; i < kTables; ++i) {
    Table one;
    fill(one, i * kKeys, kKeys);
    for (const uint64_t part : {1, 2}) {
      one.give_part(static_cast<uint32_t>(part), 3,
                    [&](std::string_view key, uint64_t number) { all.add(key, number); });
    }
  }
  size_t wrong = 0;
  const size_t keys = all.keys();
  all.take_all([&](std::string_view key, uint64_t number) { wrong += key != key_of(number); });
  CHECK(wrong == 0);
  CHECK(keys > kKeys * kTables * 3 / 5);
  CHECK(keys < kKeys * kTables * 11 / 15);
}
