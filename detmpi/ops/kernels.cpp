// Arithmetic, logical and bitwise reductions. Where operands compare equal or unordered, MPI_MAX and MPI_MIN
// keep the left one, so that the result does not depend on which side was in the accumulator.
#include "kernels.hpp"

#include <mpi.h>

#include <cstdint>
#include <type_traits>

namespace detmpi {
namespace {

// Signed sums wrap instead of being undefined.
template <class T>
struct Wrapping {
  using Type = T;
};
template <class T>
requires std::is_integral_v<T>
struct Wrapping<T> {
  using Type = std::make_unsigned_t<decltype(T{} + T{})>;
};
template <class T>
using Wide = typename Wrapping<T>::Type;

struct Max {
  template <class T>
  static T apply(T a, T b) {
    return b > a ? b : a;
  }
};
struct Min {
  template <class T>
  static T apply(T a, T b) {
    return b < a ? b : a;
  }
};
struct Sum {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(static_cast<Wide<T>>(a) + static_cast<Wide<T>>(b));
  }
  template <class T>
  static Complex<T> apply(Complex<T> a, Complex<T> b) {
    return {a.re + b.re, a.im + b.im};
  }
};
struct Prod {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(static_cast<Wide<T>>(a) * static_cast<Wide<T>>(b));
  }
  template <class T>
  static Complex<T> apply(Complex<T> a, Complex<T> b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  }
};
struct LogicalAnd {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>((a != 0) & (b != 0));
  }
};
struct LogicalOr {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>((a != 0) | (b != 0));
  }
};
struct LogicalXor {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>((a != 0) ^ (b != 0));
  }
};
struct BitAnd {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(a & b);
  }
};
struct BitOr {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(a | b);
  }
};
struct BitXor {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(a ^ b);
  }
};

template <class Op, class T, Side kSide>
void loop(void* acc, const void* other, size_t n) {
  T* __restrict left = static_cast<T*>(acc);
  const T* __restrict right = static_cast<const T*>(other);
  for (size_t i = 0; i < n; ++i) {
    left[i] = kSide == Side::kAccLeft ? Op::apply(left[i], right[i]) : Op::apply(right[i], left[i]);
  }
}

template <class Op, Side kSide>
Kernel integer(Element element) {
  switch (element) {
    case Element::kI8: return loop<Op, int8_t, kSide>;
    case Element::kI16: return loop<Op, int16_t, kSide>;
    case Element::kI32: return loop<Op, int32_t, kSide>;
    case Element::kI64: return loop<Op, int64_t, kSide>;
    case Element::kU8: return loop<Op, uint8_t, kSide>;
    case Element::kU16: return loop<Op, uint16_t, kSide>;
    case Element::kU32: return loop<Op, uint32_t, kSide>;
    case Element::kU64: return loop<Op, uint64_t, kSide>;
    default: return nullptr;
  }
}

template <class Op, Side kSide>
Kernel ordered(Element element) {
  switch (element) {
    case Element::kF32: return loop<Op, float, kSide>;
    case Element::kF64: return loop<Op, double, kSide>;
    case Element::kF80: return loop<Op, long double, kSide>;
    case Element::kF128: return loop<Op, Quad, kSide>;
    default: return integer<Op, kSide>(element);
  }
}

template <class Op, Side kSide>
Kernel arithmetic(Element element) {
  switch (element) {
    case Element::kC32: return loop<Op, Complex<float>, kSide>;
    case Element::kC64: return loop<Op, Complex<double>, kSide>;
    case Element::kC80: return loop<Op, Complex<long double>, kSide>;
    case Element::kC128: return loop<Op, Complex<Quad>, kSide>;
    default: return ordered<Op, kSide>(element);
  }
}

template <class Op, Side kSide>
Kernel logical(Element element) {
  switch (element) {
    case Element::kBool: return loop<Op, uint8_t, kSide>;
    case Element::kLogical32: return loop<Op, int32_t, kSide>;
    default: return ordered<Op, kSide>(element);
  }
}

template <Side kSide>
Kernel find(int op, Element element) {
  switch (op | (MPI_MAX & ~0xff)) {
    case MPI_MAX: return ordered<Max, kSide>(element);
    case MPI_MIN: return ordered<Min, kSide>(element);
    case MPI_SUM: return arithmetic<Sum, kSide>(element);
    case MPI_PROD: return arithmetic<Prod, kSide>(element);
    case MPI_LAND: return logical<LogicalAnd, kSide>(element);
    case MPI_LOR: return logical<LogicalOr, kSide>(element);
    case MPI_LXOR: return logical<LogicalXor, kSide>(element);
    case MPI_BAND: return integer<BitAnd, kSide>(element);
    case MPI_BOR: return integer<BitOr, kSide>(element);
    case MPI_BXOR: return integer<BitXor, kSide>(element);
    default: return find_pair_kernel(op, element, kSide);
  }
}

}  // namespace

Kernel find_kernel(int op, Element element, Side side) {
  return side == Side::kAccLeft ? find<Side::kAccLeft>(op, element) : find<Side::kAccRight>(op, element);
}

}  // namespace detmpi
