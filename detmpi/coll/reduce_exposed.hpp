// Reductions of long vectors: every member exposes its vector (exposure.hpp), and reads of the others' what it folds.
// Folds are those of reduce_rounds.hpp, bit for bit.
#pragma once

#include <cstdint>

#include "../ops/op.hpp"
#include "../types/datatype.hpp"
#include "rounds.hpp"
#include "share.hpp"

namespace detmpi {

// Vectors of which each member's share is long. Not among few members, which do as well in rounds; but two of them need
// nothing else that way than a read and a fold of half a vector.
inline bool exposes_vector(const Rounds& rounds, size_t bytes, size_t of_two, size_t blocks) {
  if (rounds.members() == 2) return bytes >= of_two;
  if (rounds.members() <= 8) return false;
  return bytes >= blocks * (rounds.members() <= 16 ? 8192 : rounds.members() <= 128 ? 2048 : 256);
}
inline bool exposes_reduce_scatter(const Rounds& rounds, size_t bytes) {
  return exposes_vector(rounds, bytes, 128 << 10, 64);
}
inline bool exposes_allreduce(const Rounds& rounds, size_t bytes) {
  return exposes_vector(rounds, bytes, 256 << 10, 128);
}
inline bool exposes_reduce(const Rounds& rounds, size_t bytes) { return rounds.members() == 2 && bytes >= (1 << 20); }

// `in` and `out`: vectors of `count` elements; they may be the same. Of all members, or the latter of `to` alone.
void reduce_exposed(Rounds& rounds, const void* in, void* out, int64_t count, const Datatype& type, const Op& op,
                    int to = Rounds::kEverybody);
// The fold of this member's share of a vector that has `count` elements at every member.
void reduce_scatter_exposed(Rounds& rounds, const void* in, void* out, int64_t count, Share mine, const Datatype& type,
                            const Op& op);

}  // namespace detmpi
