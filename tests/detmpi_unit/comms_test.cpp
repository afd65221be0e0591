// Communicators: life, names, comparison, attributes.
#include "object/comm.hpp"

#include <mpi.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <string>

#include "object/errors.hpp"
#include "stubs.hpp"

using namespace detmpi;

namespace {

struct Comms : World {
  Comms() : World(1, 4) { MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN); }
};

std::string g_log;

int copy_attribute(MPI_Comm, int, void* extra, void* in, void* out, int* flag) {
  g_log += "copy ";
  *static_cast<void**>(out) = static_cast<char*>(in) + 1;
  *flag = extra == nullptr;
  return MPI_SUCCESS;
}

int delete_attribute(MPI_Comm, int, void* value, void*) {
  g_log += "delete" + std::to_string(reinterpret_cast<intptr_t>(value)) + " ";
  return MPI_SUCCESS;
}

int g_answer = MPI_ERR_OTHER;
int answer(MPI_Comm, int, void*, void*) { return g_answer; }

void* number(intptr_t n) { return reinterpret_cast<void*>(n); }

int g_key = MPI_KEYVAL_INVALID;

int free_key(MPI_Comm, int, void*, void*) {
  return g_key == MPI_KEYVAL_INVALID ? MPI_SUCCESS : MPI_Comm_free_keyval(&g_key);
}

// Both this attribute, and that of the key that it is told of.
int move_attribute(MPI_Comm from, int key, void* other, void* in, void* out, int* flag) {
  *static_cast<void**>(out) = in;
  *flag = 1;
  for (int* gone : {&g_key, static_cast<int*>(other)}) {
    MPI_Comm_delete_attr(from, *gone);
    MPI_Comm_free_keyval(gone);
  }
  REQUIRE(key != MPI_KEYVAL_INVALID);
  return MPI_SUCCESS;
}

}  // namespace

TEST_CASE_METHOD(Comms, "Size, rank, name and comparison") {
  Comm& made = comm_register(MPI_COMM_NULL, 5, 2, {3, 0, 1, 2});
  REQUIRE(static_cast<uint32_t>(made.handle) == 0x84000000U);
  int value;
  MPI_Comm_size(made.handle, &value);
  REQUIRE(value == 4);
  MPI_Comm_rank(made.handle, &value);
  REQUIRE(value == 2);
  MPI_Comm_test_inter(made.handle, &value);
  REQUIRE(value == 0);
  MPI_Comm_compare(made.handle, MPI_COMM_WORLD, &value);
  REQUIRE(value == MPI_SIMILAR);
  MPI_Comm_compare(made.handle, made.handle, &value);
  REQUIRE(value == MPI_IDENT);
  MPI_Comm_compare(made.handle, MPI_COMM_SELF, &value);
  REQUIRE(value == MPI_UNEQUAL);
  char name[MPI_MAX_OBJECT_NAME];
  int length;
  MPI_Comm_get_name(MPI_COMM_WORLD, name, &length);
  REQUIRE(std::string(name) == "MPI_COMM_WORLD");
  MPI_Comm_set_name(made.handle, std::string(300, 'n').c_str());
  MPI_Comm_get_name(made.handle, name, &length);
  REQUIRE(length == MPI_MAX_OBJECT_NAME - 1);
  REQUIRE(strlen(name) == MPI_MAX_OBJECT_NAME - 1);
  comm_close(made);
}

TEST_CASE_METHOD(Comms, "A communicator in use outlives its handle") {
  Comm& made = comm_register(MPI_COMM_NULL, 5, 0, {1});
  const MPI_Comm handle = made.handle;
  const int before = g_transports_released;
  comm_retain(made);
  comm_close(made);
  REQUIRE(comm_from(handle) == nullptr);
  REQUIRE(g_transports_released == before);
  comm_release(made);
  REQUIRE(g_transports_released == before + 1);
}

TEST_CASE_METHOD(Comms, "Attributes are copied and deleted through their callbacks") {
  g_log.clear();
  int key, plain, flag;
  void* value;
  MPI_Comm_create_keyval(copy_attribute, delete_attribute, &key, nullptr);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &plain, nullptr);
  REQUIRE(static_cast<uint32_t>(key) == 0xa4400000U);
  Comm& from = comm_register(MPI_COMM_NULL, 5, 0, {1});
  Comm& to = comm_register(MPI_COMM_NULL, 6, 0, {1});
  MPI_Comm_get_attr(from.handle, key, &value, &flag);
  REQUIRE(flag == 0);
  MPI_Comm_set_attr(from.handle, key, number(10));
  MPI_Comm_set_attr(from.handle, key, number(20));  // the old value is deleted
  MPI_Comm_set_attr(from.handle, plain, number(1));
  REQUIRE(attributes_copy(from, to) == MPI_SUCCESS);
  MPI_Comm_get_attr(to.handle, key, &value, &flag);
  REQUIRE(flag == 1);
  REQUIRE(value == number(21));
  MPI_Comm_get_attr(to.handle, plain, &value, &flag);
  REQUIRE(flag == 0);  // no copy function: not copied
  int freed = key;
  MPI_Comm_free_keyval(&freed);
  REQUIRE(freed == MPI_KEYVAL_INVALID);
  REQUIRE(attributes_delete_all(from) == MPI_SUCCESS);
  REQUIRE(attributes_delete_all(to) == MPI_SUCCESS);
  REQUIRE(g_log == "delete10 copy delete20 delete21 ");
  REQUIRE(error_class_of(MPI_Comm_set_attr(MPI_COMM_WORLD, key, number(1))) == MPI_ERR_KEYVAL);
  comm_close(from);
  comm_close(to);
  MPI_Comm_free_keyval(&plain);
}

TEST_CASE_METHOD(Comms, "Attributes are deleted last one first") {
  g_log.clear();
  int keys[3];
  for (int i = 0; i < 3; ++i) {
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete_attribute, &keys[i], nullptr);
    MPI_Comm_set_attr(MPI_COMM_SELF, keys[i], number(i));
  }
  REQUIRE(attributes_delete_all(*g_comm_self) == MPI_SUCCESS);
  REQUIRE(g_log == "delete2 delete1 delete0 ");
  for (int& key : keys) MPI_Comm_free_keyval(&key);
}

TEST_CASE_METHOD(Comms, "A key that was freed names its attributes as long as there are any") {
  int key, again;
  g_log.clear();
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete_attribute, &key, nullptr);
  const int kept = again = key;
  MPI_Comm_set_attr(MPI_COMM_WORLD, kept, number(5));
  REQUIRE(MPI_Comm_free_keyval(&key) == MPI_SUCCESS);
  REQUIRE(MPI_Comm_free_keyval(&again) == MPI_SUCCESS);  // has no further effect
  int other;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &other, nullptr);
  REQUIRE(other != kept);
  REQUIRE(error_class_of(MPI_Comm_set_attr(MPI_COMM_WORLD, kept, number(6))) == MPI_ERR_KEYVAL);
  void* value = nullptr;
  int flag = 0;
  REQUIRE(MPI_Comm_get_attr(MPI_COMM_WORLD, kept, &value, &flag) == MPI_SUCCESS);
  REQUIRE((flag == 1 && value == number(5)));
  REQUIRE(MPI_Comm_delete_attr(MPI_COMM_WORLD, kept) == MPI_SUCCESS);
  REQUIRE(g_log == "delete5 ");
  REQUIRE(error_class_of(MPI_Comm_get_attr(MPI_COMM_WORLD, kept, &value, &flag)) == MPI_ERR_KEYVAL);
  MPI_Comm_free_keyval(&other);
}

TEST_CASE_METHOD(Comms, "MPI_COMM_DUP_FN copies the value") {
  int key, flag;
  MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &key, nullptr);
  Comm& from = comm_register(MPI_COMM_NULL, 5, 0, {1});
  Comm& to = comm_register(MPI_COMM_NULL, 6, 0, {1});
  MPI_Comm_set_attr(from.handle, key, number(7));
  attributes_copy(from, to);
  void* value;
  MPI_Comm_get_attr(to.handle, key, &value, &flag);
  REQUIRE(flag == 1);
  REQUIRE(value == number(7));
  MPI_Comm_delete_attr(to.handle, key);
  MPI_Comm_get_attr(to.handle, key, &value, &flag);
  REQUIRE(flag == 0);
  REQUIRE(error_class_of(MPI_Comm_delete_attr(MPI_COMM_WORLD, key)) == MPI_ERR_KEYVAL);
  attributes_delete_all(from);
  MPI_Comm_free_keyval(&key);
  comm_close(from);
  comm_close(to);
}

TEST_CASE_METHOD(Comms, "A delete callback that fails keeps the attribute") {
  int key, flag;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, answer, &key, nullptr);
  MPI_Comm_set_attr(MPI_COMM_SELF, key, number(1));
  REQUIRE(attributes_delete_all(*g_comm_self) == MPI_ERR_OTHER);
  void* value;
  MPI_Comm_get_attr(MPI_COMM_SELF, key, &value, &flag);
  REQUIRE(flag == 1);
  g_answer = MPI_SUCCESS;
  REQUIRE(attributes_delete_all(*g_comm_self) == MPI_SUCCESS);
  MPI_Comm_free_keyval(&key);
}

TEST_CASE_METHOD(Comms, "A callback may free its key") {
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_key, &g_key, nullptr);
  const int key = g_key;
  MPI_Comm_set_attr(MPI_COMM_WORLD, key, number(1));
  REQUIRE(MPI_Comm_set_attr(MPI_COMM_WORLD, key, number(2)) == MPI_SUCCESS);  // frees it with the first value
  void* value = nullptr;
  int flag = 0;
  REQUIRE(MPI_Comm_get_attr(MPI_COMM_WORLD, key, &value, &flag) == MPI_SUCCESS);
  REQUIRE((flag == 1 && value == number(2)));
  REQUIRE(attributes_delete_all(*g_comm_world) == MPI_SUCCESS);
  REQUIRE(error_class_of(MPI_Comm_get_attr(MPI_COMM_WORLD, key, &value, &flag)) == MPI_ERR_KEYVAL);
}

TEST_CASE_METHOD(Comms, "A copy callback may take the attribute away, and free its key") {
  Comm& from = comm_register(MPI_COMM_NULL, 5, 0, {1});
  Comm& to = comm_register(MPI_COMM_NULL, 6, 0, {1});
  int second = MPI_KEYVAL_INVALID;
  MPI_Comm_create_keyval(move_attribute, MPI_COMM_NULL_DELETE_FN, &g_key, &second);
  MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &second, nullptr);
  const int keys[] = {g_key, second};
  for (const int key : keys) MPI_Comm_set_attr(from.handle, key, number(3));
  REQUIRE(attributes_copy(from, to) == MPI_SUCCESS);
  for (const int key : keys) {
    void* value = nullptr;
    int flag = 0;
    REQUIRE(MPI_Comm_get_attr(to.handle, key, &value, &flag) == MPI_SUCCESS);
    REQUIRE((flag == 1 && value == number(3)));
  }
  REQUIRE(from.attributes.empty());
  REQUIRE(attributes_delete_all(to) == MPI_SUCCESS);
  comm_close(from);
  comm_close(to);
}

TEST_CASE_METHOD(Comms, "Predefined attributes") {
  int* value;
  int flag;
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &value, &flag);
  REQUIRE(flag == 1);
  REQUIRE(*value == 2147483647);
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_UNIVERSE_SIZE, &value, &flag);
  REQUIRE(*value == 4);
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_WTIME_IS_GLOBAL, &value, &flag);
  REQUIRE(*value == 1);
  REQUIRE(error_class_of(MPI_Comm_set_attr(MPI_COMM_WORLD, MPI_TAG_UB, number(1))) == MPI_ERR_KEYVAL);
}

TEST_CASE_METHOD(Comms, "Hints that are not known are ignored") {
  MPI_Info info, used;
  MPI_Info_create(&info);
  MPI_Info_set(info, "k", "v");
  REQUIRE(MPI_Comm_set_info(MPI_COMM_WORLD, info) == MPI_SUCCESS);
  MPI_Comm_get_info(MPI_COMM_WORLD, &used);
  int keys = -1;
  MPI_Info_get_nkeys(used, &keys);
  REQUIRE(keys == 0);
  MPI_Info_free(&info);
  MPI_Info_free(&used);
}
