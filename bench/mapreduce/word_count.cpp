#include <array>

#include "word_table.hpp"

namespace threads {

namespace {

// Small letters, apostrophes; 0 for what separates words.
constexpr std::array<char, 256> kFold = [] {
  std::array<char, 256> fold{};
  for (size_t c = 0; c < 256; ++c) {
    const bool capital = c >= 'A' && c <= 'Z', small = c >= 'a' && c <= 'z';
    if (capital || small || c >= 128 || c == '\'') fold[c] = static_cast<char>(capital ? c + 32 : c);
  }
  return fold;
}();

void count_words(std::string_view text, WordTable<uint64_t>& counts) {
  std::string word;
  for (const char c : text) {
    const char folded = kFold[static_cast<uint8_t>(c)];
    if (folded != 0 && (folded != '\'' || !word.empty())) {
      word.push_back(folded);
    } else if (!word.empty()) {
      ++counts[word];
      word.clear();
    }
  }
  if (!word.empty()) ++counts[word];
}

}  // namespace

void word_count(size_t threads, Arguments files) {
  std::vector<WordTable<uint64_t>> tables(threads);
  for (const char* name : files) {
    const std::string_view text = map_file(name);
    share_out(threads, text.size(), kChunk, [&](size_t thread, size_t from, size_t to) {
      const size_t begin = behind_separator(text, from);
      count_words(text.substr(begin, behind_separator(text, to) - begin), tables[thread]);
    });
  }
  std::string out;
  for (const auto& [word, count] : merge_tables(tables, [](uint64_t&into, uint64_t more) { into += more; })) {
    out.append(word).append("\t").append(std::to_string(count)).append("\n");
  }
  print(out);
}

}  // namespace threads
