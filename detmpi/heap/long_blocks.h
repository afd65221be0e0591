// Long blocks of the program, of 2 MiB and more, lie in whole huge pages: of a block of 4 MiB that begins anywhere, one
// is a huge page and the two halves around it are small ones. But if all began with a page, they would begin in the
// same set of each cache, which has room for few of the arrays that a loop runs through at once. So each begins a
// little further on in its first page than the one before it.
//
//   taken (C library)                       huge page                huge page
//   |   never touched                       |  offset     | origin | block ...                    |
//
// Where a block was taken stands in front of it. C, as malloc_names.c, for any thread. A function of the calls alone.
// Measured: docs/results/npb.md.
#pragma once

#include <base/long_memory.h>
#include <stddef.h>
#include <stdint.h>

// Not a multiple of a page, so that the beginnings fall into other sets of the first-level cache, too (64 of a line in
// each page), and a long block never begins with a page.
enum { kLongAlignment = 64, kLongOffsetStep = 2 * 4096 + kLongAlignment, kLongOffsets = 16 };

struct detmpi_long_origin {
  void* taken;
  size_t size;  // as asked for
  uint64_t seal;
  uint64_t unused;  // the block is at a multiple of 16 from here, as malloc's are
};

// Set while a place is taken for a long block: in a process several libraries have malloc_names.c, each of which asks
// the next one, and only the first is to place it. With detmpi_inside_library (in_library.c).
extern _Thread_local _Bool detmpi_places_long __attribute__((tls_model("initial-exec")));

static inline int detmpi_is_long(size_t size) {
  return size >= kHugePage && size <= PTRDIFF_MAX / 2 && !detmpi_places_long;
}

// How much to take for it.
static inline size_t detmpi_room_for_long(size_t size) { return size + kHugePage + kLongOffsets * kLongOffsetStep; }

// The block, in so much.
void* detmpi_place_long(void* taken, size_t size);

// As realloc, to another long size, with what resizes blocks that are not long; NULL, and the block stays.
void* detmpi_resize_long(struct detmpi_long_origin* origin, size_t size, void* (*resize)(void*, size_t));

// Afterwards it is no block; returns where it was taken.
void* detmpi_forget_long(struct detmpi_long_origin* origin);

int detmpi_is_long_origin(const struct detmpi_long_origin* maybe);

// What is in front of such an address is in the same page, so it can be read whatever it is.
static inline int detmpi_may_be_long(const void* block) {
  return (uintptr_t)block % kLongAlignment == 0 && (uintptr_t)block % 4096 != 0;
}

// NULL: not a long block, but any other one.
static inline struct detmpi_long_origin* detmpi_long_origin(void* block) {
  if (__builtin_expect(!detmpi_may_be_long(block), 1)) return NULL;
  struct detmpi_long_origin* const origin = (struct detmpi_long_origin*)block - 1;
  return __builtin_expect(detmpi_is_long_origin(origin), 0) ? origin : NULL;
}
