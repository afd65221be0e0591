// Prefix reductions: every member gets the fold of all before it from its left-hand neighbour, folds its own
// contribution in, and passes the result on. The vector goes in pieces, so that members work on different ones at the
// same time.
#include "scan.hpp"

#include <algorithm>

#include "../engine/p2p.hpp"
#include "../types/typed_room.hpp"
#include "impl.hpp"

namespace detmpi {
namespace {

constexpr size_t kPieceBytes = 8192;

int64_t piece_of(const Datatype& type, int64_t count) {
  return std::clamp<int64_t>(static_cast<int64_t>(kPieceBytes / std::max<size_t>(type.size, 1)), 1,
                             std::max<int64_t>(count, 1));
}

void receive_left(void* base, int64_t count, const Datatype& type, Comm& comm) {
  p2p_recv(base, count, type, comm, {comm.rank - 1, 0, collective_context(comm)}, MPI_STATUS_IGNORE);
}

void send_right(const void* base, int64_t count, const Datatype& type, Comm& comm) {
  if (comm.rank + 1 == comm.size) return;
  p2p_send(base, count, type, comm, {comm.rank + 1, 0, collective_context(comm)}, SendMode::kStandard);
}

// Calls `what` with the first element and the number of elements of each piece.
template <typename What>
void in_pieces(const Datatype& type, int64_t count, What&& what) {
  const int64_t piece = piece_of(type, count);
  for (int64_t done = 0; done < count; done += piece) what(done * type.extent, std::min(piece, count - done));
}

// The fold of the members before this one, in `out`.
void fold_before(const char* in, char* out, int64_t count, const Datatype& type, const Op& op, Comm& comm) {
  const TypedRoom folded(type, piece_of(type, count));
  in_pieces(type, count, [&](ptrdiff_t at, int64_t n) {
    copy_typed(folded.base(), in + at, n, type);
    if (comm.rank > 0) {
      receive_left(out + at, n, type, comm);
      fold_left(op, out + at, folded.base(), n, type);
    }
    send_right(folded.base(), n, type, comm);
  });
}

}  // namespace

void fold_along_ranks(const void* in, void* out, int64_t count, const Datatype& type, const Op& op, Comm& comm) {
  const TypedRoom left(type, comm.rank > 0 ? piece_of(type, count) : 0);
  in_pieces(type, count, [&](ptrdiff_t at, int64_t n) {
    char* const folded = static_cast<char*>(out) + at;
    if (in != out) copy_typed(folded, static_cast<const char*>(in) + at, n, type);
    if (comm.rank > 0) {
      receive_left(left.base(), n, type, comm);
      fold_left(op, left.base(), folded, n, type);
    }
    send_right(folded, n, type, comm);
  });
}

namespace impl {

int scan(const void* sendbuf, void* recvbuf, MPI_Count count, const Datatype& type, const Op& op, Comm& comm) {
  fold_along_ranks(sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf, recvbuf, count, type, op, comm);
  return MPI_SUCCESS;
}

int exscan(const void* sendbuf, void* recvbuf, MPI_Count count, const Datatype& type, const Op& op, Comm& comm) {
  const void* in = sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf;
  fold_before(static_cast<const char*>(in), static_cast<char*>(recvbuf), count, type, op, comm);
  return MPI_SUCCESS;
}

}  // namespace impl
}  // namespace detmpi
