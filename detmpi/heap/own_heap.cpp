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

}  // namespace
}  // namespace detmpi

using namespace detmpi;

#define EXPORTED [[gnu::visibility("default")]]

extern "C" {

// What the heap itself asks malloc for, like an exception, is the program's.
EXPORTED void* detmpi_own_malloc(size_t size) {
  const InProgram outside;
  return own_heap().allocate(size);
}

EXPORTED void* detmpi_own_calloc(size_t count, size_t size) {
  const InProgram outside;
  return own_heap().allocate_zeroed(count, size);
}

EXPORTED void* detmpi_own_realloc(void* block, size_t size) {
  const InProgram outside;
  return own_heap().resize(block, size, own_heap());
}

EXPORTED void detmpi_own_free(void* block) {
  const InProgram outside;
  own_heap().free(block);
}

}  // extern "C"
