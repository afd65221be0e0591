// Prints what MPI_Wtime tells at some points of a program that exchanges messages, blocking and not.
#include "testing.hpp"

using namespace mpi_test;

int main(int argc, char** argv) {
  Mpi mpi(argc, argv);
  Report report;
  for (int round = 0; round < 20; ++round) {
    int in = 0;
    MPI_Request requests[2];
    MPI_Irecv(&in, 1, MPI_INT, left(), 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(&round, 1, MPI_INT, right(), 0, MPI_COMM_WORLD, &requests[1]);
    // The message may come in during any of these calls; the clock tells nothing of it.
    for (int i = 0; i < g_rank + 1; ++i) (void)MPI_Wtime();
    const double during = MPI_Wtime();
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    const double after = MPI_Wtime();
    EXPECT(in == round && after > during);
    report.line("%.9f %.9f", during, after);
    int sum = 0;
    if (round % 5 == 0) MPI_Allreduce(&round, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    int other = round;
    if (round % 5 == 1) {
      MPI_Irecv(&in, 1, MPI_INT, left(), 1, MPI_COMM_WORLD, &requests[0]);
      MPI_Ssend(&other, 1, MPI_INT, right(), 1, MPI_COMM_WORLD);
      MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    }
    if (round % 5 == 2) MPI_Bcast(&sum, 1, MPI_INT, round % g_size, MPI_COMM_WORLD);
    report.line("%.9f", MPI_Wtime());
  }
  report.line("tick %g", MPI_Wtick());
  report.print();
}
