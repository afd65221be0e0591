// Reductions whose result one member gets, or each member a part of it.
#include <algorithm>
#include <vector>

#include "../engine/events.hpp"
#include "along_ranks.hpp"
#include "impl.hpp"
#include "messages.hpp"
#include "reduce_exposed.hpp"
#include "reduce_rounds.hpp"
#include "stretch.hpp"

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

namespace {

// The root folds what all publish: n - 1 reads of each block there, and nobody waits for another one.
void reduce_at_root(Rounds& rounds, CutVector& v, char* out, uint32_t root) {
  for (int64_t begin = 0; begin < v.count; begin += v.block) {
    char* const result = rounds.me() == root ? out + begin * v.type.extent : nullptr;
    fold_at(rounds, v, result, begin, std::min(v.block, v.count - begin), root);
  }
}

// Is it worth while that all wait for each other? Where they share cores that costs more than what the root folds
// alone, unless the vector is long or there are many of them; of still more members the shares are short.
bool has_shares(uint32_t members, size_t bytes) {
  if (members <= 4 || members > 16) return false;
  return bytes >= (members <= 8 ? 256 * 1024 : 32 * 1024);
}

// Each member folds a share of a stretch, which the root collects.
void reduce_by_shares(Rounds& rounds, CutVector& v, char* out, uint32_t root) {
  const TypedRoom folded(v.type, rounds.me() == root ? 0 : Stretch::most(v) / rounds.members() + 1);
  for (int64_t begin = 0; begin < v.count; begin += Stretch::most(v)) {
    const auto shares = Stretch::shared_out(rounds, begin, std::min(Stretch::most(v), v.count - begin));
    char* const own = rounds.me() == root ? out + shares[root].first * v.type.extent : folded.base();
    Stretch stretch(rounds, v, shares);
    stretch.fold_to(own);
    stretch.collect(own, out, static_cast<int>(root));
  }
}

}  // namespace

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
  if (exposes_reduce(rounds, v.bytes(count))) {
    reduce_exposed(rounds, input, recvbuf, count, type, op, root);
    return rounds.code();
  }
  const bool by_shares = has_shares(rounds.members(), v.bytes(count));
  (by_shares ? reduce_by_shares : reduce_at_root)(rounds, v, static_cast<char*>(recvbuf), static_cast<uint32_t>(root));
  return rounds.code();
}

namespace {

// Member i folds the elements [starts[i], starts[i + 1]).
using Starts = std::vector<int64_t>;

// What fits into a round: everybody publishes all but its own part, and folds that.
void scatter_in_round(Rounds& rounds, CutVector& v, char* out, const Starts& starts) {
  const int64_t first = starts[rounds.me()], last = starts[rounds.me() + 1];
  std::byte* const area = rounds.prepare(v.bytes(v.count));
  const auto publish = [&](int64_t from, int64_t to) {
    if (from < to) pack_to_shared(area + v.bytes(from), v.at(from), to - from, v.type);
  };
  publish(0, first);
  if (g_log_events) publish(first, last);  // nobody reads it
  publish(last, v.count);
  rounds.publish();
  if (first < last) {
    fold_in_order(rounds, v, out, v.at(first), last - first, [&](uint32_t member) {
      const std::byte* const theirs = rounds.await(member, v.bytes(v.count), 0) + v.bytes(first);
      rounds.has_read(theirs, v.bytes(last - first));
      return theirs;
    });
  }
  rounds.finish();
}

// A stretch has as much of each part; of some of them if the elements are so long that all have no room.
void scatter_by_stretches(Rounds& rounds, CutVector& v, char* out, const Starts& starts) {
  const size_t members = rounds.members();
  const size_t together = std::min(members, static_cast<size_t>(Stretch::most(v)));
  const int64_t most = Stretch::most(v) / static_cast<int64_t>(together);
  int64_t longest = 0;
  for (size_t i = 0; i < members; ++i) longest = std::max(longest, starts[i + 1] - starts[i]);
  for (size_t first = 0; first < members; first += together) {
    for (int64_t done = 0; done < longest; done += most) {
      std::vector<Share> shares(members);
      for (size_t i = first; i < std::min(first + together, members); ++i)
        shares[i] = {std::min(starts[i] + done, starts[i + 1]), std::min(starts[i] + done + most, starts[i + 1])};
      Stretch(rounds, v, shares).fold_to(out + done * v.type.extent);
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
  if (v.count == 0) return rounds.code();
  (v.count <= v.block ? scatter_in_round : scatter_by_stretches)(rounds, v, out, starts);
  return rounds.code();
}

// The part of member i begins with element starts[i]; starts.back() is their number.
int reduce_scatter_parts(const void* sendbuf, void* recvbuf, const Starts& starts, const Datatype& type, const Op& op,
                         Comm& comm, const Signature& signature) {
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
  const Signature signature = Signature().reduces(op, type).counts(recvcounts, type, comm.size);
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
