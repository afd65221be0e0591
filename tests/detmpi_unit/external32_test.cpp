// The portable representation: bytes worked out by hand, and the way there and back.
#include <mpi.h>

#include <catch2/catch.hpp>
#include <climits>
#include <cstddef>
#include <cstring>
#include <numeric>
#include <vector>

#include "object/errors.hpp"
#include "types/datatype.hpp"
#include "types_fixture.hpp"

using namespace detmpi;

namespace {

using Bytes = std::vector<unsigned char>;

Bytes external(const void* data, int count, MPI_Datatype type) {
  MPI_Aint size = 0, position = 0;
  REQUIRE(MPI_Pack_external_size("external32", count, type, &size) == MPI_SUCCESS);
  Bytes packed(static_cast<size_t>(size));
  REQUIRE(MPI_Pack_external("external32", data, count, type, packed.data(), size, &position) == MPI_SUCCESS);
  REQUIRE(position == size);
  return packed;
}

template <class T>
Bytes external(const T& value, MPI_Datatype type) {
  return external(&value, 1, type);
}

// Packed and unpacked, the bytes of memory are the same.
template <class T>
void check_returns(const std::vector<T>& values, MPI_Datatype type) {
  const Bytes packed = external(values.data(), static_cast<int>(values.size()), type);
  std::vector<T> back(values.size());
  MPI_Aint position = 0;
  const auto size = static_cast<MPI_Aint>(packed.size());
  REQUIRE(MPI_Unpack_external("external32", packed.data(), size, &position, back.data(),
                              static_cast<int>(values.size()), type) == MPI_SUCCESS);
  REQUIRE(position == size);
  REQUIRE(back == values);
}

MPI_Aint size_of(MPI_Datatype type) {
  MPI_Aint size = -1;
  MPI_Pack_external_size("external32", 1, type, &size);
  return size;
}

}  // namespace

TEST_CASE_METHOD(Types, "Numbers are big-endian") {
  REQUIRE(external(0x01020304, MPI_INT) == Bytes{1, 2, 3, 4});
  REQUIRE(external(short{-2}, MPI_SHORT) == Bytes{0xff, 0xfe});
  REQUIRE(external('x', MPI_CHAR) == Bytes{'x'});
  REQUIRE(external(1.0, MPI_DOUBLE) == Bytes{0x3f, 0xf0, 0, 0, 0, 0, 0, 0});
  REQUIRE(external(-2.0F, MPI_FLOAT) == Bytes{0xc0, 0, 0, 0});
  REQUIRE(external(0x0102030405060708L, MPI_AINT) == Bytes{1, 2, 3, 4, 5, 6, 7, 8});
  const float complex[] = {1.0F, -2.0F};
  REQUIRE(external(complex, MPI_C_FLOAT_COMPLEX) == Bytes{0x3f, 0x80, 0, 0, 0xc0, 0, 0, 0});
  REQUIRE(external(1.5L, MPI_LONG_DOUBLE) == Bytes{0x3f, 0xff, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
}

TEST_CASE_METHOD(Types, "Some integers are shorter outside") {
  REQUIRE(external(-2L, MPI_LONG) == Bytes{0xff, 0xff, 0xff, 0xfe});
  REQUIRE(external(0xfffffffeUL, MPI_UNSIGNED_LONG) == Bytes{0xff, 0xff, 0xff, 0xfe});
  REQUIRE(external(L'\x20ac', MPI_WCHAR) == Bytes{0x20, 0xac});
  check_returns<long>({0, -1, INT_MIN, INT_MAX}, MPI_LONG);
  check_returns<unsigned long>({0, UINT_MAX}, MPI_UNSIGNED_LONG);
  check_returns<wchar_t>({L'a', L'\xffff'}, MPI_WCHAR);
  char packed[8];
  MPI_Aint position = 0;
  const long large = 1L + INT_MAX;
  REQUIRE(error_class_of(MPI_Pack_external("external32", &large, 1, MPI_LONG, packed, 8, &position)) ==
          MPI_ERR_CONVERSION);
  const unsigned long negative = static_cast<unsigned long>(-1L);
  REQUIRE(error_class_of(MPI_Pack_external("external32", &negative, 1, MPI_UNSIGNED_LONG, packed, 8, &position)) ==
          MPI_ERR_CONVERSION);
  REQUIRE(position == 0);
}

TEST_CASE_METHOD(Types, "Sizes outside") {
  REQUIRE(size_of(MPI_LONG) == 4);
  REQUIRE(size_of(MPI_LONG_LONG) == 8);
  REQUIRE(size_of(MPI_WCHAR) == 2);
  REQUIRE(size_of(MPI_LONG_DOUBLE) == 16);
  REQUIRE(size_of(MPI_C_LONG_DOUBLE_COMPLEX) == 32);
  REQUIRE(size_of(MPI_C_BOOL) == 1);
  REQUIRE(size_of(MPI_LONG_INT) == 8);
  REQUIRE(size_of(MPI_DOUBLE_INT) == 12);
  REQUIRE(size_of(MPI_UB) == 0);
}

TEST_CASE_METHOD(Types, "Every number comes back, also in long runs") {
  std::vector<double> doubles(3000);
  std::iota(doubles.begin(), doubles.end(), -0.5);
  check_returns(doubles, MPI_DOUBLE);
  std::vector<long double> wide(700);
  std::iota(wide.begin(), wide.end(), 1.0L / 3);
  check_returns(wide, MPI_LONG_DOUBLE);
  std::vector<short> shorts(5000);
  std::iota(shorts.begin(), shorts.end(), short{-2500});
  check_returns(shorts, MPI_SHORT);
}

TEST_CASE_METHOD(Types, "Structures of different numbers, with gaps") {
  struct Record {
    char letter;
    long number;
    double places[2];
  };
  const int lengths[] = {1, 1, 2};
  const MPI_Aint at[] = {offsetof(Record, letter), offsetof(Record, number), offsetof(Record, places)};
  const MPI_Datatype types[] = {MPI_CHAR, MPI_LONG, MPI_DOUBLE};
  MPI_Datatype type;
  MPI_Type_create_struct(3, lengths, at, types, &type);
  keep(type);
  MPI_Type_commit(&type);
  REQUIRE(size_of(type) == 1 + 4 + 16);
  std::vector<Record> records(300), back(300);
  for (int i = 0; i < 300; ++i) records[static_cast<size_t>(i)] = {'a', i - 100, {i * 0.25, 1.0 / (i + 1)}};
  const Bytes packed = external(records.data(), 300, type);
  REQUIRE(packed[21] == 'a');
  REQUIRE(packed[25] == static_cast<unsigned char>(-99));
  MPI_Aint position = 0;
  MPI_Unpack_external("external32", packed.data(), static_cast<MPI_Aint>(packed.size()), &position, back.data(), 300,
                      type);
  for (size_t i = 0; i < 300; ++i) {
    REQUIRE(back[i].letter == 'a');
    REQUIRE(back[i].number == records[i].number);
    REQUIRE(back[i].places[0] == records[i].places[0]);
    REQUIRE(back[i].places[1] == records[i].places[1]);
  }
}

TEST_CASE_METHOD(Types, "Packing stays within the buffer and moves the position") {
  char packed[10];
  const int numbers[] = {7, 8, 9};
  int back[3] = {};
  MPI_Aint position = 2, size;
  REQUIRE(MPI_Pack_external("external32", numbers, 1, MPI_INT, packed, 10, &position) == MPI_SUCCESS);
  REQUIRE(MPI_Pack_external("external32", numbers + 1, 1, MPI_INT, packed, 10, &position) == MPI_SUCCESS);
  REQUIRE(position == 10);
  REQUIRE(error_class_of(MPI_Pack_external("external32", numbers, 1, MPI_CHAR, packed, 10, &position)) ==
          MPI_ERR_TRUNCATE);
  position = 2;
  MPI_Unpack_external("external32", packed, 10, &position, back, 2, MPI_INT);
  REQUIRE(std::vector<int>(back, back + 3) == std::vector<int>{7, 8, 0});
  REQUIRE(error_class_of(MPI_Unpack_external("external32", packed, 10, &position, back, 1, MPI_INT)) ==
          MPI_ERR_TRUNCATE);
  position = -1;
  REQUIRE(error_class_of(MPI_Pack_external("external32", numbers, 1, MPI_INT, packed, 10, &position)) ==
          MPI_ERR_TRUNCATE);
  position = 0;
  REQUIRE(error_class_of(MPI_Pack_external("external32", numbers, 1, MPI_INT, nullptr, 10, &position)) ==
          MPI_ERR_BUFFER);
  REQUIRE(error_class_of(MPI_Pack_external("native", numbers, 1, MPI_INT, packed, 10, &position)) == MPI_ERR_ARG);
  REQUIRE(error_class_of(MPI_Pack_external_size("native", 1, MPI_INT, &size)) == MPI_ERR_ARG);
}
