/* The logical time of work in Fortran (solver.f90). */
#include "clock.h"

double solve(int n);

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  double sum = 0;
  begin(), sum += solve(300), report("fortran");
  begin(), sum += solve(600), report("more fortran");
  printf("result: %g\n", sum);
  return MPI_Finalize();
}
