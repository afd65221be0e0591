// The primitives on pages and bytes, as Results; api.cpp gives them their C names. Meaning and errors:
// spmc.h.
#pragma once

#include "view.hpp"

namespace spmc {

base::Status region_write(void* va, const void* from, size_t size);
base::Status region_read(const void* va, void* to, size_t size);
base::Status region_setfix(void* va, size_t size);
base::Status region_publish(void* va, size_t size);
base::Result<bool> region_test(const void* va);
base::Status region_wait(const void* va);

base::Status region_extend(void* extva, void* va, size_t size);

base::Result<void*> region_alloc(size_t size);
base::Result<void*> region_place(int child, size_t size);
base::Status region_transown(int child, void* sva, void* dva, size_t size);
base::Status region_copycons(int child, void* sva, void* dva, size_t size);
base::Status region_clear(void* va, size_t size);

}  // namespace spmc
