// MPI_MINLOC and MPI_MAXLOC. Of equal values the one with the smaller index wins; of values that cannot be
// compared, the left one.
#include <mpi.h>

#include "kernels.hpp"

namespace detmpi {
namespace {

template <class Pair, bool kMax>
bool right_wins(const Pair& left, const Pair& right) {
  if (kMax ? right.value > left.value : right.value < left.value) return true;
  return right.value == left.value && right.index < left.index;
}

// Value and index are stored one by one: a gap between them belongs to the program.
template <class Pair, bool kMax, Side kSide>
void loop(void* acc, const void* other, size_t n) {
  Pair* mine = static_cast<Pair*>(acc);
  const Pair* theirs = static_cast<const Pair*>(other);
  for (size_t i = 0; i < n; ++i) {
    const bool take = kSide == Side::kAccLeft ? right_wins<Pair, kMax>(mine[i], theirs[i])
                                              : !right_wins<Pair, kMax>(theirs[i], mine[i]);
    if (!take) continue;
    mine[i].value = theirs[i].value;
    mine[i].index = theirs[i].index;
  }
}

template <bool kMax, Side kSide>
Kernel find(Element element) {
  switch (element) {
    case Element::kPairInt: return loop<ValueIndex<int, int>, kMax, kSide>;
    case Element::kPairReal: return loop<ValueIndex<float, float>, kMax, kSide>;
    case Element::kPairDoublePrecision: return loop<ValueIndex<double, double>, kMax, kSide>;
    case Element::kPairFloatInt: return loop<ValueIndex<float, int>, kMax, kSide>;
    case Element::kPairDoubleInt: return loop<ValueIndex<double, int>, kMax, kSide>;
    case Element::kPairLongInt: return loop<ValueIndex<long, int>, kMax, kSide>;
    case Element::kPairShortInt: return loop<ValueIndex<short, int>, kMax, kSide>;
    case Element::kPairLongDoubleInt: return loop<ValueIndex<long double, int>, kMax, kSide>;
    default: return nullptr;
  }
}

}  // namespace

Kernel find_pair_kernel(int op, Element element, Side side) {
  const bool left = side == Side::kAccLeft;
  switch (op | (MPI_MAX & ~0xff)) {
    case MPI_MINLOC: return left ? find<false, Side::kAccLeft>(element) : find<false, Side::kAccRight>(element);
    case MPI_MAXLOC: return left ? find<true, Side::kAccLeft>(element) : find<true, Side::kAccRight>(element);
    default: return nullptr;
  }
}

}  // namespace detmpi
