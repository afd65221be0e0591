// The heap of the library's own, for malloc_names.c: C, because that is compiled into libraries that are not C++.
#pragma once

#include <stddef.h>
#include <stdint.h>

// Addresses of the heap, in every rank.
#define DETMPI_OWN_HEAP_ADDRESS UINT64_C(0x100000000000)
#define DETMPI_OWN_HEAP_BYTES (UINT64_C(1) << 40)

#ifdef __cplusplus
extern "C" {
#endif

// Is this thread in a call of the library's, and not in a function of the program's that this has called?
// (library_memory.hpp)
#ifdef __cplusplus
[[gnu::visibility("default"), gnu::tls_model("initial-exec")]] extern constinit thread_local bool detmpi_inside_library;
#else
extern _Thread_local _Bool detmpi_inside_library __attribute__((tls_model("initial-exec")));
#endif

// As those of the C library; NULL when memory is used up. The caller is inside. resize, give_back: own blocks, from
// anywhere.
struct detmpi_heap {
  void* (*take)(size_t size);
  void* (*take_zeroed)(size_t count, size_t size);
  void* (*resize)(void* block, size_t size);
  void (*give_back)(void* block);
};
// Set when the library is loaded; nobody is in it before.
extern __attribute__((visibility("default"))) const struct detmpi_heap* detmpi_own_heap;

static inline int detmpi_is_own(const void* block) {
  return (uint64_t)(uintptr_t)block - DETMPI_OWN_HEAP_ADDRESS < DETMPI_OWN_HEAP_BYTES;
}

#ifdef __cplusplus
}
#endif
