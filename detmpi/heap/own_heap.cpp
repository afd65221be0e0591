#include "own_heap.h"

#include <cstddef>
#include <new>

#include <space/heap.hpp>

#include "library_memory.hpp"

namespace detmpi {
namespace {

// Never destroyed: calls come until the end of the process.
space::Heap& own_heap() {
  alignas(space::Heap) static std::byte place[sizeof(space::Heap)];
  static auto* const heap = new (place) space::Heap({DETMPI_OWN_HEAP_ADDRESS, DETMPI_OWN_HEAP_BYTES}, 1);
  return *heap;
}

// What the heap itself asks malloc for, like an exception, is the program's.
void* take(size_t size) {
  const InProgram outside;
  return own_heap().allocate(size);
}
void* take_zeroed(size_t count, size_t size) {
  const InProgram outside;
  return own_heap().allocate_zeroed(count, size);
}
void* resize(void* block, size_t size) {
  const InProgram outside;
  return own_heap().resize(block, size, own_heap());
}
void give_back(void* block) {
  const InProgram outside;
  own_heap().free(block);
}

[[gnu::constructor]] void offer_own_heap() {
  static constexpr detmpi_heap kHeap = {take, take_zeroed, resize, give_back};
  ::detmpi_own_heap = &kHeap;
}

}  // namespace
}  // namespace detmpi
