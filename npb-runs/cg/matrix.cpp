#include "matrix.hpp"

#include <bit>
#include <cmath>

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
  const Incidence incidence = transpose(vectors, rows);
  const std::vector<double> weights = make_weights(problem.order);

  SparseBlock block;
  block.start_.reserve(static_cast<std::size_t>(rows.size()) + 1);
  block.start_.push_back(0);
  // Where the current row keeps a column; an offset below the row's start is left over from an earlier row.
  std::vector<std::ptrdiff_t> slot(static_cast<std::size_t>(columns.size()), -1);
  for (int row = 0; row < rows.size(); ++row) {
    const auto row_start = static_cast<std::ptrdiff_t>(block.value_.size());
    const auto add = [&](int column, double contribution) {
      ++block.contributions_;
      if (slot[column] >= row_start) {
        block.value_[slot[column]] += contribution;
        return;
      }
      slot[column] = static_cast<std::ptrdiff_t>(block.value_.size());
      block.column_.push_back(column);
      block.value_.push_back(contribution);
    };
    for (std::size_t u = incidence.start[row]; u < incidence.start[row + 1]; ++u) {
      const auto& use = incidence.uses[u];
      for (std::size_t k = vectors.start[use.vector]; k < vectors.start[use.vector + 1]; ++k) {
        const auto& entry = vectors.entries[k];
        if (columns.contains(entry.position))
          add(entry.position - columns.begin, use.value * (weights[use.vector] * entry.value));
      }
    }
    const int diagonal = rows.begin + row;
    if (columns.contains(diagonal)) add(diagonal - columns.begin, Problem::kRcond - problem.shift);
    block.start_.push_back(block.value_.size());
  }
  block.column_.shrink_to_fit();
  block.value_.shrink_to_fit();
  return block;
}

// Four independent sums hide the latency of the addition. Their order is fixed, so the bits repeat.
void SparseBlock::multiply(const double* __restrict p, double* __restrict w) const {
  const std::int32_t* __restrict column = column_.data();
  const double* __restrict value = value_.data();
  const std::size_t rows = start_.size() - 1;
  for (std::size_t row = 0; row < rows; ++row) {
    std::size_t k = start_[row];
    const std::size_t end = start_[row + 1];
    double sum0 = 0, sum1 = 0, sum2 = 0, sum3 = 0;
    for (; k + 4 <= end; k += 4) {
      sum0 += value[k] * p[column[k]];
      sum1 += value[k + 1] * p[column[k + 1]];
      sum2 += value[k + 2] * p[column[k + 2]];
      sum3 += value[k + 3] * p[column[k + 3]];
    }
    for (; k < end; ++k) sum0 += value[k] * p[column[k]];
    w[row] = (sum0 + sum1) + (sum2 + sum3);
  }
}

}  // namespace npb::cg
