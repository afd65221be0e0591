// Reductions: values, sides, which types are allowed, operations of the program.
#include "ops/op.hpp"

#include <mpi.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <vector>

#include "object/errors.hpp"
#include "stubs.hpp"

using namespace detmpi;

namespace {

const Op& op(MPI_Op handle) { return *op_from(handle); }
const Datatype& type(MPI_Datatype handle) { return *datatype_from(handle); }

template <class T>
T folded(MPI_Op handle, MPI_Datatype datatype, T left, T right) {
  T acc = left;
  fold(op(handle), &acc, &right, 1, type(datatype));
  T other = right;
  fold_left(op(handle), &left, &other, 1, type(datatype));
  REQUIRE(acc == other);
  return acc;
}

template <class T>
void check_integer(MPI_Datatype datatype) {
  CAPTURE(type(datatype).name);
  REQUIRE(sizeof(T) == type(datatype).size);
  const T a = 12, b = 10;
  REQUIRE(folded<T>(MPI_MAX, datatype, a, b) == 12);
  REQUIRE(folded<T>(MPI_MIN, datatype, a, b) == 10);
  REQUIRE(folded<T>(MPI_SUM, datatype, a, b) == 22);
  REQUIRE(folded<T>(MPI_PROD, datatype, a, b) == 120);
  REQUIRE(folded<T>(MPI_BAND, datatype, a, b) == 8);
  REQUIRE(folded<T>(MPI_BOR, datatype, a, b) == 14);
  REQUIRE(folded<T>(MPI_BXOR, datatype, a, b) == 6);
  REQUIRE(folded<T>(MPI_LAND, datatype, a, 0) == 0);
  REQUIRE(folded<T>(MPI_LOR, datatype, 0, b) == 1);
  REQUIRE(folded<T>(MPI_LXOR, datatype, a, b) == 0);
  const T low = std::numeric_limits<T>::min(), high = std::numeric_limits<T>::max();
  REQUIRE(folded<T>(MPI_SUM, datatype, high, 1) == low);
  REQUIRE(folded<T>(MPI_MAX, datatype, low, high) == high);
}

template <class T>
void check_floating(MPI_Datatype datatype) {
  CAPTURE(type(datatype).name);
  REQUIRE(sizeof(T) == type(datatype).size);
  REQUIRE(folded<T>(MPI_MAX, datatype, T(1.5), T(-2)) == T(1.5));
  REQUIRE(folded<T>(MPI_MIN, datatype, T(1.5), T(-2)) == T(-2));
  REQUIRE(folded<T>(MPI_SUM, datatype, T(1.5), T(-2)) == T(-0.5));
  REQUIRE(folded<T>(MPI_PROD, datatype, T(1.5), T(-2)) == T(-3));
  REQUIRE(folded<T>(MPI_LAND, datatype, T(1.5), T(-2)) == T(1));
  REQUIRE_FALSE(op_allows(op(MPI_BAND), type(datatype)));
}

template <class T>
void check_complex(MPI_Datatype datatype) {
  using C = std::complex<T>;
  CAPTURE(type(datatype).name);
  REQUIRE(sizeof(C) == type(datatype).size);
  REQUIRE(folded<C>(MPI_SUM, datatype, C(1, 2), C(3, 5)) == C(4, 7));
  REQUIRE(folded<C>(MPI_PROD, datatype, C(1, 2), C(3, 5)) == C(-7, 11));
  REQUIRE_FALSE(op_allows(op(MPI_MAX), type(datatype)));
}

template <class Pair>
void check_pair(MPI_Datatype datatype) {
  CAPTURE(type(datatype).name);
  const auto both = [&](MPI_Op handle, Pair left, Pair right) {
    Pair acc = left, other = right;
    fold(op(handle), &acc, &right, 1, type(datatype));
    fold_left(op(handle), &left, &other, 1, type(datatype));
    REQUIRE(acc.value == other.value);
    REQUIRE(acc.index == other.index);
    return std::pair(static_cast<int>(acc.value), static_cast<int>(acc.index));
  };
  REQUIRE(both(MPI_MAXLOC, {3, 1}, {5, 2}) == std::pair(5, 2));
  REQUIRE(both(MPI_MINLOC, {3, 1}, {5, 2}) == std::pair(3, 1));
  REQUIRE(both(MPI_MAXLOC, {3, 9}, {3, 2}) == std::pair(3, 2));
  REQUIRE(both(MPI_MINLOC, {3, 2}, {3, 9}) == std::pair(3, 2));
  REQUIRE_FALSE(op_allows(op(MPI_SUM), type(datatype)));
}

// Not commutative: f(a, b) = 2a + b on pairs of ints with a gap in between.
void twice_plus(void* in, void* inout, int* count, MPI_Datatype* datatype) {
  const ptrdiff_t step = datatype_from(*datatype)->extent;
  for (int i = 0; i < *count; ++i) {
    const int* a = reinterpret_cast<int*>(static_cast<char*>(in) + i * step);
    int* b = reinterpret_cast<int*>(static_cast<char*>(inout) + i * step);
    b[0] = 2 * a[0] + b[0];
    b[2] = 2 * a[2] + b[2];
  }
}

}  // namespace

TEST_CASE("Integers of all kinds") {
  check_integer<signed char>(MPI_CHAR);
  check_integer<signed char>(MPI_SIGNED_CHAR);
  check_integer<unsigned char>(MPI_UNSIGNED_CHAR);
  check_integer<short>(MPI_SHORT);
  check_integer<unsigned short>(MPI_UNSIGNED_SHORT);
  check_integer<int>(MPI_INT);
  check_integer<unsigned>(MPI_UNSIGNED);
  check_integer<long>(MPI_LONG);
  check_integer<unsigned long>(MPI_UNSIGNED_LONG);
  check_integer<long long>(MPI_LONG_LONG);
  check_integer<unsigned long long>(MPI_UNSIGNED_LONG_LONG);
  check_integer<int8_t>(MPI_INT8_T);
  check_integer<uint64_t>(MPI_UINT64_T);
  check_integer<int>(MPI_INTEGER);
  check_integer<int16_t>(MPI_INTEGER2);
}

TEST_CASE("Floating-point and complex numbers") {
  check_floating<float>(MPI_FLOAT);
  check_floating<double>(MPI_DOUBLE);
  check_floating<long double>(MPI_LONG_DOUBLE);
  check_floating<float>(MPI_REAL);
  check_floating<double>(MPI_DOUBLE_PRECISION);
  check_floating<Quad>(MPI_REAL16);
  check_complex<float>(MPI_C_FLOAT_COMPLEX);
  check_complex<double>(MPI_CXX_DOUBLE_COMPLEX);
  check_complex<long double>(MPI_C_LONG_DOUBLE_COMPLEX);
  check_complex<double>(MPI_DOUBLE_COMPLEX);
}

TEST_CASE("Logical, byte and address types") {
  REQUIRE(folded<bool>(MPI_LXOR, MPI_C_BOOL, true, true) == false);
  REQUIRE(folded<bool>(MPI_LOR, MPI_CXX_BOOL, true, false) == true);
  REQUIRE(folded<int>(MPI_LAND, MPI_LOGICAL, -1, 1) == 1);
  REQUIRE_FALSE(op_allows(op(MPI_SUM), type(MPI_C_BOOL)));
  REQUIRE(folded<unsigned char>(MPI_BXOR, MPI_BYTE, 0xf0, 0xff) == 0x0f);
  REQUIRE_FALSE(op_allows(op(MPI_SUM), type(MPI_BYTE)));
  REQUIRE(folded<MPI_Aint>(MPI_SUM, MPI_AINT, 1L << 40, 1) == (1L << 40) + 1);
  REQUIRE_FALSE(op_allows(op(MPI_SUM), type(MPI_PACKED)));
  REQUIRE_FALSE(op_allows(op(MPI_REPLACE), type(MPI_INT)));
}

TEST_CASE("Pairs") {
  check_pair<ValueIndex<int, int>>(MPI_2INT);
  check_pair<ValueIndex<float, int>>(MPI_FLOAT_INT);
  check_pair<ValueIndex<double, int>>(MPI_DOUBLE_INT);
  check_pair<ValueIndex<long, int>>(MPI_LONG_INT);
  check_pair<ValueIndex<short, int>>(MPI_SHORT_INT);
  check_pair<ValueIndex<long double, int>>(MPI_LONG_DOUBLE_INT);
  check_pair<ValueIndex<float, float>>(MPI_2REAL);
  check_pair<ValueIndex<double, double>>(MPI_2DOUBLE_PRECISION);
}

TEST_CASE("Where operands cannot be told apart the left one stays, from either side") {
  double zero = 0.0, minus = -0.0, nan = std::nan("");
  for (MPI_Op handle : {MPI_MAX, MPI_MIN}) {
    double acc = zero;
    fold(op(handle), &acc, &minus, 1, type(MPI_DOUBLE));
    REQUIRE_FALSE(std::signbit(acc));
    acc = minus;
    fold_left(op(handle), &zero, &acc, 1, type(MPI_DOUBLE));
    REQUIRE_FALSE(std::signbit(acc));
    acc = 1.0;
    fold(op(handle), &acc, &nan, 1, type(MPI_DOUBLE));
    REQUIRE(acc == 1.0);
    acc = nan;
    fold_left(op(handle), &zero, &acc, 1, type(MPI_DOUBLE));
    REQUIRE(acc == 0.0);
  }
}

TEST_CASE("Long vectors are folded element by element") {
  constexpr size_t kN = 1003;
  std::vector<double> acc(kN), right(kN), expected(kN);
  for (size_t i = 0; i < kN; ++i) {
    acc[i] = 1.0 / static_cast<double>(i + 1);
    right[i] = std::sqrt(static_cast<double>(i));
    expected[i] = acc[i] + right[i];
  }
  fold(op(MPI_SUM), acc.data(), right.data(), kN, type(MPI_DOUBLE));
  REQUIRE(acc == expected);
}

TEST_CASE("Sums and products of integers wrap") {
  int8_t small = 127, one = 1;
  fold(op(MPI_SUM), &small, &one, 1, type(MPI_INT8_T));
  REQUIRE(small == -128);
  uint16_t wide = 65535, same = 65535;
  fold(op(MPI_PROD), &wide, &same, 1, type(MPI_UINT16_T));
  REQUIRE(wide == 1);
}

TEST_CASE("An operation of the program is called with the left operand first, also on types with gaps") {
  World world;
  MPI_Op mine;
  MPI_Op_create(twice_plus, 0, &mine);
  REQUIRE(static_cast<uint32_t>(mine) == 0x98000000U);
  int commute;
  MPI_Op_commutative(mine, &commute);
  REQUIRE(commute == 0);
  MPI_Datatype vector, gap;
  MPI_Type_vector(2, 1, 2, MPI_INT, &vector);
  MPI_Type_create_resized(vector, 0, 16, &gap);
  MPI_Type_commit(&gap);
  MPI_Type_free(&vector);
  constexpr int kN = 20000;  // several pieces
  std::vector<int> left(4 * kN), right(4 * kN);
  for (int i = 0; i < 4 * kN; ++i) {
    left[static_cast<size_t>(i)] = i;
    right[static_cast<size_t>(i)] = 1000 - 3 * i;
  }
  std::vector<int> acc = left, other = right;
  fold(op(mine), acc.data(), right.data(), kN, type(gap));
  REQUIRE(MPI_Reduce_local(left.data(), other.data(), kN, gap, mine) == MPI_SUCCESS);
  for (int i = 0; i < 4 * kN; ++i) {
    const auto at = static_cast<size_t>(i);
    const bool data = i % 2 == 0;
    REQUIRE(acc[at] == (data ? 1000 - i : left[at]));
    REQUIRE(other[at] == (data ? 1000 - i : right[at]));
  }
  MPI_Type_free(&gap);
  MPI_Op_free(&mine);
  REQUIRE(mine == MPI_OP_NULL);
}

TEST_CASE("A predefined operation on a derived type is refused, whether the type has a name or not") {
  World world;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Datatype pair;
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  int in[2] = {1, 2}, out[2] = {3, 4};
  const auto refused = [&] { return error_text(MPI_Reduce_local(in, out, 1, pair, MPI_SUM)); };
  REQUIRE(refused() == "MPI_SUM is not defined on a derived datatype");
  MPI_Type_set_name(pair, "pair of ints");
  REQUIRE(refused() == "MPI_SUM is not defined on pair of ints");
  MPI_Type_free(&pair);
}

TEST_CASE("An operation of the program is told a type with a handle when the program has freed that meanwhile") {
  World world;
  MPI_Op told;
  static int size;
  MPI_Op_create([](void*, void*, int*, MPI_Datatype* datatype) { MPI_Type_size(*datatype, &size); }, 1, &told);
  MPI_Datatype pair, other;
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  const TypeRef pending(type(pair));
  const MPI_Datatype handle = pair;
  MPI_Type_free(&pair);
  std::vector<int> left(2), right(2);
  size = -1;
  fold(op(told), left.data(), right.data(), 1, *pending);
  REQUIRE(size == 8);
  size = -1;
  fold_left(op(told), left.data(), right.data(), 1, *pending);
  REQUIRE(size == 8);
  // It had the handle for that time alone.
  REQUIRE(pending->handle == MPI_DATATYPE_NULL);
  MPI_Type_contiguous(3, MPI_INT, &other);
  REQUIRE(other == handle);
  MPI_Type_free(&other);
  MPI_Op_free(&told);
}
