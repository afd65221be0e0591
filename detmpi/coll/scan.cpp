// Prefix reductions. Short vectors are published, and every member folds those of all before it: it waits for none of
// those after it, and for nobody's result. A longer one travels along the ranks: every member gets the fold of all
// before it from its left-hand neighbour, folds its own contribution in, and passes the result on; so n members fold n
// times, not n * n / 2. It does so in rounds, in which a member runs as far ahead as the board allows; where these are
// too small, or the vector is, as messages.
#include <algorithm>

#include "along_ranks.hpp"
#include "block.hpp"
#include "impl.hpp"
#include "laid.hpp"
#include "messages.hpp"
#include "rounds.hpp"

namespace detmpi {
namespace {

// Nothing is received by the first member, so that lengths are compared here: it is told with the tags of messages.
Signature signature_of(int64_t count, const Datatype& type, const Op& op) {
  return Signature().reduces(op, type).bytes(static_cast<size_t>(count) * type.size);
}

bool is_short(const Signature& signature, const Comm& comm) {
  return comm.size > 1 && signature.bytes() <= chan::kPlaceBytes;
}

// out = fold of the first `members` contributions; none: it is left alone.
int fold_published(const void* in, void* out, int64_t count, const Datatype& type, const Op& op, Comm& comm,
                   const Signature& signature, int members) {
  Rounds rounds(comm, signature);
  if (rounds.out()) [[unlikely]]
    return rounds.code();
  const size_t bytes = signature.bytes();
  std::byte* const mine = rounds.prepare(bytes);
  pack_all(mine, in, count, type);
  rounds.publish(Rounds::kBehind);
  Laid laid(type, count);
  for (int member = 0; member < members; ++member) {
    const std::byte* const theirs = member == comm.rank ? mine : rounds.await(static_cast<uint32_t>(member), bytes);
    if (member == 0) unpack_all(out, count, type, theirs);
    else fold(op, out, laid.from(theirs, count), count, type);
  }
  rounds.finish();
  return rounds.code();
}

// What a member keeps: the fold of those up to it, or of those before it.
enum class Keeps : uint8_t { kIncluding, kExcluding };

// A member's part in the rounds: elements [at, at + n) of the vector, which lie packed in `left`, the fold of the
// members before it (null: there is none), and go packed to `right` (null: there is nobody).
class Link {
 public:
  Link(const void* in, void* out, int64_t count, const Datatype& type, const Op& op, Keeps keeps)
      : in_(static_cast<const char*>(in)),
        out_(static_cast<char*>(out)),
        type_(type),
        op_(op),
        keeps_(keeps),
        piece_(fold_piece(type, count)),
        laid_(type, piece_),
        folded_(type, keeps == Keeps::kExcluding ? piece_ : 0) {}

  // In pieces that stay in the nearest cache.
  void pass(int64_t at, int64_t n, const std::byte* left, std::byte* right) {
    for (int64_t done = 0; done < n; done += piece_) {
      const size_t packed = static_cast<size_t>(done) * type_.size;
      pass_piece((at + done) * type_.extent, std::min(piece_, n - done), left == nullptr ? nullptr : left + packed,
                 right == nullptr ? nullptr : right + packed);
    }
  }

 private:
  void pass_piece(ptrdiff_t at, int64_t n, const std::byte* left, std::byte* right) {
    const bool including = keeps_ == Keeps::kIncluding;
    char* const folded = including ? out_ + at : folded_.base();
    if (in_ + at != folded) copy_typed(folded, in_ + at, n, type_);
    if (left != nullptr) {
      if (!including) unpack_all(out_ + at, n, type_, left);
      fold_left(op_, laid_.from(left, n), folded, n, type_);
    }
    if (right != nullptr) pack_to_shared(right, folded, n, type_);
  }

  const char* in_;
  char* out_;
  const Datatype& type_;
  const Op& op_;
  Keeps keeps_;
  int64_t piece_;
  Laid laid_;
  TypedRoom folded_;
};

// In between a member can be more messages ahead than rounds.
bool passes_in_rounds(const Signature& signature, const Datatype& type, Comm& comm) {
  constexpr size_t kLeastBytes = 4096;
  if (comm.size == 1) return false;
  const size_t block = Rounds(comm).block();
  return signature.bytes() <= chan::Board::strip_bytes(block) ||
         (signature.bytes() > kLeastBytes && block >= std::max(kFoldedAtOnce, type.size));
}

int fold_in_rounds(const void* in, void* out, int64_t count, const Datatype& type, const Op& op, Comm& comm,
                   const Signature& signature, Keeps keeps) {
  Rounds rounds(comm, signature);
  if (rounds.out()) [[unlikely]]
    return rounds.code();
  const auto me = rounds.me();
  const bool last = me + 1 == rounds.members();
  const auto block = static_cast<int64_t>(rounds.block() / type.size);
  Link link(in, out, count, type, op, keeps);
  for (int64_t begin = 0; begin < count; begin += block) {
    const int64_t n = std::min(block, count - begin);
    const size_t bytes = static_cast<size_t>(n) * type.size;
    const std::byte* const left = me == 0 ? nullptr : rounds.await(me - 1, bytes);
    std::byte* const right = last ? nullptr : rounds.prepare(bytes);
    link.pass(begin, n, left, right);
    if (!last) rounds.publish(static_cast<int>(me + 1));
    rounds.finish();
  }
  return rounds.code();
}

}  // namespace

namespace impl {

int scan(const void* sendbuf, void* recvbuf, MPI_Count count, const Datatype& type, const Op& op, Comm& comm) {
  const void* in = sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf;
  const Signature signature = signature_of(count, type, op);
  if (is_short(signature, comm)) return fold_published(in, recvbuf, count, type, op, comm, signature, comm.rank + 1);
  if (passes_in_rounds(signature, type, comm))
    return fold_in_rounds(in, recvbuf, count, type, op, comm, signature, Keeps::kIncluding);
  if (const int out = begin_operation(comm, signature); out != MPI_SUCCESS) return out;
  return fold_along_ranks(in, recvbuf, count, type, op, comm, signature);
}

int exscan(const void* sendbuf, void* recvbuf, MPI_Count count, const Datatype& type, const Op& op, Comm& comm) {
  const void* in = sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf;
  const Signature signature = signature_of(count, type, op);
  if (is_short(signature, comm)) return fold_published(in, recvbuf, count, type, op, comm, signature, comm.rank);
  if (passes_in_rounds(signature, type, comm))
    return fold_in_rounds(in, recvbuf, count, type, op, comm, signature, Keeps::kExcluding);
  if (const int out = begin_operation(comm, signature); out != MPI_SUCCESS) return out;
  return fold_before(in, recvbuf, count, type, op, comm, signature);
}

}  // namespace impl
}  // namespace detmpi
