#include "layout.hpp"

#include <algorithm>
#include <bit>

namespace npb::ft {
namespace {

std::vector<std::size_t> offsets(int length, std::size_t stride, int parts, std::size_t part_stride) {
  const int part_length = length / parts;
  std::vector<std::size_t> result;
  for (int i = 0; i < length; ++i)
    result.push_back(static_cast<std::size_t>(i / part_length) * part_stride +
                     static_cast<std::size_t>(i % part_length) * stride);
  return result;
}

}  // namespace

int most_ranks(Extent grid) { return grid.z * std::min({grid.x, grid.y, grid.z}); }

std::optional<ProcessGrid> ProcessGrid::try_create(Extent grid, int ranks, int rank) {
  if (ranks <= 0 || !std::has_single_bit(static_cast<unsigned>(ranks)) || ranks > most_ranks(grid)) return std::nullopt;
  const int rows = ranks <= grid.z ? 1 : grid.z;
  return ProcessGrid(grid, rows, ranks / rows, rank);
}

std::size_t points(Extent box) { return static_cast<std::size_t>(box.x) * box.y * box.z; }

Placement place(Extent box, Axis cut, int parts) {
  Extent part = box;
  if (cut == Axis::kX) part.x /= parts;
  if (cut == Axis::kY) part.y /= parts;
  if (cut == Axis::kZ) part.z /= parts;
  const auto parts_along = [&](Axis axis) { return axis == cut ? parts : 1; };
  const auto row = static_cast<std::size_t>(part.x);
  return {.x = offsets(box.x, 1, parts_along(Axis::kX), points(part)),
          .y = offsets(box.y, row, parts_along(Axis::kY), points(part)),
          .z = offsets(box.z, row * part.y, parts_along(Axis::kZ), points(part))};
}

LineMap lines_along(Axis axis, const Placement& placement) {
  const auto& element = axis == Axis::kX ? placement.x : axis == Axis::kY ? placement.y : placement.z;
  const auto& inner = axis == Axis::kX ? placement.y : placement.x;
  const auto& outer = axis == Axis::kZ ? placement.y : placement.z;
  LineMap map{element, {}};
  map.line.reserve(outer.size() * inner.size());
  for (const std::size_t start : outer)
    for (const std::size_t offset : inner) map.line.push_back(start + offset);
  return map;
}

}  // namespace npb::ft
