// Prints which long memory of the program asks for huge pages, and whether it may have them.
#include <malloc.h>
#include <sys/prctl.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "testing.hpp"

namespace {

constexpr size_t kBytes = 10 << 20;
constexpr size_t kShorter = 100 << 10;
constexpr size_t kAlone = 80 << 20;  // more than there is room for in the heap
char g_variables[kBytes];

// A line of what the kernel says of the mapping that has this address.
std::string told_of(uintptr_t address, const char* what) {
  std::ifstream mappings("/proc/self/smaps");
  bool is_here = false;
  for (std::string line; std::getline(mappings, line);) {
    unsigned long begin = 0, end = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx ", &begin, &end) == 2) is_here = begin <= address && address < end;
    if (is_here && line.starts_with(what)) return line;
  }
  return {};
}

bool asks(const void* block, ptrdiff_t at = kBytes / 2) {
  return told_of(reinterpret_cast<uintptr_t>(block) + static_cast<uintptr_t>(at), "VmFlags:").find(" hg") !=
         std::string::npos;
}

void tell(const char* what, const void* block) { std::printf("%s %d\n", what, asks(block)); }

void tell_of_long_blocks() {
  void* block = std::malloc(kBytes);
  tell("malloc", block);
  block = std::realloc(block, 3 * kBytes);
  tell("realloc", block);
  std::free(block);
  block = std::calloc(kBytes, 1);
  tell("calloc", block);
  std::free(block);
  if (posix_memalign(&block, 4096, kBytes) != 0) std::exit(1);
  tell("posix_memalign", block);
  std::free(block);
  block = std::aligned_alloc(4096, kBytes);
  tell("aligned_alloc", block);
  std::free(block);
  block = std::malloc(kAlone);
  std::printf("one by itself %d, its beginning %d, before its first page %d\n", asks(block), asks(block, 0),
              asks(block, -(2 << 20)));
  std::free(block);
}

// In all ways that there are to take them.
std::vector<void*> shorter_blocks(int count, size_t size) {
  std::vector<void*> blocks;
  for (int i = 0; i < count; i += 5) {
    blocks.push_back(std::malloc(size));
    blocks.push_back(std::calloc(3, size / 3));
    blocks.push_back(std::realloc(std::malloc(50), size));
    blocks.push_back(std::aligned_alloc(64, size));
    void* aligned = nullptr;
    EXPECT(posix_memalign(&aligned, 512, size) == 0);
    blocks.push_back(aligned);
  }
  for (void* const block : blocks) std::memset(block, 1, size);
  return blocks;
}

void tell_of_shorter_blocks() {
  const std::vector<void*> few = shorter_blocks(35, kShorter);
  int asking = 0;
  for (const void* const block : few) asking += asks(block, kShorter / 2);
  const std::vector<void*> many = shorter_blocks(100, 6 * kShorter);
  size_t not_asking = 0;
  for (const void* const block : many) not_asking += asks(block, 3 * kShorter) ? 0 : 6 * kShorter;
  std::printf("few shorter blocks %d, many %d\n", asking, not_asking <= 6 << 20);
  for (void* const block : few) std::free(block);
  for (void* const block : many) std::free(block);
}

// Of the mapping in which the block is.
unsigned long huge_kib(const void* block) {
  const std::string told = told_of(reinterpret_cast<uintptr_t>(block), "AnonHugePages:");
  unsigned long kib = 0;
  EXPECT(std::sscanf(told.c_str(), "AnonHugePages: %lu", &kib) == 1);
  return kib;
}

// Between two longer ones, many that are short: the latter longer one leaves them as they are, and does not have them
// copied into huge pages. The system itself may give them such at once, or do that with some of them, by and by.
void tell_of_short_blocks() {
  constexpr size_t kShort = 1000, kAll = 96 << 20;
  std::vector<void*> blocks{std::malloc(kShorter)};
  for (size_t i = 0; i < kAll / kShort; ++i) {
    blocks.push_back(std::malloc(kShort));
    std::memset(blocks.back(), 1, kShort);
  }
  const void* const among_them = blocks[blocks.size() / 2];
  const unsigned long before = huge_kib(among_them);
  blocks.push_back(std::malloc(kShorter));
  std::printf("short blocks made huge %d\n", huge_kib(among_them) >= before + kAll / 2 / 1024);
  for (void* const block : blocks) std::free(block);
}

}  // namespace

int main(int argc, char** argv) {
  mpi_test::Mpi mpi(argc, argv);
  if (mpi_test::g_rank != 0) return 0;
  if (argc > 1 && std::string(argv[1]) == "short-blocks") {
    tell_of_short_blocks();
    return 0;
  }
  if (argc > 1 && std::string(argv[1]) == "own-mind") EXPECT(mallopt(M_TOP_PAD, 128 << 10) == 1);
  tell("variables", g_variables);
  tell_of_shorter_blocks();
  tell_of_long_blocks();
  std::printf("forbidden %d\n", prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0));
}
