// Prefix reductions. Short vectors are published, and every member folds those of all before it: it waits for none of
// those after it, and for nobody's result. A longer one travels along the ranks: every member gets the fold of all
// before it from its left-hand neighbour, folds its own contribution in, and passes the result on; so n members fold n
// times, not n * n / 2. It goes in pieces, so that members work on different ones at the same time.
#include "scan.hpp"

#include <algorithm>

#include "impl.hpp"
#include "laid.hpp"
#include "messages.hpp"
#include "rounds.hpp"

namespace detmpi {
namespace {

constexpr size_t kPieceBytes = 8192;

int64_t piece_of(const Datatype& type, int64_t count) {
  return std::clamp<int64_t>(static_cast<int64_t>(kPieceBytes / std::max<size_t>(type.size, 1)), 1,
                             std::max<int64_t>(count, 1));
}

// The neighbours, in an operation on elements of a type.
class Line {
 public:
  Line(const Datatype& type, Comm& comm, const Signature& signature)
      : type_(type),
        comm_(comm),
        left_(peer_in(comm, comm.rank - 1, signature)),
        right_(peer_in(comm, comm.rank + 1, signature)) {}

  void receive_left(void* base, int64_t count) {
    if (const int code = receive(base, count, type_, comm_, left_); code_ == MPI_SUCCESS) code_ = code;
  }
  void send_right(const void* base, int64_t count) const {
    if (code_ != MPI_SUCCESS) count = 0;
    if (right_.rank < comm_.size) p2p_send(base, count, type_, comm_, right_, SendMode::kStandard);
  }
  int code() const { return code_; }

 private:
  const Datatype& type_;
  Comm& comm_;
  Peer left_, right_;
  int code_ = MPI_SUCCESS;  // the first error
};

// Calls `what` with the first element and the number of elements of each piece.
template <typename What>
void in_pieces(const Datatype& type, int64_t count, What&& what) {
  const int64_t piece = piece_of(type, count);
  for (int64_t done = 0; done < count; done += piece) what(done * type.extent, std::min(piece, count - done));
}

// The fold of the members before this one, in `out`.
int fold_before(const char* in, char* out, int64_t count, const Datatype& type, const Op& op, Comm& comm,
                const Signature& signature) {
  Line line(type, comm, signature);
  const TypedRoom folded(type, piece_of(type, count));
  in_pieces(type, count, [&](ptrdiff_t at, int64_t n) {
    copy_typed(folded.base(), in + at, n, type);
    if (comm.rank > 0) {
      line.receive_left(out + at, n);
      fold_left(op, out + at, folded.base(), n, type);
    }
    line.send_right(folded.base(), n);
  });
  return line.code();
}

}  // namespace

int fold_along_ranks(const void* in, void* out, int64_t count, const Datatype& type, const Op& op, Comm& comm,
                     const Signature& signature) {
  Line line(type, comm, signature);
  const bool first = comm.rank == 0;
  const bool into_out = !first && in != out && !op.function;  // an operation of the program's would need a copy of `in`
  const TypedRoom left(type, first || into_out ? 0 : piece_of(type, count));
  in_pieces(type, count, [&](ptrdiff_t at, int64_t n) {
    char* const folded = static_cast<char*>(out) + at;
    const char* const own = static_cast<const char*>(in) + at;
    if (into_out) {
      line.receive_left(folded, n);
      fold(op, folded, own, n, type);
    } else {
      if (in != out) copy_typed(folded, own, n, type);
      if (!first) {
        line.receive_left(left.base(), n);
        fold_left(op, left.base(), folded, n, type);
      }
    }
    line.send_right(folded, n);
  });
  return line.code();
}

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
  rounds.publish();
  Laid laid(type, count);
  for (int member = 0; member < members; ++member) {
    const std::byte* const theirs = member == comm.rank ? mine : rounds.await(static_cast<uint32_t>(member), bytes);
    if (member == 0) unpack_all(out, count, type, theirs);
    else fold(op, out, laid.from(theirs, count), count, type);
  }
  rounds.finish();
  return rounds.code();
}

}  // namespace

namespace impl {

int scan(const void* sendbuf, void* recvbuf, MPI_Count count, const Datatype& type, const Op& op, Comm& comm) {
  const void* in = sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf;
  const Signature signature = signature_of(count, type, op);
  if (is_short(signature, comm)) return fold_published(in, recvbuf, count, type, op, comm, signature, comm.rank + 1);
  if (const int out = begin_operation(comm, signature); out != MPI_SUCCESS) return out;
  return fold_along_ranks(in, recvbuf, count, type, op, comm, signature);
}

int exscan(const void* sendbuf, void* recvbuf, MPI_Count count, const Datatype& type, const Op& op, Comm& comm) {
  const void* in = sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf;
  const Signature signature = signature_of(count, type, op);
  if (is_short(signature, comm)) return fold_published(in, recvbuf, count, type, op, comm, signature, comm.rank);
  if (const int out = begin_operation(comm, signature); out != MPI_SUCCESS) return out;
  return fold_before(static_cast<const char*>(in), static_cast<char*>(recvbuf), count, type, op, comm, signature);
}

}  // namespace impl
}  // namespace detmpi
