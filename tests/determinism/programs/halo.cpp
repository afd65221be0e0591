// A heat equation on a plane: rows of ranks, halos exchanged by nonblocking messages, columns as a derived
// datatype, the residual by a sum over all. The bits of every residual and of the end state are printed.
#include <cmath>

#include "testing.hpp"

using namespace mpi_test;

namespace {

constexpr int kInner = 40;
constexpr int kSide = kInner + 2;
constexpr int kSteps = 120;

size_t at(int row, int column) { return static_cast<size_t>(row * kSide + column); }

struct Halo {
  int up, down, west, east;
  MPI_Datatype column;
  void exchange(std::vector<double>& u) const {
    MPI_Request requests[8];
    const auto comm = MPI_COMM_WORLD;
    MPI_Irecv(&u[at(0, 1)], kInner, MPI_DOUBLE, up, 0, comm, &requests[0]);
    MPI_Irecv(&u[at(kSide - 1, 1)], kInner, MPI_DOUBLE, down, 1, comm, &requests[1]);
    MPI_Irecv(&u[at(1, 0)], 1, column, west, 2, comm, &requests[2]);
    MPI_Irecv(&u[at(1, kSide - 1)], 1, column, east, 3, comm, &requests[3]);
    MPI_Isend(&u[at(1, 1)], kInner, MPI_DOUBLE, up, 1, comm, &requests[4]);
    MPI_Isend(&u[at(kInner, 1)], kInner, MPI_DOUBLE, down, 0, comm, &requests[5]);
    MPI_Isend(&u[at(1, 1)], 1, column, west, 3, comm, &requests[6]);
    MPI_Isend(&u[at(1, kInner)], 1, column, east, 2, comm, &requests[7]);
    MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
  }
};

}  // namespace

int main(int argc, char** argv) {
  Mpi mpi(argc, argv);
  const int columns = g_size % 2 == 0 ? 2 : 1;
  const int x = g_rank % columns, y = g_rank / columns, rows = g_size / columns;
  Halo halo{y > 0 ? g_rank - columns : MPI_PROC_NULL, y + 1 < rows ? g_rank + columns : MPI_PROC_NULL,
            x > 0 ? g_rank - 1 : MPI_PROC_NULL, x + 1 < columns ? g_rank + 1 : MPI_PROC_NULL, MPI_DATATYPE_NULL};
  MPI_Type_vector(kInner, 1, kSide, MPI_DOUBLE, &halo.column);
  MPI_Type_commit(&halo.column);
  std::vector<double> u(kSide * kSide), next(kSide * kSide);
  for (size_t i = 0; i < u.size(); ++i) u[i] = mix(i + static_cast<uint64_t>(g_rank) * 100000) * 1e-9;
  Report report;
  for (int step = 0; step < kSteps; ++step) {
    halo.exchange(u);
    double change = 0;
    for (int i = 1; i <= kInner; ++i) {
      for (int j = 1; j <= kInner; ++j) {
        next[at(i, j)] = 0.25 * (u[at(i - 1, j)] + u[at(i + 1, j)] + u[at(i, j - 1)] + u[at(i, j + 1)]);
        change += std::fabs(next[at(i, j)] - u[at(i, j)]);
      }
    }
    std::swap(u, next);
    double total = 0;
    MPI_Allreduce(&change, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (g_rank == 0 && step % 10 == 0) report.line("step %d: %a", step, total);
  }
  double sum = 0;
  for (const double value : u) sum += value;
  report.line("sum %a", sum);
  report.print();
  MPI_Type_free(&halo.column);
}
