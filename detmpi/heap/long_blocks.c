#include "long_blocks.h"

#include <string.h>

_Static_assert(sizeof(struct detmpi_long_origin) == 32, "fits in front of a block, in its page");

static uint64_t seal_of(const struct detmpi_long_origin* origin) {
  const uint64_t own = UINT64_C(0x5eed10c0b10c0001);
  return (own ^ (uintptr_t)origin ^ (uint64_t)origin->size << 24) * UINT64_C(0x9e3779b97f4a7c15) ^
         (uintptr_t)origin->taken;
}

int detmpi_is_long_origin(const struct detmpi_long_origin* origin) { return origin->seal == seal_of(origin); }

// At the next offset in the first huge page.
static char* next_place(char* taken) {
  static unsigned count;
  const unsigned offset = __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED) % kLongOffsets + 1;
  const uintptr_t to_page = -(uintptr_t)taken % kHugePage;
  return taken + to_page + (size_t)offset * kLongOffsetStep;
}

static void* write_origin(char* block, void* taken, size_t size) {
  struct detmpi_long_origin* const origin = (struct detmpi_long_origin*)(void*)block - 1;
  origin->taken = taken;
  origin->size = size;
  origin->seal = seal_of(origin);
  return block;
}

void* detmpi_place_long(void* taken, size_t size) {
  char* const block = next_place(taken);
  char* const page = (char*)((uintptr_t)block & ~(uintptr_t)(kHugePage - 1));
  prefer_huge_pages(page, size + (size_t)(block - page));
  return write_origin(block, taken, size);
}

void* detmpi_resize_long(struct detmpi_long_origin* origin, size_t size, void* (*resize)(void*, size_t)) {
  const size_t before = origin->size, offset = (size_t)((char*)(origin + 1) - (char*)origin->taken);
  // Where it is moved from, others get memory that would be taken for a long block.
  origin->seal = 0;
  char* const taken = resize(origin->taken, detmpi_room_for_long(size));
  if (taken == NULL) {
    origin->seal = seal_of(origin);
    return NULL;
  }
  char* const moved = taken + offset;
  // As a rule it lies at the same place in its page, which the system has moved.
  char* const block = detmpi_may_be_long(moved) ? moved : next_place(taken);
  if (block != moved) memmove(block, moved, before < size ? before : size);
  return write_origin(block, taken, size);
}

void* detmpi_forget_long(struct detmpi_long_origin* origin) {
  origin->seal = 0;
  return origin->taken;
}
