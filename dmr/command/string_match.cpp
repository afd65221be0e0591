// dmr stringmatch: how many lines or words are equal to each key, or where they are.
#include <algorithm>
#include <array>
#include <fstream>
#include <unordered_map>

#include <dmr/map_reduce.hpp>

#include "command.hpp"
#include "lines.hpp"
#include "output.hpp"

namespace dmr::command {

namespace {

constexpr char kHelp[] = R"(Usage: dmr stringmatch --key=WORD [OPTION...] [FILE...]
Looks for keys: counts the lines that are equal to each. Lines `key<tab>count`, in the order
in which the keys were given.

      --key=WORD        a key; may be given again
      --keys-file=FILE  each line is a key
      --words           in place of lines: the words, which blanks and line ends separate
      --positions       in place of counts: a line `key<tab>file:offset` for each place, where
                        offset counts bytes from 0
)";

// Which key is equal to a text?
class Keys {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  // One that was there is left out.
  void add(std::string key) {
    const auto number = static_cast<uint32_t>(keys_.size());
    if (!numbers_.emplace(key, number).second) return;
    lengths_[first_byte(key)] |= length_bit(key);
    keys_.push_back(std::move(key));
  }
  uint32_t find(std::string_view text) const {
    // Nearly every text is of a length that no key with its first byte has.
    if ((lengths_[first_byte(text)] & length_bit(text)) == 0) return kNone;
    const auto found = numbers_.find(text);
    return found == numbers_.end() ? kNone : found->second;
  }
  const std::string& operator[](uint32_t number) const { return keys_[number]; }
  uint32_t size() const { return static_cast<uint32_t>(keys_.size()); }

 private:
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  static uint8_t first_byte(std::string_view text) { return text.empty() ? 0 : static_cast<uint8_t>(text[0]); }
  static uint64_t length_bit(std::string_view text) { return uint64_t{1} << std::min<size_t>(text.size(), 63); }

  std::vector<std::string> keys_;
  std::unordered_map<std::string, uint32_t, Hash, std::equal_to<>> numbers_;
  std::array<uint64_t, 256> lengths_{};  // of the keys that begin with a byte
};

// Calls take(word, its position) for each.
template <typename Take>
void each_word_as_it_is(std::string_view data, Take&& take) {
  for (size_t at = 0; at < data.size();) {
    size_t end = at;
    while (end < data.size() && !is_blank(data[end])) ++end;
    if (end > at) take(data.substr(at, end - at), at);
    at = end + 1;
  }
}

struct Search {
  Keys keys;
  bool words = false, positions = false;

  // Calls take(number of the key, position in the file) for each place.
  template <typename Take>
  void each_match(const Piece& piece, Take&& take) const {
    const auto look = [&](std::string_view text, size_t at) {
      const uint32_t key = keys.find(text);
      if (key != Keys::kNone) take(key, piece.begin + at);
    };
    if (words) each_word_as_it_is(piece.data, look);
    else each_line(piece.data, look);
  }
};

struct CountMatches : MapReduce<CountMatches, uint32_t, uint64_t, Sum<uint64_t>> {
  const Search& search;
  explicit CountMatches(const Search& of) : search(of) {}

  void map(const Piece& piece, auto& emit) const {
    std::vector<uint64_t> counts(search.keys.size());
    search.each_match(piece, [&](uint32_t key, uint64_t) { ++counts[key]; });
    for (uint32_t key = 0; key < counts.size(); ++key) {
      if (counts[key] > 0) emit(key, counts[key]);
    }
  }
};

// Values are numbers of files, and positions there.
struct ListMatches : MapReduce<ListMatches, uint32_t, std::array<uint64_t, 2>> {
  const Search& search;
  explicit ListMatches(const Search& of) : search(of) {}

  void map(const Piece& piece, auto& emit) const {
    search.each_match(piece, [&](uint32_t key, uint64_t at) { emit(key, {piece.file, at}); });
  }
};

Statistics count(const Search& search, const Input& input, const Options& options, Output& output) {
  std::vector<uint64_t> counts(search.keys.size());
  const Statistics statistics =
      CountMatches(search).run_each(input, options, [&](uint32_t key, uint64_t matches) { counts[key] = matches; });
  for (uint32_t key = 0; key < counts.size(); ++key) {
    output.write(search.keys[key] + '\t' + std::to_string(counts[key]) + '\n');
  }
  return statistics;
}

Statistics list(const Search& search, const Input& input, const Options& options, Output& output) {
  return ListMatches(search).run_each(input, options, [&](uint32_t key, const std::array<uint64_t, 2>& place) {
    const std::string& file = input.name(static_cast<uint32_t>(place[0]));
    output.write(search.keys[key] + '\t' + file + ':' + std::to_string(place[1]) + '\n');
  });
}

void read_keys(const std::string& name, Keys& keys) {
  std::ifstream file(name);
  if (!file) throw UsageError{"--keys-file=" + name + ": cannot be read"};
  for (std::string line; std::getline(file, line);) keys.add(line);
  if (file.bad()) throw UsageError{"--keys-file=" + name + ": cannot be read"};
}

}  // namespace

int string_match(int argc, char** argv) {
  Search search;
  const Arguments arguments =
      parse(argc, argv, kHelp,
            {{"key", true, [&](const std::string& key) { search.keys.add(key); }},
             {"keys-file", true, [&](const std::string& file) { read_keys(file, search.keys); }},
             {"words", false, [&](const std::string&) { search.words = true; }},
             {"positions", false, [&](const std::string&) { search.positions = true; }}});
  if (search.keys.size() == 0) throw UsageError{"there is no key"};
  const Input input = open_input(arguments, search.words ? Records::blanks() : Records::lines());
  Output output(arguments);
  const auto run = search.positions ? list : count;
  const Statistics statistics = run(search, input, arguments.options, output);
  finish({&output}, arguments, "stringmatch", statistics);
  return 0;
}

}  // namespace dmr::command
