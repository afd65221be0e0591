#include <bitset>

#include "common.hpp"

namespace threads {

void string_match(size_t threads, Arguments file_and_keys) {
  const std::string_view text = map_file(file_and_keys[0]);
  const Arguments keys = file_and_keys.subspan(1);
  std::bitset<256> lengths;  // nearly every line is passed over by its length
  for (const char* key : keys) lengths.set(std::min<size_t>(std::string_view(key).size(), 255));
  std::vector<std::vector<uint64_t>> counts(threads, std::vector<uint64_t>(keys.size()));
  share_out(threads, text.size(), kChunk, [&](size_t thread, size_t from, size_t to) {
    const size_t end = behind_line_end(text, to);
    for (size_t at = behind_line_end(text, from); at < end;) {
      const size_t line_end = std::min(text.find('\n', at), text.size());
      const std::string_view line = text.substr(at, line_end - at);
      if (lengths[std::min<size_t>(line.size(), 255)]) {
        for (size_t i = 0; i < keys.size(); ++i) counts[thread][i] += line == keys[i];
      }
      at = line_end + 1;
    }
  });
  for (size_t i = 0; i < keys.size(); ++i) {
    uint64_t sum = 0;
    for (const auto& of_thread : counts) sum += of_thread[i];
    print(std::string(keys[i]) + '\t' + std::to_string(sum) + '\n');
  }
}

}  // namespace threads
