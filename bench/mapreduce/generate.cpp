// mapreduce_input KIND NUMBER...: writes an input for the jobs to standard output, the same in every run.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

namespace {

using Numbers = std::span<const uint64_t>;

class Random {
 public:
  uint64_t next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_ * 0x2545f4914f6cdd1du;
  }
  uint64_t below(uint64_t n) { return (next() >> 32) * n >> 32; }
  double from_0_to_1() { return static_cast<double>(next() >> 11) / (uint64_t{1} << 53); }

 private:
  uint64_t state_ = 88172645463325252;
};

// Ranks from 0 on, the n-th as often as 1 / (n + 1).
class Zipf {
 public:
  explicit Zipf(size_t count) : up_to_(count), guide_(kGuides + 1) {
    double sum = 0;
    for (size_t i = 0; i < count; ++i) up_to_[i] = sum += 1 / static_cast<double>(i + 1);
    for (size_t i = 0, guide = 0; guide <= kGuides; ++guide) {
      while (i + 1 < count && up_to_[i] * kGuides < sum * static_cast<double>(guide)) ++i;
      guide_[guide] = static_cast<uint32_t>(i);
    }
  }
  size_t draw(Random& random) const {
    const double at = random.from_0_to_1();
    const auto guide = static_cast<size_t>(at * kGuides);
    const auto from = up_to_.begin() + guide_[guide], to = up_to_.begin() + guide_[guide + 1] + 1;
    return static_cast<size_t>(std::lower_bound(from, to - 1, at * up_to_.back()) - up_to_.begin());
  }

 private:
  static constexpr size_t kGuides = 1 << 16;
  std::vector<double> up_to_;
  std::vector<uint32_t> guide_;  // where in up_to_ each part of [0, 1) begins
};

void write(const std::string& bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), stdout) == bytes.size()) return;
  std::perror("mapreduce_input");
  std::exit(1);
}

template <typename Number>
void append(std::string& to, Number number) {
  char bytes[sizeof number];
  std::memcpy(bytes, &number, sizeof number);
  to.append(bytes, sizeof bytes);
}

// Different words of 4 to 9 letters.
std::vector<std::string> make_words(size_t count, Random& random) {
  std::vector<std::string> words;
  std::unordered_set<std::string> there;
  while (words.size() < count) {
    std::string word(4 + random.below(6), ' ');
    for (char& c : word) c = static_cast<char>('a' + random.below(26));
    if (there.insert(word).second) words.push_back(std::move(word));
  }
  return words;
}

// text BYTES WORDS: so many different words with Zipf frequencies, twelve to a line. lines: one to a line.
void text(Numbers n, uint64_t words_of_line) {
  Random random;
  const auto words = make_words(n[1], random);
  const Zipf zipf(words.size());
  std::string out;
  for (uint64_t bytes = 0, written = 1; bytes < n[0]; ++written) {
    const std::string& word = words[zipf.draw(random)];
    out.append(word).push_back(written % words_of_line == 0 ? '\n' : ' ');
    bytes += word.size() + 1;
    if (out.size() < 1 << 16) continue;
    write(out);
    out.clear();
  }
  write(out);
}
void plain_text(Numbers n) { text(n, 12); }
void lines(Numbers n) { text(n, 1); }

// bmp WIDTH HEIGHT
void bmp(Numbers n) {
  const auto width = static_cast<uint32_t>(n[0]), height = static_cast<uint32_t>(n[1]);
  const uint32_t stride = (3 * width + 3) / 4 * 4;
  std::string out = "BM";
  for (const uint32_t field : {54 + stride * height, 0u, 54u, 40u, width, height}) append(out, field);
  append(out, uint16_t{1});
  append(out, uint16_t{24});
  for (const uint32_t field : {0u, stride * height, 2835u, 2835u, 0u, 0u}) append(out, field);
  Random random;
  for (uint32_t row = 0; row < height; ++row) {
    for (uint32_t at = 0; at < stride; ++at) {
      out.push_back(at < 3 * width ? static_cast<char>(random.below(256) * random.below(256) / 256) : '\0');
    }
    write(out);
    out.clear();
  }
}

// bytes POINTS: two bytes each, around a line.
void bytes(Numbers n) {
  Random random;
  std::string out;
  for (uint64_t i = 0; i < n[0]; ++i) {
    const uint64_t x = random.below(256);
    out.push_back(static_cast<char>(x));
    out.push_back(static_cast<char>(x / 2 + random.below(100)));
    if (out.size() < 1 << 16) continue;
    write(out);
    out.clear();
  }
  write(out);
}

// points POINTS DIMENSIONS CLOUDS: doubles in clouds of size 1 in a space of size 10.
void points(Numbers n) {
  Random random;
  std::vector<double> centres(n[1] * n[2]);
  for (double& centre : centres) centre = 10 * random.from_0_to_1();
  for (uint64_t i = 0; i < n[0]; ++i) {
    const uint64_t cloud = random.below(n[2]);
    std::string out;
    for (uint64_t d = 0; d < n[1]; ++d) append(out, centres[cloud * n[1] + d] + random.from_0_to_1());
    write(out);
  }
}

// matrix ROWS COLUMNS SEED: doubles from 0 to 1.
void matrix(Numbers n) {
  Random random;
  for (uint64_t skipped = 0; skipped < n[2]; ++skipped) random.next();
  for (uint64_t i = 0; i < n[0]; ++i) {
    std::string row;
    for (uint64_t j = 0; j < n[1]; ++j) append(row, random.from_0_to_1());
    write(row);
  }
}

// html BYTES TARGETS SEED: a page with links to so many targets, some often.
void html(Numbers n) {
  Random random;
  for (uint64_t skipped = 0; skipped < n[2]; ++skipped) random.next();
  const Zipf zipf(n[1]);
  std::string out = "<html><body>\n";
  while (out.size() < n[0]) {
    out += "<p>Some words before <a class=\"link\" href=\"http://www.site" + std::to_string(zipf.draw(random)) +
           ".org/page.html\">a link</a> and words behind it, which are more than the link has.</p>\n";
  }
  write(out + "</body></html>\n");
}

struct Kind {
  const char* name;
  const char* arguments;
  size_t count;  // of arguments
  void (*write)(Numbers numbers);
};
constexpr Kind kKinds[] = {
    {"text", "BYTES WORDS", 2, plain_text},
    {"lines", "BYTES WORDS", 2, lines},
    {"bmp", "WIDTH HEIGHT", 2, bmp},
    {"bytes", "POINTS", 1, bytes},
    {"points", "POINTS DIMENSIONS CLOUDS", 3, points},
    {"matrix", "ROWS COLUMNS SEED", 3, matrix},
    {"html", "BYTES TARGETS SEED", 3, html},
};

}  // namespace

int main(int argc, char** argv) {
  std::vector<uint64_t> numbers;
  for (int i = 2; i < argc; ++i) numbers.push_back(std::strtoull(argv[i], nullptr, 10));
  for (const Kind& kind : kKinds) {
    if (argc < 2 || std::strcmp(argv[1], kind.name) != 0 || numbers.size() != kind.count) continue;
    kind.write(numbers);
    return std::fflush(stdout) == 0 ? 0 : 1;
  }
  for (const Kind& kind : kKinds) std::fprintf(stderr, "mapreduce_input %s %s\n", kind.name, kind.arguments);
  return 2;
}
