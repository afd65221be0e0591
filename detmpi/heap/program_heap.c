#include "program_heap.h"

#include <fcntl.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { kFromHugePages = 4 << 20, kHeapStep = kHugePage };

static uintptr_t page_at(uintptr_t address) { return address & ~(uintptr_t)(kHugePage - 1); }
static uintptr_t page_from(uintptr_t address) { return page_at(address + kHugePage - 1); }
static uintptr_t end_of_heap(void) { return (uintptr_t)sbrk(0); }

static bool set_by_user(void) {
  static const char* const names[] = {"MALLOC_MMAP_MAX_", "MALLOC_MMAP_THRESHOLD_", "MALLOC_TOP_PAD_",
                                      "MALLOC_TRIM_THRESHOLD_"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
    if (getenv(names[i]) != NULL) return true;
  const char* const tunables = getenv("GLIBC_TUNABLES");
  return tunables != NULL && strstr(tunables, "glibc.malloc.") != NULL;
}

// Whoever tells the C library one of these tells it all: it goes by what has been freed no more.
static void take_from_heap_below(size_t size) {
  __atomic_store_n(&detmpi_program_heap.is_told, 1, __ATOMIC_RELAXED);
  (void)mallopt(M_MMAP_THRESHOLD, (int)size);
  (void)mallopt(M_TRIM_THRESHOLD, (int)(2 * size));
  (void)mallopt(M_TOP_PAD, kHeapStep);
  __atomic_store_n(&detmpi_program_heap.is_told, 0, __ATOMIC_RELAXED);
}

static void ready(void) {
  const size_t freed = __atomic_load_n(&detmpi_program_heap.longest_freed, __ATOMIC_RELAXED);
  take_from_heap_below(freed > kHugePage ? freed : kHugePage);
  __atomic_store_n(&detmpi_program_heap.begin, page_from(end_of_heap()), __ATOMIC_RELAXED);
}

void detmpi_ready_program_heap(void) {
  struct detmpi_program_heap* const heap = &detmpi_program_heap;
  if (!__atomic_load_n(&heap->is_ready, __ATOMIC_RELAXED) &&
      !__atomic_exchange_n(&heap->is_ready, 1, __ATOMIC_RELAXED) && !set_by_user())
    ready();
  // The C library has given back what was behind.
  const uintptr_t last = page_at(end_of_heap());
  if (__atomic_load_n(&heap->end, __ATOMIC_RELAXED) > last) __atomic_store_n(&heap->end, last, __ATOMIC_RELAXED);
}

static bool has_huge_pages(void) {
  char said[64] = "";
  const int file = open("/sys/kernel/mm/transparent_hugepage/enabled", O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  const ssize_t length = read(file, said, sizeof said - 1);
  (void)close(file);
  return length > 0 && strstr(said, "[never]") == NULL;
}

// What has been touched already would stay in small pages: the C library writes to what is behind the last block, and
// the program to all blocks of the first 4 MiB. What many short blocks have filled before this one stays so: to copy it
// takes longer than it would gain.
static void prefer_up_to(uintptr_t end, uintptr_t block) {
  struct detmpi_program_heap* const heap = &detmpi_program_heap;
  const uintptr_t begin = __atomic_load_n(&heap->begin, __ATOMIC_RELAXED);
  const uintptr_t before = __atomic_exchange_n(&heap->end, end, __ATOMIC_RELAXED);
  const int error = errno;
  if (before == 0 && !has_huge_pages()) {
    __atomic_store_n(&heap->has_none, 1, __ATOMIC_RELAXED);
  } else {
    const uintptr_t first = before == 0 ? begin : before, touched = before == 0 ? kFromHugePages : 0;
    const uintptr_t near = page_at(block) - touched, from = near > first ? near : first;
    prefer_huge_pages((const void*)begin, end - begin);
    make_huge_pages((const void*)from, end - from);
  }
  errno = error;
}

void detmpi_in_program_heap(const void* block, size_t size) {
  struct detmpi_program_heap* const heap = &detmpi_program_heap;
  const uintptr_t begin = __atomic_load_n(&heap->begin, __ATOMIC_RELAXED), last = page_at(end_of_heap());
  if (begin == 0 || __atomic_load_n(&heap->has_none, __ATOMIC_RELAXED)) return;
  if ((uintptr_t)block - begin >= last - begin) return;
  // Pages of which blocks fill more than half.
  const uintptr_t filled = page_at((uintptr_t)block + size + kHugePage / 2), end = filled < last ? filled : last;
  const uintptr_t known = __atomic_load_n(&heap->end, __ATOMIC_RELAXED);
  if (end > known && (known != 0 || end - begin >= kFromHugePages)) prefer_up_to(end, (uintptr_t)block);
}

void detmpi_leave_program_heap(void) {
  struct detmpi_program_heap* const heap = &detmpi_program_heap;
  if (__atomic_load_n(&heap->is_told, __ATOMIC_RELAXED)) return;
  __atomic_store_n(&heap->is_ready, 1, __ATOMIC_RELAXED);
  __atomic_store_n(&heap->begin, 0, __ATOMIC_RELAXED);
}

void detmpi_free_from_program_heap(const void* block, size_t size) {
  struct detmpi_program_heap* const heap = &detmpi_program_heap;
  const size_t most = 32 << 20;  // that the C library takes from the heap
  if (size > most || size <= __atomic_load_n(&heap->longest_freed, __ATOMIC_RELAXED)) return;
  __atomic_store_n(&heap->longest_freed, size, __ATOMIC_RELAXED);
  const uintptr_t begin = __atomic_load_n(&heap->begin, __ATOMIC_RELAXED);
  if (begin != 0 && (uintptr_t)block - begin >= end_of_heap() - begin) take_from_heap_below(size);
}
