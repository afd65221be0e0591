/* Loops like those of two NAS benchmarks, with their messages: for the cost of counting work (detmpicc --instrument)
 * and of the order of messages (order.py). mg   residual of a 27-point stencil on a cube of doubles, cut into slabs
 * that exchange their faces lu   wavefronts up and down a cube that is cut into pencils: five unknowns per point, 5x5
 * blocks; each plane waits for those of two neighbours usage: work_kernels mg|lu [POINTS PER SIDE] [REPETITIONS] [any];
 * prints a checksum. any: all receives are from MPI_ANY_SOURCE, and only the tag tells the direction, as in NPB 3.2.
 * Each still has one possible sender, so that the checksum is the same; the library does not know that. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, ranks, n, any_source;

static int source(int neighbour) { return any_source && neighbour != MPI_PROC_NULL ? MPI_ANY_SOURCE : neighbour; }

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
  MPI_Request received[2];
  MPI_Irecv(u, face, MPI_DOUBLE, source(down), 1, MPI_COMM_WORLD, &received[0]);
  MPI_Irecv(u + (size_t)(planes + 1) * face, face, MPI_DOUBLE, source(up), 2, MPI_COMM_WORLD, &received[1]);
  MPI_Send(u + (size_t)planes * face, face, MPI_DOUBLE, up, 1, MPI_COMM_WORLD);
  MPI_Send(u + face, face, MPI_DOUBLE, down, 2, MPI_COMM_WORLD);
  MPI_Waitall(2, received, MPI_STATUSES_IGNORE);
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

static void solve_point(double* v, double (*d)[5], const double* west, const double* south, const double* down) {
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

/* A rank's pencil: n planes of `rows` times `columns` points, and what it gets from two neighbours and gives to two. */
typedef struct {
  int columns, rows;
  int west, east, south, north;
  double *v, *from_x, *from_y, *to_x, *to_y;
} Pencil;

static double* point(const Pencil* p, int k, int j, int i) {
  return p->v + (((size_t)k * p->rows + j) * p->columns + i) * 5;
}

/* One plane of the sweep upwards (step 1) or downwards (step -1), along all three axes. */
static void sweep_plane(const Pencil* p, int k, int step, double (*d)[5]) {
  static const double zero[5] = {0};
  const int up = step > 0, first_i = up ? 0 : p->columns - 1, first_j = up ? 0 : p->rows - 1;
  const int tag = up ? 3 : 5;
  MPI_Recv(p->from_x, p->rows * 5, MPI_DOUBLE, source(up ? p->west : p->east), tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Recv(p->from_y, p->columns * 5, MPI_DOUBLE, source(up ? p->south : p->north), tag + 1, MPI_COMM_WORLD,
           MPI_STATUS_IGNORE);
  const double* before = k - step >= 0 && k - step < n ? point(p, k - step, 0, 0) : NULL;
  for (int j = first_j; j >= 0 && j < p->rows; j += step) {
    for (int i = first_i; i >= 0 && i < p->columns; i += step) {
      double* v = point(p, k, j, i);
      solve_point(v, d, i != first_i ? v - 5 * step : p->from_x + j * 5,
                  j != first_j ? v - 5 * step * p->columns : p->from_y + i * 5,
                  before != NULL ? before + (v - point(p, k, 0, 0)) : zero);
    }
    memcpy(p->to_x + j * 5, point(p, k, j, p->columns - 1 - first_i), 5 * sizeof(double));
  }
  memcpy(p->to_y, point(p, k, p->rows - 1 - first_j, 0), (size_t)p->columns * 5 * sizeof(double));
  MPI_Send(p->to_x, p->rows * 5, MPI_DOUBLE, up ? p->east : p->west, tag, MPI_COMM_WORLD);
  MPI_Send(p->to_y, p->columns * 5, MPI_DOUBLE, up ? p->north : p->south, tag + 1, MPI_COMM_WORLD);
}

static double lu(int repetitions) {
  int px = 1;
  for (int i = 1; i * i <= ranks; ++i) {
    if (ranks % i == 0) px = i;
  }
  const int py = ranks / px, x = rank % px, y = rank / px;
  Pencil p = {.columns = n / px, .rows = n / py};
  p.west = x > 0 ? rank - 1 : MPI_PROC_NULL, p.east = x + 1 < px ? rank + 1 : MPI_PROC_NULL;
  p.south = y > 0 ? rank - px : MPI_PROC_NULL, p.north = y + 1 < py ? rank + px : MPI_PROC_NULL;
  const size_t count = (size_t)n * p.rows * p.columns * 5;
  p.v = new_array(count);
  double* borders = calloc((size_t)(p.rows + p.columns) * 10, sizeof *borders);
  if (borders == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
  p.from_x = borders, p.from_y = p.from_x + p.rows * 5, p.to_x = p.from_y + p.columns * 5, p.to_y = p.to_x + p.rows * 5;
  double d[5][5];
  for (int m = 0; m < 5; ++m) {
    for (int l = 0; l < 5; ++l) d[m][l] = 0.1 * (m + 1) + 0.02 * l;
  }
  for (int turn = 0; turn < repetitions; ++turn) {
    memset(borders, 0, (size_t)(p.rows + p.columns) * 10 * sizeof *borders);
    for (int k = 0; k < n; ++k) sweep_plane(&p, k, 1, d);
    memset(borders, 0, (size_t)(p.rows + p.columns) * 10 * sizeof *borders);
    for (int k = n - 1; k >= 0; --k) sweep_plane(&p, k, -1, d);
  }
  const double sum = sum_of(p.v, count);
  free(p.v), free(borders);
  return sum;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int is_mg = argc > 1 && strcmp(argv[1], "mg") == 0;
  n = argc > 2 ? atoi(argv[2]) : is_mg ? 128 : 48;
  const int repetitions = argc > 3 ? atoi(argv[3]) : 20;
  any_source = argc > 4 && strcmp(argv[4], "any") == 0;
  if (n < ranks || n > 1024 || (!is_mg && (argc < 2 || strcmp(argv[1], "lu") != 0))) {
    if (rank == 0) fprintf(stderr, "usage: work_kernels mg|lu [POINTS PER SIDE] [REPETITIONS] [any]\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  const double begin = MPI_Wtime();
  const double sum = is_mg ? mg(repetitions) : lu(repetitions);
  const double seconds = MPI_Wtime() - begin;
  if (rank == 0) printf("%s %d x %d: checksum %.15g, %.6f s\n", argv[1], n, repetitions, sum, seconds);
  return MPI_Finalize();
}
