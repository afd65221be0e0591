// A world in which errors return, and types are freed at the end.
#pragma once

#include <mpi.h>

#include <catch2/catch.hpp>
#include <ostream>
#include <vector>

#include "stubs.hpp"
#include "types/datatype.hpp"

namespace detmpi {

struct Types : World {
  Types() { MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN); }
  ~Types() {
    for (MPI_Datatype& type : made) MPI_Type_free(&type);
  }
  MPI_Datatype keep(MPI_Datatype type) {
    made.push_back(type);
    return type;
  }
  std::vector<MPI_Datatype> made;
};

struct Shape {
  int size;
  MPI_Aint lb, extent, true_lb, true_extent;
  bool operator==(const Shape&) const = default;
};

inline std::ostream& operator<<(std::ostream& out, const Shape& s) {
  return out << "size " << s.size << " lb " << s.lb << " extent " << s.extent << " true " << s.true_lb << " "
             << s.true_extent;
}

inline Shape shape(MPI_Datatype type) {
  Shape s;
  REQUIRE(MPI_Type_size(type, &s.size) == MPI_SUCCESS);
  REQUIRE(MPI_Type_get_extent(type, &s.lb, &s.extent) == MPI_SUCCESS);
  REQUIRE(MPI_Type_get_true_extent(type, &s.true_lb, &s.true_extent) == MPI_SUCCESS);
  return s;
}

// A check of random types with each of so many seeds; it leaves no type behind.
template <typename Check>
void for_seeds(unsigned count, Check check) {
  World world;
  const size_t before = g_types.used();
  for (unsigned seed = 1; seed <= count; ++seed) check(seed);
  REQUIRE(g_types.used() == before);
}

}  // namespace detmpi
