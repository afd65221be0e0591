// Prints which long memory of the program asks for huge pages, and whether it may have them.
#include <sys/prctl.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "testing.hpp"

namespace {

constexpr size_t kBytes = 10 << 20;
char g_variables[kBytes];

// What the kernel says of the mapping that has this byte of it.
bool asks(const void* block, ptrdiff_t at = kBytes / 2) {
  const auto address = reinterpret_cast<uintptr_t>(block) + static_cast<uintptr_t>(at);
  std::ifstream mappings("/proc/self/smaps");
  bool is_here = false;
  for (std::string line; std::getline(mappings, line);) {
    unsigned long begin = 0, end = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx ", &begin, &end) == 2) is_here = begin <= address && address < end;
    if (is_here && line.starts_with("VmFlags:")) return line.find(" hg") != line.npos;
  }
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  mpi_test::Mpi mpi(argc, argv);
  if (mpi_test::g_rank != 0) return 0;
  const auto tell = [](const char* what, const void* block) { std::printf("%s %d\n", what, asks(block)); };
  tell("variables", g_variables);
  void* block = std::malloc(kBytes);
  tell("malloc", block);
  std::printf("its beginning %d, before its first page %d\n", asks(block, 0), asks(block, -(2 << 20)));
  block = std::realloc(block, 3 * kBytes);
  tell("realloc", block);
  std::free(block);
  block = std::calloc(kBytes, 1);
  tell("calloc", block);
  std::free(block);
  if (posix_memalign(&block, 4096, kBytes) != 0) return 1;
  tell("posix_memalign", block);
  std::free(block);
  block = std::aligned_alloc(4096, kBytes);
  tell("aligned_alloc", block);
  std::free(block);
  std::printf("forbidden %d\n", prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0));
}
