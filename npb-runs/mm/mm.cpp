// MM: dense matrix multiplication C = A B. Rank 0 scatters blocks of rows of A, broadcasts B and gathers C.
// Any number of ranks. Standard output is a function of n alone, but for the line that names the rank count.

#include <getopt.h>
#include <mpi.h>

#include <cinttypes>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "kernel.hpp"

namespace npb::mm {
namespace {

constexpr int kUsageError = 2;
constexpr int kDefaultOrder = 512;

struct Command {
  int n = kDefaultOrder;
  bool run = false;
  int exit_code = 0;
};

void print_help() {
  std::printf(
      "Usage: mm [--n=N]\n"
      "Multiplies two dense N x N matrices over all ranks and checks the product.\n\n"
      "  -n, --n=N       order of the matrices, 1 to %d (default %d)\n"
      "  -h, --help      print this text\n"
      "  -V, --version   print the version\n\n"
      "Standard output gives a hash of the product's bytes, standard error the time.\n"
      "Exit status: 0 verified, 1 not verified, 2 wrong usage.\n",
      kMaxOrder, kDefaultOrder);
}

Command parse(int argc, char** argv) {
  static const option kLong[] = {{"n", required_argument, nullptr, 'n'},
                                 {"help", no_argument, nullptr, 'h'},
                                 {"version", no_argument, nullptr, 'V'},
                                 {nullptr, 0, nullptr, 0}};
  Command command;
  bool usable = true;
  for (int letter; (letter = getopt_long(argc, argv, "n:hV", kLong, nullptr)) != -1;) {
    if (letter == 'h') {
      print_help();
      return command;
    }
    if (letter == 'V') {
      std::printf("mm (DLinux npb-runs 1)\n");
      return command;
    }
    if (letter != 'n') {
      usable = false;
      continue;
    }
    char* end = nullptr;
    const long value = std::strtol(optarg, &end, 10);
    if (*optarg == '\0' || *end != '\0' || value < 1 || value > kMaxOrder) {
      std::fprintf(stderr, "mm: N must be 1 to %d, not '%s'\n", kMaxOrder, optarg);
      usable = false;
    } else {
      command.n = static_cast<int>(value);
    }
  }
  if (optind < argc) {
    std::fprintf(stderr, "mm: unexpected argument '%s'\n", argv[optind]);
    usable = false;
  }
  command.run = usable;
  command.exit_code = usable ? 0 : kUsageError;
  if (!usable) std::fprintf(stderr, "Try 'mm --help'.\n");
  return command;
}

// Rank 0 reads the command line for all.
Command read_command_line(int argc, char** argv, int rank) {
  Command command;
  if (rank == 0) command = parse(argc, argv);
  int words[3] = {command.n, command.run, command.exit_code};
  MPI_Bcast(words, 3, MPI_INT, 0, MPI_COMM_WORLD);
  return {words[0], words[1] != 0, words[2]};
}

// A's and C's rows per rank, counted in elements; the first ranks take one row more where the division
// leaves a remainder.
struct RowBlocks {
  std::vector<int> count;
  std::vector<int> first;
};

RowBlocks divide_rows(int n, int ranks) {
  static_assert(static_cast<long>(kMaxOrder) * kMaxOrder <= INT_MAX, "MPI counts are ints");
  RowBlocks blocks;
  int next = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    blocks.count.push_back((n / ranks + (rank < n % ranks ? 1 : 0)) * n);
    blocks.first.push_back(next);
    next += blocks.count.back();
  }
  return blocks;
}

// Returns the product on rank 0, an empty vector elsewhere. `b` is overwritten by rank 0's.
std::vector<double> multiply_in_parallel(const std::vector<double>& a, std::vector<double>& b, int n, int rank,
                                         int ranks) {
  const RowBlocks blocks = divide_rows(n, ranks);
  const int mine = blocks.count[rank];
  std::vector<double> my_a(static_cast<std::size_t>(mine));
  std::vector<double> my_c(my_a.size());
  std::vector<double> c(a.size());

  MPI_Scatterv(a.data(), blocks.count.data(), blocks.first.data(), MPI_DOUBLE, my_a.data(), mine, MPI_DOUBLE, 0,
               MPI_COMM_WORLD);
  MPI_Bcast(b.data(), n * n, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  multiply(my_a.data(), b.data(), my_c.data(), mine / n, n);
  MPI_Gatherv(my_c.data(), mine, MPI_DOUBLE, c.data(), blocks.count.data(), blocks.first.data(), MPI_DOUBLE, 0,
              MPI_COMM_WORLD);
  return c;
}

bool report(const std::vector<double>& a, const std::vector<double>& b, const std::vector<double>& c, int n, int ranks,
            double seconds) {
  const bool verified = is_product(a, b, c, n);
  std::printf(" MM: C = A B, order %d\n Number of processes: %d\n", n, ranks);
  std::printf(" Hash of C: %016" PRIx64 "\n", hash_bytes(c));
  std::printf(" VERIFICATION %s\n", verified ? "SUCCESSFUL" : "FAILED");
  std::fflush(stdout);
  std::fprintf(stderr, " Time in seconds = %24.6f\n", seconds);
  if (seconds > 0) std::fprintf(stderr, " Mop/s total     = %24.2f\n", 2e-6 * n * n * static_cast<double>(n) / seconds);
  return verified;
}

int run(int n, int rank, int ranks) {
  std::vector<double> a;
  std::vector<double> b(static_cast<std::size_t>(n) * static_cast<std::size_t>(n));
  if (rank == 0) {
    a = make_operand(Operand::kA, n);
    b = make_operand(Operand::kB, n);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  const std::vector<double> c = multiply_in_parallel(a, b, n, rank, ranks);
  const double mine = MPI_Wtime() - start;
  double seconds = 0;
  MPI_Reduce(&mine, &seconds, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);

  int verified = rank == 0 ? report(a, b, c, n, ranks, seconds) : 0;
  MPI_Bcast(&verified, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return verified ? 0 : 1;
}

}  // namespace
}  // namespace npb::mm

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const npb::mm::Command command = npb::mm::read_command_line(argc, argv, rank);
  const int exit_code = command.run ? npb::mm::run(command.n, rank, ranks) : command.exit_code;
  MPI_Finalize();
  return exit_code;
}
