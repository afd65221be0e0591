// An allocator for large arrays that are read and written all over: they lie in huge pages where the kernel has some,
// which saves most misses of the TLB.
#pragma once

#include <cstddef>
#include <new>

#include <base/long_memory.h>

namespace spmc::base {

template <typename T>
struct HugePages {
  using value_type = T;

  HugePages() = default;
  template <typename Other>
  HugePages(const HugePages<Other>&) {}

  T* allocate(size_t count) {
    const size_t bytes = count * sizeof(T);
    if (bytes < kHugePage) return static_cast<T*>(::operator new (bytes, std::align_val_t{alignof(T)}));
    void* const memory = ::operator new (bytes, std::align_val_t{kHugePage});
    prefer_huge_pages(memory, bytes);
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, size_t count) {
    if (count * sizeof(T) < kHugePage) ::operator delete (memory, std::align_val_t{alignof(T)});
    else ::operator delete (memory, std::align_val_t{kHugePage});
  }
  bool operator==(const HugePages&) const = default;
};

}  // namespace spmc::base
