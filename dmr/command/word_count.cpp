// dmr wordcount: how often each word is in a text.
#include <algorithm>
#include <queue>

#include <dmr/map_reduce.hpp>

#include "command.hpp"
#include "output.hpp"
#include "words.hpp"

namespace dmr::command {

namespace {

constexpr char kHelp[] = R"(Usage: dmr wordcount [OPTION...] [FILE...]
Counts the words of the files: a line `word<tab>count` for each, sorted by word (by bytes).
A word is a letter and the letters and apostrophes behind it, made small; every byte beyond
ASCII counts as a letter.

      --top=N           only the N most frequent words, the most frequent first
)";

struct WordCount : MapReduce<WordCount, std::string, uint64_t, Sum<uint64_t>> {
  void map(const Piece& piece, auto& emit) const {
    each_word(piece.data, [&](std::string_view word) { emit(word, 1); });
  }
};

struct Counted {
  std::string word;
  uint64_t count;
  // Is it earlier in the list?
  bool operator<(const Counted& other) const { return count != other.count ? count > other.count : word < other.word; }
};

// The first `most` of the list.
class Top {
 public:
  explicit Top(uint64_t most) : most_(most) {}
  void add(Counted counted) {
    last_.push(std::move(counted));
    if (last_.size() > most_) last_.pop();
  }
  std::vector<Counted> take() {
    std::vector<Counted> list;
    for (; !last_.empty(); last_.pop()) list.push_back(last_.top());
    std::reverse(list.begin(), list.end());
    return list;
  }

 private:
  uint64_t most_;
  std::priority_queue<Counted> last_;  // the last of the list on top
};

}  // namespace

int word_count(int argc, char** argv) {
  uint64_t top = 0;
  const Arguments arguments =
      parse(argc, argv, kHelp,
            {{"top", true, [&](const std::string& text) { top = parse_count("top", text, 1, UINT64_MAX); }}});
  const Input input = open_input(arguments, Records::blanks());
  Output output(arguments);
  const auto write = [&](const std::string& word, uint64_t count) {
    output.write(word);
    output.write('\t' + std::to_string(count) + '\n');
  };
  Top most(top);
  const Statistics statistics = WordCount().run_each(input, arguments.options, [&](std::string&& word, uint64_t count) {
    if (top > 0) most.add({std::move(word), count});
    else write(word, count);
  });
  for (const auto& [word, count] : most.take()) write(word, count);
  finish({&output}, arguments, "wordcount", statistics);
  return 0;
}

}  // namespace dmr::command
