// What an element of a basic datatype is in memory, and which family of reductions is defined on it.
#pragma once

#include <cstdint>

namespace detmpi {

__extension__ using Quad = __float128;  // Fortran's REAL*16

template <class T>
struct Complex {
  T re, im;
};

// A value and an index for MPI_MINLOC and MPI_MAXLOC; the layout is that of the C structure.
template <class Value, class Index>
struct ValueIndex {
  Value value;
  Index index;
};

enum class Element : uint8_t {
  kNone,  // no reductions
  kI8,
  kI16,
  kI32,
  kI64,
  kU8,
  kU16,
  kU32,
  kU64,
  kF32,
  kF64,
  kF80,
  kF128,
  kC32,
  kC64,
  kC80,
  kC128,
  kBool,
  kLogical32,  // Fortran: any value but 0 is true
  kPairInt,
  kPairReal,
  kPairDoublePrecision,
  kPairFloatInt,
  kPairDoubleInt,
  kPairLongInt,
  kPairShortInt,
  kPairLongDoubleInt,
  kCount,
};

enum class Category : uint8_t {
  kNone,
  kCInteger,
  kFortranInteger,
  kFloating,
  kLogical,
  kComplex,
  kByte,
  kAddress,
  kPair,
};

}  // namespace detmpi
