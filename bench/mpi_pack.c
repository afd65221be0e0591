/* MPI_Pack and MPI_Unpack of data with gaps, against loops written by hand.
 *
 * Prints one JSON line per datatype, size and direction. Times are medians of several samples, in us for all the data;
 * loop_us is that of the loop, whose samples are taken in turns with the others. One rank is enough. */
#define _POSIX_C_SOURCE 200809L

#include <mpi.h>
#include <stddef.h>
#include <string.h>

#include "mpi_bench.h"

enum { kGap = 8 }; /* doubles from one column to the next, and from one row of a face to the next */

struct particle {
  double place[3];
  double mass;
  int cell;
  int charge;
};

/* Some data: how MPI sees them, and how a program would copy them. */
struct subject {
  const char* name;
  MPI_Datatype type;
  int count;
  long n; /* columns, particles ..., what the loops count */
  size_t span;
  void (*gather)(char* packed, const char* data, long n);
  void (*scatter)(char* data, const char* packed, long n);
};

static void gather_column(char* packed, const char* data, long n) {
  double* to = (double*)packed;
  const double* from = (const double*)data;
  for (long i = 0; i < n; ++i) to[i] = from[i * kGap];
}
static void scatter_column(char* data, const char* packed, long n) {
  double* to = (double*)data;
  const double* from = (const double*)packed;
  for (long i = 0; i < n; ++i) to[i * kGap] = from[i];
}

static struct subject column(long bytes) {
  struct subject s = {"column", 0, 1, bytes / 8, (size_t)bytes * kGap, gather_column, scatter_column};
  MPI_Type_vector((int)s.n, 1, kGap, MPI_DOUBLE, &s.type);
  return s;
}

static void gather_particles(char* packed, const char* data, long n) {
  const struct particle* from = (const struct particle*)data;
  for (long i = 0; i < n; ++i) {
    memcpy(packed, from[i].place, sizeof from[i].place);
    memcpy(packed + 24, &from[i].charge, sizeof from[i].charge);
    packed += 28;
  }
}
static void scatter_particles(char* data, const char* packed, long n) {
  struct particle* to = (struct particle*)data;
  for (long i = 0; i < n; ++i) {
    memcpy(to[i].place, packed, sizeof to[i].place);
    memcpy(&to[i].charge, packed + 24, sizeof to[i].charge);
    packed += 28;
  }
}

/* Place and charge alone. */
static struct subject particles(long bytes) {
  const long n = bytes / 28;
  struct subject s = {"struct", 0, (int)n, n, (size_t)n * sizeof(struct particle), gather_particles, scatter_particles};
  const int lengths[] = {3, 1};
  const MPI_Aint places[] = {offsetof(struct particle, place), offsetof(struct particle, charge)};
  const MPI_Datatype types[] = {MPI_DOUBLE, MPI_INT};
  MPI_Datatype fields;
  MPI_Type_create_struct(2, lengths, places, types, &fields);
  MPI_Type_create_resized(fields, 0, sizeof(struct particle), &s.type);
  MPI_Type_free(&fields);
  return s;
}

/* Planes of 16 rows of 4 doubles, with gaps after each row and each plane; of fewer rows where there is one plane. */
enum { kRows = 16, kWidth = 4, kPlane = 2 * kRows * kGap };

static long rows_of(long rows) { return rows < kRows ? rows : kRows; }

static void gather_face(char* packed, const char* data, long n) {
  double* to = (double*)packed;
  const long rows = rows_of(n);
  for (long plane = 0; plane * rows < n; ++plane)
    for (long row = 0; row < rows; ++row)
      for (long i = 0; i < kWidth; ++i) *to++ = ((const double*)data)[plane * kPlane + row * kGap + i];
}
static void scatter_face(char* data, const char* packed, long n) {
  const double* from = (const double*)packed;
  const long rows = rows_of(n);
  for (long plane = 0; plane * rows < n; ++plane)
    for (long row = 0; row < rows; ++row)
      for (long i = 0; i < kWidth; ++i) ((double*)data)[plane * kPlane + row * kGap + i] = *from++;
}

static struct subject face(long bytes) {
  const long n = bytes / (8 * kWidth), rows = rows_of(n), planes = n / rows;
  struct subject s = {"nested", 0, 1, n, (size_t)planes * kPlane * 8, gather_face, scatter_face};
  MPI_Datatype plane;
  MPI_Type_vector((int)rows, kWidth, kGap, MPI_DOUBLE, &plane);
  MPI_Type_create_hvector((int)planes, 1, kPlane * 8, plane, &s.type);
  MPI_Type_free(&plane);
  return s;
}

struct buffers {
  char* data;
  char* packed;
  int bytes;
};

enum direction { kPack, kUnpack, kGather, kScatter, kDirections };

static double run_once(const struct subject* s, const struct buffers* b, enum direction direction, long iterations) {
  const double start = bench_now_us();
  for (long i = 0; i < iterations; ++i) {
    int position = 0;
    switch (direction) {
      case kPack: MPI_Pack(b->data, s->count, s->type, b->packed, b->bytes, &position, MPI_COMM_SELF); break;
      case kUnpack: MPI_Unpack(b->packed, b->bytes, &position, b->data, s->count, s->type, MPI_COMM_SELF); break;
      case kGather: s->gather(b->packed, b->data, s->n); break;
      default: s->scatter(b->data, b->packed, s->n);
    }
  }
  return bench_now_us() - start;
}

static void measure(const struct bench_plan* plan, const struct subject* s, const struct buffers* b,
                    double us[kDirections]) {
  enum { kWarmUp = 5 };
  long iterations[kDirections];
  double samples[kDirections][kMaxRepetitions];
  for (int d = 0; d < kDirections; ++d)
    iterations[d] = bench_iterations(plan, run_once(s, b, (enum direction)d, kWarmUp) / kWarmUp);
  for (int i = 0; i < plan->repetitions; ++i)
    for (int d = 0; d < kDirections; ++d)
      samples[d][i] = run_once(s, b, (enum direction)d, iterations[d]) / (double)iterations[d];
  for (int d = 0; d < kDirections; ++d) us[d] = bench_median(samples[d], plan->repetitions);
}

static void print_result(const char* op, const char* type, int bytes, double us, double loop_us) {
  printf("{\"bench\":\"pack\",\"op\":\"%s %s\",\"bytes\":%d,\"us\":%.4f,\"loop_us\":%.4f}\n", op, type, bytes, us,
         loop_us);
}

static void compare(const struct bench_plan* plan, struct subject s) {
  struct buffers b;
  MPI_Type_commit(&s.type);
  MPI_Pack_size(s.count, s.type, MPI_COMM_SELF, &b.bytes);
  b.data = bench_buffer(s.span);
  b.packed = bench_buffer((size_t)b.bytes);
  double us[kDirections];
  measure(plan, &s, &b, us);
  print_result("pack", s.name, b.bytes, us[kPack], us[kGather]);
  print_result("unpack", s.name, b.bytes, us[kUnpack], us[kScatter]);
  fflush(stdout);
  MPI_Type_free(&s.type);
  free(b.data);
  free(b.packed);
}

static int run(int rank, const struct bench_plan* plan, long max_bytes) {
  static struct subject (*const kSubjects[])(long) = {column, particles, face};
  for (size_t i = 0; i < sizeof kSubjects / sizeof kSubjects[0] && rank == 0; ++i)
    for (long bytes = 64; bytes <= max_bytes; bytes *= 4) compare(plan, kSubjects[i](bytes));
  return 0;
}

int main(int argc, char** argv) {
  return bench_main_by_size(argc, argv, "mpi_pack",
                            "Packing of data with gaps; one JSON line per datatype, size and direction.", 4194304, run);
}
