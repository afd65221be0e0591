#include "program.hpp"

#include <mpi.h>

namespace npb {

int run_program(int argc, char** argv, const Program& program) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const Command command = read_command_line(argc, argv, program);
  const int exit_code = command.run ? program.run(command.options, rank, ranks) : command.exit_code;
  MPI_Finalize();
  return exit_code;
}

}  // namespace npb
