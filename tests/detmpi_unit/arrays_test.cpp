// Subarrays and distributed arrays, against a model: every index of the array is asked whether it belongs.
#include <mpi.h>

#include <catch2/catch.hpp>
#include <functional>
#include <numeric>
#include <random>
#include <vector>

#include "object/errors.hpp"
#include "types_fixture.hpp"

using namespace detmpi;

namespace {

using Random = std::mt19937;
using Ints = std::vector<int>;

int pick(Random& random, int low, int high) { return std::uniform_int_distribution(low, high)(random); }

// The offsets, in elements, of the indices that belong, in the order of memory.
Ints offsets(const Ints& sizes, int order, const std::function<bool(const Ints&)>& belongs) {
  const int n = static_cast<int>(sizes.size());
  const int total = std::accumulate(sizes.begin(), sizes.end(), 1, std::multiplies<>());
  Ints found;
  for (int offset = 0; offset < total; ++offset) {
    Ints index(sizes.size());
    int rest = offset;
    for (int i = 0; i < n; ++i) {
      const auto dimension = static_cast<size_t>(order == MPI_ORDER_FORTRAN ? i : n - 1 - i);
      index[dimension] = rest % sizes[dimension];
      rest /= sizes[dimension];
    }
    if (belongs(index)) found.push_back(offset);
  }
  return found;
}

// What the type picks from two arrays of the numbers 0, 1, 2 ...
Ints picked(MPI_Datatype type, int total) {
  Ints memory(static_cast<size_t>(2 * total));
  std::iota(memory.begin(), memory.end(), 0);
  const Datatype& made = *datatype_from(type);
  Ints packed(made.size / sizeof(int) * 2);
  pack_all(packed.data(), memory.data(), 2, made);
  return packed;
}

void check_picked(MPI_Datatype type, const Ints& sizes, Ints expected) {
  const int total = std::accumulate(sizes.begin(), sizes.end(), 1, std::multiplies<>());
  const size_t once = expected.size();
  for (size_t i = 0; i < once; ++i) expected.push_back(expected[i] + total);
  REQUIRE(picked(type, total) == expected);
  MPI_Aint lb, extent;
  MPI_Type_get_extent(type, &lb, &extent);
  REQUIRE(lb == 0);
  REQUIRE(extent == static_cast<MPI_Aint>(sizeof(int)) * total);
  MPI_Count elements = 0;
  MPI_Status status{};
  status_set_bytes(status, once * sizeof(int));
  MPI_Get_elements_x(&status, type, &elements);
  REQUIRE(elements == static_cast<MPI_Count>(once));
}

void check_random_subarray(unsigned seed) {
  CAPTURE(seed);
  Random random(seed);
  const int n = pick(random, 1, 4);
  const int order = pick(random, 0, 1) == 0 ? MPI_ORDER_C : MPI_ORDER_FORTRAN;
  Ints sizes, parts, starts;
  for (int i = 0; i < n; ++i) {
    sizes.push_back(pick(random, 1, 6));
    parts.push_back(pick(random, 1, sizes.back()));
    starts.push_back(pick(random, 0, sizes.back() - parts.back()));
  }
  MPI_Datatype type;
  REQUIRE(MPI_Type_create_subarray(n, sizes.data(), parts.data(), starts.data(), order, MPI_INT, &type) == MPI_SUCCESS);
  check_picked(type, sizes, offsets(sizes, order, [&](const Ints& index) {
                 for (size_t i = 0; i < index.size(); ++i) {
                   if (index[i] < starts[i] || index[i] >= starts[i] + parts[i]) return false;
                 }
                 return true;
               }));
  MPI_Type_free(&type);
}

struct Distribution {
  Ints sizes, kinds, arguments, processes;
  int order;
};

void add_dimension(Random& random, Distribution& d) {
  const int size = pick(random, 1, 9);
  const int kinds[] = {MPI_DISTRIBUTE_NONE, MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC};
  const int kind = kinds[pick(random, 0, 2)];
  const int processes = kind == MPI_DISTRIBUTE_NONE ? 1 : pick(random, 1, 4);
  const int least = kind == MPI_DISTRIBUTE_BLOCK ? (size + processes - 1) / processes : 1;
  d.sizes.push_back(size);
  d.kinds.push_back(kind);
  d.processes.push_back(processes);
  d.arguments.push_back(pick(random, 0, 1) == 0 ? MPI_DISTRIBUTE_DFLT_DARG : pick(random, least, least + 3));
}

bool owns(const Distribution& d, size_t dimension, int position, int index) {
  int block = d.arguments[dimension];
  if (d.kinds[dimension] == MPI_DISTRIBUTE_NONE) return true;
  if (block == MPI_DISTRIBUTE_DFLT_DARG) {
    const int processes = d.processes[dimension];
    block = d.kinds[dimension] == MPI_DISTRIBUTE_CYCLIC ? 1 : (d.sizes[dimension] + processes - 1) / processes;
  }
  return index / block % d.processes[dimension] == position;
}

void check_random_distribution(unsigned seed) {
  CAPTURE(seed);
  Random random(seed);
  Distribution d;
  const int n = pick(random, 1, 3);
  for (int i = 0; i < n; ++i) add_dimension(random, d);
  d.order = pick(random, 0, 1) == 0 ? MPI_ORDER_C : MPI_ORDER_FORTRAN;
  const int processes = std::accumulate(d.processes.begin(), d.processes.end(), 1, std::multiplies<>());
  for (int rank = 0; rank < processes; ++rank) {
    CAPTURE(rank);
    Ints grid(static_cast<size_t>(n));
    for (int i = n, rest = rank; i-- > 0;) {
      grid[static_cast<size_t>(i)] = rest % d.processes[static_cast<size_t>(i)];
      rest /= d.processes[static_cast<size_t>(i)];
    }
    MPI_Datatype type;
    REQUIRE(MPI_Type_create_darray(processes, rank, n, d.sizes.data(), d.kinds.data(), d.arguments.data(),
                                   d.processes.data(), d.order, MPI_INT, &type) == MPI_SUCCESS);
    check_picked(type, d.sizes, offsets(d.sizes, d.order, [&](const Ints& index) {
                   for (size_t i = 0; i < index.size(); ++i) {
                     if (!owns(d, i, grid[i], index[i])) return false;
                   }
                   return true;
                 }));
    MPI_Type_free(&type);
  }
}

}  // namespace

TEST_CASE("Random subarrays pick the elements of the model") { for_seeds(500, check_random_subarray); }

TEST_CASE("Random distributions deal out the elements of the model") { for_seeds(300, check_random_distribution); }

TEST_CASE_METHOD(Types, "A part of an array of types with gaps, and all of an array") {
  MPI_Datatype wide, type;
  MPI_Type_create_resized(MPI_INT, 0, 12, &wide);
  keep(wide);
  const int sizes[] = {3, 4}, parts[] = {2, 2}, starts[] = {1, 1}, zeros[] = {0, 0};
  MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_C, wide, &type);
  keep(type);
  REQUIRE(shape(type) == Shape{16, 0, 144, 60, 64});
  MPI_Type_create_subarray(2, sizes, sizes, zeros, MPI_ORDER_FORTRAN, MPI_DOUBLE, &type);
  keep(type);
  REQUIRE(shape(type) == Shape{96, 0, 96, 0, 96});
  REQUIRE(datatype_from(type)->dense);
}

TEST_CASE_METHOD(Types, "Parts that do not lie in the array are refused") {
  const int sizes[] = {3, 4}, parts[] = {2, 2}, starts[] = {1, 1};
  MPI_Datatype type = MPI_DATATYPE_NULL;
  const auto code = [&](int ndims, Ints size, Ints part, Ints start, int order) {
    return error_class_of(
        MPI_Type_create_subarray(ndims, size.data(), part.data(), start.data(), order, MPI_INT, &type));
  };
  const Ints s(sizes, sizes + 2), p(parts, parts + 2), a(starts, starts + 2);
  REQUIRE(code(0, s, p, a, MPI_ORDER_C) == MPI_ERR_ARG);
  REQUIRE(code(-1, s, p, a, MPI_ORDER_C) == MPI_ERR_ARG);
  REQUIRE(code(2, s, p, a, 0) == MPI_ERR_ARG);
  REQUIRE(code(2, {3, 0}, p, a, MPI_ORDER_C) == MPI_ERR_ARG);
  REQUIRE(code(2, s, {2, 0}, a, MPI_ORDER_C) == MPI_ERR_ARG);
  REQUIRE(code(2, s, {2, 5}, {1, 0}, MPI_ORDER_C) == MPI_ERR_ARG);
  REQUIRE(code(2, s, p, {2, 1}, MPI_ORDER_C) == MPI_ERR_ARG);
  REQUIRE(code(2, s, p, {-1, 1}, MPI_ORDER_C) == MPI_ERR_ARG);
  REQUIRE(code(3, {1 << 30, 1 << 30, 1 << 30}, {1, 1, 1}, {0, 0, 0}, MPI_ORDER_C) == MPI_ERR_TYPE);
  REQUIRE(type == MPI_DATATYPE_NULL);
  REQUIRE(error_class_of(MPI_Type_create_subarray(2, nullptr, parts, starts, MPI_ORDER_C, MPI_INT, &type)) ==
          MPI_ERR_ARG);
}

TEST_CASE_METHOD(Types, "Distributions that do not fit the grid are refused") {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  const auto code = [&](int size, int rank, Ints lengths, Ints kinds, Ints arguments, Ints processes) {
    return error_class_of(MPI_Type_create_darray(size, rank, static_cast<int>(lengths.size()), lengths.data(),
                                                 kinds.data(), arguments.data(), processes.data(), MPI_ORDER_C, MPI_INT,
                                                 &type));
  };
  const Ints ten{10}, two{2}, block{MPI_DISTRIBUTE_BLOCK}, free{MPI_DISTRIBUTE_DFLT_DARG};
  REQUIRE(code(0, 0, ten, block, free, two) == MPI_ERR_ARG);
  REQUIRE(code(3, 0, ten, block, free, two) == MPI_ERR_ARG);
  REQUIRE(code(2, 2, ten, block, free, two) == MPI_ERR_RANK);
  REQUIRE(code(2, -1, ten, block, free, two) == MPI_ERR_RANK);
  REQUIRE(code(2, 0, {0}, block, free, two) == MPI_ERR_ARG);
  REQUIRE(code(2, 0, ten, {0}, free, two) == MPI_ERR_ARG);
  REQUIRE(code(2, 0, ten, block, {4}, two) == MPI_ERR_ARG);
  REQUIRE(code(2, 0, ten, block, {0}, two) == MPI_ERR_ARG);
  REQUIRE(code(2, 0, ten, {MPI_DISTRIBUTE_CYCLIC}, {-1}, two) == MPI_ERR_ARG);
  REQUIRE(code(2, 0, ten, {MPI_DISTRIBUTE_NONE}, free, two) == MPI_ERR_ARG);
  REQUIRE(code(2, 0, ten, block, free, {-2}) == MPI_ERR_ARG);
  REQUIRE(code(1, 0, {}, {}, {}, {}) == MPI_ERR_ARG);
  REQUIRE(type == MPI_DATATYPE_NULL);
}
