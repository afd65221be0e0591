// Reductions whose result one member gets, or each member a part of it.
#include <algorithm>
#include <vector>

#include "along_ranks.hpp"
#include "impl.hpp"
#include "messages.hpp"
#include "reduce_rounds.hpp"

namespace detmpi {

// Elements larger than a round: the fold travels along the ranks, as that of MPI_Scan, and from the last to the root.
int reduce_by_messages(const void* in, void* out, int64_t count, const Datatype& type, const Op& op, int root,
                       Comm& comm, const Signature& signature) {
  const int last = comm.size - 1;
  const TypedRoom folded(type, count);
  const int code = fold_along_ranks(in, folded.base(), count, type, op, comm, signature);
  const Peer to_root = peer_in(comm, root, signature);
  const Peer from_last = peer_in(comm, last, signature);
  if (root == last && comm.rank == last) copy_typed(out, folded.base(), count, type);
  else if (comm.rank == last)
    p2p_send(folded.base(), code == MPI_SUCCESS ? count : 0, type, comm, to_root, SendMode::kStandard);
  else if (comm.rank == root && code == MPI_SUCCESS) return receive(out, count, type, comm, from_last);
  return code;
}

namespace impl {

int reduce(const void* sendbuf, void* recvbuf, MPI_Count count, const Datatype& type, const Op& op, int root,
           Comm& comm) {
  const void* input = input_of(sendbuf, recvbuf);
  if (comm.size == 1) {
    if (sendbuf != MPI_IN_PLACE) copy_typed(recvbuf, input, count, type);
    return MPI_SUCCESS;
  }
  const Signature signature = signature_of(count, type, op).root(root);
  Rounds rounds(comm, signature);
  if (rounds.out()) [[unlikely]]
    return rounds.code();
  if (!fits(rounds, type)) {
    rounds.note();
    return reduce_by_messages(input, recvbuf, count, type, op, root, comm, signature);
  }
  CutVector v(rounds, op, type, input, count);
  for (int64_t begin = 0; begin < count; begin += v.block) {
    const int64_t n = std::min(v.block, count - begin);
    fold_at(rounds, v, static_cast<char*>(recvbuf), 0, begin, n, static_cast<uint32_t>(root));
  }
  return rounds.code();
}

namespace {

// Member i folds the elements [starts[i], starts[i + 1]).
using Starts = std::vector<int64_t>;

// Block by block, the last one first, as in allreduce_by_turns: those whose parts lie in it fold them.
void scatter_by_blocks(Rounds& rounds, CutVector& v, char* out, const Starts& starts) {
  if (v.count == 0) return;
  for (int64_t begin = (v.count - 1) / v.block * v.block; begin >= 0; begin -= v.block) {
    const int64_t n = std::min(v.block, v.count - begin);
    const auto share_of = [&](uint32_t i) {
      return Share{std::clamp(starts[i] - begin, int64_t{0}, n), std::clamp(starts[i + 1] - begin, int64_t{0}, n)};
    };
    const Share mine = share_of(rounds.me());
    contribute(rounds, v, begin, n, mine);
    if (mine.size() > 0) {
      char* const acc = out + (begin + mine.first - starts[rounds.me()]) * v.type.extent;
      fold_members(rounds, v, acc, begin, n, mine, share_of);
    }
    rounds.finish();
  }
}

// A block of each part in turn, in the order of allreduce_by_turns. For parts of a block and more, of more than two members:
// two have no others to wait for.
void scatter_by_turns(Rounds& rounds, CutVector& v, char* out, const Starts& starts, int64_t longest) {
  for (int64_t done = 0; done < longest; done += v.block) {
    for (uint32_t owner = rounds.members(); owner-- > 0;) {
      const int64_t n = std::min(v.block, starts[owner + 1] - starts[owner] - done);
      if (n > 0) fold_at(rounds, v, out, starts[owner], starts[owner] + done, n, owner);
    }
  }
}

int scatter_reduced(const void* input, char* out, const Starts& starts, const Datatype& type, const Op& op, Comm& comm,
                    const Signature& signature) {
  Rounds rounds(comm, signature);
  if (rounds.out()) [[unlikely]]
    return rounds.code();
  CutVector v(rounds, op, type, input, starts.back());
  if (exposes_reduce_scatter(rounds, v.bytes(v.count))) {
    const Share mine{starts[rounds.me()], starts[rounds.me() + 1]};
    reduce_scatter_exposed(rounds, input, out, v.count, mine, type, op);
    return rounds.code();
  }
  int64_t longest = 0;
  for (size_t i = 0; i + 1 < starts.size(); ++i) longest = std::max(longest, starts[i + 1] - starts[i]);
  if (longest >= v.block && rounds.members() > 2) scatter_by_turns(rounds, v, out, starts, longest);
  else scatter_by_blocks(rounds, v, out, starts);
  return rounds.code();
}

// The part of member i begins with element starts[i]; starts.back() is their number.
int reduce_scatter_parts(const void* sendbuf, void* recvbuf, const Starts& starts, const Datatype& type,
                         const Op& op, Comm& comm, const Signature& signature) {
  const int64_t total = starts.back();
  // In place, input and output overlap with different offsets: work on a copy.
  const TypedRoom copy(type, sendbuf == MPI_IN_PLACE ? total : 0);
  const char* input = static_cast<const char*>(sendbuf);
  if (sendbuf == MPI_IN_PLACE) {
    input = copy.base();
    copy_typed(copy.base(), recvbuf, total, type);
  }
  if (comm.size == 1) {
    copy_typed(recvbuf, input, total, type);
    return MPI_SUCCESS;
  }
  if (fits(Rounds(comm), type)) {
    return scatter_reduced(input, static_cast<char*>(recvbuf), starts, type, op, comm, signature);
  }
  if (const int out = begin_operation(comm, signature); out != MPI_SUCCESS) return out;
  int code = MPI_SUCCESS;
  for (size_t root = 0; root + 1 < starts.size(); ++root) {
    const int one = reduce_by_messages(input + starts[root] * type.extent, recvbuf, starts[root + 1] - starts[root],
                                       type, op, static_cast<int>(root), comm, signature);
    if (code == MPI_SUCCESS) code = one;
  }
  return code;
}

}  // namespace

int reduce_scatter(const void* sendbuf, void* recvbuf, Integers recvcounts, const Datatype& type, const Op& op,
                   Comm& comm) {
  Starts starts{0};
  for (int i = 0; i < comm.size; ++i) starts.push_back(starts.back() + recvcounts[i]);
  const Signature signature = Signature().reduces(op, type).counts(recvcounts, comm.size);
  return reduce_scatter_parts(sendbuf, recvbuf, starts, type, op, comm, signature);
}

int reduce_scatter_block(const void* sendbuf, void* recvbuf, MPI_Count recvcount, const Datatype& type, const Op& op,
                         Comm& comm) {
  Starts starts{0};
  for (int i = 0; i < comm.size; ++i) starts.push_back(starts.back() + recvcount);
  return reduce_scatter_parts(sendbuf, recvbuf, starts, type, op, comm, signature_of(recvcount, type, op));
}

}  // namespace impl
}  // namespace detmpi
