#include "pentadiagonal_solver.hpp"

#include <algorithm>

#include "../multipartition/tile.hpp"
#include "waves.hpp"

namespace npb::sp {

using namespace multipartition;

namespace {

constexpr int kTileLanes = 16;
constexpr int kTilePrimitives = 3;
// The message per line, of two positions: upwards the factors and right-hand sides, downwards the solutions.
constexpr int kUpwardValues = kReach * (kFactors + cfd::kComponents);
constexpr int kDownwardValues = kReach * cfd::kComponents;

Axis first_transverse(Axis axis) { return axis == kX ? kY : kX; }
Axis second_transverse(Axis axis) { return axis == kZ ? kY : kZ; }

int lines_of(const CellData& cell, Axis axis) {
  return cell.interior[first_transverse(axis)].size() * cell.interior[second_transverse(axis)].size();
}

int tiles_per_plane(const CellData& cell) { return (cell.interior[kY].size() + kTileLanes - 1) / kTileLanes; }

// Room for the factors of one block, the rows before its first position included.
std::size_t factor_values(const CellData& cell, Axis axis) {
  const std::ptrdiff_t lanes = axis == kX ? kTileLanes : cell.box.pitch;
  return static_cast<std::size_t>((cell.box.size[axis] + kReach) * kFactors * lanes);
}

std::size_t tile_positions(const CellData& cell) { return static_cast<std::size_t>(cell.box.size[kX] + 2 * kReach); }

}  // namespace

PentadiagonalSolver::PentadiagonalSolver(const Partition& partition, const std::vector<CellData>& cells, double dt)
    : coefficients_{Coefficients(partition.n(), dt, kX), Coefficients(partition.n(), dt, kY),
                    Coefficients(partition.n(), dt, kZ)} {
  std::size_t positions = 0, factors = 0, all_factors = 0;
  for (const CellData& cell : cells) {
    positions = std::max(positions, tile_positions(cell));
    for (const Axis axis : kAxes) {
      factors = std::max(factors, factor_values(cell, axis));
      all_factors = std::max(all_factors, factor_values(cell, axis) * static_cast<std::size_t>(blocks(cell, axis)));
    }
  }
  tile_r_ = Buffer(positions * cfd::kComponents * kTileLanes, 0.0);
  tile_primitives_ = Buffer(positions * kTilePrimitives * kTileLanes, 0.0);
  for (std::size_t slab = 0; slab + 1 < cells.size(); ++slab) factors_.emplace_back(all_factors, 0.0);
  factors_.emplace_back(factors, 0.0);
}

LineMessage PentadiagonalSolver::upward_message(const CellData& cell, Axis axis) const {
  return {.count = kUpwardValues * lines_of(cell, axis), .tag = 0};
}

LineMessage PentadiagonalSolver::downward_message(const CellData& cell, Axis axis) const {
  return {.count = kDownwardValues * lines_of(cell, axis), .tag = 0};
}

void PentadiagonalSolver::eliminate(CellData& cell, Axis axis, const double* in, double* out) {
  for (int index = 0; index < blocks(cell, axis); ++index) {
    const Block block = open(cell, axis, index, true);
    in = begin_elimination(block, in);
    sp::eliminate(block.lines, block.rows, cell.place.points[axis].begin, coefficients_[axis]);
    out = end_elimination(block, cell.box.size[axis], out);
    close(cell, axis, block);
  }
}

void PentadiagonalSolver::turn_round(CellData& cell, Axis axis, const double* in, double* out) {
  for (int index = 0; index < blocks(cell, axis); ++index) {
    const Block block = open(cell, axis, index, true);
    in = begin_elimination(block, in);
    sp::eliminate(block.lines, block.rows, cell.place.points[axis].begin, coefficients_[axis]);
    sp::substitute(block.lines, block.rows);
    out = end_substitution(block, out);
    finish(cell, axis, block);
    close(cell, axis, block);
  }
}

void PentadiagonalSolver::substitute(CellData& cell, Axis axis, const double* in, double* out) {
  for (int index = 0; index < blocks(cell, axis); ++index) {
    const Block block = open(cell, axis, index, false);
    in = begin_substitution(block, cell.box.size[axis], in);
    sp::substitute(block.lines, block.rows);
    out = end_substitution(block, out);
    finish(cell, axis, block);
    close(cell, axis, block);
  }
}

int PentadiagonalSolver::blocks(const CellData& cell, Axis axis) const {
  if (axis == kX) return cell.interior[kZ].size() * tiles_per_plane(cell);
  return cell.interior[second_transverse(axis)].size();
}

PentadiagonalSolver::Block PentadiagonalSolver::block(CellData& cell, Axis axis, int index) {
  Block block;
  block.rows = cell.interior[axis];
  Lines& lines = block.lines;
  const auto slab = static_cast<std::size_t>(cell.place.at[axis]);
  const bool is_last = slab + 1 == factors_.size();
  const std::ptrdiff_t lanes = axis == kX ? kTileLanes : cell.box.pitch;
  lines.factor_pitch = lanes;
  lines.factor_stride = kFactors * lanes;
  lines.factors = factors_[slab].data() + kReach * lines.factor_stride +
                  (is_last ? 0 : static_cast<std::size_t>(index) * factor_values(cell, axis));
  if (axis == kX) place_in_tile(block, cell, index);
  else place_in_plane(block, cell, axis, index);
  return block;
}

void PentadiagonalSolver::place_in_tile(Block& block, const CellData& cell, int index) {
  Lines& lines = block.lines;
  const int tiles = tiles_per_plane(cell);
  block.j = cell.interior[kY].begin + index % tiles * kTileLanes;
  block.k = cell.interior[kZ].begin + index / tiles;
  const int lanes = std::min(kTileLanes, cell.interior[kY].end - block.j);
  lines.lanes = lanes;
  block.carried = {0, lanes};
  lines.r_pitch = kTileLanes;
  lines.r_stride = cfd::kComponents * kTileLanes;
  lines.r = tile_r_.data() + kReach * lines.r_stride;
  lines.primitive_stride = kTilePrimitives * kTileLanes;
  lines.velocity = tile_primitives_.data() + kReach * lines.primitive_stride;
  lines.sound = lines.velocity + kTileLanes;
  lines.inverse_density = lines.sound + kTileLanes;
}

void PentadiagonalSolver::place_in_plane(Block& block, CellData& cell, Axis axis, int index) const {
  Lines& lines = block.lines;
  block.j = axis == kY ? 0 : cell.interior[kY].begin + index;
  block.k = axis == kZ ? 0 : cell.interior[kZ].begin + index;
  // All lanes of a row. Those on a face of the grid and those of the pads are lines of zeros.
  lines.lanes = cell.box.lanes;
  block.carried = cell.interior[kX];
  lines.r = cell.increment.row(block.j, block.k);
  lines.r_pitch = cell.box.pitch;
  lines.r_stride = cell.increment.stride(axis);
  const double* const primitives = cell.primitives.row(block.j, block.k);
  lines.velocity = primitives + velocity(axis) * cell.box.pitch;
  lines.sound = primitives + kSound * cell.box.pitch;
  lines.inverse_density = primitives + kInverseDensity * cell.box.pitch;
  lines.primitive_stride = cell.primitives.stride(axis);
}

PentadiagonalSolver::Block PentadiagonalSolver::open(CellData& cell, Axis axis, int index, bool eliminates) {
  const Block block = this->block(cell, axis, index);
  if (axis != kX) return block;
  const Lines& lines = block.lines;
  const int lanes = static_cast<int>(lines.lanes), nx = cell.box.size[kX];
  const std::ptrdiff_t pitch = cell.box.pitch;
  if (eliminates) {
    for (int lane = 0; lane < lanes; ++lane) to_x_waves(cell, block.j + lane, block.k);
    double* const to = tile_primitives_.data() + kReach * lines.primitive_stride;
    const double* const from = cell.primitives.row(block.j, block.k);
    int slot = 0;
    for (const int primitive : {velocity(kX), int{kSound}, int{kInverseDensity}})
      gather({from + primitive * pitch, cell.primitives.stride(kY), pitch}, lanes, 1, {-1, nx + 1},
             {to + kTileLanes * slot++, lines.primitive_stride, kTileLanes});
  }
  gather({cell.increment.row(block.j, block.k), cell.increment.stride(kY), pitch}, lanes, cfd::kComponents, {0, nx},
         {lines.r, lines.r_stride, kTileLanes});
  return block;
}

void PentadiagonalSolver::close(CellData& cell, Axis axis, const Block& block) {
  if (axis != kX) return;
  scatter({block.lines.r, block.lines.r_stride, kTileLanes}, static_cast<int>(block.lines.lanes), cfd::kComponents,
          block.rows, {cell.increment.row(block.j, block.k), cell.increment.stride(kY), cell.box.pitch});
}

// The two rows before the first one: what came from below, or nothing.
const double* PentadiagonalSolver::begin_elimination(const Block& block, const double* in) const {
  const Lines& lines = block.lines;
  for (int p = block.rows.begin - kReach; p < block.rows.begin; ++p) {
    double* const factors = lines.factors + p * lines.factor_stride;
    double* const r = lines.r + p * lines.r_stride;
    for (int f = 0; f < kFactors; ++f) std::fill_n(factors + f * lines.factor_pitch, lines.lanes, 0.0);
    for (int m = 0; m < cfd::kComponents; ++m) std::fill_n(r + m * lines.r_pitch, lines.lanes, 0.0);
    if (in == nullptr) continue;
    const int count = block.carried.size();
    for (int f = 0; f < kFactors; ++f, in += count)
      std::copy_n(in, count, factors + f * lines.factor_pitch + block.carried.begin);
    for (int m = 0; m < cfd::kComponents; ++m, in += count)
      std::copy_n(in, count, r + m * lines.r_pitch + block.carried.begin);
  }
  return in;
}

double* PentadiagonalSolver::end_elimination(const Block& block, int end, double* out) const {
  const Lines& lines = block.lines;
  const int count = block.carried.size();
  for (int p = end - kReach; p < end; ++p) {
    const double* const factors = lines.factors + p * lines.factor_stride + block.carried.begin;
    const double* const r = lines.r + p * lines.r_stride + block.carried.begin;
    for (int f = 0; f < kFactors; ++f) out = std::copy_n(factors + f * lines.factor_pitch, count, out);
    for (int m = 0; m < cfd::kComponents; ++m) out = std::copy_n(r + m * lines.r_pitch, count, out);
  }
  return out;
}

const double* PentadiagonalSolver::begin_substitution(const Block& block, int end, const double* in) const {
  const int count = block.carried.size();
  for (int p = end; p < end + kReach; ++p)
    for (int m = 0; m < cfd::kComponents; ++m, in += count)
      std::copy_n(in, count, block.lines.r + p * block.lines.r_stride + m * block.lines.r_pitch + block.carried.begin);
  return in;
}

double* PentadiagonalSolver::end_substitution(const Block& block, double* out) const {
  if (out == nullptr) return nullptr;
  const int count = block.carried.size();
  for (int p = 0; p < kReach; ++p)
    for (int m = 0; m < cfd::kComponents; ++m)
      out = std::copy_n(block.lines.r + p * block.lines.r_stride + m * block.lines.r_pitch + block.carried.begin, count,
                        out);
  return out;
}

void PentadiagonalSolver::finish(CellData& cell, Axis axis, const Block& block) const {
  switch (axis) {
    case kX: x_to_y_waves(block.lines, block.rows); break;
    case kY: y_to_z_waves(block.lines, block.rows); break;
    case kZ:
      for (int k = block.rows.begin; k < block.rows.end; ++k) from_z_waves_and_add(cell, block.j, k);
      break;
  }
}

}  // namespace npb::sp
