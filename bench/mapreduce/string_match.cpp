// `stringmatch` on threads: how many lines are equal to each key.
#include <array>

#include "common.hpp"
#include "lines.hpp"

namespace threads {

namespace {

// Of the keys that begin with a byte: bit n for a length of n. Nearly every line is passed over by this.
class Lengths {
 public:
  void add(std::string_view key) { bits_[first_byte(key)] |= bit(key); }
  bool has(std::string_view line) const { return (bits_[first_byte(line)] & bit(line)) != 0; }

 private:
  static uint8_t first_byte(std::string_view text) { return text.empty() ? 0 : static_cast<uint8_t>(text[0]); }
  static uint64_t bit(std::string_view text) { return uint64_t{1} << std::min<size_t>(text.size(), 63); }
  std::array<uint64_t, 256> bits_{};
};

}  // namespace

void string_match(size_t threads, Arguments file_and_keys) {
  const std::string_view text = map_file(file_and_keys[0]);
  const Arguments keys = file_and_keys.subspan(1);
  Lengths lengths;
  for (const char* key : keys) lengths.add(key);
  std::vector<std::vector<uint64_t>> counts(threads, std::vector<uint64_t>(keys.size()));
  share_out(threads, text.size(), kChunk, [&](size_t thread, size_t from, size_t to) {
    const size_t begin = behind_line_end(text, from), end = behind_line_end(text, to);
    dmr::command::each_line(text.substr(begin, end - begin), [&](std::string_view line, size_t) {
      if (!lengths.has(line)) return;
      for (size_t i = 0; i < keys.size(); ++i) counts[thread][i] += line == keys[i];
    });
  });
  for (size_t i = 0; i < keys.size(); ++i) {
    uint64_t sum = 0;
    for (const auto& of_thread : counts) sum += of_thread[i];
    print(std::string(keys[i]) + '\t' + std::to_string(sum) + '\n');
  }
}

}  // namespace threads
