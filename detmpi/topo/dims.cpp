// MPI_Dims_create: the most even factors of a number.
#include <algorithm>
#include <climits>
#include <vector>

#include "../object/errors.hpp"
#include "impl.hpp"

namespace detmpi {
namespace {

// base^exponent, or anything above `limit` if it is above.
int64_t power(int64_t base, size_t exponent, int64_t limit) {
  int64_t result = 1;
  for (; exponent > 0 && result <= limit && base > 1; --exponent) result *= base;
  return result;
}

std::vector<int> divisors_of(int n) {
  std::vector<int> small, large;
  for (int64_t d = 1; d * d <= n; ++d) {
    if (n % d != 0) continue;
    small.push_back(static_cast<int>(d));
    if (d * d != n) large.push_back(static_cast<int>(n / d));
  }
  small.insert(small.end(), large.rbegin(), large.rend());
  return small;
}

int largest_prime_factor(int n) {
  int largest = 1;
  for (int p = 2; int64_t{p} * p <= n; ++p) {
    for (; n % p == 0; n /= p) largest = p;
  }
  return std::max(largest, n);
}

// Of all ways to write a number as a product of `count` factors in falling order, that with the least difference
// between the first and the last; of several, that with the largest last factor, then the largest last but one, and so
// on. Factors are tried from the first to the last; a way is given up as soon as its difference must become larger than
// the least so far.
class EvenFactors {
 public:
  EvenFactors(int product, size_t count) : divisors_(divisors_of(product)), factors_(count) {
    const int prime = largest_prime_factor(product);
    for (const int first : divisors_) {
      if (first < prime || power(first, count, product) < product) continue;
      factors_[0] = first;
      try_from(1, product / first);
    }
  }
  const std::vector<int>& best() const { return best_; }

 private:
  // No factor may be less.
  int lowest() const { return std::max<int64_t>(1, factors_[0] - int64_t{spread_}); }

  void try_from(size_t at, int left) {
    const size_t open = factors_.size() - at;
    if (open == 0) {
      if (left == 1) consider();
      return;
    }
    auto next = std::upper_bound(divisors_.begin(), divisors_.end(), std::min(factors_[at - 1], left));
    while (next != divisors_.begin()) {
      const int factor = *--next;
      if (power(factor, open, left) < left || power(lowest(), open, left) > left) return;
      if (left % factor != 0) continue;
      factors_[at] = factor;
      try_from(at + 1, left / factor);
    }
  }

  void consider() {
    const int spread = factors_.front() - factors_.back();
    if (spread > spread_) return;
    if (spread == spread_ &&
        !std::lexicographical_compare(best_.rbegin(), best_.rend(), factors_.rbegin(), factors_.rend())) {
      return;
    }
    spread_ = spread;
    best_ = factors_;
  }

  std::vector<int> divisors_;
  std::vector<int> factors_;
  std::vector<int> best_;
  int spread_ = INT_MAX;
};

}  // namespace

namespace impl {

int dims_create(int nnodes, int ndims, int dims[]) {
  if (nnodes <= 0) return make_error(MPI_ERR_DIMS, "nnodes is %d (must be positive)", nnodes);
  int left = nnodes;
  std::vector<int*> open;
  for (int dim = 0; dim < ndims; ++dim) {
    if (dims[dim] < 0) return make_error(MPI_ERR_DIMS, "dims[%d] is %d (must not be negative)", dim, dims[dim]);
    if (dims[dim] == 0) {
      open.push_back(&dims[dim]);
      continue;
    }
    if (left % dims[dim] != 0) {
      return make_error(MPI_ERR_DIMS, "%d nodes are not a multiple of the dimensions that are given", nnodes);
    }
    left /= dims[dim];
  }
  if (open.empty()) {
    if (left == 1) return MPI_SUCCESS;
    return make_error(MPI_ERR_DIMS, "the dimensions that are given do not make %d nodes", nnodes);
  }
  const std::vector<int> factors = EvenFactors(left, open.size()).best();
  for (size_t i = 0; i < open.size(); ++i) *open[i] = factors[i];
  return MPI_SUCCESS;
}

}  // namespace impl
}  // namespace detmpi
