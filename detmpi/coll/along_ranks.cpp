#include "along_ranks.hpp"

#include <algorithm>

#include "../types/typed_room.hpp"
#include "messages.hpp"

namespace detmpi {
namespace {

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
  const int64_t piece = fold_piece(type, count);
  for (int64_t done = 0; done < count; done += piece) what(done * type.extent, std::min(piece, count - done));
}

}  // namespace

int fold_along_ranks(const void* in, void* out, int64_t count, const Datatype& type, const Op& op, Comm& comm,
                     const Signature& signature) {
  Line line(type, comm, signature);
  const bool first = comm.rank == 0;
  const bool into_out = !first && in != out && !op.function;  // an operation of the program's would need a copy of `in`
  const TypedRoom left(type, first || into_out ? 0 : fold_piece(type, count));
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

int fold_before(const void* in, void* out, int64_t count, const Datatype& type, const Op& op, Comm& comm,
                const Signature& signature) {
  Line line(type, comm, signature);
  const TypedRoom folded(type, fold_piece(type, count));
  in_pieces(type, count, [&](ptrdiff_t at, int64_t n) {
    copy_typed(folded.base(), static_cast<const char*>(in) + at, n, type);
    if (comm.rank > 0) {
      char* const before = static_cast<char*>(out) + at;
      line.receive_left(before, n);
      fold_left(op, before, folded.base(), n, type);
    }
    line.send_right(folded.base(), n);
  });
  return line.code();
}

}  // namespace detmpi
