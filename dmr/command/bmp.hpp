// Images in BMP files with 24 bits to a pixel: a header, then rows from below to above, of blue, green, red for each
// pixel, each row filled up to a multiple of 4 bytes.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include <dmr/error.hpp>

namespace dmr::command {

struct BmpLayout {
  uint64_t pixels = 0;  // where they begin
  uint64_t row_bytes = 0;
  uint64_t stride = 0;  // from row to row
  uint64_t rows = 0;
  uint64_t end() const { return pixels + stride * rows; }
};

template <typename Number>
Number read_little_endian(std::string_view bytes, size_t at) {
  static_assert(std::endian::native == std::endian::little);
  Number number;
  std::memcpy(&number, bytes.data() + at, sizeof number);
  return number;
}

// Reads the header, the first bytes of `file`. What is wrong with it, or null; then `layout` is set.
inline const char* read_bmp_header(std::string_view file, BmpLayout& layout) {
  constexpr size_t kHeaders = 14 + 40;  // of the file, of the image
  if (file.size() < kHeaders || file.substr(0, 2) != "BM") return "is no BMP image";
  const auto pixels = read_little_endian<uint32_t>(file, 10);
  const auto header = read_little_endian<uint32_t>(file, 14);
  const auto width = read_little_endian<int32_t>(file, 18);
  const int64_t height = read_little_endian<int32_t>(file, 22);  // negative: from above to below
  if (header < 40 || pixels < 14 + uint64_t{header}) return "is a BMP image of a kind that is not known";
  if (read_little_endian<uint16_t>(file, 28) != 24) return "has not 24 bits to a pixel";
  if (read_little_endian<uint32_t>(file, 30) != 0) return "is compressed";
  if (width <= 0 || height == 0) return "has no pixels";
  const auto row_bytes = uint64_t{3} * static_cast<uint32_t>(width);
  const BmpLayout read = {pixels, row_bytes, (row_bytes + 3) / 4 * 4,
                          static_cast<uint64_t>(height < 0 ? -height : height)};
  if (read.end() > file.size()) return "ends before its last row does";
  layout = read;
  return nullptr;
}

// Records are rows (Records::by): where the first begins at or after `position`. The header is part of the first piece,
// what lies behind the rows of the last.
inline uint64_t bmp_border(std::string_view file, uint64_t position) {
  BmpLayout layout;
  if (read_bmp_header(file, layout) != nullptr || position > layout.end()) return file.size();
  if (position <= layout.pixels) return layout.pixels;
  const uint64_t row = (position - layout.pixels + layout.stride - 1) / layout.stride;
  return row == layout.rows ? file.size() : layout.pixels + row * layout.stride;
}

}  // namespace dmr::command
