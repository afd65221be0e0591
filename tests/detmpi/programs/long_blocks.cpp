// Long blocks from malloc, calloc, realloc, MPI_Alloc_mem and those for alignments: they keep what is in them, in any
// sequence of calls and from any thread, lie in whole huge pages, each further on in its page than the one before, grow
// without copies, and leave nothing behind. Prints where they lie.
#include <malloc.h>
#include <sys/resource.h>

#include <algorithm>
#include <thread>

#include "testing.hpp"

using namespace mpi_test;

namespace {

constexpr size_t kHugePage = 2 << 20;

// What a block holds is looked at in each 64 KiB, and at its end: all of it would take long.
constexpr size_t kStride = 65536;

struct Block {
  unsigned char* bytes = nullptr;
  size_t size = 0;
  unsigned char mark = 0;

  unsigned char value(size_t at) const { return static_cast<unsigned char>(mark + at / kStride); }
  void fill(unsigned char with) {
    mark = with;
    for (size_t at = 0; at < size; at += kStride) bytes[at] = value(at);
    if (size != 0) bytes[size - 1] = value(size - 1);
  }
  bool holds(size_t length) const {
    for (size_t at = 0; at < length; at += kStride)
      if (bytes[at] != value(at)) return false;
    return length != size || size == 0 || bytes[size - 1] == value(size - 1);
  }
};

size_t offset_of(const void* block) { return reinterpret_cast<uintptr_t>(block) % kHugePage; }

void* taken_in_turn(int turn, size_t size) {
  void* aligned = nullptr;
  switch (turn % 4) {
    case 0: return std::malloc(size);
    case 1: return std::calloc(2, size / 2);
    case 2: return std::aligned_alloc(64, size);
    default: return posix_memalign(&aligned, 16, size) == 0 ? aligned : nullptr;
  }
}

void begin_at_offsets() {
  size_t before = 0;
  for (int i = 0; i < 40; ++i) {
    void* const block = taken_in_turn(i, 2 * kHugePage);
    EXPECT(block != nullptr);
    const size_t offset = offset_of(block);
    EXPECT(offset != 0 && offset <= 16 * 8256 && offset % 64 == 0);
    EXPECT(i == 0 || offset == (before == 16 * 8256 ? 8256 : before + 8256));
    before = offset;
    std::memset(block, 1, 2 * kHugePage);
    std::free(block);
  }
  // With other alignments it lies where the C library wants it.
  for (const size_t alignment : {size_t{128}, size_t{4096}, kHugePage}) {
    void* const block = std::aligned_alloc(alignment, 2 * kHugePage);
    EXPECT(block != nullptr && reinterpret_cast<uintptr_t>(block) % alignment == 0);
    std::memset(block, 1, 2 * kHugePage);
    std::free(block);
  }
  void* none = nullptr;
  EXPECT(posix_memalign(&none, 24, 2 * kHugePage) == EINVAL);
}

void zeroed_after_use() {
  for (int i = 0; i < 8; ++i) {
    void* const dirty = std::malloc(3 * kHugePage);
    std::memset(dirty, 0xff, 3 * kHugePage);
    std::free(dirty);
    auto* const zeroed = static_cast<unsigned char*>(std::calloc(kHugePage, 3));
    for (size_t at = 0; at < 3 * kHugePage; ++at) EXPECT(zeroed[at] == 0);
    std::free(zeroed);
  }
}

void resized() {
  Block block{static_cast<unsigned char*>(std::malloc(kHugePage)), kHugePage};
  block.fill(7);
  const size_t sizes[] = {5 * kHugePage, 40 * kHugePage, 3 * kHugePage, kHugePage,
                          1000000,       10 * kHugePage, 100,           4 * kHugePage + 1};
  for (const size_t size : sizes) {
    const size_t kept = std::min(size, block.size);
    block.bytes = static_cast<unsigned char*>(std::realloc(block.bytes, size));
    EXPECT(block.bytes != nullptr);
    EXPECT(malloc_usable_size(block.bytes) >= size);
    EXPECT(block.holds(kept));
    block.size = size;
    block.fill(static_cast<unsigned char>(size));
  }
  // What cannot be had leaves the block as it is. (The compiler would refuse such a length; and where it sees that
  // nobody uses a block it may leave out the call, as if it had succeeded.)
  const volatile size_t most = SIZE_MAX / 2;
  for (const size_t size : {size_t{most}, most - 2 * kHugePage}) {
    void* const moved = std::realloc(block.bytes, size);
    if (moved != nullptr) failed("no such block", __FILE__, __LINE__);
    void* volatile refused = std::malloc(size);
    EXPECT(refused == nullptr);
    refused = std::calloc(size, 3);
    EXPECT(refused == nullptr);
  }
  EXPECT(block.holds(block.size));
  block.bytes = static_cast<unsigned char*>(reallocarray(block.bytes, 6, kHugePage));
  EXPECT(block.holds(block.size));
  EXPECT(std::realloc(block.bytes, 0) == nullptr);
}

long page_faults() {
  rusage usage{};
  EXPECT(getrusage(RUSAGE_THREAD, &usage) == 0);
  return usage.ru_minflt;
}

// Growing moves the pages of a block, it does not copy what is in them: a copy would touch each of them, 32 huge ones
// at least. From a size that was not long, and from one that was.
void grows_without_copies() {
  for (const size_t first : {kHugePage / 2, 32 * kHugePage}) {
    Block block{static_cast<unsigned char*>(std::malloc(first)), first};
    block.fill(3);
    while (block.size < 32 * kHugePage) {
      block.size += kHugePage;
      block.bytes = static_cast<unsigned char*>(std::realloc(block.bytes, block.size));
      EXPECT(block.bytes != nullptr);
    }
    std::memset(block.bytes, 5, block.size);
    constexpr int kSteps = 50;
    const long before = page_faults();
    for (int i = 0; i < kSteps; ++i)
      block.bytes =
          static_cast<unsigned char*>(std::realloc(block.bytes, block.size + static_cast<size_t>(i) * 100000));
    EXPECT(page_faults() - before < 4 * kSteps);
    EXPECT(std::all_of(block.bytes, block.bytes + block.size, [](unsigned char byte) { return byte == 5; }));
    std::free(block.bytes);
  }
}

// A block that moves within the C library's heap leaves memory that short blocks get: none of them may be taken for a
// long one. Each time the block lies where the longer one before it was, at another multiple of 16, and has to move
// since there is another one behind it.
void leaves_nothing_behind() {
  void* const volatile longer = std::malloc(4 * kHugePage);
  std::free(longer);  // from now on such blocks come from the heap
  std::vector<void*> shorts(70000), kept;
  long there = 0;
  for (size_t i = 0; i < 4; ++i) {
    const size_t size = 2 * kHugePage - i * 250000;
    kept.push_back(std::malloc(100000 + 16 * i));
    void* const old = std::malloc(size);
    const volatile auto place = reinterpret_cast<uintptr_t>(old);  // else the compiler takes it for a use of the block
    kept.push_back(std::malloc(200000));
    kept.push_back(std::realloc(old, 3 * kHugePage));
    for (void*& block : shorts) block = std::malloc(56);
    EXPECT(std::ranges::all_of(shorts, [](void* block) { return malloc_usable_size(block) < 100; }));
    there += std::ranges::count(shorts, place, [](void* block) { return reinterpret_cast<uintptr_t>(block); });
    for (void* block : shorts) std::free(block);
  }
  EXPECT(there > 0);
  for (void* block : kept) std::free(block);
}

// Returns a hash of where the blocks lay.
uint64_t random_calls(unsigned seed, int calls) {
  std::vector<Block> blocks(12);
  uint64_t hash = 1;
  for (int i = 0; i < calls; ++i) {
    const uint32_t random = mix(seed * 100000u + static_cast<unsigned>(i));
    Block& block = blocks[random % blocks.size()];
    const size_t size = 1 + (random % 3 == 0 ? random % 5000 : random % (6 * kHugePage));
    EXPECT(block.bytes == nullptr || block.holds(block.size));
    switch (random >> 8 & 3) {
      case 0:
        std::free(block.bytes);
        block = {};
        break;
      case 1:
      case 2: {
        const size_t kept = std::min(block.size, size);
        auto* const moved = static_cast<unsigned char*>(std::realloc(block.bytes, size));
        EXPECT(moved != nullptr);
        block.bytes = moved;
        EXPECT(block.holds(kept));
        block.size = size;
        break;
      }
      default: {
        std::free(block.bytes);
        const bool zeroed = (random >> 16 & 1) != 0;
        block = {static_cast<unsigned char*>(zeroed ? std::calloc(1, size) : std::malloc(size)), size};
        EXPECT(block.bytes != nullptr);
        for (size_t at = 0; zeroed && at < size; at += kStride) EXPECT(block.bytes[at] == 0);
      }
    }
    if (block.bytes != nullptr) block.fill(static_cast<unsigned char>(random));
    hash = mix_all({hash, reinterpret_cast<uintptr_t>(block.bytes)});
  }
  for (Block& block : blocks) std::free(block.bytes);
  return hash;
}

// A call of the library's gives blocks, too, which are the program's.
void from_mpi() {
  for (const size_t size : {kHugePage - 64, kHugePage, 3 * kHugePage + 17}) {
    Block block{nullptr, size};
    MPI_Alloc_mem(static_cast<MPI_Aint>(size), MPI_INFO_NULL, &block.bytes);
    block.fill(9);
    EXPECT(size < kHugePage || offset_of(block.bytes) <= 16 * 8256);
    EXPECT(block.holds(size));
    MPI_Free_mem(block.bytes);
  }
}

void from_threads() {
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < 4; ++i) threads.emplace_back([i] { random_calls(100 + i, 150); });
  for (std::thread& thread : threads) thread.join();
  // Freed by another thread than it was taken by.
  void* block = nullptr;
  std::thread([&] { block = std::malloc(kHugePage); }).join();
  std::free(block);
}

}  // namespace

int main(int argc, char** argv) {
  Mpi mpi(argc, argv);
  leaves_nothing_behind();
  begin_at_offsets();
  zeroed_after_use();
  resized();
  grows_without_copies();
  const uint64_t hash = random_calls(static_cast<unsigned>(g_rank), 600);
  from_mpi();
  from_threads();
  std::printf("rank %d: blocks at %016llx\n", g_rank, static_cast<unsigned long long>(hash));
}
