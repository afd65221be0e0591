/* Without MPI, and without detmpirun: counts, and has nothing to tell. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  volatile double x = 1;
  for (long i = 0; i < 10000000; ++i) x = x * 0.5 + 1;
  if (argc > 1) {
    MPI_Init(&argc, &argv);
    for (long i = 0; i < 10000000; ++i) x = x * 0.5 + 1;
    MPI_Finalize();
    for (long i = 0; i < 10000000; ++i) x = x * 0.5 + 1;
  }
  printf("%g\n", x);
  return 0;
}
