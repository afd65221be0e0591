// `wordcount` on threads: how often each word is in a text.
#include "word_table.hpp"
#include "words.hpp"

namespace threads {

void word_count(size_t threads, Arguments files) {
  std::vector<WordTable<uint64_t>> tables(threads);
  for (const char* name : files) {
    const std::string_view text = map_file(name);
    share_out(threads, text.size(), kChunk, [&](size_t thread, size_t from, size_t to) {
      const size_t begin = behind_separator(text, from);
      const std::string_view part = text.substr(begin, behind_separator(text, to) - begin);
      dmr::command::each_word(part, [&](std::string_view word) { ++tables[thread][word]; });
    });
  }
  std::string out;
  for (const auto& [word, count] : merge_tables(tables, [](uint64_t&into, uint64_t more) { into += more; })) {
    out.append(word).append("\t").append(std::to_string(count)).append("\n");
  }
  print(out);
}

}  // namespace threads
