// `histogram` on threads: the colours of images.
#include <array>
#include <cstring>

#include "common.hpp"

namespace threads {

namespace {

// Two tables in turns, because neighbours often have the same colour.
using Counts = std::array<std::array<uint64_t, 768>, 2>;

void count_row(const uint8_t* at, size_t pixels, Counts& counts) {
  const auto count_pixel = [](std::array<uint64_t, 768>& to, const uint8_t* pixel) {
    ++to[pixel[0]];
    ++to[256 + pixel[1]];
    ++to[512 + pixel[2]];
  };
  for (; pixels >= 2; pixels -= 2, at += 6) {
    count_pixel(counts[0], at);
    count_pixel(counts[1], at + 3);
  }
  if (pixels > 0) count_pixel(counts[0], at);
}

int32_t field(std::string_view file, size_t at) {
  int32_t value;
  std::memcpy(&value, file.data() + at, sizeof value);
  return value;
}

}  // namespace

void histogram(size_t threads, Arguments files) {
  std::vector<Counts> tables(threads);
  for (const char* name : files) {
    const std::string_view file = map_file(name);
    if (file.size() < 54 || file.substr(0, 2) != "BM") fail("no image");
    const auto width = static_cast<size_t>(field(file, 18)), rows = static_cast<size_t>(std::abs(field(file, 22)));
    const size_t stride = (3 * width + 3) / 4 * 4;
    const auto* const pixels = reinterpret_cast<const uint8_t*>(file.data()) + field(file, 10);
    share_out(threads, rows, std::max<size_t>(kChunk / stride, 1), [&](size_t thread, size_t from, size_t to) {
      for (size_t row = from; row < to; ++row) count_row(pixels + row * stride, width, tables[thread]);
    });
  }
  const char* const colours[] = {"blue", "green", "red"};
  std::string out;
  for (size_t key = 0; key < 768; ++key) {
    uint64_t sum = 0;
    for (const Counts& counts : tables) sum += counts[0][key] + counts[1][key];
    out += std::string(colours[key / 256]) + '\t' + std::to_string(key % 256) + '\t' + std::to_string(sum) + '\n';
  }
  print(out);
}

}  // namespace threads
