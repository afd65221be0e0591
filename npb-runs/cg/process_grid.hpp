// How CG lays the matrix over the ranks: a grid of R rows and C columns of processes, C = R or C = 2R.
//
//   rank = row * C + column. A rank holds the matrix block (row part `row`) x (column part `column`) and,
//   of every vector, the column part. When C = 2R the column parts are the row parts cut in two.
//
// Pure arithmetic, no communication: every rank can compute every other rank's place.
#pragma once

#include <optional>

#include "../common/range.hpp"

namespace npb::cg {

class ProcessGrid {
 public:
  // Nothing when `ranks` is not a power of two. 0 <= rank < ranks.
  static std::optional<ProcessGrid> try_create(int n, int ranks, int rank);

  int row() const { return rank_ / columns_; }
  int column() const { return rank_ % columns_; }
  int process_rows() const { return rows_; }
  int process_columns() const { return columns_; }
  bool is_square() const { return rows_ == columns_; }

  Range row_part() const { return part_of(n_, rows_, row()); }
  Range column_part() const;

  // The part of row_part() that is left to this rank once the local products of a process row have been
  // summed: all of it on a square grid, one half otherwise.
  Range summed_part() const;

  // Rounds of a butterfly along the process row: lg C.
  int butterfly_steps() const { return steps_; }

  // The partner in round `step`, 1 <= step <= butterfly_steps(): distance C/2 in round 1, 1 in the last.
  int partner(int step) const { return rank_ ^ (1 << (steps_ - step)); }

  // The rank whose column part is this rank's summed part, and the other way round. May be this rank.
  int transpose_partner() const;

 private:
  ProcessGrid(int n, int rows, int columns, int steps, int rank)
      : n_(n), rows_(rows), columns_(columns), steps_(steps), rank_(rank) {}

  Range half_of_row_part(int part, int half) const;

  int n_;
  int rows_;
  int columns_;
  int steps_;
  int rank_;
};

}  // namespace npb::cg
