// Arrays that start at a cache line, so that a vector of 64 bytes does not straddle two.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace npb::ft {

template <class T>
struct CacheLineAllocator {
  using value_type = T;
  static constexpr std::align_val_t kAlignment{64};

  CacheLineAllocator() = default;
  template <class U>
  constexpr CacheLineAllocator(const CacheLineAllocator<U>&) {}

  T* allocate(std::size_t count) { return static_cast<T*>(::operator new(count * sizeof(T), kAlignment)); }
  void deallocate(T* array, std::size_t) { ::operator delete(array, kAlignment); }

  friend constexpr bool operator==(const CacheLineAllocator&, const CacheLineAllocator&) { return true; }
};

template <class T>
using AlignedVector = std::vector<T, CacheLineAllocator<T>>;

}  // namespace npb::ft
