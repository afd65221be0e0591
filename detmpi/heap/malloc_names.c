// malloc and its like for the whole process, in each library that a program of DetMPI's may be linked with: the first
// library that has them counts, and one that is needed by another library alone comes after the C library. So detmpirun
// has one more loaded before all others (preload.c). A call of the library's gets blocks of its own heap
// (own_heap.cpp); everybody else gets those of whoever comes next, as a rule the C library, the same in every run. A
// block goes back where it came from, whoever frees it.
//
// What has an alignment of its own (aligned_alloc, posix_memalign) is everybody's: the library asks for such blocks at
// times that do not depend on messages. Long blocks of the program's lie in huge pages (long_blocks.h).
#include <base/long_memory.h>
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#include "long_blocks.h"
#include "own_heap.h"

#define EXPORTED __attribute__((visibility("default")))

// Who comes next; found at the first call, which any thread may make, and others at the same time.
#define NEXT(name, type)                                   \
  __extension__({                                          \
    static type found;                                     \
    type next = __atomic_load_n(&found, __ATOMIC_RELAXED); \
    if (__builtin_expect(next == NULL, 0)) {               \
      next = __extension__(type) dlsym(RTLD_NEXT, #name);  \
      __atomic_store_n(&found, next, __ATOMIC_RELAXED);    \
    }                                                      \
    next;                                                  \
  })

typedef void* (*malloc_type)(size_t);
typedef void* (*calloc_type)(size_t, size_t);
typedef void* (*realloc_type)(void*, size_t);
typedef void (*free_type)(void*);
typedef void* (*aligned_alloc_type)(size_t, size_t);
typedef int (*posix_memalign_type)(void**, size_t, size_t);
typedef size_t (*malloc_usable_size_type)(void*);

// Without a heap it is nobody's here: that of a library that came before this way of sharing it, whose names come next.
static int is_ours(const void* block) { return detmpi_is_own(block) && detmpi_own_heap != NULL; }

static void* in_huge_pages(void* block, size_t size) {
  if (__builtin_expect(size >= kHugePage, 0) && block != NULL) prefer_huge_pages(block, size);
  return block;
}

// Where there is no room for a long block, there may be for the block alone.
static void* take_long(size_t size) {
  detmpi_places_long = 1;
  void* const taken = NEXT(malloc, malloc_type)(detmpi_room_for_long(size));
  detmpi_places_long = 0;
  return taken == NULL ? NEXT(malloc, malloc_type)(size) : detmpi_place_long(taken, size);
}

static void* take_long_zeroed(size_t size) {
  detmpi_places_long = 1;
  void* const taken = NEXT(calloc, calloc_type)(1, detmpi_room_for_long(size));
  detmpi_places_long = 0;
  return taken == NULL ? NEXT(calloc, calloc_type)(1, size) : detmpi_place_long(taken, size);
}

static void* resize(void* taken, size_t size) {
  if (__builtin_expect(size >= kHugePage, 0))
    prefer_huge_pages_to_its_ends(taken, NEXT(malloc_usable_size, malloc_usable_size_type)(taken));
  return in_huge_pages(NEXT(realloc, realloc_type)(taken, size), size);
}

static void* resize_long(struct detmpi_long_origin* origin, size_t size) {
  if (detmpi_is_long(size)) return detmpi_resize_long(origin, size, resize);
  if (size == 0) return NEXT(realloc, realloc_type)(detmpi_forget_long(origin), 0);
  void* const moved = NEXT(malloc, malloc_type)(size);
  if (moved == NULL) return NULL;
  memcpy(moved, origin + 1, size < origin->size ? size : origin->size);
  NEXT(free, free_type)(detmpi_forget_long(origin));
  return moved;
}

EXPORTED void* malloc(size_t size) {
  if (detmpi_inside_library) return detmpi_own_heap->take(size);
  if (__builtin_expect(detmpi_is_long(size), 0)) return take_long(size);
  return NEXT(malloc, malloc_type)(size);
}

EXPORTED void* calloc(size_t count, size_t size) {
  if (detmpi_inside_library) return detmpi_own_heap->take_zeroed(count, size);
  size_t all = 0;
  if (!__builtin_mul_overflow(count, size, &all) && __builtin_expect(detmpi_is_long(all), 0))
    return take_long_zeroed(all);
  return NEXT(calloc, calloc_type)(count, size);
}

EXPORTED void* realloc(void* block, size_t size) {
  if (block == NULL) return malloc(size);
  if (is_ours(block)) return detmpi_own_heap->resize(block, size);
  struct detmpi_long_origin* const origin = detmpi_long_origin(block);
  if (origin != NULL) return resize_long(origin, size);
  return resize(block, size);
}

EXPORTED void free(void* block) {
  if (is_ours(block)) {
    detmpi_own_heap->give_back(block);
    return;
  }
  struct detmpi_long_origin* const origin = detmpi_long_origin(block);
  NEXT(free, free_type)(origin == NULL ? block : detmpi_forget_long(origin));
}

EXPORTED size_t malloc_usable_size(void* block) {
  const struct detmpi_long_origin* const origin = detmpi_long_origin(block);
  return origin != NULL ? origin->size : NEXT(malloc_usable_size, malloc_usable_size_type)(block);
}

EXPORTED void* aligned_alloc(size_t alignment, size_t size) {
  return in_huge_pages(NEXT(aligned_alloc, aligned_alloc_type)(alignment, size), size);
}

EXPORTED int posix_memalign(void** block, size_t alignment, size_t size) {
  const int error = NEXT(posix_memalign, posix_memalign_type)(block, alignment, size);
  if (error == 0) in_huge_pages(*block, size);
  return error;
}
