// A part of a program's buffer: what one member of a collective operation contributes or gets.
#pragma once

#include <cstdint>

#include "../engine/request.hpp"
#include "../types/datatype.hpp"
#include "../types/layout.hpp"

namespace detmpi {

struct Block {
  void* base;
  int64_t count;
  const Datatype* type;
  size_t bytes() const { return static_cast<size_t>(count) * type->size; }
};

// What a member has for itself. They do not overlap. MPI_ERR_TRUNCATE if `to` is shorter: what fits is there.
int copy_block(const Block& from, const Block& to);
int copy_block(TypedBytes from, TypedBytes to);

// pack_all() to memory that other members read next.
void pack_to_shared(void* packed, const void* base, int64_t count, const Datatype& type);

inline TypedBytes bytes_of(const Block& block) { return {*block.type, block.base, block.count}; }
// Those of `n` equal blocks that lie one behind the other.
inline TypedBytes bytes_of(const Block& first, int n) { return {*first.type, first.base, first.count * n}; }

// Where the element lies, in a buffer that begins at `base`.
inline void* offset(const void* base, int64_t element, const Datatype& type) {
  return place(static_cast<const char*>(base), element * type.extent);
}

// The i-th of equal blocks that lie one behind the other.
inline Block nth(const Block& first, int i) {
  return {offset(first.base, i * first.count, *first.type), first.count, first.type};
}

}  // namespace detmpi
