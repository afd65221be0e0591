// dmr stringmatch: counts and places of keys against a search line by line, word by word.
#include <map>

#include "running.hpp"

using namespace dmr_jobs_test;

namespace {

std::string make_lines(uint64_t seed, size_t bytes) {
  Random random(seed);
  std::string text;
  while (text.size() < bytes) {
    text += std::string(random.below(4), 'k') + std::to_string(random.below(50));
    text += random.below(3) == 0 ? " " : "\n";
  }
  return text + "k7";  // without a line end
}

// Positions of the parts of `text` that are equal to `key`.
std::vector<size_t> places_of(const std::string& key, const std::string& text, const std::string& separators) {
  std::vector<size_t> places;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find_first_of(separators, begin), text.size());
    if (text.compare(begin, end - begin, key) == 0) places.push_back(begin);
    begin = end + 1;
  }
  return places;
}

}  // namespace

TEST_CASE("stringmatch: lines and words, counts and places") {
  const Folder folder;
  const std::string a = make_lines(1, 2'500'000), b = make_lines(2, 1'200'000), long_key(100, 'l');
  const std::string a_file = folder.file("a", a), b_file = folder.file("b", b + "\n" + long_key + "\n\n");
  const Arguments keys = {"k7", "kk30 41", long_key, "absent", ""};
  for (const bool words : {false, true}) {
    std::string counts, positions;
    Arguments arguments = {"stringmatch"};
    if (words) arguments.push_back("--words");
    for (const std::string& key : keys) {
      if (words && key.empty()) continue;  // no word is empty
      arguments.push_back("--key=" + key);
      const auto in_a = places_of(key, a, words ? " \n" : "\n");
      const auto in_b = places_of(key, b + "\n" + long_key + "\n\n", words ? " \n" : "\n");
      counts += key + '\t' + std::to_string(in_a.size() + in_b.size()) + '\n';
      for (const size_t place : in_a) positions += key + '\t' + a_file + ':' + std::to_string(place) + '\n';
      for (const size_t place : in_b) positions += key + '\t' + b_file + ':' + std::to_string(place) + '\n';
    }
    arguments.insert(arguments.end(), {a_file, b_file});
    CHECK(same_output(arguments) == counts);
    arguments.push_back("--positions");
    CHECK((same_output(arguments) == positions));
  }
}

TEST_CASE("stringmatch: keys of a file") {
  const Folder folder;
  std::string text, expected, keys = "99\n";
  for (int i = 0; i < 1000; ++i) {
    for (int times = 0; times < i % 7; ++times) text += std::to_string(i) + '\n';
  }
  for (int i = 0; i < 1000; i += 3) keys += std::to_string(i) + '\n';
  expected = "x\t0\n99\t1\n";
  for (int i = 0; i < 1000; i += 3) {
    if (i != 99) expected += std::to_string(i) + '\t' + std::to_string(i % 7) + '\n';
  }
  CHECK(same_output({"stringmatch", "--key=x", "--keys-file=" + folder.file("keys", keys), "--key=9",
                     folder.file("text", text)}) == expected);
}

TEST_CASE("stringmatch: wrong usage, wrong files") {
  const Folder folder;
  CHECK(failure({"stringmatch", folder.file("text", "a\n")}, 2) ==
        "dmr: there is no key; try dmr stringmatch --help\n");
  const std::string none = folder.path("none");
  CHECK(failure({"stringmatch", "--keys-file=" + none}, 2) ==
        "dmr: --keys-file=" + none + ": cannot be read; try dmr stringmatch --help\n");
  CHECK(failure({"stringmatch", "--key=a", none}) == "dmr: " + none + ": opening: No such file or directory\n");
}
