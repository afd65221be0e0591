// malloc and its like for the whole process, in each library that a program of DetMPI's may be linked with: the first
// library that has them counts, and one that is needed by another library alone comes after the C library. So detmpirun
// has one more loaded before all others (preload.c). A call of the library's gets blocks of its own heap
// (own_heap.cpp); everybody else gets those of whoever comes next, as a rule the C library, the same in every run. A
// block goes back where it came from, whoever frees it.
//
// What has an alignment of its own (aligned_alloc, posix_memalign) is everybody's: the library asks for such blocks at
// times that do not depend on messages. The program's blocks of 80 KiB and more lie in huge pages (program_heap.h,
// long_blocks.h).
#include <base/long_memory.h>
#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "long_blocks.h"
#include "own_heap.h"
#include "program_heap.h"

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
typedef int (*mallopt_type)(int, int);

// Without a heap it is nobody's here: that of a library that came before this way of sharing it, whose names come next.
static int is_ours(const void* block) { return detmpi_is_own(block) && detmpi_own_heap != NULL; }

static int is_in_huge_pages(size_t size) {
  return __builtin_expect(size >= kShortestInHugePages, 0) && !detmpi_places_long;
}

// Before and after a block is taken as it is from who comes next.
static void ready_huge_pages(size_t size) {
  if (is_in_huge_pages(size) && size < kHugePage) detmpi_ready_program_heap();
}
static void* in_huge_pages(void* block, size_t size) {
  if (!is_in_huge_pages(size) || block == NULL) return block;
  if (size >= kHugePage) prefer_huge_pages(block, size);
  else detmpi_in_program_heap(block, size);
  return block;
}

typedef void* (*take_type)(size_t);
static void* take_next(size_t size) { return NEXT(malloc, malloc_type)(size); }
static void* take_next_zeroed(size_t size) { return NEXT(calloc, calloc_type)(1, size); }

// NULL where there is no room for a long block; there may be for the block alone. Its place is everybody's, also where
// a call of the library's wants it for its alignment: the malloc of another library of DetMPI's, which may be next, is
// not to take it from the library's own heap, to which the block could not be given back.
static void* take_long(take_type take, size_t size) {
  const _Bool inside = detmpi_inside_library;
  detmpi_inside_library = 0;
  detmpi_places_long = 1;
  void* const taken = take(detmpi_room_for_long(size));
  detmpi_places_long = 0;
  detmpi_inside_library = inside;
  return taken == NULL ? NULL : detmpi_place_long(taken, size);
}

// A long block's place has this alignment.
static void* take_long_aligned(size_t alignment, size_t size) {
  const int fits = alignment <= kLongAlignment && alignment >= sizeof(void*) && (alignment & (alignment - 1)) == 0;
  return fits && detmpi_is_long(size) ? take_long(take_next, size) : NULL;
}

static void* take_in_huge_pages(take_type take, size_t size) {
  void* const placed = detmpi_is_long(size) ? take_long(take, size) : NULL;
  if (placed != NULL) return placed;
  ready_huge_pages(size);
  return in_huge_pages(take(size), size);
}

// What is to grow has to be one mapping.
static void* resize(void* taken, size_t size) {
  if (size >= kHugePage) prefer_huge_pages_to_its_ends(taken, NEXT(malloc_usable_size, malloc_usable_size_type)(taken));
  ready_huge_pages(size);
  return in_huge_pages(NEXT(realloc, realloc_type)(taken, size), size);
}

static void free_long(struct detmpi_long_origin* origin) {
  const size_t room = detmpi_room_for_long(origin->size);
  void* const taken = detmpi_forget_long(origin);
  detmpi_free_from_program_heap(taken, room);
  NEXT(free, free_type)(taken);
}

static void* resize_long(struct detmpi_long_origin* origin, size_t size) {
  if (detmpi_is_long(size)) return detmpi_resize_long(origin, size, resize);
  void* const moved = size == 0 ? NULL : malloc(size);
  if (moved == NULL && size != 0) return NULL;
  if (moved != NULL) memcpy(moved, origin + 1, size < origin->size ? size : origin->size);
  free_long(origin);
  return moved;
}

EXPORTED void* malloc(size_t size) {
  if (detmpi_inside_library) return detmpi_own_heap->take(size);
  if (is_in_huge_pages(size)) return take_in_huge_pages(take_next, size);
  return take_next(size);
}

EXPORTED void* calloc(size_t count, size_t size) {
  if (detmpi_inside_library) return detmpi_own_heap->take_zeroed(count, size);
  size_t all = 0;
  if (!__builtin_mul_overflow(count, size, &all) && is_in_huge_pages(all))
    return take_in_huge_pages(take_next_zeroed, all);
  return NEXT(calloc, calloc_type)(count, size);
}

EXPORTED void* realloc(void* block, size_t size) {
  if (block == NULL) return malloc(size);
  if (is_ours(block)) return detmpi_own_heap->resize(block, size);
  struct detmpi_long_origin* const origin = detmpi_long_origin(block);
  return origin != NULL ? resize_long(origin, size) : resize(block, size);
}

EXPORTED void free(void* block) {
  if (is_ours(block)) {
    detmpi_own_heap->give_back(block);
    return;
  }
  struct detmpi_long_origin* const origin = detmpi_long_origin(block);
  if (origin != NULL) free_long(origin);
  else NEXT(free, free_type)(block);
}

EXPORTED size_t malloc_usable_size(void* block) {
  const struct detmpi_long_origin* const origin = detmpi_long_origin(block);
  return origin != NULL ? origin->size : NEXT(malloc_usable_size, malloc_usable_size_type)(block);
}

EXPORTED int mallopt(int option, int value) {
  detmpi_leave_program_heap();
  return NEXT(mallopt, mallopt_type)(option, value);
}

EXPORTED void* aligned_alloc(size_t alignment, size_t size) {
  void* const placed = take_long_aligned(alignment, size);
  if (placed != NULL) return placed;
  ready_huge_pages(size);
  return in_huge_pages(NEXT(aligned_alloc, aligned_alloc_type)(alignment, size), size);
}

EXPORTED int posix_memalign(void** block, size_t alignment, size_t size) {
  void* const placed = take_long_aligned(alignment, size);
  if (placed != NULL) {
    *block = placed;
    return 0;
  }
  ready_huge_pages(size);
  const int error = NEXT(posix_memalign, posix_memalign_type)(block, alignment, size);
  if (error == 0) in_huge_pages(*block, size);
  return error;
}
