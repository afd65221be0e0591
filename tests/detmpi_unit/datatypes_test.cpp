// Sizes, bounds and decoding of datatypes, against values worked out by hand.
#include "types/datatype.hpp"

#include <mpi.h>

#include <catch2/catch.hpp>
#include <climits>
#include <cstddef>
#include <vector>

#include "object/errors.hpp"
#include "types/layout.hpp"
#include "types_fixture.hpp"

using namespace detmpi;

TEST_CASE("Basic types have the size in their handle") {
  World world;
  for (int low = 0; low < 256; ++low) {
    const Datatype* type = g_basic_types[low];
    if (type == nullptr) continue;
    CAPTURE(type->name);
    REQUIRE(type->size == (static_cast<uint32_t>(type->handle) >> 8 & 0xff));
    REQUIRE((type->handle & 0xff) == low);
    REQUIRE(type->committed);
  }
}

TEST_CASE("Pair types have the layout of the C structure") {
  World world;
  struct DoubleInt {
    double v;
    int i;
  };
  struct ShortInt {
    short v;
    int i;
  };
  struct LongDoubleInt {
    long double v;
    int i;
  };
  REQUIRE(shape(MPI_DOUBLE_INT) == Shape{12, 0, sizeof(DoubleInt), 0, 12});
  REQUIRE(shape(MPI_SHORT_INT) == Shape{6, 0, sizeof(ShortInt), 0, 8});
  REQUIRE(shape(MPI_LONG_DOUBLE_INT) == Shape{20, 0, sizeof(LongDoubleInt), 0, 20});
  REQUIRE(shape(MPI_2INT) == Shape{8, 0, 8, 0, 8});
  REQUIRE(shape(MPI_FLOAT_INT) == Shape{8, 0, 8, 0, 8});
}

TEST_CASE_METHOD(Types, "Handles of types that the program makes come after the pair types") {
  MPI_Datatype type;
  MPI_Type_contiguous(2, MPI_INT, &type);
  REQUIRE(static_cast<uint32_t>(keep(type)) == 0x8c000005U);
}

TEST_CASE_METHOD(Types, "Contiguous and vector") {
  MPI_Datatype type, nested;
  MPI_Type_contiguous(3, MPI_DOUBLE, &type);
  keep(type);
  REQUIRE(shape(type) == Shape{24, 0, 24, 0, 24});
  REQUIRE(datatype_from(type)->dense);
  MPI_Type_vector(3, 2, 4, MPI_INT, &type);
  keep(type);
  REQUIRE(shape(type) == Shape{24, 0, 40, 0, 40});
  REQUIRE_FALSE(datatype_from(type)->dense);
  MPI_Type_vector(3, 1, -2, MPI_INT, &type);
  keep(type);
  REQUIRE(shape(type) == Shape{12, -16, 20, -16, 20});
  MPI_Type_create_hvector(2, 2, 9, MPI_INT, &type);
  keep(type);
  REQUIRE(shape(type) == Shape{16, 0, 17, 0, 17});
  MPI_Type_contiguous(2, type, &nested);
  keep(nested);
  REQUIRE(shape(nested) == Shape{32, 0, 34, 0, 34});
  MPI_Type_vector(4, 3, 3, MPI_INT, &type);  // no gaps
  keep(type);
  REQUIRE(datatype_from(type)->dense);
}

TEST_CASE_METHOD(Types, "Indexed types") {
  MPI_Datatype type;
  const int lengths[] = {2, 0, 1}, displacements[] = {3, 100, 0};
  MPI_Type_indexed(3, lengths, displacements, MPI_INT, &type);
  keep(type);
  REQUIRE(shape(type) == Shape{12, 0, 20, 0, 20});
  const MPI_Aint bytes[] = {-8, 16};
  MPI_Type_create_hindexed_block(2, 1, bytes, MPI_DOUBLE, &type);
  keep(type);
  REQUIRE(shape(type) == Shape{16, -8, 32, -8, 32});
  MPI_Type_create_indexed_block(0, 5, displacements, MPI_INT, &type);
  keep(type);
  REQUIRE(shape(type) == Shape{0, 0, 0, 0, 0});
}

TEST_CASE_METHOD(Types, "A structure is padded to its alignment") {
  struct S {
    char c;
    double d;
    char e;
  };
  const int lengths[] = {1, 1, 1};
  const MPI_Aint at[] = {offsetof(S, c), offsetof(S, d), offsetof(S, e)};
  const MPI_Datatype types[] = {MPI_CHAR, MPI_DOUBLE, MPI_CHAR};
  MPI_Datatype type;
  MPI_Type_create_struct(3, lengths, at, types, &type);
  keep(type);
  REQUIRE(shape(type) == Shape{10, 0, sizeof(S), 0, 17});

  struct WithPair {
    struct {
      short value;
      int index;
    } pair;
    char c;
  };
  const MPI_Aint behind[] = {offsetof(WithPair, pair), offsetof(WithPair, c)};
  const MPI_Datatype pair_and_char[] = {MPI_SHORT_INT, MPI_CHAR};
  MPI_Type_create_struct(2, lengths, behind, pair_and_char, &type);
  keep(type);
  REQUIRE(shape(type) == Shape{7, 0, sizeof(WithPair), 0, 9});
}

TEST_CASE_METHOD(Types, "Bounds that were set stay set in types made from the type") {
  MPI_Datatype wide, type;
  MPI_Type_create_resized(MPI_INT, -4, 16, &wide);
  keep(wide);
  REQUIRE(shape(wide) == Shape{4, -4, 16, 0, 4});
  MPI_Type_contiguous(2, wide, &type);
  keep(type);
  REQUIRE(shape(type) == Shape{8, -4, 32, 0, 20});
  // The bounds that were set win over a member that reaches further.
  const int lengths[] = {1, 1};
  const MPI_Aint at[] = {0, 100};
  const MPI_Datatype types[] = {wide, MPI_INT};
  MPI_Type_create_struct(2, lengths, at, types, &type);
  keep(type);
  REQUIRE(shape(type) == Shape{8, -4, 16, 0, 104});
  MPI_Type_create_resized(type, 0, 8, &type);  // and can be set again
  keep(type);
  REQUIRE(shape(type) == Shape{8, 0, 8, 0, 104});
}

TEST_CASE_METHOD(Types, "The old markers set bounds") {
  const int lengths[] = {1, 1, 1};
  const MPI_Aint at[] = {-3, 0, 11};
  const MPI_Datatype types[] = {MPI_LB, MPI_INT, MPI_UB};
  MPI_Datatype type;
  MPI_Type_create_struct(3, lengths, at, types, &type);
  keep(type);
  REQUIRE(shape(type) == Shape{4, -3, 14, 0, 4});
  // Where the lower bound is the higher one, the extent is rounded up as well.
  const MPI_Aint behind[] = {93, 0};
  MPI_Type_create_struct(2, lengths, behind, types, &type);
  keep(type);
  REQUIRE(shape(type) == Shape{4, 93, -88, 0, 4});
}

TEST_CASE_METHOD(Types, "Adjacent blocks become one") {
  const int lengths[] = {1, 1, 2};
  const MPI_Aint at[] = {0, 4, 8};
  const MPI_Datatype types[] = {MPI_INT, MPI_FLOAT, MPI_INT};
  MPI_Datatype type;
  MPI_Type_create_struct(3, lengths, at, types, &type);
  keep(type);
  REQUIRE(datatype_from(type)->dense);
  REQUIRE(datatype_from(type)->layout->one_block());
}

TEST_CASE_METHOD(Types, "A type lives while something holds it") {
  MPI_Datatype type;
  MPI_Type_contiguous(2, MPI_INT, &type);
  const TypeRef held(*datatype_from(type));
  MPI_Type_free(&type);
  REQUIRE(type == MPI_DATATYPE_NULL);
  REQUIRE(held->size == 8);
  REQUIRE(datatype_from(held->handle) == nullptr);
}

TEST_CASE_METHOD(Types, "A chain of types, each made from the one before, is freed at once, however long it is") {
  const size_t before = g_types.used();
  MPI_Datatype last = MPI_INT;
  for (int i = 0; i < 400000; ++i) {
    MPI_Datatype next;
    MPI_Type_dup(last, &next);
    if (i > 0) MPI_Type_free(&last);
    last = next;
  }
  MPI_Type_free(&last);
  REQUIRE(g_types.used() == before);
  REQUIRE(datatype_from(MPI_INT)->refs > 0);
}

TEST_CASE_METHOD(Types, "Duplicates and names") {
  MPI_Datatype type, copy;
  char name[MPI_MAX_OBJECT_NAME];
  int length;
  MPI_Type_vector(2, 1, 3, MPI_INT, &type);
  keep(type);
  MPI_Type_commit(&type);
  MPI_Type_set_name(type, "column");
  MPI_Type_dup(type, &copy);
  keep(copy);
  REQUIRE(shape(copy) == shape(type));
  REQUIRE(datatype_from(copy)->committed);
  MPI_Type_get_name(copy, name, &length);
  REQUIRE(length == 0);
  MPI_Type_get_name(type, name, &length);
  REQUIRE(std::string(name) == "column");
  MPI_Type_get_name(MPI_LONG_LONG, name, &length);
  REQUIRE(std::string(name) == "MPI_LONG_LONG_INT");
  MPI_Type_get_name(MPI_C_FLOAT_COMPLEX, name, &length);
  REQUIRE(std::string(name) == "MPI_C_COMPLEX");
}

TEST_CASE_METHOD(Types, "Misuse of datatypes") {
  MPI_Datatype type = MPI_INT;
  REQUIRE(error_class_of(MPI_Type_free(&type)) == MPI_ERR_TYPE);
  REQUIRE(type == MPI_INT);
  REQUIRE(error_class_of(MPI_Type_contiguous(-1, MPI_INT, &type)) == MPI_ERR_COUNT);
  const int negative[] = {-1}, zero[] = {0};
  REQUIRE(error_class_of(MPI_Type_indexed(1, negative, zero, MPI_INT, &type)) == MPI_ERR_ARG);
  MPI_Type_contiguous(1 << 30, MPI_DOUBLE, &type);
  keep(type);
  int size;
  MPI_Type_size(type, &size);
  REQUIRE(size == MPI_UNDEFINED);
  MPI_Count big;
  MPI_Type_size_x(type, &big);
  REQUIRE(big == 8L << 30);
  MPI_Datatype huge = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(1 << 20, type, &type);
  keep(type);
  REQUIRE(error_class_of(MPI_Type_contiguous(1 << 30, type, &huge)) == MPI_ERR_TYPE);
  REQUIRE(huge == MPI_DATATYPE_NULL);
}

TEST_CASE_METHOD(Types, "Displacements and bounds beyond all memory") {
  MPI_Datatype type;
  const int lengths[] = {2, 2};
  for (const MPI_Aint at : {LONG_MIN, LONG_MIN + 1, LONG_MAX - 1, LONG_MAX}) {
    const MPI_Aint displacements[] = {0, at};
    const MPI_Datatype types[] = {MPI_INT, MPI_INT};
    CAPTURE(at);
    CHECK(error_class_of(MPI_Type_create_hindexed(2, lengths, displacements, MPI_INT, &type)) == MPI_ERR_TYPE);
    CHECK(error_class_of(MPI_Type_create_hindexed_block(1, 1, &at, MPI_INT, &type)) == MPI_ERR_TYPE);
    CHECK(error_class_of(MPI_Type_create_struct(2, lengths, displacements, types, &type)) == MPI_ERR_TYPE);
    CHECK(error_class_of(MPI_Type_create_hvector(3, 1, at, MPI_INT, &type)) == MPI_ERR_TYPE);
    CHECK(error_class_of(MPI_Type_create_resized(MPI_INT, at, 4, &type)) == MPI_ERR_TYPE);
    CHECK(error_class_of(MPI_Type_create_resized(MPI_INT, 0, at, &type)) == MPI_ERR_TYPE);
  }
}

TEST_CASE_METHOD(Types, "Displacements that add up from type to type") {
  const MPI_Aint at = 1L << 60;
  MPI_Datatype type = MPI_INT;
  int code = MPI_SUCCESS;
  for (int depth = 0; depth < 20 && code == MPI_SUCCESS; ++depth) {
    code = MPI_Type_create_hindexed_block(1, 1, &at, type, &type);
    if (code == MPI_SUCCESS) CHECK(shape(keep(type)).true_lb > 0);
  }
  CHECK(error_class_of(code) == MPI_ERR_TYPE);
}

TEST_CASE_METHOD(Types, "Counts and elements of a status") {
  const int lengths[] = {2, 3};
  const MPI_Aint at[] = {0, 8};
  const MPI_Datatype types[] = {MPI_INT, MPI_DOUBLE};
  MPI_Datatype type;
  MPI_Type_create_struct(2, lengths, at, types, &type);  // 32 bytes, 5 elements
  keep(type);
  MPI_Status status{};
  const auto set = [&](uint64_t bytes) { status_set_bytes(status, bytes); };
  const auto counts = [&] {
    int count, elements;
    MPI_Get_count(&status, type, &count);
    MPI_Get_elements(&status, type, &elements);
    return std::pair(count, elements);
  };
  set(64);
  REQUIRE(counts() == std::pair(2, 10));
  set(32 + 8 + 8);
  REQUIRE(counts() == std::pair(MPI_UNDEFINED, 8));
  set(4);
  REQUIRE(counts() == std::pair(MPI_UNDEFINED, 1));
  set(9);
  REQUIRE(counts() == std::pair(MPI_UNDEFINED, MPI_UNDEFINED));
  for (int n = 0; n <= 11; ++n) {
    MPI_Status_set_elements(&status, type, n);
    REQUIRE(counts().second == n);
  }
  set(uint64_t{5} << 32);
  REQUIRE(status_bytes(status) == uint64_t{5} << 32);
  MPI_Status_set_cancelled(&status, 1);
  int flag;
  MPI_Test_cancelled(&status, &flag);
  REQUIRE(flag == 1);
  REQUIRE(status_bytes(status) == uint64_t{5} << 32);
}
