/* The command line that the MPI benchmarks share: --quick, --help, and an option of their own that takes a value. */
#ifndef BENCH_MPI_BENCH_H
#define BENCH_MPI_BENCH_H

#include <getopt.h>
#include <mpi.h>

#include "bench.h"

struct bench_command {
  const char *name;   /* of the program */
  const char *does;   /* in a sentence */
  const char *option; /* its long name; the short one is its first letter */
  const char *value;  /* what stands for the value in the help */
  const char *means;  /* what the option does */
};

static inline int bench_usage(const struct bench_command *command, FILE *out, int exit_code) {
  char option[40];
  snprintf(option, sizeof option, "-%c, --%s=%s", command->option[0], command->option, command->value);
  fprintf(out, "Usage: %s [--quick] [--%s=%s]\n%s\n\n", command->name, command->option, command->value, command->does);
  fprintf(out, "  %-19s fewer and shorter samples\n  %-19s %s\n  %-19s print this text\n", "-q, --quick", option,
          command->means, "-h, --help");
  return exit_code;
}

/* Returns -1 to go on, or the exit code. `value` stays as it is if the option is not given. All ranks read the same
 * command line; rank 0 alone speaks. */
static inline int bench_parse(const struct bench_command *command, int argc, char **argv, int rank,
                              struct bench_plan *plan, const char **value) {
  const struct option names[] = {{"quick", no_argument, NULL, 'q'},
                                 {command->option, required_argument, NULL, command->option[0]},
                                 {"help", no_argument, NULL, 'h'},
                                 {NULL, 0, NULL, 0}};
  const char letters[] = {'q', 'h', command->option[0], ':', '\0'};
  opterr = rank == 0;
  for (int letter; (letter = getopt_long(argc, argv, letters, names, NULL)) != -1;) {
    if (letter == 'q')
      *plan = bench_plan_quick();
    else if (letter == 'h')
      return rank == 0 ? bench_usage(command, stdout, 0) : 0;
    else if (letter == command->option[0])
      *value = optarg;
    else
      return rank == 0 ? bench_usage(command, stderr, 2) : 2;
  }
  return -1;
}

/* A program whose option is the size of the largest message: measures by `run` and returns the exit code. */
static inline int bench_main_by_size(int argc, char **argv, const char *name, const char *does, long largest,
                                     int (*run)(int rank, const struct bench_plan *plan, long max_bytes)) {
  const struct bench_command command = {name, does, "max-bytes", "N", "leave out messages of more than N bytes"};
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  struct bench_plan plan = bench_plan_default();
  const char *value = NULL;
  int exit_code = bench_parse(&command, argc, argv, rank, &plan, &value);
  char *end = NULL;
  const long max_bytes = value != NULL ? strtol(value, &end, 10) : largest;
  if (exit_code < 0 && value != NULL && (end == value || *end != '\0' || max_bytes < 0))
    exit_code = rank == 0 ? bench_usage(&command, stderr, 2) : 2;
  if (exit_code < 0) exit_code = run(rank, &plan, max_bytes);
  MPI_Finalize();
  return exit_code;
}

#endif
