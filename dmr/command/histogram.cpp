// dmr histogram: how often each value of blue, green and red is in images.
#include <algorithm>
#include <array>
#include <vector>

#include <dmr/map_reduce.hpp>

#include "bmp.hpp"
#include "command.hpp"
#include "output.hpp"

namespace dmr::command {

namespace {

constexpr char kHelp[] = R"(Usage: dmr histogram [OPTION...] [FILE...]
Counts the colours of images, BMP files with 24 bits to a pixel: how many pixels of all of
them together have each value of blue, of green and of red. 768 lines
`colour<tab>value<tab>count`.
)";

constexpr const char* kColours[] = {"blue", "green", "red"};
constexpr size_t kValues = 256, kKeys = 3 * kValues;

// Two tables in turns: neighbours often have the same colour, and a counter that was just written is slow to read.
using Counts = std::array<std::array<uint64_t, kKeys>, 2>;

void count_row(std::string_view row, Counts& counts) {
  const auto* at = reinterpret_cast<const uint8_t*>(row.data());
  const auto* const end = at + row.size();
  const auto pixel = [](std::array<uint64_t, kKeys>& to, const uint8_t* p) {
    ++to[p[0]];
    ++to[kValues + p[1]];
    ++to[2 * kValues + p[2]];
  };
  for (; end - at >= 6; at += 6) {
    pixel(counts[0], at);
    pixel(counts[1], at + 3);
  }
  if (at != end) pixel(counts[0], at);
}

struct Histogram : MapReduce<Histogram, uint32_t, uint64_t, Sum<uint64_t>> {
  using Container = FewKeys<kKeys>;
  std::vector<BmpLayout> images;  // of each file

  void map(const Piece& piece, auto& emit) const {
    const BmpLayout& image = images[piece.file];
    Counts counts{};
    for (uint64_t at = std::max(piece.begin, image.pixels); at < std::min(piece.end, image.end()); at += image.stride) {
      count_row(piece.data.substr(at - piece.begin, image.row_bytes), counts);
    }
    for (uint32_t key = 0; key < kKeys; ++key) emit(key, counts[0][key] + counts[1][key]);
  }
};

std::vector<BmpLayout> check_images(const Input& input) {
  std::vector<BmpLayout> images(input.files());
  for (uint32_t file = 0; file < input.files(); ++file) {
    const char* const wrong = read_bmp_header(input.whole(file), images[file]);
    if (wrong != nullptr) throw JobError(input.name(file) + " " + wrong);
  }
  return images;
}

}  // namespace

int histogram(int argc, char** argv) {
  const Arguments arguments = parse(argc, argv, kHelp);
  const Input input = open_input(arguments, Records::by(bmp_border));
  Output output(arguments);
  Histogram job;
  job.images = check_images(input);
  const Statistics statistics =
      job.run_each(input, with_one_reducer(arguments.options), [&](uint32_t key, uint64_t count) {
        output.write(std::string(kColours[key / kValues]) + '\t' + std::to_string(key % kValues) + '\t' +
                     std::to_string(count) + '\n');
      });
  finish({&output}, arguments, "histogram", statistics);
  return 0;
}

}  // namespace dmr::command
