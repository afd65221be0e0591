// Info objects before MPI_Init, strings with a length, and how the program was started.
#include <mpi.h>

#include <catch2/catch.hpp>
#include <string>

#include "object/info.hpp"
#include "stubs.hpp"

using namespace detmpi;

namespace {

std::string value_of(MPI_Info info, const char* key) {
  char value[MPI_MAX_INFO_VAL];
  int room = sizeof value, flag = 0;
  MPI_Info_get_string(info, key, &room, value, &flag);
  return flag ? value : "none";
}

}  // namespace

TEST_CASE("An info object needs no MPI_Init") {
  MPI_Info info;
  REQUIRE(MPI_Info_create(&info) == MPI_SUCCESS);
  REQUIRE(MPI_Info_set(info, "key", "value") == MPI_SUCCESS);
  int keys = 0;
  MPI_Info_get_nkeys(info, &keys);
  REQUIRE(keys == 1);
  REQUIRE(MPI_Info_free(&info) == MPI_SUCCESS);
}

TEST_CASE("A value is cut to the room there is") {
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "key", "value");
  char value[4] = "xyz";
  int room = 0, flag = 0;
  REQUIRE(MPI_Info_get_string(info, "key", &room, nullptr, &flag) == MPI_SUCCESS);
  REQUIRE((flag == 1 && room == 6));
  room = 4;
  MPI_Info_get_string(info, "key", &room, value, &flag);
  REQUIRE((room == 6 && std::string(value) == "val"));
  room = 4;
  MPI_Info_get_string(info, "other", &room, value, &flag);
  REQUIRE((flag == 0 && room == 4 && std::string(value) == "val"));
  MPI_Info_free(&info);
}

TEST_CASE_METHOD(World, "A string needs room") {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Info info;
  MPI_Info_create(&info);
  int room = -1, flag = 0;
  char value[4];
  REQUIRE(MPI_Info_get_string(info, "key", &room, value, &flag) != MPI_SUCCESS);
  room = 3;
  REQUIRE(MPI_Info_get_string(info, "key", &room, nullptr, &flag) != MPI_SUCCESS);
  MPI_Info_free(&info);
}

TEST_CASE("How the program was started") {
  char program[] = "program", first[] = "-n", second[] = "4";
  char* argv[] = {program, first, second, nullptr};
  MPI_Info info;
  REQUIRE(MPI_Info_create_env(3, argv, &info) == MPI_SUCCESS);
  REQUIRE(value_of(info, "command") == "program");
  REQUIRE(value_of(info, "argv") == "-n 4");
  MPI_Info_free(&info);
  REQUIRE(MPI_Info_create_env(0, nullptr, &info) == MPI_SUCCESS);
  REQUIRE(value_of(info, "command") == "none");
  MPI_Info_free(&info);
  info_describe_job(1, argv, 8, "MPI_THREAD_SINGLE");
  REQUIRE(value_of(MPI_INFO_ENV, "command") == "program");
  REQUIRE(value_of(MPI_INFO_ENV, "maxprocs") == "8");
  REQUIRE(value_of(MPI_INFO_ENV, "thread_level") == "MPI_THREAD_SINGLE");
}
