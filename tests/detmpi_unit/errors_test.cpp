// Error codes, texts and handlers.
#include "object/errors.hpp"

#include <mpi.h>

#include <catch2/catch.hpp>
#include <cstring>

#include "object/comm.hpp"
#include "stubs.hpp"
#include "support/run_child.hpp"

using namespace detmpi;

namespace {

int class_of(int code) {
  int error_class;
  MPI_Error_class(code, &error_class);
  return error_class;
}

std::string text_of(int code) {
  char text[MPI_MAX_ERROR_STRING];
  int length;
  MPI_Error_string(code, text, &length);
  REQUIRE(length == static_cast<int>(strlen(text)));
  return text;
}

int g_handler_calls = 0;
int g_handler_code = 0;
MPI_Comm g_handler_comm = MPI_COMM_NULL;

void note(MPI_Comm* comm, int* code, ...) {
  ++g_handler_calls;
  g_handler_code = *code;
  g_handler_comm = *comm;
}

}  // namespace

TEST_CASE("An error code carries its class and its message") {
  const int code = make_error(MPI_ERR_TAG, "tag %d", -5);
  REQUIRE(code > MPI_ERR_TAG);
  REQUIRE(code < MPI_ERR_LASTCODE);
  REQUIRE(class_of(code) == MPI_ERR_TAG);
  REQUIRE(text_of(code) == "tag -5");
  REQUIRE(text_of(MPI_SUCCESS) == "no error");
  REQUIRE(text_of(MPI_ERR_TRUNCATE) == "message longer than the receive buffer");
  REQUIRE(class_of(-1) == MPI_ERR_UNKNOWN);
}

TEST_CASE("An old message gives way to the text of its class") {
  const int code = make_error(MPI_ERR_RANK, "the first");
  for (int i = 0; i < 64; ++i) make_error(MPI_ERR_TAG, "later");
  REQUIRE(text_of(code) == "invalid rank");
  REQUIRE(class_of(code) == MPI_ERR_RANK);
}

TEST_CASE("A message longer than MPI allows is cut") {
  const int code = make_error(MPI_ERR_ARG, "%s", std::string(2000, 'x').c_str());
  REQUIRE(text_of(code).size() == MPI_MAX_ERROR_STRING - 1);
}

TEST_CASE("The program makes classes, codes and texts") {
  World world;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  int made_class, code;
  MPI_Add_error_class(&made_class);
  MPI_Add_error_code(made_class, &code);
  REQUIRE(made_class > MPI_ERR_LASTCODE);
  REQUIRE(class_of(code) == made_class);
  REQUIRE(class_of(made_class) == made_class);
  REQUIRE(text_of(code).empty());
  MPI_Add_error_string(code, "mine");
  REQUIRE(text_of(code) == "mine");
  int* last;
  int flag;
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &last, &flag);
  REQUIRE(flag == 1);
  REQUIRE(*last == code);
  REQUIRE(class_of(MPI_Add_error_string(MPI_ERR_TAG, "not mine")) == MPI_ERR_ARG);
  REQUIRE(class_of(MPI_Add_error_code(code, &code)) == MPI_ERR_ARG);
  MPI_Add_error_code(MPI_ERR_TAG, &code);
  REQUIRE(class_of(code) == MPI_ERR_TAG);
}

TEST_CASE("A handler of the program's is called with its communicator, and may be freed before") {
  World world;
  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(note, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
  const MPI_Errhandler same = handler;
  MPI_Errhandler_free(&handler);
  REQUIRE(handler == MPI_ERRHANDLER_NULL);
  MPI_Comm_get_errhandler(MPI_COMM_SELF, &handler);
  REQUIRE(handler == same);
  MPI_Errhandler_free(&handler);
  // The program has no handle any more: it cannot take the handler from its communicator.
  handler = same;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  REQUIRE(class_of(MPI_Errhandler_free(&handler)) == MPI_ERR_ARG);
  REQUIRE(class_of(MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler)) == MPI_ERR_ARG);

  g_handler_calls = 0;
  const int code = MPI_Send(nullptr, -1, MPI_INT, 0, 0, MPI_COMM_SELF);
  REQUIRE(class_of(code) == MPI_ERR_COUNT);
  REQUIRE(g_handler_calls == 1);
  REQUIRE(g_handler_code == code);
  REQUIRE(g_handler_comm == MPI_COMM_SELF);
  REQUIRE(MPI_Comm_call_errhandler(MPI_COMM_SELF, MPI_ERR_OTHER) == MPI_SUCCESS);
  REQUIRE(g_handler_calls == 2);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Comm_create_errhandler(note, &handler);
  REQUIRE(handler == same);  // the handle was free again
  MPI_Errhandler_free(&handler);
}

TEST_CASE("A fatal error names rank, call, cause and communicator") {
  const auto result = test_support::run_same([] {
    World world(3, 4);
    int x = 0;
    MPI_Send(&x, 1, MPI_INT, 0, -5, MPI_COMM_WORLD);
    return 0;
  });
  REQUIRE(result.exit_code == MPI_ERR_TAG);
  REQUIRE(result.err ==
          "DetMPI: rank 3: MPI_Send: invalid tag -5 (tags are 0 to 2147483647) on MPI_COMM_WORLD; the job ends\n");
}

TEST_CASE("A call outside MPI_Init and MPI_Finalize ends the program") {
  const auto result = test_support::run_same([] {
    int x = 0;
    MPI_Send(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    return 0;
  });
  REQUIRE(result.exit_code == MPI_ERR_OTHER);
  REQUIRE(result.err == "DetMPI: MPI_Send: called before MPI_Init; the job ends\n");
}
