// Runs under a filter that forbids the calls by which one process reaches into the memory of another, as some
// containers have it ("yes"), or without ("no").
#include <seccomp.h>
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

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "yes") == 0) forbid();
  Mpi mpi(argc, argv);
  Report report;
  for (int round = 0; round < 20; ++round) {
    const size_t bytes = 1000 * static_cast<size_t>(round * round + 1);
    const auto out = message(bytes, static_cast<uint64_t>(g_rank + round));
    std::vector<unsigned char> in(bytes);
    MPI_Sendrecv(out.data(), static_cast<int>(bytes), MPI_BYTE, right(), 1, in.data(), static_cast<int>(bytes),
                 MPI_BYTE, left(), 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    EXPECT(holds(in.data(), bytes, static_cast<uint64_t>(left() + round)));
  }
  report.line("well");
  report.print();
}
