// Says which of several programs it is, where it runs and what it was given; a token goes round all of them.
#include <unistd.h>

#include <cstdlib>

#include "testing.hpp"

using namespace mpi_test;

namespace {

std::string folder() {
  char path[4096] = "";
  return getcwd(path, sizeof path) == nullptr ? "?" : path;
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "none" : value;
}

// How many ranks the program has.
std::string ranks_of_program() {
  char text[MPI_MAX_INFO_VAL + 1] = "";
  int found = 0;
  EXPECT(MPI_Info_get(MPI_INFO_ENV, "maxprocs", MPI_MAX_INFO_VAL, text, &found) == MPI_SUCCESS && found);
  return text;
}

int program_number() {
  int *number = nullptr, found = 0;
  EXPECT(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &number, &found) == MPI_SUCCESS && found);
  return *number;
}

}  // namespace

int main(int argc, char** argv) {
  Mpi mpi(argc, argv);
  Report report;
  int token = 0;
  if (g_rank > 0) MPI_Recv(&token, 1, MPI_INT, g_rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  token += program_number() * 10 + 1;
  if (g_rank + 1 < g_size) MPI_Send(&token, 1, MPI_INT, g_rank + 1, 0, MPI_COMM_WORLD);
  report.line("rank %d of %d, program %d of %s, token %d, in %s, ONE=%s, ALL=%s, %s", g_rank, g_size, program_number(),
              ranks_of_program().c_str(), token, folder().c_str(), variable("ONE").c_str(), variable("ALL").c_str(),
              argc > 1 ? argv[1] : "nothing");
  report.print();
}
