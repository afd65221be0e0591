#include "reduce_exposed.hpp"

#include <algorithm>

#include "../types/layout.hpp"
#include "../types/typed_room.hpp"
#include "block.hpp"
#include "exposure.hpp"

namespace detmpi {
namespace {

// What is folded at once: two such pieces stay in the second-level cache.
constexpr size_t kPieceBytes = 64 * 1024;
// Of two members, where they stay in the third: each piece is a system call.
constexpr size_t kPieceBytesOfTwo = 512 * 1024;
// Of a vector that is exposed at once, for each member: where it is copied for that, so much more memory is needed.
// Less if there is a room for it as well, which the library's heap keeps if it is that short (space/heap.cpp).
constexpr size_t kExposedAtOnce = 1 << 20;
constexpr size_t kExposedFromRoom = 512 * 1024;

int64_t elements_of(const Datatype& type, size_t bytes, int64_t most) {
  return std::clamp<int64_t>(static_cast<int64_t>(bytes / type.size), 1, std::max<int64_t>(most, 1));
}

void fold_share_of_many(Exposure& vectors, const Rounds& rounds, const void* in, void* out, Share mine,
                        const Datatype& type, const Op& op) {
  const int64_t piece = elements_of(type, kPieceBytes, mine.size());
  const TypedRoom folded(type, piece), theirs(type, piece);
  for (int64_t first = mine.first; first < mine.last; first += piece) {
    const int64_t n = std::min(piece, mine.last - first);
    for (uint32_t member = 0; member < rounds.members(); ++member) {
      const void* right = offset(in, first, type);
      if (member != rounds.me()) {
        char* const room = member == 0 ? folded.base() : theirs.base();
        vectors.read(member, static_cast<size_t>(first) * type.size, TypedBytes(type, room, n));
        right = room;
      } else if (member == 0) {
        copy_typed(folded.base(), right, n, type);
      }
      if (member > 0) fold(op, folded.base(), right, n, type);
    }
    copy_typed(offset(out, first - mine.first, type), folded.base(), n, type);
  }
}

// The other's data go straight to where the result will be, unless this member's stand there.
void fold_share_of_two(Exposure& vectors, const Rounds& rounds, const void* in, void* out, Share mine,
                       const Datatype& type, const Op& op) {
  const uint32_t other = 1 - rounds.me();
  const int64_t piece = elements_of(type, kPieceBytesOfTwo, mine.size());
  const bool in_place = offset(in, mine.first, type) == out;
  const TypedRoom room(type, in_place ? piece : 0);
  for (int64_t first = mine.first; first < mine.last; first += piece) {
    const int64_t n = std::min(piece, mine.last - first);
    void* const result = offset(out, first - mine.first, type);
    void* const theirs = in_place ? room.base() : result;
    vectors.read(other, static_cast<size_t>(first) * type.size, TypedBytes(type, theirs, n));
    const void* const operand = in_place ? theirs : offset(in, first, type);  // beside the one where the result will be
    const bool is_left = in_place == (other == 0);
    if (is_left) fold_left(op, operand, result, n, type);
    else fold(op, result, operand, n, type);
  }
}

// `out`: room for the share alone. It may be that of `in`, which nobody else reads.
void fold_share(Exposure& vectors, const Rounds& rounds, const void* in, void* out, Share mine, const Datatype& type,
                const Op& op) {
  (rounds.members() == 2 ? fold_share_of_two : fold_share_of_many)(vectors, rounds, in, out, mine, type, op);
}

// Member i folds the i-th share and exposes that; so whoever reads it knows that i has read all that it needed, and may
// write there what it gets, though it was exposed.
void reduce_part(Rounds& rounds, const void* in, void* out, int64_t count, const Datatype& type, const Op& op, int to) {
  const int64_t n = rounds.members(), me = rounds.me();
  const auto share_of = [&](int64_t i) { return Share{count * i / n, count * (i + 1) / n}; };
  const bool gets = to == Rounds::kEverybody || me == to, gives = to == Rounds::kEverybody || !gets;
  const TypedRoom room(type, gets ? 0 : share_of(me).size());
  void* const own = gets ? offset(out, share_of(me).first, type) : room.base();
  Exposure vectors(rounds);
  vectors.expose(TypedBytes(type, in, count));
  fold_share(vectors, rounds, in, own, share_of(me), type, op);
  rounds.finish();
  Exposure results(rounds);
  results.expose(TypedBytes(type, own, gives ? share_of(me).size() : 0));
  for (int64_t step = 1; gets && step < n; ++step) {
    const int64_t from = (me + n - step) % n;
    const TypedBytes result(type, offset(out, share_of(from).first, type), share_of(from).size());
    results.read(static_cast<uint32_t>(from), 0, result);
  }
  results.close();
}

}  // namespace

void reduce_exposed(Rounds& rounds, const void* in, void* out, int64_t count, const Datatype& type, const Op& op,
                    int to) {
  const size_t each = to == Rounds::kEverybody ? kExposedAtOnce : kExposedFromRoom;
  const int64_t most = elements_of(type, each * rounds.members(), count);
  for (int64_t first = 0; first < count; first += most)
    reduce_part(rounds, offset(in, first, type), offset(out, first, type), std::min(most, count - first), type, op, to);
}

void reduce_scatter_exposed(Rounds& rounds, const void* in, void* out, int64_t count, Share mine, const Datatype& type,
                            const Op& op) {
  Exposure vectors(rounds);
  vectors.expose(TypedBytes(type, in, count));
  fold_share(vectors, rounds, in, out, mine, type, op);
  vectors.close();
}

}  // namespace detmpi
