// What reductions in rounds have in common: a vector in blocks, what a member contributes of one, and the fold. The result
// is the left fold over the members in rank order, ((a0 + a1) + a2) + ..., bit for bit, whatever the number of pieces:
// the vector is cut, the operands are never reordered (DESIGN 5.8).
#pragma once

#include <algorithm>
#include <cstdint>

#include "../ops/op.hpp"
#include "../types/typed_room.hpp"
#include "block.hpp"
#include "laid.hpp"
#include "rounds.hpp"

namespace detmpi {

// One operation on a vector of `count` elements, in blocks of whole elements.
struct CutVector {
  CutVector(Rounds& rounds, const Op& operation, const Datatype& t, const void* in, int64_t n)
      : op(operation), type(t), input(static_cast<const char*>(in)), count(n), laid(t, block_elements(rounds)) {
    block = block_elements(rounds);
  }
  int64_t block_elements(const Rounds& rounds) const {
    if (type.size == 0) return count;
    return std::min<int64_t>(count, static_cast<int64_t>(rounds.block() / type.size));
  }
  const char* at(int64_t element) const { return input + element * type.extent; }
  size_t bytes(int64_t elements) const { return static_cast<size_t>(elements) * type.size; }

  const Op& op;
  const Datatype& type;
  const char* input;
  int64_t count;
  Laid laid;
  int64_t block = 0;
};

// acc = fold of `n` elements of every member: `own` and, of the others, `theirs_of(member)`, which lie packed.
template <typename TheirsOf>
void fold_in_order(const Rounds& rounds, CutVector& v, char* acc, const char* own, int64_t n, TheirsOf&& theirs_of) {
  TypedRoom saved;
  if (own == acc && rounds.me() > 0) {  // in place, where the fold of the members before this one comes first
    saved = TypedRoom(v.type, n);
    copy_typed(saved.base(), own, n, v.type);
    own = saved.base();
  }
  for (uint32_t member = 0; member < rounds.members(); ++member) {
    if (member == rounds.me()) {
      if (member > 0) fold(v.op, acc, own, n, v.type);
      else if (own != acc) copy_typed(acc, own, n, v.type);
      continue;
    }
    const std::byte* theirs = theirs_of(member);
    if (member == 0) unpack_all(acc, n, v.type, theirs);
    else fold(v.op, acc, v.laid.from(theirs, n), n, v.type);
  }
}

// A round in which everybody publishes the elements [first, first + n), and the members that fold them do so.
inline void publish_block(Rounds& rounds, const CutVector& v, int64_t first, int64_t n, int to = Rounds::kEverybody) {
  pack_to_shared(rounds.prepare(v.bytes(n)), v.at(first), n, v.type);
  rounds.publish(to);
}
inline void fold_block(Rounds& rounds, CutVector& v, char* result, int64_t first, int64_t n) {
  fold_in_order(rounds, v, result, v.at(first), n, [&](uint32_t member) { return rounds.await(member, v.bytes(n)); });
}

// One in which the owner alone folds, and so publishes nothing. Others may have no result.
inline void fold_at(Rounds& rounds, CutVector& v, char* result, int64_t first, int64_t n, uint32_t owner) {
  if (rounds.me() == owner) fold_block(rounds, v, result, first, n);
  else publish_block(rounds, v, first, n, static_cast<int>(owner));
  rounds.finish();
}

inline Signature signature_of(int64_t count, const Datatype& type, const Op& op) {
  return Signature().reduces(op, type).bytes(static_cast<size_t>(count) * type.size);
}

// Does a whole element fit into a round?
inline bool fits(const Rounds& rounds, const Datatype& type) { return type.size <= rounds.block(); }

inline const void* input_of(const void* sendbuf, const void* recvbuf) { return sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf; }

// Elements larger than a round: the fold travels along the ranks, as that of MPI_Scan, and from the last to the root.
int reduce_by_messages(const void* in, void* out, int64_t count, const Datatype& type, const Op& op, int root,
                       Comm& comm, const Signature& signature);

}  // namespace detmpi
