// The sparse matrix of CG: A = sum_i w_i v_i v_i^T + (rcond - shift) I, with sparse random vectors v_i.
// Every rank generates all vectors and assembles its own block, so there is no communication.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "problem.hpp"
#include "process_grid.hpp"

namespace npb::cg {

// All generating vectors, one after another.
struct GeneratingVectors {
  struct Entry {
    std::int32_t position;
    double value;
  };
  std::vector<std::size_t> start;  // order + 1 offsets into entries
  std::vector<Entry> entries;      // of one vector: distinct positions, in order of appearance
};

GeneratingVectors make_generating_vectors(const Problem& problem);

// A block of the matrix in compressed rows, the shortest first, each filled up with zeros to a multiple of kSums.
// Within a row the elements stand in order of first appearance; a product adds every kSums-th to the same sum.
class SparseBlock {
 public:
  // The block rows x columns. Time linear in the contributions that fall into it, plus the vectors.
  static SparseBlock assemble(const Problem& problem, const GeneratingVectors& vectors, Range rows, Range columns);

  // w = A p: p has one value per column of the block, w one per row.
  void multiply(const double* p, double* w) const;

  std::size_t nonzeros() const { return nonzeros_; }
  std::size_t contributions() const { return contributions_; }

 private:
  static constexpr std::size_t kSums = 4;

  SparseBlock() = default;
  void lay_out(const std::vector<std::int32_t>& elements);

  std::vector<std::int32_t> row_;     // in the order in which they are stored, counted from the block's first row
  std::vector<std::size_t> start_;    // rows + 1 offsets, of the rows as they are stored
  std::vector<std::int32_t> column_;  // counted from the block's first column; 0 where a row is filled up
  std::vector<double> value_;
  std::size_t nonzeros_ = 0;       // without what fills up
  std::size_t contributions_ = 0;  // summands that made the block, the diagonal's included
};

}  // namespace npb::cg
