// Where things lie: stack, heap, code, a mapping, environment and thread-local data of every rank.
#include <sys/mman.h>

#include "testing.hpp"

using namespace mpi_test;

namespace {
thread_local int t_local;
int g_global;
}  // namespace

int main(int argc, char** argv) {
  Mpi mpi(argc, argv);
  int local = 0;
  void* small = std::malloc(10);
  void* large = std::malloc(1 << 20);
  void* mapped = mmap(nullptr, 1 << 16, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  Report report;
  report.line("%p %p %p %p %p %p %p", static_cast<void*>(&local), small, large, mapped, static_cast<void*>(&t_local),
              static_cast<void*>(&g_global), static_cast<void*>(argv[0]));
  report.print();
  std::free(small);
  std::free(large);
}
