// Reductions of long vectors: every member exposes its vector (exposure.hpp), and reads of the others' what it folds.
// Folds are those of reduce_rounds.hpp, bit for bit.
#pragma once

#include <cstdint>

#include "../ops/op.hpp"
#include "../types/datatype.hpp"
#include "rounds.hpp"
#include "share.hpp"

namespace detmpi {

// Vectors of which each member's share is long. Not among few members: these do as well in rounds.
inline bool exposes_vector(const Rounds& rounds, size_t bytes, size_t blocks) {
  if (rounds.members() <= 8) return false;
  return bytes >= blocks * (rounds.members() <= 16 ? 8192 : rounds.members() <= 128 ? 2048 : 256);
}
inline bool exposes_reduce_scatter(const Rounds& rounds, size_t bytes) { return exposes_vector(rounds, bytes, 64); }
inline bool exposes_allreduce(const Rounds& rounds, size_t bytes) { return exposes_vector(rounds, bytes, 128); }

// `in` and `out`: vectors of `count` elements of all members; they may be the same.
void allreduce_exposed(Rounds& rounds, const void* in, void* out, int64_t count, const Datatype& type, const Op& op);
// The fold of this member's share of a vector that has `count` elements at every member.
void reduce_scatter_exposed(Rounds& rounds, const void* in, void* out, int64_t count, Share mine, const Datatype& type,
                            const Op& op);

}  // namespace detmpi
