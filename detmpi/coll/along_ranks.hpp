// Folds that travel along the ranks as messages: every member gets the fold of all before it from its left-hand
// neighbour, folds its own contribution in, and passes the result on. In pieces, so that members work on different ones
// at the same time.
#pragma once

#include <algorithm>

#include "../object/comm.hpp"
#include "../ops/op.hpp"
#include "../types/datatype.hpp"
#include "signature.hpp"

namespace detmpi {

// What is folded at once: it stays in the nearest cache.
inline constexpr size_t kFoldedAtOnce = 8192;

// In elements of that type, of which there are `count`; at least 1.
inline int64_t fold_piece(const Datatype& type, int64_t count) {
  return std::clamp<int64_t>(static_cast<int64_t>(kFoldedAtOnce / std::max<size_t>(type.size, 1)), 1,
                             std::max<int64_t>(count, 1));
}

// out = a0 OP a1 OP ... up to this member's contribution `in`, both laid out as in a program's memory; they may be the
// same. Part of the operation of that signature, which has begun. Returns an error code.
int fold_along_ranks(const void* in, void* out, int64_t count, const Datatype& type, const Op& op, Comm& comm,
                     const Signature& signature);
// The same without this member's contribution; the first member's `out` is left alone.
int fold_before(const void* in, void* out, int64_t count, const Datatype& type, const Op& op, Comm& comm,
                const Signature& signature);

}  // namespace detmpi
