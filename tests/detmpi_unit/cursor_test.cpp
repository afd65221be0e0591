// Packing and unpacking of random datatypes, in random pieces, against a model: the list of the offsets of
// all bytes.
#include <mpi.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <numeric>
#include <random>
#include <vector>

#include "object/errors.hpp"
#include "types_fixture.hpp"

using namespace detmpi;

namespace {

// Offsets of the data bytes of one element, in the order of the type map.
using Map = std::vector<ptrdiff_t>;

struct Modelled {
  MPI_Datatype type;
  Map map;
};

using Random = std::mt19937;

int pick(Random& random, int low, int high) { return std::uniform_int_distribution(low, high)(random); }

MPI_Aint extent_of(MPI_Datatype type) {
  MPI_Aint lb, extent;
  MPI_Type_get_extent(type, &lb, &extent);
  return extent;
}

void append(Map& map, const Modelled& part, ptrdiff_t displacement, int n) {
  const MPI_Aint extent = extent_of(part.type);
  for (int i = 0; i < n; ++i) {
    for (ptrdiff_t offset : part.map) map.push_back(displacement + i * extent + offset);
  }
}

Modelled basic(Random& random) {
  static const MPI_Datatype types[] = {MPI_CHAR, MPI_SHORT, MPI_INT, MPI_DOUBLE, MPI_LONG_DOUBLE};
  const MPI_Datatype type = types[pick(random, 0, 4)];
  Map map(datatype_from(type)->size);
  std::iota(map.begin(), map.end(), 0);
  return {type, map};
}

Modelled derive(Random& random, int depth, std::vector<MPI_Datatype>& made);

Modelled make_vector(Random& random, const Modelled& old) {
  const int count = pick(random, 0, 4), length = pick(random, 0, 3), stride = pick(random, -5, 5);
  Modelled result{MPI_DATATYPE_NULL, {}};
  MPI_Type_vector(count, length, stride, old.type, &result.type);
  for (int i = 0; i < count; ++i) append(result.map, old, i * stride * extent_of(old.type), length);
  return result;
}

Modelled make_hindexed(Random& random, const Modelled& old) {
  const int count = pick(random, 0, 5);
  std::vector<int> lengths;
  std::vector<MPI_Aint> at;
  Modelled result{MPI_DATATYPE_NULL, {}};
  for (int i = 0; i < count; ++i) {
    lengths.push_back(pick(random, 0, 3));
    at.push_back(pick(random, -64, 64));
    append(result.map, old, at.back(), lengths.back());
  }
  MPI_Type_create_hindexed(count, lengths.data(), at.data(), old.type, &result.type);
  return result;
}

Modelled make_struct(Random& random, int depth, std::vector<MPI_Datatype>& made) {
  const int count = pick(random, 0, 4);
  std::vector<int> lengths;
  std::vector<MPI_Aint> at;
  std::vector<MPI_Datatype> types;
  Modelled result{MPI_DATATYPE_NULL, {}};
  for (int i = 0; i < count; ++i) {
    const Modelled old = derive(random, depth - 1, made);
    lengths.push_back(pick(random, 0, 2));
    at.push_back(pick(random, -128, 128));
    types.push_back(old.type);
    append(result.map, old, at.back(), lengths.back());
  }
  MPI_Type_create_struct(count, lengths.data(), at.data(), types.data(), &result.type);
  return result;
}

Modelled derive(Random& random, int depth, std::vector<MPI_Datatype>& made) {
  if (depth == 0) return basic(random);
  Modelled result{MPI_DATATYPE_NULL, {}};
  const int kind = pick(random, 0, 4);
  if (kind == 0) {
    result = make_struct(random, depth, made);
  } else {
    const Modelled old = derive(random, depth - 1, made);
    if (kind == 1) {
      const int count = pick(random, 0, 4);
      MPI_Type_contiguous(count, old.type, &result.type);
      append(result.map, old, 0, count);
    } else if (kind == 2) {
      result = make_vector(random, old);
    } else if (kind == 3) {
      result = make_hindexed(random, old);
    } else {
      MPI_Type_create_resized(old.type, pick(random, -8, 8), pick(random, -40, 80), &result.type);
      result.map = old.map;
    }
  }
  made.push_back(result.type);
  return result;
}

// Offsets of `count` elements, moved so that the smallest is 0; returns by how much.
ptrdiff_t whole_map(const Modelled& modelled, int count, Map& map) {
  append(map, modelled, 0, count);
  const ptrdiff_t low = map.empty() ? 0 : *std::min_element(map.begin(), map.end());
  for (ptrdiff_t& offset : map) offset -= low;
  return -low;
}

size_t piece(Random& random) {
  return static_cast<size_t>(pick(random, 0, 2) == 0 ? pick(random, 1000, 20000) : pick(random, 1, 40));
}

void check_random_type(unsigned seed) {
  CAPTURE(seed);
  Random random(seed);
  std::vector<MPI_Datatype> made;
  const Modelled modelled = derive(random, pick(random, 1, 4), made);
  const Datatype& type = *datatype_from(modelled.type);
  REQUIRE(type.size == modelled.map.size());
  const int count = pick(random, 0, 3) == 0 ? pick(random, 6, 150) : pick(random, 0, 5);
  Map map;
  const ptrdiff_t base = whole_map(modelled, count, map);
  const size_t span = map.empty() ? 1 : static_cast<size_t>(*std::max_element(map.begin(), map.end())) + 1;
  std::vector<unsigned char> memory(span);
  for (auto& byte : memory) byte = static_cast<unsigned char>(random());

  std::vector<unsigned char> packed(map.size() + 1, 0xee);
  Cursor out(type, memory.data() + base, count);
  REQUIRE(out.total() == map.size());
  for (size_t at = 0; out.left() > 0;) at += out.pack(packed.data() + at, piece(random));
  REQUIRE(packed.back() == 0xee);
  size_t wrong = 0;
  for (size_t i = 0; i < map.size(); ++i) wrong += packed[i] != memory[static_cast<size_t>(map[i])];
  REQUIRE(wrong == 0);

  // Unpacking writes the same bytes, the last of overlapping ones, and no other.
  std::vector<unsigned char> target(span, 0xcc), expected(span, 0xcc);
  for (size_t i = 0; i < map.size(); ++i) expected[static_cast<size_t>(map[i])] = packed[i];
  Cursor in(type, target.data() + base, count);
  for (size_t at = 0; in.left() > 0;) at += in.unpack(packed.data() + at, piece(random));
  REQUIRE(target == expected);
  std::fill(target.begin(), target.end(), 0xcc);
  copy_typed(target.data() + base, memory.data() + base, count, type);
  REQUIRE(target == expected);
  for (MPI_Datatype& handle : made) MPI_Type_free(&handle);
}

// `count` elements of a type whose data lie at `map`, in memory from 0 on, each way all at once.
void check_whole(MPI_Datatype handle, int count, const Map& map, size_t span) {
  const Datatype& type = *datatype_from(handle);
  std::vector<unsigned char> memory(span), packed(map.size() + 1, 0xee), target(span, 0xcc), expected(span, 0xcc);
  Random random(7);
  for (auto& byte : memory) byte = static_cast<unsigned char>(random());
  pack_all(packed.data(), memory.data(), count, type);
  size_t wrong = packed.back() != 0xee;
  for (size_t i = 0; i < map.size(); ++i) {
    wrong += packed[i] != memory[static_cast<size_t>(map[i])];
    expected[static_cast<size_t>(map[i])] = packed[i];
  }
  REQUIRE(wrong == 0);
  unpack_all(target.data(), count, type, packed.data());
  REQUIRE(target == expected);
}

// Planes of rows of blocks with gaps between them.
void check_blocks(int length, int rows, int planes) {
  CAPTURE(length, rows, planes);
  const int stride = length + 70, plane = rows * stride + 33;
  MPI_Datatype row, type;
  MPI_Type_create_hvector(rows, length, stride, MPI_BYTE, &row);
  MPI_Type_create_hvector(planes, 1, plane, row, &type);
  Map map;
  for (int p = 0; p < planes; ++p) {
    for (int r = 0; r < rows; ++r) {
      for (int i = 0; i < length; ++i) map.push_back(ptrdiff_t{p} * plane + r * stride + i);
    }
  }
  check_whole(type, 1, map, static_cast<size_t>(planes) * static_cast<size_t>(plane));
  MPI_Type_free(&row);
  MPI_Type_free(&type);
}

// Elements of blocks of these lengths, each with a gap behind it.
void check_structures(const std::vector<int>& lengths, int count) {
  CAPTURE(lengths);
  std::vector<MPI_Aint> at;
  MPI_Aint extent = 0;
  for (const int length : lengths) {
    at.push_back(extent);
    extent += length + 5;
  }
  MPI_Datatype fields, type;
  MPI_Type_create_hindexed(static_cast<int>(lengths.size()), lengths.data(), at.data(), MPI_BYTE, &fields);
  MPI_Type_create_resized(fields, 0, extent, &type);
  Map map;
  for (int e = 0; e < count; ++e) {
    for (size_t b = 0; b < lengths.size(); ++b) {
      for (int i = 0; i < lengths[b]; ++i) map.push_back(e * extent + at[b] + i);
    }
  }
  check_whole(type, count, map, static_cast<size_t>(count * extent));
  MPI_Type_free(&fields);
  MPI_Type_free(&type);
}

}  // namespace

TEST_CASE("Blocks of every length, in the caches and beyond") {
  World world;
  for (int length = 1; length <= 130; ++length) check_blocks(length, 5, 3);
  for (const int length : {1, 3, 4, 8, 13, 16, 24, 32, 40, 64, 100, 200}) {
    check_blocks(length, 3 * 1024 * 1024 / (length + 70), 1);
    check_blocks(length, 7, 400 * 1024 / (length + 70));
  }
}

TEST_CASE("Structures of a few short blocks") {
  World world;
  const std::vector<int> kLengths = {4, 8, 16, 28, 6};
  for (const int a : kLengths) {
    for (const int b : kLengths) {
      check_structures({a, b}, 9);
      for (const int c : kLengths) {
        check_structures({a, b, c}, 9);
        for (const int d : kLengths) check_structures({a, b, c, d}, 70);
      }
    }
  }
}

TEST_CASE("Random types in random pieces move the bytes of the model") { for_seeds(4000, check_random_type); }

TEST_CASE("A whole column is packed and unpacked") {
  World world;
  constexpr int kN = 100;
  std::vector<double> matrix(kN * kN), column(kN), other(kN * kN, -1);
  std::iota(matrix.begin(), matrix.end(), 0.0);
  MPI_Datatype type;
  MPI_Type_vector(kN, 1, kN, MPI_DOUBLE, &type);
  pack_all(column.data(), matrix.data() + 3, 1, *datatype_from(type));
  for (int i = 0; i < kN; ++i) REQUIRE(column[static_cast<size_t>(i)] == i * kN + 3);
  unpack_all(other.data() + 5, 1, *datatype_from(type), column.data());
  for (int i = 0; i < kN * kN; ++i) REQUIRE(other[static_cast<size_t>(i)] == (i % kN == 5 ? i - 2 : -1));
  MPI_Type_free(&type);
}

TEST_CASE("Bytes beyond the end are ignored, and skipped ones untouched") {
  World world;
  int values[4] = {0, 0, 0, 0};
  const int source[6] = {1, 2, 3, 4, 5, 6};
  Cursor cursor(*datatype_from(MPI_INT), values, 3);
  cursor.skip(4);
  REQUIRE(cursor.unpack(source, sizeof source) == 8);
  REQUIRE(cursor.left() == 0);
  REQUIRE(std::vector<int>(values, values + 4) == std::vector<int>{0, 1, 2, 0});
}

TEST_CASE("Absolute addresses work from MPI_BOTTOM") {
  World world;
  int value = 42, copy = 0;
  MPI_Aint at;
  MPI_Get_address(&value, &at);
  const int one = 1;
  MPI_Datatype type;
  MPI_Type_create_hindexed(1, &one, &at, MPI_INT, &type);
  pack_all(&copy, MPI_BOTTOM, 1, *datatype_from(type));
  REQUIRE(copy == 42);
  MPI_Type_free(&type);
}

TEST_CASE("MPI_Pack and MPI_Unpack move the position and keep within the buffer") {
  World world;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  char packed[12];
  int position = 0, numbers[2] = {7, 8}, size;
  char letter = 'x';
  MPI_Pack_size(2, MPI_INT, MPI_COMM_WORLD, &size);
  REQUIRE(size == 8);
  REQUIRE(MPI_Pack_size(1 << 30, MPI_INT, MPI_COMM_WORLD, &size) == MPI_SUCCESS);
  REQUIRE(size == MPI_UNDEFINED);
  REQUIRE(MPI_Pack(&letter, 1, MPI_CHAR, packed, 12, &position, MPI_COMM_WORLD) == MPI_SUCCESS);
  REQUIRE(MPI_Pack(numbers, 2, MPI_INT, packed, 12, &position, MPI_COMM_WORLD) == MPI_SUCCESS);
  REQUIRE(position == 9);
  REQUIRE(error_class_of(MPI_Pack(numbers, 1, MPI_INT, packed, 12, &position, MPI_COMM_WORLD)) == MPI_ERR_TRUNCATE);
  REQUIRE(position == 9);
  position = 0;
  int back[2] = {};
  char letter_back = 0;
  MPI_Unpack(packed, 9, &position, &letter_back, 1, MPI_CHAR, MPI_COMM_WORLD);
  MPI_Unpack(packed, 9, &position, back, 2, MPI_INT, MPI_COMM_WORLD);
  REQUIRE(letter_back == 'x');
  REQUIRE(back[1] == 8);
  REQUIRE(error_class_of(MPI_Unpack(packed, 9, &position, back, 1, MPI_INT, MPI_COMM_WORLD)) == MPI_ERR_TRUNCATE);
}

TEST_CASE("Where elements overlap, the last one in order wins") {
  World world;
  constexpr int kN = 100;
  const int at[] = {0, 1, 3};
  MPI_Datatype triple, type;
  MPI_Type_create_indexed_block(3, 1, at, MPI_INT, &triple);
  MPI_Type_create_resized(triple, 0, 12, &type);
  std::vector<int> packed(3 * kN), target(3 * kN + 1, -1);
  std::iota(packed.begin(), packed.end(), 0);
  unpack_all(target.data(), kN, *datatype_from(type), packed.data());
  for (int i = 0; i < kN; ++i) REQUIRE(target[static_cast<size_t>(3 * i)] == 3 * i);
  MPI_Type_free(&triple);
  MPI_Type_free(&type);
}
