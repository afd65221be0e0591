/* What counting work costs (detmpicc --instrument): loops like those of two NAS benchmarks, with their messages.
 *   mg   residual of a 27-point stencil on a cube of doubles, cut into slabs that exchange their faces
 *   lu   a wavefront: five unknowns per point, 5x5 blocks of the lower triangle; each plane waits for the rank before
 * usage: work_kernels mg|lu [POINTS PER SIDE] [REPETITIONS]; prints a checksum. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, ranks, n;

static double* new_array(size_t count) {
  double* a = malloc(count * sizeof *a);
  if (a == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
  for (size_t i = 0; i < count; ++i) a[i] = (double)((i * 7919 + (size_t)rank * 104729) % 1000) * 1e-3;
  return a;
}

static double sum_of(const double* a, size_t count) {
  double sum = 0, all = 0;
  for (size_t i = 0; i < count; ++i) sum += a[i];
  MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

/* --- mg --- */

static void exchange_faces(double* u, int planes) {
  const int face = n * n;
  const int up = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL, down = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  MPI_Sendrecv(u + (size_t)planes * face, face, MPI_DOUBLE, up, 1, u, face, MPI_DOUBLE, down, 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Sendrecv(u + face, face, MPI_DOUBLE, down, 2, u + (size_t)(planes + 1) * face, face, MPI_DOUBLE, up, 2,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* r = v - A u. The sums over a line's neighbours are shared by the points beside each other. */
static void residual(const double* u, const double* v, double* r, int planes, const double a[4]) {
  double edges[1024], corners[1024];
  for (int k = 1; k <= planes; ++k) {
    for (int j = 1; j < n - 1; ++j) {
      const double* c = u + ((size_t)k * n + j) * n;
      const size_t plane = (size_t)n * n, at = (size_t)(c - u);
      for (int i = 0; i < n; ++i) {
        edges[i] = c[i - n] + c[i + n] + u[at - plane + i] + u[at + plane + i];
        corners[i] = u[at - plane + i - n] + u[at - plane + i + n] + u[at + plane + i - n] + u[at + plane + i + n];
      }
      for (int i = 1; i < n - 1; ++i) {
        r[at + i] = v[at + i] - a[0] * c[i] - a[1] * (c[i - 1] + c[i + 1] + edges[i]) -
                    a[2] * (corners[i] + edges[i - 1] + edges[i + 1]) - a[3] * (corners[i - 1] + corners[i + 1]);
      }
    }
  }
}

static double mg(int repetitions) {
  const double a[4] = {-8.0 / 3.0, 0.0, 1.0 / 6.0, 1.0 / 12.0};
  const int planes = n / ranks;
  const size_t count = (size_t)(planes + 2) * n * n;
  double *u = new_array(count), *v = new_array(count), *r = new_array(count);
  for (int turn = 0; turn < repetitions; ++turn) {
    exchange_faces(u, planes);
    residual(u, v, r, planes, a);
    for (size_t i = 0; i < count; ++i) u[i] += 1e-3 * r[i];
  }
  const double sum = sum_of(u, count);
  free(u), free(v), free(r);
  return sum;
}

/* --- lu --- */

static void lower(double* v, double (*d)[5], const double* west, const double* south, const double* down) {
  double t[5];
  for (int m = 0; m < 5; ++m) {
    t[m] = v[m];
    for (int l = 0; l < 5; ++l) t[m] -= 0.1 * (d[m][l] * west[l] + d[l][m] * south[l] + d[m][l] * down[l]);
  }
  for (int m = 0; m < 5; ++m) { /* forward, then backward substitution in the diagonal block */
    for (int l = 0; l < m; ++l) t[m] -= 0.01 * d[m][l] * t[l];
    t[m] /= 2.0 + d[m][m];
  }
  for (int m = 4; m >= 0; --m) {
    for (int l = m + 1; l < 5; ++l) t[m] -= 0.01 * d[m][l] * t[l];
    v[m] = t[m];
  }
}

static double lu(int repetitions) {
  const int columns = n / ranks;
  const size_t row = (size_t)columns * 5, count = (size_t)n * n * row;
  double* v = new_array(count);
  double *border = calloc((size_t)n * 5, sizeof *border), *edge = calloc((size_t)n * 5, sizeof *edge);
  const double zero[5] = {0};
  double d[5][5];
  for (int m = 0; m < 5; ++m) {
    for (int l = 0; l < 5; ++l) d[m][l] = 0.1 * (m + 1) + 0.02 * l;
  }
  for (int turn = 0; turn < repetitions; ++turn) {
    for (int k = 0; k < n; ++k) {
      if (rank > 0) MPI_Recv(border, n * 5, MPI_DOUBLE, rank - 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      for (int j = 0; j < n; ++j) {
        double* line = v + ((size_t)k * n + j) * row;
        for (int i = 0; i < columns; ++i) {
          lower(line + i * 5, d, i > 0 ? line + (i - 1) * 5 : border + j * 5, j > 0 ? line - row + i * 5 : zero,
                k > 0 ? line - row * n + i * 5 : zero);
        }
        memcpy(edge + j * 5, line + (columns - 1) * 5, 5 * sizeof *edge);
      }
      if (rank + 1 < ranks) MPI_Send(edge, n * 5, MPI_DOUBLE, rank + 1, 3, MPI_COMM_WORLD);
    }
  }
  const double sum = sum_of(v, count);
  free(v), free(border), free(edge);
  return sum;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int is_mg = argc > 1 && strcmp(argv[1], "mg") == 0;
  n = argc > 2 ? atoi(argv[2]) : is_mg ? 128 : 48;
  const int repetitions = argc > 3 ? atoi(argv[3]) : 20;
  if (n < ranks || n > 1024 || (!is_mg && (argc < 2 || strcmp(argv[1], "lu") != 0))) {
    if (rank == 0) fprintf(stderr, "usage: work_kernels mg|lu [POINTS PER SIDE] [REPETITIONS]\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  const double begin = MPI_Wtime();
  const double sum = is_mg ? mg(repetitions) : lu(repetitions);
  const double seconds = MPI_Wtime() - begin;
  if (rank == 0) printf("%s %d x %d: checksum %.15g, %.6f s\n", argv[1], n, repetitions, sum, seconds);
  return MPI_Finalize();
}
