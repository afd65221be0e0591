// Info objects before MPI_Init, strings with a length, and how the program was started.
#include <mpi.h>

#include <catch2/catch.hpp>
#include <string>

#include "object/info.hpp"
#include "stubs.hpp"

using namespace detmpi;

namespace {

int class_of(int code) {
  int error_class;
  MPI_Error_class(code, &error_class);
  return error_class;
}

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

TEST_CASE_METHOD(World, "The longest key and value fill the room that MPI_MAX_INFO_KEY and MPI_MAX_INFO_VAL name") {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  struct {
    char key[MPI_MAX_INFO_KEY], behind_key = 'x', value[MPI_MAX_INFO_VAL], behind_value = 'x';
  } got;
  const std::string key(MPI_MAX_INFO_KEY - 1, 'k'), value(MPI_MAX_INFO_VAL - 1, 'v');
  MPI_Info info;
  MPI_Info_create(&info);
  REQUIRE(class_of(MPI_Info_set(info, (key + "k").c_str(), "value")) == MPI_ERR_INFO_KEY);
  REQUIRE(class_of(MPI_Info_set(info, "key", (value + "v").c_str())) == MPI_ERR_INFO_VALUE);
  REQUIRE(MPI_Info_set(info, key.c_str(), value.c_str()) == MPI_SUCCESS);
  MPI_Info_get_nthkey(info, 0, got.key);
  int room = sizeof got.value, flag = 0;
  MPI_Info_get_string(info, key.c_str(), &room, got.value, &flag);
  REQUIRE((got.key == key && got.behind_key == 'x'));
  REQUIRE((flag == 1 && room == MPI_MAX_INFO_VAL && got.value == value && got.behind_value == 'x'));
  MPI_Info_get(info, key.c_str(), MPI_MAX_INFO_VAL, got.value, &flag);  // as many programs call it
  REQUIRE((got.value == value && got.behind_value == 'x'));
  MPI_Info_free(&info);
}

TEST_CASE("How the program was started, cut to what a value may have") {
  std::string program(MPI_MAX_INFO_VAL + 10, 'p'), argument(MPI_MAX_INFO_VAL + 10, 'a');
  char* argv[] = {program.data(), argument.data(), nullptr};
  MPI_Info info;
  MPI_Info_create_env(2, argv, &info);
  REQUIRE(value_of(info, "command") == std::string(MPI_MAX_INFO_VAL - 1, 'p'));
  REQUIRE(value_of(info, "argv") == std::string(MPI_MAX_INFO_VAL - 1, 'a'));
  int length = 0, flag = 0;
  MPI_Info_get_valuelen(info, "argv", &length, &flag);
  REQUIRE((flag == 1 && length == MPI_MAX_INFO_VAL - 1));
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
