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
#include "reduce_exposed.hpp"
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

// Publishes the elements of the block [begin, begin + n) but for this member's share. Who has it all publishes nothing:
// nobody else folds then.
inline void contribute(Rounds& rounds, const CutVector& v, int64_t begin, int64_t n, Share share, int to = Rounds::kEverybody) {
  if (share.size() == n) return;
  std::byte* place = rounds.prepare(v.bytes(n), v.bytes(n - share.size()));
  if (share.first > 0) pack_to_shared(place, v.at(begin), share.first, v.type);
  if (share.last < n) {
    pack_to_shared(place + v.bytes(share.first), v.at(begin + share.last), n - share.last, v.type);
  }
  rounds.publish(to);
}

// acc (laid out) = fold of all members' contributions to the elements `mine` of the block [begin, begin + n). Members
// have left out their shares, `share_of`: that of a lower one lies before `mine`.
template <typename ShareOf>
void fold_members(Rounds& rounds, CutVector& v, char* acc, int64_t begin, int64_t n, Share mine, ShareOf&& share_of) {
  const char* own = v.at(begin + mine.first);
  TypedRoom saved;
  if (own == acc && rounds.me() > 0) {  // in place, where the fold of the members before this one comes first
    saved = TypedRoom(v.type, mine.size());
    copy_typed(saved.base(), own, mine.size(), v.type);
    own = saved.base();
  }
  for (uint32_t member = 0; member < rounds.members(); ++member) {
    if (member == rounds.me()) {
      if (member > 0) fold(v.op, acc, own, mine.size(), v.type);
      else if (own != acc) copy_typed(acc, own, mine.size(), v.type);
      continue;
    }
    const int64_t left_out = share_of(member).size();
    const int64_t before = mine.first - (member < rounds.me() ? left_out : 0);
    const std::byte* theirs = rounds.await(member, v.bytes(n), v.bytes(n - left_out)) + v.bytes(before);
    if (member == 0) unpack_all(acc, mine.size(), v.type, theirs);
    else fold(v.op, acc, v.laid.from(theirs, mine.size()), mine.size(), v.type);
  }
}

// A round in which the owner folds the elements [first, first + n) of all to its result, which begins with element `from`
// of the vector. Others may have no result.
inline void fold_at(Rounds& rounds, CutVector& v, char* result, int64_t from, int64_t first, int64_t n, uint32_t owner) {
  const auto share_of = [&](uint32_t member) { return member == owner ? Share{0, n} : Share{}; };
  contribute(rounds, v, first, n, share_of(rounds.me()), static_cast<int>(owner));
  if (rounds.me() == owner) {
    fold_members(rounds, v, result + (first - from) * v.type.extent, first, n, {0, n}, share_of);
  }
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
