#include "matrix.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <utility>

#include "../common/random.hpp"

namespace npb::cg {
namespace {

constexpr double kDiagonalEntry = 0.5;

// One row's worth of "which vectors have an entry here", for a range of rows.
struct Incidence {
  struct Use {
    std::int32_t vector;
    double value;
  };
  std::vector<std::size_t> start;  // rows + 1 offsets into uses
  std::vector<Use> uses;           // of one row: vectors in ascending order
};

// A counting sort of the entries by row; it is stable, which keeps the vectors in order.
Incidence transpose(const GeneratingVectors& vectors, Range rows) {
  Incidence result;
  result.start.assign(static_cast<std::size_t>(rows.size()) + 1, 0);
  for (const auto& entry : vectors.entries)
    if (rows.contains(entry.position)) ++result.start[entry.position - rows.begin + 1];
  for (std::size_t row = 1; row < result.start.size(); ++row) result.start[row] += result.start[row - 1];

  result.uses.resize(result.start.back());
  std::vector<std::size_t> next(result.start.begin(), result.start.end() - 1);
  const auto order = static_cast<std::int32_t>(vectors.start.size() - 1);
  for (std::int32_t i = 0; i < order; ++i)
    for (std::size_t k = vectors.start[i]; k < vectors.start[i + 1]; ++k) {
      const auto& entry = vectors.entries[k];
      if (rows.contains(entry.position)) result.uses[next[entry.position - rows.begin]++] = {i, entry.value};
    }
  return result;
}

// The weights fall geometrically from 1 to about rcond. Repeated products, not pow: the last bits matter.
std::vector<double> make_weights(int order) {
  const double ratio = std::pow(Problem::kRcond, 1.0 / order);
  std::vector<double> weights(static_cast<std::size_t>(order));
  double weight = 1.0;
  for (double& slot : weights) {
    slot = weight;
    weight *= ratio;
  }
  return weights;
}

// The summands that make up a block: row by row, and within a row in the order in which they are added.
class Summands {
 public:
  Summands(const Problem& problem, const GeneratingVectors& vectors, Range rows, Range columns)
      : vectors_(vectors),
        incidence_(transpose(vectors, rows)),
        weights_(make_weights(problem.order)),
        rows_(rows),
        columns_(columns),
        diagonal_(Problem::kRcond - problem.shift) {}

  // Calls add(column, summand) for each summand of a row. Rows and columns are counted from the block's first.
  template <class Add>
  void for_each(int row, Add add) const {
    for (std::size_t u = incidence_.start[row]; u < incidence_.start[row + 1]; ++u) {
      const auto& use = incidence_.uses[u];
      for (std::size_t k = vectors_.start[use.vector]; k < vectors_.start[use.vector + 1]; ++k) {
        const auto& entry = vectors_.entries[k];
        if (columns_.contains(entry.position))
          add(entry.position - columns_.begin, use.value * (weights_[use.vector] * entry.value));
      }
    }
    const int diagonal = rows_.begin + row;
    if (columns_.contains(diagonal)) add(diagonal - columns_.begin, diagonal_);
  }

 private:
  const GeneratingVectors& vectors_;
  Incidence incidence_;
  std::vector<double> weights_;
  Range rows_, columns_;
  double diagonal_;
};

// How many elements each row has: its summands, those in the same column taken together.
std::vector<std::int32_t> count_elements(const Summands& summands, int rows, int columns) {
  std::vector<std::int32_t> elements(static_cast<std::size_t>(rows));
  std::vector<std::int32_t> seen_in(static_cast<std::size_t>(columns), -1);
  for (std::int32_t row = 0; row < rows; ++row)
    summands.for_each(row, [&](int column, double) {
      if (std::exchange(seen_in[column], row) != row) ++elements[row];
    });
  return elements;
}

}  // namespace

GeneratingVectors make_generating_vectors(const Problem& problem) {
  const auto order = static_cast<std::size_t>(problem.order);
  const auto drawn = static_cast<std::size_t>(problem.nonzeros);
  const double span = static_cast<double>(std::bit_ceil(static_cast<unsigned>(problem.order)));
  Random random;
  random.next();  // the sequence of the benchmark starts at its second number

  GeneratingVectors result;
  result.start.reserve(order + 1);
  result.entries.reserve(order * (drawn + 1));
  std::vector<std::int32_t> taken_by(order, -1);  // the last vector that used a position
  for (std::int32_t i = 0; i < problem.order; ++i) {
    const std::size_t begin = result.entries.size();
    result.start.push_back(begin);
    while (result.entries.size() - begin < drawn) {
      const double value = random.next();
      const auto position = static_cast<std::int32_t>(span * random.next());
      if (position >= problem.order || taken_by[position] == i) continue;
      taken_by[position] = i;
      result.entries.push_back({position, value});
    }
    if (taken_by[i] == i) {
      for (std::size_t k = begin; k < result.entries.size(); ++k)
        if (result.entries[k].position == i) result.entries[k].value = kDiagonalEntry;
    } else {
      result.entries.push_back({i, kDiagonalEntry});
    }
  }
  result.start.push_back(result.entries.size());
  return result;
}

SparseBlock SparseBlock::assemble(const Problem& problem, const GeneratingVectors& vectors, Range rows, Range columns) {
  const Summands summands(problem, vectors, rows, columns);
  SparseBlock block;
  // Counted first, so that each element is stored where it stays, and no more memory is taken than that.
  block.lay_out(count_elements(summands, rows.size(), columns.size()));

  // Where the current row keeps a column; an offset below the row's start is left over from an earlier row.
  std::vector<std::ptrdiff_t> slot(static_cast<std::size_t>(columns.size()), -1);
  for (std::size_t i = 0; i < block.row_.size(); ++i) {
    const auto start = static_cast<std::ptrdiff_t>(block.start_[i]);
    auto end = start;
    summands.for_each(block.row_[i], [&](int column, double summand) {
      ++block.contributions_;
      if (slot[column] >= start) {
        block.value_[slot[column]] += summand;
        return;
      }
      slot[column] = end;
      block.column_[end] = column;
      block.value_[end] = summand;
      ++end;
    });
    block.nonzeros_ += static_cast<std::size_t>(end - start);
  }
  return block;
}

// Room for rows of so many elements: the rows in ascending order of length, each filled up with zeros.
void SparseBlock::lay_out(const std::vector<std::int32_t>& elements) {
  const auto groups = [&](std::int32_t row) { return (static_cast<std::size_t>(elements[row]) + kSums - 1) / kSums; };
  row_.resize(elements.size());
  std::iota(row_.begin(), row_.end(), 0);
  std::stable_sort(row_.begin(), row_.end(), [&](auto a, auto b) { return groups(a) < groups(b); });
  start_.reserve(elements.size() + 1);
  start_.push_back(0);
  for (const std::int32_t row : row_) start_.push_back(start_.back() + kSums * groups(row));
  column_.assign(start_.back(), 0);
  value_.assign(start_.back(), 0.0);
}

// Independent sums hide the latency of the addition. Their order is fixed, so the bits repeat. Neither the length of
// the next row nor a rest that fills no group is there to be guessed: a wrong guess takes as long as ten elements.
void SparseBlock::multiply(const double* __restrict p, double* __restrict w) const {
  const std::int32_t* __restrict column = column_.data();
  const double* __restrict value = value_.data();
  static_assert(kSums == 4);
  std::size_t k = 0;
  for (std::size_t i = 0; i < row_.size(); ++i) {
    const std::size_t end = start_[i + 1];
    double sum0 = 0, sum1 = 0, sum2 = 0, sum3 = 0;
    for (; k < end; k += kSums) {
      sum0 += value[k] * p[column[k]];
      sum1 += value[k + 1] * p[column[k + 1]];
      sum2 += value[k + 2] * p[column[k + 2]];
      sum3 += value[k + 3] * p[column[k + 3]];
    }
    w[row_[i]] = (sum0 + sum1) + (sum2 + sum3);
  }
}

}  // namespace npb::cg
