// Chapters of MPI that are not supported: their functions exist, and fail with a message that says so; those on
// communicators through the error handler. Where a program is told by nothing but a code, standard error has the
// message, too: once for each function that programs begin with.
#include <string>

#include "testing.hpp"

namespace {

int g_handled = 0;

void count_error(MPI_Comm*, int*, ...) { ++g_handled; }

void expect_unsupported(int code) {
  int error_class = 0, length = 0;
  char text[MPI_MAX_ERROR_STRING];
  MPI_Error_class(code, &error_class);
  MPI_Error_string(code, text, &length);
  EXPECT(error_class == MPI_ERR_UNSUPPORTED_OPERATION);
  EXPECT(std::string(text).find("not supported") != std::string::npos);
}

}  // namespace

int main(int argc, char** argv) {
  const mpi_test::Mpi mpi(argc, argv);
  // A file has no handler yet: the error is returned, and ends nothing.
  MPI_File file = MPI_FILE_NULL;
  for (int i = 0; i < 2; ++i) {
    expect_unsupported(MPI_File_open(MPI_COMM_WORLD, "name", MPI_MODE_RDONLY, MPI_INFO_NULL, &file));
  }
  expect_unsupported(MPI_File_close(&file));

  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(count_error, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  MPI_Win win = MPI_WIN_NULL;
  MPI_Comm comm = MPI_COMM_WORLD;
  expect_unsupported(MPI_Win_create(nullptr, 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
  expect_unsupported(MPI_Win_fence(0, win));
  expect_unsupported(
      PMPI_Comm_spawn("name", MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &comm, MPI_ERRCODES_IGNORE));
  EXPECT(g_handled == 3);
  EXPECT(win == MPI_WIN_NULL && comm == MPI_COMM_WORLD);

  if (argc > 1) return MPI_Abort(MPI_COMM_WORLD, 3);
  EXPECT(MPI_Comm_get_parent(&comm) == MPI_SUCCESS && comm == MPI_COMM_NULL);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  char port[MPI_MAX_PORT_NAME];
  if (mpi_test::g_rank == mpi_test::g_size - 1) expect_unsupported(MPI_Open_port(MPI_INFO_NULL, port));
  expect_unsupported(MPI_Win_create(nullptr, 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Errhandler_free(&handler);
  if (mpi_test::g_rank == 0) std::puts("failed as they should");
  return 0;
}
