// Long memory of a program asks for huge pages, where the system gives them to who asks. Ranks copy long messages
// straight from each other's memory, which is twice as fast then; what the program computes is the same. C, and in a
// header alone, for the malloc that is loaded without the other libraries (detmpi/heap/malloc_names.c).
#pragma once

#include <errno.h>
#include <stdint.h>
#include <sys/mman.h>

enum { kHugePage = 2 << 20 };

static inline void ask_for_huge_pages(uint64_t begin, uint64_t end) {
  const int before = errno;
  (void)madvise((void*)(uintptr_t)begin, end - begin, MADV_HUGEPAGE);
  errno = before;
}

// The huge pages that lie in it as a whole may become such when they are first touched. Leaves errno as it is. From any
// thread; async-signal-safe.
static inline void prefer_huge_pages(const void* memory, uint64_t size) {
  const uint64_t mask = kHugePage - 1, at = (uint64_t)(uintptr_t)memory;
  const uint64_t begin = (at + mask) & ~mask, end = (at + size) & ~mask;
  if (begin < end) ask_for_huge_pages(begin, end);
}

// Before the memory is to grow: the system moves pages, instead of a copy of what is in them, of what is one mapping
// alone (mremap), and to ask for its whole huge pages has made it several. Likewise.
static inline void prefer_huge_pages_to_its_ends(const void* memory, uint64_t size) {
  const uint64_t mask = 4096 - 1, at = (uint64_t)(uintptr_t)memory;
  if (size >= kHugePage) ask_for_huge_pages(at & ~mask, (at + size + mask) & ~mask);
}
