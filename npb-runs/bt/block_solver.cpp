#include "block_solver.hpp"

#include <algorithm>

#include "../multipartition/tile.hpp"
#include "../multipartition/vectorize.hpp"

namespace npb::bt {

using namespace multipartition;

static_assert(kLanes == Box::kPad, "the lanes of a bundle are aligned, and the last ones may reach into a pad");

namespace {

constexpr int kTilePrimitives = kSound;  // those before the speed of sound
constexpr int kUpwardValues = kBlock + cfd::kComponents;
constexpr int kDownwardValues = cfd::kComponents;
constexpr int kUpwardTags[] = {3000, 5000, 6000};
constexpr int kDownwardTags[] = {2000, 4000, 7000};

// The axes across lines, in the order x, y, z.
Axis first_transverse(Axis axis) { return axis == kX ? kY : kX; }
Axis second_transverse(Axis axis) { return axis == kZ ? kY : kZ; }

// Along the first of them bundles are neighbours.
int bundles_per_plane(const CellData& cell, Axis axis) {
  return axis == kX ? (cell.interior[kY].size() + kLanes - 1) / kLanes : cell.box.lanes / kLanes;
}

// Room for the factors of one bundle, the row before its first position included.
std::size_t factor_values(const CellData& cell, Axis axis) {
  return static_cast<std::size_t>((cell.box.size[axis] + 1) * Lines::kFactorStride);
}

std::size_t tile_positions(const CellData& cell) { return static_cast<std::size_t>(cell.box.size[kX] + 2); }

}  // namespace

BlockSolver::BlockSolver(const Partition& partition, const std::vector<CellData>& cells, double dt)
    : slabs_(partition.cells()),
      edge_(partition.n() / partition.cells() + 1),
      coefficients_{Coefficients(partition.n(), dt, kX), Coefficients(partition.n(), dt, kY),
                    Coefficients(partition.n(), dt, kZ)} {
  std::size_t positions = 0, factors = 0, all_factors = 0;
  for (const CellData& cell : cells) {
    positions = std::max(positions, tile_positions(cell));
    for (const Axis axis : kAxes) {
      factors = std::max(factors, factor_values(cell, axis));
      all_factors = std::max(all_factors, factor_values(cell, axis) * static_cast<std::size_t>(bundles(cell, axis)));
    }
  }
  tile_r_ = Buffer(positions * cfd::kComponents * kLanes, 0.0);
  tile_primitives_ = Buffer(positions * kTilePrimitives * kLanes, 0.0);
  for (std::size_t slab = 0; slab + 1 < cells.size(); ++slab) factors_.emplace_back(all_factors, 0.0);
  factors_.emplace_back(factors, 0.0);
}

LineMessage BlockSolver::upward_message(const CellData& cell, Axis axis) const {
  const int place = cell.place.at[first_transverse(axis)] + slabs_ * cell.place.at[second_transverse(axis)];
  return {.count = static_cast<int>(kUpwardValues * lines_per_message()), .tag = kUpwardTags[axis] + place};
}

LineMessage BlockSolver::downward_message(const CellData& cell, Axis axis) const {
  const int place = cell.place.at[first_transverse(axis)] + slabs_ * cell.place.at[second_transverse(axis)];
  return {.count = static_cast<int>(kDownwardValues * lines_per_message()), .tag = kDownwardTags[axis] + place};
}

void BlockSolver::eliminate(CellData& cell, Axis axis, const double* in, double* out) {
  for (int index = 0; index < bundles(cell, axis); ++index) {
    const Bundle bundle = open(cell, axis, index, true);
    const std::ptrdiff_t place = place_in_message(axis, bundle);
    begin_elimination(bundle, in == nullptr ? nullptr : in + place);
    bt::eliminate(bundle.lines, axis, bundle.rows, coefficients_[axis]);
    end_elimination(bundle, cell.box.size[axis], out + place);
    close(cell, axis, bundle, false);
  }
}

void BlockSolver::turn_round(CellData& cell, Axis axis, const double* in, double* out) {
  for (int index = 0; index < bundles(cell, axis); ++index) {
    const Bundle bundle = open(cell, axis, index, true);
    const std::ptrdiff_t place = place_in_message(axis, bundle);
    begin_elimination(bundle, in == nullptr ? nullptr : in + place);
    bt::eliminate(bundle.lines, axis, bundle.rows, coefficients_[axis]);
    bt::substitute(bundle.lines, bundle.rows);
    if (out != nullptr) end_substitution(bundle, out + place);
    close(cell, axis, bundle, true);
  }
}

void BlockSolver::substitute(CellData& cell, Axis axis, const double* in, double* out) {
  for (int index = 0; index < bundles(cell, axis); ++index) {
    const Bundle bundle = open(cell, axis, index, false);
    const std::ptrdiff_t place = place_in_message(axis, bundle);
    begin_substitution(bundle, cell.box.size[axis], in + place);
    bt::substitute(bundle.lines, bundle.rows);
    if (out != nullptr) end_substitution(bundle, out + place);
    close(cell, axis, bundle, true);
  }
}

int BlockSolver::bundles(const CellData& cell, Axis axis) const {
  return cell.interior[second_transverse(axis)].size() * bundles_per_plane(cell, axis);
}

BlockSolver::Bundle BlockSolver::bundle(CellData& cell, Axis axis, int index) {
  const int plane = cell.interior[second_transverse(axis)].begin + index / bundles_per_plane(cell, axis);
  const int first = index % bundles_per_plane(cell, axis) * kLanes;
  Bundle bundle;
  bundle.rows = cell.interior[axis];
  Lines& lines = bundle.lines;
  const auto slab = static_cast<std::size_t>(cell.place.at[axis]);
  const bool is_last = slab + 1 == factors_.size();
  lines.factors = factors_[slab].data() + Lines::kFactorStride +
                  (is_last ? 0 : static_cast<std::size_t>(index) * factor_values(cell, axis));
  if (axis == kX) place_in_tile(bundle, cell, first, plane);
  else place_in_row(bundle, cell, axis, first, plane);
  return bundle;
}

void BlockSolver::place_in_tile(Bundle& bundle, const CellData& cell, int first, int plane) {
  Lines& lines = bundle.lines;
  bundle.i = 0;
  bundle.j = cell.interior[kY].begin + first;
  bundle.k = plane;
  bundle.count = std::min(kLanes, cell.interior[kY].end - bundle.j);
  lines.r_pitch = lines.primitive_pitch = kLanes;
  lines.r_stride = cfd::kComponents * kLanes;
  lines.r = tile_r_.data() + lines.r_stride;
  lines.primitive_stride = kTilePrimitives * kLanes;
  lines.primitives = tile_primitives_.data() + lines.primitive_stride;
}

void BlockSolver::place_in_row(Bundle& bundle, CellData& cell, Axis axis, int first, int plane) const {
  Lines& lines = bundle.lines;
  bundle.i = first;
  bundle.j = axis == kY ? 0 : plane;
  bundle.k = axis == kZ ? 0 : plane;
  bundle.count = std::min(kLanes, cell.box.size[kX] - first);
  lines.r = cell.increment.row(bundle.j, bundle.k) + first;
  lines.primitives = cell.primitives.row(bundle.j, bundle.k) + first;
  lines.r_pitch = lines.primitive_pitch = cell.box.pitch;
  lines.r_stride = cell.increment.stride(axis);
  lines.primitive_stride = cell.primitives.stride(axis);
}

BlockSolver::Bundle BlockSolver::open(CellData& cell, Axis axis, int index, bool eliminates) {
  const Bundle bundle = this->bundle(cell, axis, index);
  if (axis != kX) return bundle;
  const Lines& lines = bundle.lines;
  const std::ptrdiff_t pitch = cell.box.pitch;
  const int nx = cell.box.size[kX];
  gather({cell.increment.row(bundle.j, bundle.k), cell.increment.stride(kY), pitch}, bundle.count, cfd::kComponents,
         {0, nx}, {lines.r, lines.r_stride, kLanes});
  if (eliminates)
    gather({cell.primitives.row(bundle.j, bundle.k), cell.primitives.stride(kY), pitch}, bundle.count, kTilePrimitives,
           {-1, nx + 1}, {tile_primitives_.data() + lines.primitive_stride, lines.primitive_stride, kLanes});
  return bundle;
}

void BlockSolver::close(CellData& cell, Axis axis, const Bundle& bundle, bool is_solved) const {
  const Lines& lines = bundle.lines;
  if (axis == kX)
    scatter({lines.r, lines.r_stride, kLanes}, bundle.count, cfd::kComponents, bundle.rows,
            {cell.increment.row(bundle.j, bundle.k), cell.increment.stride(kY), cell.box.pitch});
  if (axis != kZ || !is_solved) return;
  for (int k = bundle.rows.begin; k < bundle.rows.end; ++k) {
    double* const solution = cell.solution.row(bundle.j, k) + bundle.i;
    const double* const increment = cell.increment.row(bundle.j, k) + bundle.i;
    for (int m = 0; m < cfd::kComponents; ++m) {
      NPB_INDEPENDENT
      for (int lane = 0; lane < kLanes; ++lane)
        solution[m * cell.box.pitch + lane] += increment[m * cell.box.pitch + lane];
    }
  }
}

std::ptrdiff_t BlockSolver::place_in_message(Axis axis, const Bundle& bundle) const {
  const int first = axis == kX ? bundle.j : bundle.i;
  const int second = axis == kZ ? bundle.j : bundle.k;
  return first + edge_ * second;
}

// The row before the first one: what came from below, or nothing.
void BlockSolver::begin_elimination(const Bundle& bundle, const double* in) const {
  const Lines& lines = bundle.lines;
  const int p = bundle.rows.begin - 1;
  double* const factors = lines.factors + p * Lines::kFactorStride;
  double* const r = lines.r + p * lines.r_stride;
  std::fill_n(factors, Lines::kFactorStride, 0.0);
  for (int m = 0; m < cfd::kComponents; ++m) std::fill_n(r + m * lines.r_pitch, bundle.count, 0.0);
  if (in == nullptr) return;
  for (int f = 0; f < kBlock; ++f, in += lines_per_message()) std::copy_n(in, bundle.count, factors + f * kLanes);
  for (int m = 0; m < cfd::kComponents; ++m, in += lines_per_message())
    std::copy_n(in, bundle.count, r + m * lines.r_pitch);
}

void BlockSolver::end_elimination(const Bundle& bundle, int end, double* out) const {
  const Lines& lines = bundle.lines;
  const double* const factors = lines.factors + (end - 1) * Lines::kFactorStride;
  const double* const r = lines.r + (end - 1) * lines.r_stride;
  for (int f = 0; f < kBlock; ++f, out += lines_per_message()) std::copy_n(factors + f * kLanes, bundle.count, out);
  for (int m = 0; m < cfd::kComponents; ++m, out += lines_per_message())
    std::copy_n(r + m * lines.r_pitch, bundle.count, out);
}

void BlockSolver::begin_substitution(const Bundle& bundle, int end, const double* in) const {
  double* const r = bundle.lines.r + end * bundle.lines.r_stride;
  for (int m = 0; m < cfd::kComponents; ++m, in += lines_per_message())
    std::copy_n(in, bundle.count, r + m * bundle.lines.r_pitch);
}

void BlockSolver::end_substitution(const Bundle& bundle, double* out) const {
  for (int m = 0; m < cfd::kComponents; ++m, out += lines_per_message())
    std::copy_n(bundle.lines.r + m * bundle.lines.r_pitch, bundle.count, out);
}

}  // namespace npb::bt
