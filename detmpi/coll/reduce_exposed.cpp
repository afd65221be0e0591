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

int64_t elements_of_piece(const Datatype& type, int64_t most) {
  return std::clamp<int64_t>(static_cast<int64_t>(kPieceBytes / type.size), 1, std::max<int64_t>(most, 1));
}

// `out`: room for the share alone. It may be that of `in`, which nobody else reads.
void fold_share(Exposure& vectors, const Rounds& rounds, const void* in, void* out, Share mine, const Datatype& type,
                const Op& op) {
  const int64_t piece = elements_of_piece(type, mine.size());
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

}  // namespace

// Member i folds the i-th share and exposes that; so whoever reads it knows that i has read all that it needed, and may
// write there what it gets, though it was exposed.
void allreduce_exposed(Rounds& rounds, const void* in, void* out, int64_t count, const Datatype& type, const Op& op) {
  const int64_t n = rounds.members();
  const auto share_of = [&](int64_t i) { return Share{count * i / n, count * (i + 1) / n}; };
  const auto result_of = [&](int64_t i) {
    return TypedBytes(type, offset(out, share_of(i).first, type), share_of(i).size());
  };
  const int64_t me = rounds.me();
  Exposure vectors(rounds);
  vectors.expose(TypedBytes(type, in, count));
  fold_share(vectors, rounds, in, offset(out, share_of(me).first, type), share_of(me), type, op);
  rounds.finish();
  Exposure results(rounds);
  results.expose(result_of(me));
  for (int64_t step = 1; step < n; ++step) {
    const int64_t from = (me + n - step) % n;
    results.read(static_cast<uint32_t>(from), 0, result_of(from));
  }
  results.close();
}

void reduce_scatter_exposed(Rounds& rounds, const void* in, void* out, int64_t count, Share mine, const Datatype& type,
                            const Op& op) {
  Exposure vectors(rounds);
  vectors.expose(TypedBytes(type, in, count));
  fold_share(vectors, rounds, in, out, mine, type, op);
  vectors.close();
}

}  // namespace detmpi
