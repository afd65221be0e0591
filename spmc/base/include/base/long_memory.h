// Long memory of a program asks for huge pages, where the system gives them to who asks. Ranks copy long messages
// straight from each other's memory, which is twice as fast then; what the program computes is the same. C, and in a
// header alone, for the malloc that is loaded without the other libraries (detmpi/heap/malloc_names.c).
#pragma once

#include <errno.h>
#include <stdint.h>
#include <sys/mman.h>

enum { kHugePage = 2 << 20 };

#ifndef MADV_COLLAPSE  // Linux 6.1
#define MADV_COLLAPSE 25
#endif

static inline void advise_quietly(uint64_t begin, uint64_t end, int advice) {
  const int before = errno;
  if (begin < end) (void)madvise((void*)(uintptr_t)begin, end - begin, advice);
  errno = before;
}

static inline void advise_whole_huge_pages(const void* memory, uint64_t size, int advice) {
  const uint64_t mask = kHugePage - 1, at = (uint64_t)(uintptr_t)memory;
  advise_quietly((at + mask) & ~mask, (at + size) & ~mask, advice);
}

// The huge pages that lie in it as a whole may become such when they are first touched. Leaves errno as it is. From any
// thread; async-signal-safe.
static inline void prefer_huge_pages(const void* memory, uint64_t size) {
  advise_whole_huge_pages(memory, size, MADV_HUGEPAGE);
}

// Those in which something has been touched become such now, which copies what is in them; the others stay as they are.
// Unlike the above this heeds nothing that the system is told about huge pages in general. Otherwise likewise.
static inline void make_huge_pages(const void* memory, uint64_t size) {
  advise_whole_huge_pages(memory, size, MADV_COLLAPSE);
}

// Before the memory is to grow: the system moves pages, instead of a copy of what is in them, of what is one mapping
// alone (mremap), and to ask for its whole huge pages has made it several. Likewise.
static inline void prefer_huge_pages_to_its_ends(const void* memory, uint64_t size) {
  const uint64_t mask = 4096 - 1, at = (uint64_t)(uintptr_t)memory;
  if (size >= kHugePage) advise_quietly(at & ~mask, (at + size + mask) & ~mask, MADV_HUGEPAGE);
}
