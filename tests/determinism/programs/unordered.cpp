// Every rank writes to standard output when it gets there. Unordered, its output is not deterministic, and shows that
// the disturbance disturbs.
#include <unistd.h>

#include "testing.hpp"

using namespace mpi_test;

int main(int argc, char** argv) {
  Mpi mpi(argc, argv);
  for (int i = 0; i < 200; ++i) {
    const std::string line = std::to_string(g_rank) + ": " + std::to_string(i) + "\n";
    if (write(1, line.data(), line.size()) < 0) return 1;
    uint64_t x = 0;
    for (uint64_t k = 0; k < 2000; ++k) x += mix(k + x);
    if (x == 1) std::puts("never");
  }
}
