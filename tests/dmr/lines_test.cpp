// Lines of a text, whose ends the command finds many bytes at a time: against one byte after the other.
#include "../../dmr/command/lines.hpp"

#include <utility>

#include "root.hpp"

using namespace dmr_test;

namespace {

using Lines = std::vector<std::pair<std::string, size_t>>;  // with their positions

Lines lines_found(std::string_view text) {
  Lines lines;
  dmr::command::each_line(text, [&](std::string_view line, size_t at) { lines.emplace_back(line, at); });
  return lines;
}

Lines lines_expected(std::string_view text) {
  Lines lines;
  size_t begin = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\n') continue;
    lines.emplace_back(text.substr(begin, i - begin), begin);
    begin = i + 1;
  }
  if (begin < text.size()) lines.emplace_back(text.substr(begin), begin);
  return lines;
}

// Bytes that differ from a line end in one bit or by one stand beside it.
std::string text_of(size_t bytes, uint64_t seed) {
  constexpr std::string_view kBytes("\n\n\x0b\x09\x8a\x8b\x0e\x08\x02\x1a\x2a\x4a\xff\x80\x7f\0a", 17);
  Random random(seed);
  std::string text;
  while (text.size() < bytes) text += kBytes[random.below(kBytes.size())];
  return text;
}

}  // namespace

TEST_CASE("lines of texts of all lengths") {
  for (size_t bytes = 0; bytes <= 300; ++bytes) {
    for (uint64_t seed = 0; seed < 20; ++seed) {
      const std::string text = text_of(bytes, 1000 * bytes + seed);
      const bool same = lines_found(text) == lines_expected(text);
      INFO(bytes << " bytes, seed " << seed);
      CHECK(same);
    }
  }
}

TEST_CASE("lines with every byte beside a line end") {
  for (int byte = 0; byte < 256; ++byte) {
    for (const char end : {'\n', 'x'}) {
      std::string text;
      for (size_t i = 0; i < 130; ++i) text += i % 3 == 1 ? end : static_cast<char>(byte);
      INFO(byte);
      CHECK(lines_found(text) == lines_expected(text));
    }
  }
}

TEST_CASE("long lines, and none") {
  CHECK(lines_found("").empty());
  CHECK(lines_found("\n") == Lines{{"", 0}});
  const std::string longer(1000, 'y');
  CHECK((lines_found(longer) == Lines{{longer, 0}}));
  CHECK((lines_found(longer + "\n\n" + longer) == Lines{{longer, 0}, {"", 1001}, {longer, 1002}}));
}
