// Runs under a filter that forbids the calls by which one process reaches into the memory of another, as some
// containers have it ("yes"), or without ("no").
#include <seccomp.h>
#include <algorithm>
#include <cerrno>

#include "testing.hpp"

using namespace mpi_test;

namespace {

void forbid() {
  scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
  const bool well =
      filter != nullptr && seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(process_vm_readv), 0) == 0 &&
      seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(process_vm_writev), 0) == 0 && seccomp_load(filter) == 0;
  if (!well) std::abort();
  seccomp_release(filter);
}

// Between ranks 0 and 1, in other lengths each way.
void parts(MPI_Comm pair) {
  for (const int unit : {0, 10, 3000, 8000, 60000}) {
    const auto amount = [unit](int from, int to) { return unit * (from + 2 * to); };
    const int send_counts[] = {amount(g_rank, 0), amount(g_rank, 1)}, send_starts[] = {0, send_counts[0]};
    const int counts[] = {amount(0, g_rank), amount(1, g_rank)}, starts[] = {0, counts[0]};
    const auto out = message(static_cast<size_t>(send_counts[0] + send_counts[1]), static_cast<uint64_t>(g_rank));
    std::vector<unsigned char> in(static_cast<size_t>(counts[0] + counts[1]));
    MPI_Alltoallv(out.data(), send_counts, send_starts, MPI_BYTE, in.data(), counts, starts, MPI_BYTE, pair);
    for (const int from : {0, 1}) {
      const auto sent = message(static_cast<size_t>(amount(from, 0) + amount(from, 1)), static_cast<uint64_t>(from));
      const auto* begin = sent.data() + (g_rank == 0 ? 0 : amount(from, 0));
      EXPECT(std::equal(begin, begin + counts[from], in.data() + starts[from]));
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "yes") == 0) forbid();
  Mpi mpi(argc, argv);
  Report report;
  MPI_Comm pair;
  MPI_Comm_split(MPI_COMM_WORLD, g_rank / 2, g_rank, &pair);
  for (int round = 0; round < 20; ++round) {
    const size_t bytes = 1000 * static_cast<size_t>(round * round + 1);
    const auto out = message(bytes, static_cast<uint64_t>(g_rank + round));
    std::vector<unsigned char> in(bytes);
    MPI_Sendrecv(out.data(), static_cast<int>(bytes), MPI_BYTE, right(), 1, in.data(), static_cast<int>(bytes),
                 MPI_BYTE, left(), 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    EXPECT(holds(in.data(), bytes, static_cast<uint64_t>(left() + round)));
  }
  for (const int bytes : {100, 50000, 100000}) {
    const auto out = message(static_cast<size_t>(bytes), static_cast<uint64_t>(g_rank));
    std::vector<unsigned char> repeated, in(static_cast<size_t>(bytes * g_size));
    for (int to = 0; to < g_size; ++to) repeated.insert(repeated.end(), out.begin(), out.end());
    MPI_Alltoall(repeated.data(), bytes, MPI_BYTE, in.data(), bytes, MPI_BYTE, MPI_COMM_WORLD);
    for (int from = 0; from < g_size; ++from) {
      EXPECT(holds(&in[static_cast<size_t>(bytes * from)], static_cast<size_t>(bytes), static_cast<uint64_t>(from)));
    }
  }
  if (g_rank < 2) parts(pair);
  report.line("well");
  report.print();
}
