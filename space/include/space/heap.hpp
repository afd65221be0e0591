// The heap of a space: blocks with a header, over lists of small free ones, over pools, over pages of the space's own
// address range.
// Private memory, single thread. A child inherits copies of its ancestors' heaps and may free into them.
#pragma once

#include <array>
#include <cstddef>
#include <memory_resource>
#include <optional>
#include <vector>

#include <base/mapping.hpp>

#include <space/heap_range.hpp>

namespace space {

// Hands out whole pages, lowest address first, of the lower part of a range; merges what comes back.
class PageResource final : public std::pmr::memory_resource {
 public:
  explicit PageResource(RangeGiver& range);

  uint64_t mapped_end() const { return mapped_; }

 private:
  void* do_allocate(size_t bytes, size_t alignment) override;
  void do_deallocate(void* block, size_t bytes, size_t alignment) override;
  bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }

  // Free pages, at their own beginning; a list in order of address, no two touching.
  struct FreeRun {
    uint64_t bytes;
    FreeRun* next;
  };
  void* take_pages(size_t bytes);
  void* take_from_list(size_t bytes);
  bool ensure_mapped(uint64_t end);

  RangeGiver& range_;
  uint64_t break_;
  uint64_t mapped_;  // accessible up to here
  FreeRun* free_ = nullptr;
  std::vector<spmc::base::Mapping> mappings_;
};

class Heap {
 public:
  Heap(HeapRange range, unsigned shares);

  void* allocate(size_t size);  // nullptr when memory is used up
  void* allocate_zeroed(size_t count, size_t size);
  void free(void* block);
  // The block, or another one of `to` with what was in it; nullptr, and the block stays, when memory is used up.
  void* resize(void* block, size_t size, Heap& to);
  bool contains(const void* block) const;

  // std::bad_alloc when memory is used up.
  std::pmr::memory_resource* resource();
  RangeGiver& range() { return range_; }
  // Ranges for children lie above: a child could not map what it inherited.
  uint64_t mapped_end() const { return pages_.mapped_end(); }

 private:
  // Of blocks with their header. The last one freed is the first one taken, for it is in the caches.
  static constexpr size_t kUnit = 16, kLargestSmall = 1024;
  struct FreeBlock;
  FreeBlock** list_of(size_t bytes) { return bytes <= kLargestSmall ? &small_[bytes / kUnit] : nullptr; }
  void* take_block(size_t bytes);

  RangeGiver range_;
  PageResource pages_;
  std::optional<std::pmr::unsynchronized_pool_resource> pools_;
  std::array<FreeBlock*, kLargestSmall / kUnit + 1> small_{};
};

// The heap of this space.
Heap& own_heap();
// At the start of a space: a fresh heap over `range`; those of the ancestors stay for freeing.
void start_heap(HeapRange range, unsigned shares);

}  // namespace space
