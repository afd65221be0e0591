// Decoding of types, and the predefined types that are found by what they hold.
#include <mpi.h>

#include <catch2/catch.hpp>
#include <vector>

#include "object/errors.hpp"
#include "types/datatype.hpp"
#include "types_fixture.hpp"

using namespace detmpi;

namespace {

struct Contents {
  int combiner;
  std::vector<int> integers;
  std::vector<MPI_Aint> addresses;
  std::vector<MPI_Datatype> types;
  bool operator==(const Contents&) const = default;
};

int combiner_of(MPI_Datatype type) {
  int integers, addresses, types, combiner;
  REQUIRE(MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner) == MPI_SUCCESS);
  return combiner;
}

// The caller frees the types.
Contents contents(MPI_Datatype type) {
  int integers, addresses, types, combiner;
  REQUIRE(MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner) == MPI_SUCCESS);
  Contents c{combiner, std::vector<int>(static_cast<size_t>(integers)),
             std::vector<MPI_Aint>(static_cast<size_t>(addresses)),
             std::vector<MPI_Datatype>(static_cast<size_t>(types))};
  REQUIRE(MPI_Type_get_contents(type, integers, addresses, types, c.integers.data(), c.addresses.data(),
                                c.types.data()) == MPI_SUCCESS);
  return c;
}

}  // namespace

TEST_CASE_METHOD(Types, "Every constructor is decoded") {
  MPI_Datatype type;
  const int lengths[] = {1, 2}, places[] = {5, 0};
  const MPI_Aint bytes[] = {16, 0};
  MPI_Type_contiguous(3, MPI_INT, &type);
  CHECK(contents(keep(type)) == Contents{MPI_COMBINER_CONTIGUOUS, {3}, {}, {MPI_INT}});
  MPI_Type_vector(3, 2, -4, MPI_INT, &type);
  CHECK(contents(keep(type)) == Contents{MPI_COMBINER_VECTOR, {3, 2, -4}, {}, {MPI_INT}});
  MPI_Type_create_hvector(3, 2, 20, MPI_INT, &type);
  CHECK(contents(keep(type)) == Contents{MPI_COMBINER_HVECTOR, {3, 2}, {20}, {MPI_INT}});
  MPI_Type_indexed(2, lengths, places, MPI_INT, &type);
  CHECK(contents(keep(type)) == Contents{MPI_COMBINER_INDEXED, {2, 1, 2, 5, 0}, {}, {MPI_INT}});
  MPI_Type_create_hindexed(2, lengths, bytes, MPI_INT, &type);
  CHECK(contents(keep(type)) == Contents{MPI_COMBINER_HINDEXED, {2, 1, 2}, {16, 0}, {MPI_INT}});
  MPI_Type_create_indexed_block(2, 3, places, MPI_INT, &type);
  CHECK(contents(keep(type)) == Contents{MPI_COMBINER_INDEXED_BLOCK, {2, 3, 5, 0}, {}, {MPI_INT}});
  MPI_Type_create_hindexed_block(2, 1, bytes, MPI_INT, &type);
  CHECK(contents(keep(type)) == Contents{MPI_COMBINER_HINDEXED_BLOCK, {2, 1}, {16, 0}, {MPI_INT}});
  const MPI_Datatype types[] = {MPI_DOUBLE, MPI_UB};
  MPI_Type_create_struct(2, lengths, bytes, types, &type);
  CHECK(contents(keep(type)) == Contents{MPI_COMBINER_STRUCT, {2, 1, 2}, {16, 0}, {MPI_DOUBLE, MPI_UB}});
  MPI_Type_create_resized(MPI_INT, -4, 16, &type);
  CHECK(contents(keep(type)) == Contents{MPI_COMBINER_RESIZED, {}, {-4, 16}, {MPI_INT}});
  MPI_Type_dup(MPI_FLOAT_INT, &type);
  CHECK(contents(keep(type)) == Contents{MPI_COMBINER_DUP, {}, {}, {MPI_FLOAT_INT}});
}

TEST_CASE_METHOD(Types, "Types of arrays are decoded") {
  MPI_Datatype type;
  const int sizes[] = {3, 4}, parts[] = {1, 2}, starts[] = {2, 1};
  MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_FORTRAN, MPI_INT, &type);
  CHECK(contents(keep(type)) ==
        Contents{MPI_COMBINER_SUBARRAY, {2, 3, 4, 1, 2, 2, 1, MPI_ORDER_FORTRAN}, {}, {MPI_INT}});
  const int kinds[] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_NONE}, arguments[] = {2, MPI_DISTRIBUTE_DFLT_DARG};
  const int grid[] = {6, 1};
  MPI_Type_create_darray(6, 1, 2, sizes, kinds, arguments, grid, MPI_ORDER_C, MPI_INT, &type);
  const Contents c = contents(keep(type));
  CHECK(c.combiner == MPI_COMBINER_DARRAY);
  CHECK(c.integers == std::vector<int>{6, 1, 2, 3, 4, MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_NONE, 2,
                                       MPI_DISTRIBUTE_DFLT_DARG, 6, 1, MPI_ORDER_C});
}

TEST_CASE_METHOD(Types, "Predefined types are named and have no contents") {
  int numbers[3], combiner, i;
  MPI_Aint a;
  MPI_Datatype t;
  for (const MPI_Datatype type : {MPI_INT, MPI_LONG_DOUBLE_INT, MPI_UB}) {
    MPI_Type_get_envelope(type, &numbers[0], &numbers[1], &numbers[2], &combiner);
    REQUIRE(combiner == MPI_COMBINER_NAMED);
    REQUIRE(numbers[0] + numbers[1] + numbers[2] == 0);
    REQUIRE(error_class_of(MPI_Type_get_contents(type, 1, 1, 1, &i, &a, &t)) == MPI_ERR_TYPE);
  }
}

TEST_CASE_METHOD(Types, "Arrays that are too short for the contents are refused") {
  MPI_Datatype type, t = MPI_DATATYPE_NULL;
  int integers[2] = {-1, -1};
  MPI_Aint a = -1;
  MPI_Type_create_hvector(3, 2, 20, MPI_INT, &type);
  keep(type);
  REQUIRE(error_class_of(MPI_Type_get_contents(type, 1, 1, 1, integers, &a, &t)) == MPI_ERR_ARG);
  REQUIRE(error_class_of(MPI_Type_get_contents(type, 2, 0, 1, integers, &a, &t)) == MPI_ERR_ARG);
  REQUIRE(error_class_of(MPI_Type_get_contents(type, 2, 1, 0, integers, &a, &t)) == MPI_ERR_ARG);
  REQUIRE(error_class_of(MPI_Type_get_contents(type, 2, 1, 1, nullptr, &a, &t)) == MPI_ERR_ARG);
  REQUIRE(error_class_of(MPI_Type_get_contents(type, -1, 1, 1, integers, &a, &t)) == MPI_ERR_COUNT);
  REQUIRE(integers[0] == -1);
}

TEST_CASE_METHOD(Types, "A type from the contents is a new one, which is freed by itself") {
  MPI_Datatype inner, type;
  const size_t before = g_types.used();
  MPI_Type_vector(2, 1, 3, MPI_INT, &inner);
  MPI_Type_set_name(inner, "its own");
  MPI_Type_contiguous(2, inner, &type);
  Contents made_from = contents(type);
  REQUIRE(made_from.types[0] != inner);
  MPI_Type_set_name(made_from.types[0], "another");
  REQUIRE(datatype_from(inner)->name == "its own");
  MPI_Type_free(&inner);
  MPI_Type_free(&type);
  REQUIRE(shape(made_from.types[0]) == Shape{8, 0, 16, 0, 16});
  REQUIRE(contents(made_from.types[0]) == Contents{MPI_COMBINER_VECTOR, {2, 1, 3}, {}, {MPI_INT}});
  MPI_Type_free(&made_from.types[0]);
  REQUIRE(g_types.used() == before);
}

TEST_CASE_METHOD(Types, "Fortran's types by precision and range") {
  MPI_Datatype type, same, other;
  REQUIRE(MPI_Type_create_f90_real(15, 200, &type) == MPI_SUCCESS);
  REQUIRE(MPI_Type_create_f90_real(15, 200, &same) == MPI_SUCCESS);
  REQUIRE(MPI_Type_create_f90_real(15, MPI_UNDEFINED, &other) == MPI_SUCCESS);
  REQUIRE(type == same);
  REQUIRE(type != other);
  REQUIRE(shape(type) == Shape{8, 0, 8, 0, 8});
  REQUIRE(contents(type) == Contents{MPI_COMBINER_F90_REAL, {15, 200}, {}, {}});
  REQUIRE(datatype_from(type)->committed);
  char name[MPI_MAX_OBJECT_NAME];
  int length;
  MPI_Type_get_name(type, name, &length);
  REQUIRE(length == 0);
  const int refused = MPI_Type_free(&type);
  REQUIRE(error_class_of(refused) == MPI_ERR_TYPE);
  REQUIRE(error_text(refused) == "a type of MPI_Type_create_f90_real is predefined and cannot be freed");
  const auto bytes = [](MPI_Datatype t) { return shape(t).size; };
  MPI_Type_create_f90_real(MPI_UNDEFINED, 37, &type);
  REQUIRE(bytes(type) == 4);
  MPI_Type_create_f90_real(16, MPI_UNDEFINED, &type);
  REQUIRE(datatype_from(type)->element == Element::kF80);
  MPI_Type_create_f90_real(10, 4000, &type);
  REQUIRE(datatype_from(type)->element == Element::kF80);
  MPI_Type_create_f90_complex(19, 4000, &type);
  REQUIRE(bytes(type) == 32);
  REQUIRE(datatype_from(type)->element == Element::kC128);
  REQUIRE(combiner_of(type) == MPI_COMBINER_F90_COMPLEX);
  const int integers[][2] = {{0, 1}, {2, 1}, {3, 2}, {4, 2}, {5, 4}, {9, 4}, {10, 8}, {18, 8}};
  for (const auto& [range, size] : integers) {
    REQUIRE(MPI_Type_create_f90_integer(range, &type) == MPI_SUCCESS);
    REQUIRE(bytes(type) == size);
    REQUIRE(contents(type) == Contents{MPI_COMBINER_F90_INTEGER, {range}, {}, {}});
  }
}

TEST_CASE_METHOD(Types, "Precisions that no type has are refused") {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  REQUIRE(error_class_of(MPI_Type_create_f90_real(34, 10, &type)) == MPI_ERR_ARG);
  REQUIRE(error_class_of(MPI_Type_create_f90_real(3, 5000, &type)) == MPI_ERR_ARG);
  REQUIRE(error_class_of(MPI_Type_create_f90_real(MPI_UNDEFINED, MPI_UNDEFINED, &type)) == MPI_ERR_ARG);
  REQUIRE(error_class_of(MPI_Type_create_f90_complex(-1, 10, &type)) == MPI_ERR_ARG);
  REQUIRE(error_class_of(MPI_Type_create_f90_integer(19, &type)) == MPI_ERR_ARG);
  REQUIRE(error_class_of(MPI_Type_create_f90_integer(-2, &type)) == MPI_ERR_ARG);
  REQUIRE(type == MPI_DATATYPE_NULL);
}

TEST_CASE_METHOD(Types, "Types by class and size") {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  const auto match = [&](int typeclass, int size) {
    REQUIRE(MPI_Type_match_size(typeclass, size, &type) == MPI_SUCCESS);
    return type;
  };
  REQUIRE(match(MPI_TYPECLASS_REAL, 4) == MPI_REAL4);
  REQUIRE(match(MPI_TYPECLASS_REAL, 8) == MPI_REAL8);
  REQUIRE(match(MPI_TYPECLASS_REAL, 16) == MPI_REAL16);
  REQUIRE(match(MPI_TYPECLASS_COMPLEX, 8) == MPI_COMPLEX8);
  REQUIRE(match(MPI_TYPECLASS_COMPLEX, 32) == MPI_COMPLEX32);
  REQUIRE(match(MPI_TYPECLASS_INTEGER, 1) == MPI_INTEGER1);
  REQUIRE(match(MPI_TYPECLASS_INTEGER, 8) == MPI_INTEGER8);
  REQUIRE(error_class_of(MPI_Type_match_size(MPI_TYPECLASS_INTEGER, 3, &type)) == MPI_ERR_ARG);
  REQUIRE(error_class_of(MPI_Type_match_size(MPI_TYPECLASS_COMPLEX, 4, &type)) == MPI_ERR_ARG);
  REQUIRE(error_class_of(MPI_Type_match_size(7, 4, &type)) == MPI_ERR_ARG);
  REQUIRE(type == MPI_INTEGER8);
}

TEST_CASE_METHOD(Types, "Pairs by value and index") {
  MPI_Datatype pair;
  MPI_Type_get_value_index(MPI_DOUBLE, MPI_INT, &pair);
  REQUIRE(pair == MPI_DOUBLE_INT);
  MPI_Type_get_value_index(MPI_INT, MPI_INT, &pair);
  REQUIRE(pair == MPI_2INT);
  MPI_Type_get_value_index(MPI_DOUBLE_PRECISION, MPI_DOUBLE_PRECISION, &pair);
  REQUIRE(pair == MPI_2DOUBLE_PRECISION);
  MPI_Type_get_value_index(MPI_INT, MPI_DOUBLE, &pair);
  REQUIRE(pair == MPI_DATATYPE_NULL);
}
