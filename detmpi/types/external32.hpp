// The portable representation "external32": big-endian numbers of fixed sizes, one after the other.
#pragma once

#include <cstddef>
#include <cstdint>

#include "datatype.hpp"

namespace detmpi {

// Bytes of one element of the type.
size_t external_size(const Datatype& type);

// Converts `count` elements; `external` holds count * external_size(type) bytes. Returns an error code: a number may be
// too large for its external size.
int external_pack(char* external, const void* base, int64_t count, const Datatype& type);
int external_unpack(void* base, int64_t count, const Datatype& type, const char* external);

}  // namespace detmpi
