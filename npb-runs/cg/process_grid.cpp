#include "process_grid.hpp"

#include <bit>

namespace npb::cg {

std::optional<ProcessGrid> ProcessGrid::try_create(int n, int ranks, int rank) {
  if (ranks <= 0 || !std::has_single_bit(static_cast<unsigned>(ranks))) return std::nullopt;
  const int levels = std::countr_zero(static_cast<unsigned>(ranks));
  const int column_levels = (levels + 1) / 2;
  return ProcessGrid(n, 1 << (levels - column_levels), 1 << column_levels, column_levels, rank);
}

Range ProcessGrid::half_of_row_part(int part, int half) const {
  const Range whole = part_of(n_, rows_, part);
  const Range cut = part_of(whole.size(), 2, half);
  return {whole.begin + cut.begin, whole.begin + cut.end};
}

Range ProcessGrid::column_part() const {
  return is_square() ? part_of(n_, columns_, column()) : half_of_row_part(column() / 2, column() % 2);
}

Range ProcessGrid::summed_part() const { return is_square() ? row_part() : half_of_row_part(row(), column() % 2); }

int ProcessGrid::transpose_partner() const {
  if (is_square()) return column() * columns_ + row();
  return (column() / 2) * columns_ + 2 * row() + column() % 2;
}

}  // namespace npb::cg
