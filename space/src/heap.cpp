#include <space/heap.hpp>

#include <cerrno>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

#include <space/space.h>
#include <base/check.hpp>
#include <space/space.hpp>

#include "identity.hpp"

namespace space {

namespace base = spmc::base;

namespace {

constexpr uint64_t kPage = 4096;
constexpr uint64_t kGrowth = 1u << 20;
constexpr uint64_t kDiscardFrom = 1u << 20;  // free runs of this size give their memory back

uint64_t round_up(uint64_t value, uint64_t unit) { return (value + unit - 1) / unit * unit; }
uint64_t address(const void* p) { return reinterpret_cast<uint64_t>(p); }

struct alignas(16) BlockHeader {
  uint64_t size;  // as asked for
  uint64_t seal;  // tells a block from anything else
};
constexpr uint64_t kSeal = 0x5eed'b10c'0000'0001;
uint64_t seal_of(const BlockHeader* header) { return kSeal ^ address(header) ^ header->size * 0x9e37'79b9; }

// The pools of libstdc++ align a block to the largest power of two that divides its size.
size_t block_bytes(size_t size) { return round_up(sizeof(BlockHeader) + size, alignof(BlockHeader)); }

BlockHeader* header_of(void* block) {
  BlockHeader* header = static_cast<BlockHeader*>(block) - 1;
  CHECK(header->seal == seal_of(header), "%p is no block of a space's heap, or was freed before", block);
  return header;
}

// Own heap last, before it those of the ancestors. Never destroyed: a space ends without destructors.
std::vector<std::unique_ptr<Heap>>& heaps() {
  static auto* all = new std::vector<std::unique_ptr<Heap>>;
  return *all;
}

Heap& heap_with(const void* block) {
  const auto& all = heaps();
  for (auto heap = all.rbegin(); heap != all.rend(); ++heap)
    if ((*heap)->contains(block)) return **heap;
  base::check_failed("heap of a block", __FILE__, __LINE__, "%p is not in the heap of this space or an ancestor",
                     block);
}

// For C entry points.
void* found_or_fail(void* block, const char* what) {
  if (block == nullptr) fail({ENOMEM, what});
  return block;
}

}  // namespace

// Mappings grow with what is mapped, so few are ever made; their list takes its memory now, from outside this heap.
PageResource::PageResource(RangeGiver& range) : range_(range), break_(range.mine().base), mapped_(range.mine().base) {
  constexpr size_t kMostMappings = 128;
  mappings_.reserve(kMostMappings);
}

bool PageResource::ensure_mapped(uint64_t end) {
  if (end > range_.lowest_given()) return false;
  if (end <= mapped_) return true;
  // In growing steps, so that the number of mappings stays small.
  const uint64_t step = std::max(kGrowth, (mapped_ - range_.mine().base) / 4 / kGrowth * kGrowth);
  const uint64_t to = std::min(std::max(round_up(end, kGrowth), mapped_ + step), range_.lowest_given());
  void* const at = reinterpret_cast<void*>(mapped_);
  auto mapping = base::Mapping::try_reserve_at(at, to - mapped_);
  if (!mapping) return false;
  if (!base::protect(at, to - mapped_, base::Protection::kReadWrite)) return false;
  mappings_.push_back(std::move(mapping).value());
  mapped_ = to;
  return true;
}

void* PageResource::take_from_list(size_t bytes) {
  for (FreeRun** link = &free_; *link != nullptr; link = &(*link)->next) {
    FreeRun* const run = *link;
    if (run->bytes < bytes) continue;
    if (run->bytes == bytes) {
      *link = run->next;
    } else {
      auto* rest = new (reinterpret_cast<std::byte*>(run) + bytes) FreeRun{run->bytes - bytes, run->next};
      *link = rest;
    }
    return run;
  }
  return nullptr;
}

void* PageResource::take_pages(size_t bytes) {
  if (void* block = take_from_list(bytes)) return block;
  if (!ensure_mapped(break_ + bytes)) throw std::bad_alloc();
  void* const block = reinterpret_cast<void*>(break_);
  break_ += bytes;
  return block;
}

void* PageResource::do_allocate(size_t bytes, size_t alignment) {
  if (alignment > range_.mine().bytes || bytes > range_.mine().bytes) throw std::bad_alloc();
  bytes = round_up(bytes, kPage);
  if (alignment <= kPage) return take_pages(bytes);
  // More than needed, and what lies around it back.
  const size_t wide = bytes + alignment - kPage;
  void* const block = take_pages(wide);
  const uint64_t from = address(block), at = round_up(from, alignment);
  const size_t before = at - from, behind = wide - before - bytes;
  if (behind != 0) do_deallocate(reinterpret_cast<void*>(at + bytes), behind, kPage);
  if (before != 0) do_deallocate(block, before, kPage);
  return reinterpret_cast<void*>(at);
}

void PageResource::do_deallocate(void* block, size_t bytes, size_t) {
  bytes = round_up(bytes, kPage);
  if (bytes >= kDiscardFrom) (void)base::discard(block, bytes);
  FreeRun** link = &free_;
  FreeRun* before = nullptr;
  while (*link != nullptr && address(*link) < address(block)) {
    before = *link;
    link = &before->next;
  }
  auto* run = new (block) FreeRun{bytes, *link};
  if (run->next != nullptr && address(run) + run->bytes == address(run->next)) {
    run->bytes += run->next->bytes;
    run->next = run->next->next;
  }
  if (before != nullptr && address(before) + before->bytes == address(run)) {
    before->bytes += run->bytes;
    before->next = run->next;
    run = before;
  } else {
    *link = run;
  }
  if (address(run) + run->bytes != break_) return;
  break_ = address(run);  // the last run: no longer free pages, but unused ones
  for (link = &free_; *link != run; link = &(*link)->next) {
  }
  *link = nullptr;
}

Heap::Heap(HeapRange range, unsigned shares) : range_(range, shares), pages_(range_) {}

std::pmr::memory_resource* Heap::resource() {
  if (range_.mine().bytes == 0) return std::pmr::null_memory_resource();
  // Pools take pages as soon as they are made: not before the first block.
  if (!pools_) {
    const std::pmr::pool_options options{.max_blocks_per_chunk = 0, .largest_required_pool_block = 64 * 1024};
    pools_.emplace(options, &pages_);
  }
  return &*pools_;
}

// In the place of a small block's header: its seal stays broken.
struct Heap::FreeBlock {
  FreeBlock* next;
  uint64_t seal;
};

void* Heap::take_block(size_t bytes) {
  FreeBlock** const list = list_of(bytes);
  if (list != nullptr && *list != nullptr) return std::exchange(*list, (*list)->next);
  try {
    return resource()->allocate(bytes, alignof(BlockHeader));
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

void* Heap::allocate(size_t size) {
  if (size > kHeapsBytes) return nullptr;
  auto* const header = static_cast<BlockHeader*>(take_block(block_bytes(size)));
  if (header == nullptr) return nullptr;
  header->size = size;
  header->seal = seal_of(header);
  return header + 1;
}

void* Heap::allocate_zeroed(size_t count, size_t size) {
  size_t bytes = 0;
  if (__builtin_mul_overflow(count, size, &bytes)) return nullptr;
  void* const block = allocate(bytes);
  if (block != nullptr) std::memset(block, 0, bytes);
  return block;
}

void Heap::free(void* block) {
  BlockHeader* const header = header_of(block);
  const size_t bytes = block_bytes(header->size);
  header->seal = 0;
  if (FreeBlock** const list = list_of(bytes)) *list = new (header) FreeBlock{*list, 0};
  else resource()->deallocate(header, bytes, alignof(BlockHeader));
}

void* Heap::resize(void* block, size_t size, Heap& to) {
  const size_t before = header_of(block)->size;
  if (size <= before && size >= before / 2) return block;
  void* const moved = to.allocate(size);
  if (moved == nullptr) return nullptr;
  std::memcpy(moved, block, std::min(before, size));
  free(block);
  return moved;
}

bool Heap::contains(const void* block) const {
  return address(block) >= range_.mine().base + sizeof(BlockHeader) && address(block) < pages_.mapped_end();
}

Heap& own_heap() { return *heaps().back(); }

void start_heap(HeapRange range, unsigned shares) { heaps().push_back(std::make_unique<Heap>(range, shares)); }

std::pmr::memory_resource* heap() {
  CHECK(!heaps().empty(), "space::heap before space_init");
  return own_heap().resource();
}

}  // namespace space

extern "C" {

void* space_malloc(size_t size) {
  const auto is_space = space::check_is_space();
  if (!is_space) {
    space::fail(is_space.error());
    return nullptr;
  }
  return space::found_or_fail(space::own_heap().allocate(size), "space_malloc: the heap of this space is used up");
}

void* space_calloc(size_t count, size_t size) {
  const auto is_space = space::check_is_space();
  if (!is_space) {
    space::fail(is_space.error());
    return nullptr;
  }
  return space::found_or_fail(space::own_heap().allocate_zeroed(count, size),
                              "space_calloc: the heap of this space is used up");
}

void* space_realloc(void* block, size_t size) {
  if (block == nullptr) return space_malloc(size);
  return space::found_or_fail(space::heap_with(block).resize(block, size, space::own_heap()),
                              "space_realloc: the heap of this space is used up");
}

void space_free(void* block) {
  if (block != nullptr) space::heap_with(block).free(block);
}

}  // extern "C"
