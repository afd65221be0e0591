// Functions of MPI-1 under their old names.
#include <mpi.h>

#include <catch2/catch.hpp>

#include "stubs.hpp"

using namespace detmpi;

namespace {

struct Deprecated : World {
  Deprecated() : World(1, 4) { MPI_Errhandler_set(MPI_COMM_WORLD, MPI_ERRORS_RETURN); }
};

int g_calls = 0;
void count_call(MPI_Comm*, int*, ...) { ++g_calls; }

int g_deleted = 0;
int note_delete(MPI_Comm, int, void* value, void*) {
  g_deleted = *static_cast<int*>(value);
  return MPI_SUCCESS;
}

}  // namespace

TEST_CASE_METHOD(Deprecated, "Types under their old names") {
  MPI_Aint start = 0, place = 0;
  double pair[2];
  REQUIRE(MPI_Address(&pair[0], &start) == MPI_SUCCESS);
  REQUIRE(MPI_Address(&pair[1], &place) == MPI_SUCCESS);
  REQUIRE(place - start == sizeof(double));

  MPI_Datatype vector, indexed, structure;
  REQUIRE(MPI_Type_hvector(3, 1, 10, MPI_INT, &vector) == MPI_SUCCESS);
  int lengths[] = {1, 2};
  MPI_Aint places[] = {8, 40};
  REQUIRE(MPI_Type_hindexed(2, lengths, places, MPI_INT, &indexed) == MPI_SUCCESS);
  MPI_Datatype types[] = {MPI_CHAR, MPI_SHORT};
  REQUIRE(MPI_Type_struct(2, lengths, places, types, &structure) == MPI_SUCCESS);

  MPI_Aint value = 0;
  MPI_Type_extent(vector, &value);
  REQUIRE(value == 24);
  MPI_Type_lb(indexed, &value);
  REQUIRE(value == 8);
  MPI_Type_ub(indexed, &value);
  REQUIRE(value == 48);
  MPI_Type_ub(structure, &value);
  REQUIRE(value == 44);
  for (MPI_Datatype* type : {&vector, &indexed, &structure}) MPI_Type_free(type);

  types[1] = MPI_DATATYPE_NULL;
  int error = MPI_Type_struct(2, lengths, places, types, &structure), error_class = 0;
  MPI_Error_class(error, &error_class);
  REQUIRE(error_class == MPI_ERR_TYPE);
}

TEST_CASE_METHOD(Deprecated, "Error handlers under their old names") {
  MPI_Errhandler handler, found;
  REQUIRE(MPI_Errhandler_create(count_call, &handler) == MPI_SUCCESS);
  REQUIRE(MPI_Errhandler_set(MPI_COMM_WORLD, handler) == MPI_SUCCESS);
  REQUIRE(MPI_Errhandler_get(MPI_COMM_WORLD, &found) == MPI_SUCCESS);
  REQUIRE(found == handler);
  MPI_Errhandler_free(&found);
  MPI_Errhandler_free(&handler);
  g_calls = 0;
  MPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_OTHER);
  REQUIRE(g_calls == 1);
}

TEST_CASE_METHOD(Deprecated, "Attributes under their old names") {
  int key = MPI_KEYVAL_INVALID, value = 7, flag = 1;
  int* found = nullptr;
  REQUIRE(MPI_Keyval_create(MPI_NULL_COPY_FN, note_delete, &key, nullptr) == MPI_SUCCESS);
  REQUIRE(MPI_Attr_get(MPI_COMM_WORLD, key, &found, &flag) == MPI_SUCCESS);
  REQUIRE(flag == 0);
  REQUIRE(MPI_Attr_put(MPI_COMM_WORLD, key, &value) == MPI_SUCCESS);
  REQUIRE(MPI_Attr_get(MPI_COMM_WORLD, key, &found, &flag) == MPI_SUCCESS);
  REQUIRE((flag == 1 && found == &value));
  REQUIRE(MPI_Attr_delete(MPI_COMM_WORLD, key) == MPI_SUCCESS);
  REQUIRE(g_deleted == 7);
  REQUIRE(MPI_Keyval_free(&key) == MPI_SUCCESS);
  REQUIRE(key == MPI_KEYVAL_INVALID);
}
