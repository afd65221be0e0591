// Blocks of 80 KiB to 2 MiB lie in huge pages, too, where there are some MiB of them. Those of 128 KiB and more the C
// library takes from the system one by one, in small pages, until the program has freed such a one. Here they come from
// its heap from the beginning, as if one had been freed, and the heap asks for huge pages once it has grown by 4 MiB: a
// program with less is to take no memory that it does not need.
//
//   begin: huge page         huge page                                                  end of the heap
//   |   blocks, as the C library places them      ...        | the last block   | free           |
//
// Blocks of threads other than the first stay where the C library takes them.
//
// A program that has no such block, or its own mind (mallopt, the C library's environment variables), has the C
// library's heap as it is. C, as malloc_names.c, for any thread. Where blocks lie is a function of the calls alone,
// whether there are huge pages or not. Measured: docs/results/npb.md.
#pragma once

#include <base/long_memory.h>
#include <stddef.h>
#include <stdint.h>

// Longer than what the C++ library keeps in each process to throw exceptions from, 72 KiB.
enum { kShortestInHugePages = 80 << 10 };

// One in a process, as detmpi_inside_library. Threads read and write it without an order: what one sees late makes it
// ask for huge pages once more, or not this time, and blocks lie where they do either way. Who calls mallopt at the
// very moment at which the C library is told gets what was asked for last, and huge pages all the same.
struct detmpi_program_heap {
  uintptr_t begin;       // of the first huge page; 0: not told yet, or left alone
  uintptr_t end;         // huge pages are asked for up to here; 0: not yet
  size_t longest_freed;  // of blocks that had mappings of their own
  int is_ready;          // the C library has been told, or is not to be
  int is_told;           // just now
  int has_none;          // huge pages, the system
};
extern __attribute__((visibility("default"))) struct detmpi_program_heap detmpi_program_heap;

// Before one of them is taken.
void detmpi_ready_program_heap(void);

// After one was taken, before it is touched.
void detmpi_in_program_heap(const void* block, size_t size);

// Before a longer one is freed: the next one of its size comes from the heap, as in the C library.
void detmpi_free_from_program_heap(const void* block, size_t size);

// The program tells the C library something itself: its heap is left alone from here on.
void detmpi_leave_program_heap(void);
