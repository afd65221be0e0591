// Reductions of long vectors: every member exposes its vector (exposure.hpp), and reads of the others' what it folds.
// Folds are those of reduce_rounds.hpp, bit for bit.
#pragma once

#include <algorithm>
#include <cstdint>

#include "../ops/op.hpp"
#include "../types/datatype.hpp"
#include "rounds.hpp"

namespace detmpi {

// Vectors that would take many rounds of what one can carry; not among few members.
inline bool exposes_vector(const Rounds& rounds, size_t bytes, size_t blocks) {
  constexpr uint32_t kFewMembers = 8;
  constexpr size_t kLargestBlock = 8192;  // that counts
  return rounds.members() > kFewMembers && bytes >= blocks * std::min(rounds.block(), kLargestBlock);
}
inline bool exposes_reduce_scatter(const Rounds& rounds, size_t bytes) { return exposes_vector(rounds, bytes, 64); }
inline bool exposes_allreduce(const Rounds& rounds, size_t bytes) { return exposes_vector(rounds, bytes, 128); }

// Elements of a vector that one member folds, for all or for itself.
struct Share {
  int64_t first = 0;
  int64_t last = 0;
  int64_t size() const { return last - first; }
};

// `in` and `out`: vectors of `count` elements of all members; they may be the same.
void allreduce_exposed(Rounds& rounds, const void* in, void* out, int64_t count, const Datatype& type, const Op& op);
// The fold of this member's share of a vector that has `count` elements at every member.
void reduce_scatter_exposed(Rounds& rounds, const void* in, void* out, int64_t count, Share mine, const Datatype& type,
                            const Op& op);

}  // namespace detmpi
