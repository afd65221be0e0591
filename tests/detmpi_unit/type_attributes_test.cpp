// Attributes of datatypes: callbacks when a type is copied and freed.
#include <mpi.h>

#include <catch2/catch.hpp>
#include <string>

#include "object/errors.hpp"
#include "types/datatype.hpp"
#include "types_fixture.hpp"

using namespace detmpi;

namespace {

std::string g_log;
int g_answer = MPI_SUCCESS;

int copy_attribute(MPI_Datatype, int, void* extra, void* in, void* out, int* flag) {
  g_log += "copy ";
  *static_cast<void**>(out) = static_cast<char*>(in) + 1;
  *flag = extra == nullptr;
  return MPI_SUCCESS;
}

int refuse_copy(MPI_Datatype, int, void*, void*, void*, int*) { return MPI_ERR_OTHER; }

int delete_attribute(MPI_Datatype type, int, void* value, void*) {
  REQUIRE(datatype_from(type) != nullptr);
  g_log += "delete" + std::to_string(reinterpret_cast<intptr_t>(value)) + " ";
  return g_answer;
}

void* number(intptr_t n) { return reinterpret_cast<void*>(n); }

int flag_of(MPI_Datatype type, int key) {
  void* value;
  int flag = -1;
  REQUIRE(MPI_Type_get_attr(type, key, &value, &flag) == MPI_SUCCESS);
  return flag;
}

intptr_t value_of(MPI_Datatype type, int key) {
  void* value = nullptr;
  int flag;
  MPI_Type_get_attr(type, key, &value, &flag);
  REQUIRE(flag == 1);
  return reinterpret_cast<intptr_t>(value);
}

int g_key = MPI_KEYVAL_INVALID;

int free_key(MPI_Datatype, int, void*, void*) {
  return g_key == MPI_KEYVAL_INVALID ? MPI_SUCCESS : MPI_Type_free_keyval(&g_key);
}

MPI_Datatype pair_of_ints() {
  MPI_Datatype type;
  MPI_Type_contiguous(2, MPI_INT, &type);
  return type;
}

}  // namespace

TEST_CASE_METHOD(Types, "Attributes of types are copied and deleted through their callbacks") {
  g_log.clear();
  int key, plain, dup;
  MPI_Type_create_keyval(copy_attribute, delete_attribute, &key, nullptr);
  MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &plain, nullptr);
  MPI_Type_create_keyval(MPI_TYPE_DUP_FN, MPI_TYPE_NULL_DELETE_FN, &dup, nullptr);
  REQUIRE(static_cast<uint32_t>(key) == 0xa4c00000U);
  MPI_Datatype from = pair_of_ints(), to;
  REQUIRE(flag_of(from, key) == 0);
  MPI_Type_set_attr(from, key, number(10));
  MPI_Type_set_attr(from, key, number(20));  // the old value is deleted
  MPI_Type_set_attr(from, plain, number(1));
  MPI_Type_set_attr(from, dup, number(5));
  MPI_Type_dup(from, &to);
  REQUIRE(value_of(to, key) == 21);
  REQUIRE(value_of(to, dup) == 5);
  REQUIRE(flag_of(to, plain) == 0);
  int freed = key;
  MPI_Type_free_keyval(&freed);
  REQUIRE(freed == MPI_KEYVAL_INVALID);
  MPI_Type_free(&from);
  MPI_Type_free(&to);
  REQUIRE(g_log == "delete10 copy delete20 delete21 ");
  MPI_Type_free_keyval(&plain);
  MPI_Type_free_keyval(&dup);
}

TEST_CASE_METHOD(Types, "A callback that refuses stops the copy or the end of a type") {
  g_log.clear();
  int first, second;
  MPI_Type_create_keyval(copy_attribute, delete_attribute, &first, nullptr);
  MPI_Type_create_keyval(refuse_copy, MPI_TYPE_NULL_DELETE_FN, &second, nullptr);
  MPI_Datatype from = pair_of_ints(), to = MPI_INT;
  MPI_Type_set_attr(from, first, number(1));
  MPI_Type_set_attr(from, second, number(2));
  const size_t before = g_types.used();
  REQUIRE(MPI_Type_dup(from, &to) == MPI_ERR_OTHER);
  REQUIRE(to == MPI_DATATYPE_NULL);
  REQUIRE(g_types.used() == before);
  REQUIRE(g_log == "copy delete2 ");
  g_answer = MPI_ERR_OTHER;
  MPI_Datatype handle = from;
  REQUIRE(MPI_Type_free(&handle) == MPI_ERR_OTHER);
  REQUIRE(handle == from);
  REQUIRE(value_of(from, first) == 1);
  g_answer = MPI_SUCCESS;
  REQUIRE(MPI_Type_free(&from) == MPI_SUCCESS);
  MPI_Type_free_keyval(&first);
  MPI_Type_free_keyval(&second);
}

TEST_CASE_METHOD(Types, "A callback may free its key while the value is replaced") {
  MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, free_key, &g_key, nullptr);
  const int key = g_key;
  MPI_Datatype type = pair_of_ints();
  MPI_Type_set_attr(type, key, number(1));
  REQUIRE(MPI_Type_set_attr(type, key, number(2)) == MPI_SUCCESS);
  REQUIRE(value_of(type, key) == 2);
  REQUIRE(MPI_Type_free(&type) == MPI_SUCCESS);
}

TEST_CASE_METHOD(Types, "Predefined types carry attributes, and deleting one calls back") {
  g_log.clear();
  int key;
  MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, delete_attribute, &key, nullptr);
  MPI_Type_set_attr(MPI_INT, key, number(3));
  REQUIRE(value_of(MPI_INT, key) == 3);
  REQUIRE(MPI_Type_delete_attr(MPI_INT, key) == MPI_SUCCESS);
  REQUIRE(g_log == "delete3 ");
  REQUIRE(flag_of(MPI_INT, key) == 0);
  REQUIRE(error_class_of(MPI_Type_delete_attr(MPI_INT, key)) == MPI_ERR_KEYVAL);
  MPI_Type_free_keyval(&key);
}

TEST_CASE_METHOD(Types, "Keys of one kind of object are no keys of another") {
  int type_key, comm_key, none = MPI_KEYVAL_INVALID;
  MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &type_key, nullptr);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &comm_key, nullptr);
  REQUIRE(error_class_of(MPI_Type_set_attr(MPI_INT, comm_key, nullptr)) == MPI_ERR_KEYVAL);
  REQUIRE(error_class_of(MPI_Comm_set_attr(MPI_COMM_WORLD, type_key, nullptr)) == MPI_ERR_KEYVAL);
  REQUIRE(error_class_of(MPI_Type_free_keyval(&comm_key)) == MPI_ERR_KEYVAL);
  REQUIRE(error_class_of(MPI_Type_free_keyval(&none)) == MPI_ERR_KEYVAL);
  MPI_Type_free_keyval(&type_key);
  MPI_Comm_free_keyval(&comm_key);
}

TEST_CASE_METHOD(Types, "A key that was freed lives as long as its attributes") {
  g_log.clear();
  int key, next;
  MPI_Type_create_keyval(copy_attribute, delete_attribute, &key, nullptr);
  MPI_Datatype from = pair_of_ints(), to;
  MPI_Type_set_attr(from, key, number(1));
  int freed = key;
  MPI_Type_free_keyval(&freed);
  freed = key;
  REQUIRE(MPI_Type_free_keyval(&freed) == MPI_SUCCESS);  // no more than the first time
  MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &next, nullptr);
  REQUIRE(next != key);
  REQUIRE(error_class_of(MPI_Type_set_attr(from, key, number(5))) == MPI_ERR_KEYVAL);
  MPI_Type_dup(from, &to);
  REQUIRE(value_of(to, key) == 2);
  REQUIRE(MPI_Type_delete_attr(from, key) == MPI_SUCCESS);
  MPI_Type_free(&to);
  REQUIRE(g_log == "copy delete1 delete2 ");
  REQUIRE(error_class_of(MPI_Type_free_keyval(&key)) == MPI_ERR_KEYVAL);
  MPI_Type_free_keyval(&next);
  MPI_Type_free(&from);
}
