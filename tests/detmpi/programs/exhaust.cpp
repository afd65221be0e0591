// The shared memory of the job is used up: by communicators without end, none of which is freed, or by one gather where
// ranks cannot write to each other's memory.
#include "testing.hpp"

#include <vector>

using namespace mpi_test;

int main(int argc, char** argv) {
  Mpi mpi(argc, argv);
  EXPECT(argc == 2);
  if (std::strcmp(argv[1], "gather") == 0) {
    constexpr int kBytes = 40'000'000;
    const std::vector<char> own(kBytes, 'x');
    std::vector<char> all(static_cast<size_t>(g_size) * kBytes);
    MPI_Gather(own.data(), kBytes, MPI_CHAR, all.data(), kBytes, MPI_CHAR, 0, MPI_COMM_WORLD);
    return 0;
  }
  for (;;) {
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  }
}
