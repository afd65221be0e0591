// Handles: numbering, reuse, lookup of handles that are not valid.
#include "object/handle_table.hpp"

#include <mpi.h>

#include <catch2/catch.hpp>

#include "object/info.hpp"
#include "stubs.hpp"

using namespace detmpi;

TEST_CASE("Handles take the lowest free index") {
  HandleTable<int, HandleKind::kComm> table;
  int objects[4] = {};
  REQUIRE(static_cast<uint32_t>(table.insert(&objects[0])) == 0x84000000U);
  REQUIRE(static_cast<uint32_t>(table.insert(&objects[1])) == 0x84000001U);
  REQUIRE(static_cast<uint32_t>(table.insert(&objects[2])) == 0x84000002U);
  table.erase(static_cast<int>(0x84000002U));
  table.erase(static_cast<int>(0x84000000U));
  REQUIRE(static_cast<uint32_t>(table.insert(&objects[3])) == 0x84000000U);
  REQUIRE(table.get(static_cast<int>(0x84000000U)) == &objects[3]);
  REQUIRE(table.used() == 2);
}

TEST_CASE("A handle that is not valid finds nothing") {
  HandleTable<int, HandleKind::kComm> table;
  int object = 0;
  const int handle = table.insert(&object);
  REQUIRE(table.get(handle) == &object);
  REQUIRE(table.get(handle + 1) == nullptr);
  REQUIRE(table.get(static_cast<int>(0x88000000U)) == nullptr);  // a group
  REQUIRE(table.get(MPI_COMM_NULL) == nullptr);
  REQUIRE(table.get(0) == nullptr);
  REQUIRE(table.get(-1) == nullptr);
  table.erase(handle);
  REQUIRE(table.get(handle) == nullptr);
}

TEST_CASE("Kinds with extra bits keep them apart from the index") {
  HandleTable<int, HandleKind::kKeyval, 1U << 22> table;
  int object = 0;
  REQUIRE(static_cast<uint32_t>(table.insert(&object)) == 0xa4400000U);
  REQUIRE(table.get(static_cast<int>(0xa4400000U)) == &object);
  REQUIRE(table.get(static_cast<int>(0xa4000000U)) == nullptr);
}

TEST_CASE("Info objects keep the order of their keys and copy by value") {
  World world;
  MPI_Info info, copy;
  REQUIRE(MPI_Info_create(&info) == MPI_SUCCESS);
  MPI_Info_set(info, "b", "1");
  MPI_Info_set(info, "a", "22");
  MPI_Info_set(info, "b", "333");
  MPI_Info_dup(info, &copy);
  MPI_Info_delete(info, "b");
  int keys, flag, length;
  char text[MPI_MAX_INFO_VAL + 1];
  MPI_Info_get_nkeys(info, &keys);
  REQUIRE(keys == 1);
  MPI_Info_get_nkeys(copy, &keys);
  REQUIRE(keys == 2);
  MPI_Info_get_nthkey(copy, 0, text);
  REQUIRE(std::string(text) == "b");
  MPI_Info_get(copy, "b", 2, text, &flag);
  REQUIRE(flag == 1);
  REQUIRE(std::string(text) == "33");  // cut to the length asked for
  MPI_Info_get_valuelen(copy, "b", &length, &flag);
  REQUIRE(length == 3);
  MPI_Info_get(copy, "none", 2, text, &flag);
  REQUIRE(flag == 0);
  MPI_Info_free(&info);
  MPI_Info_free(&copy);
  REQUIRE(info == MPI_INFO_NULL);
}

TEST_CASE("Misuse of info objects is an error") {
  World world;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Info info;
  MPI_Info_create(&info);
  const auto class_of = [](int code) {
    int error_class;
    MPI_Error_class(code, &error_class);
    return error_class;
  };
  REQUIRE(class_of(MPI_Info_delete(info, "none")) == MPI_ERR_INFO_NOKEY);
  REQUIRE(class_of(MPI_Info_set(info, "", "x")) == MPI_ERR_INFO_KEY);
  REQUIRE(class_of(MPI_Info_set(info, std::string(256, 'k').c_str(), "x")) == MPI_ERR_INFO_KEY);
  REQUIRE(class_of(MPI_Info_set(info, "k", std::string(1025, 'v').c_str())) == MPI_ERR_INFO_VALUE);
  char key[MPI_MAX_INFO_KEY + 1];
  REQUIRE(class_of(MPI_Info_get_nthkey(info, 0, key)) == MPI_ERR_ARG);
  MPI_Info freed = info;
  MPI_Info_free(&info);
  REQUIRE(class_of(MPI_Info_set(freed, "k", "v")) == MPI_ERR_INFO);
  REQUIRE(class_of(MPI_Info_free(&freed)) == MPI_ERR_INFO);
}
