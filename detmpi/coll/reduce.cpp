// Reductions. The result is the left fold over the members in rank order, ((a0 + a1) + a2) + ..., bit for bit, whatever
// the number of pieces: the vector is cut, the operands are never reordered (DESIGN 5.8).
#include "../object/errors.hpp"
#include "../ops/op.hpp"
#include "along_ranks.hpp"
#include "block.hpp"
#include "impl.hpp"
#include "laid.hpp"
#include "messages.hpp"
#include "reduce_exposed.hpp"
#include "rounds.hpp"

#include <algorithm>
#include <vector>

namespace detmpi {
namespace {

// One operation on a vector of `count` elements, in blocks of whole elements.
struct Vector {
  Vector(Rounds& rounds, const Op& operation, const Datatype& t, const void* in, int64_t n)
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
void contribute(Rounds& rounds, const Vector& v, int64_t begin, int64_t n, Share share, int to = Rounds::kEverybody) {
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
void fold_members(Rounds& rounds, Vector& v, char* acc, int64_t begin, int64_t n, Share mine, ShareOf&& share_of) {
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

Signature signature_of(int64_t count, const Datatype& type, const Op& op) {
  return Signature().reduces(op, type).bytes(static_cast<size_t>(count) * type.size);
}

// Does a whole element fit into a round?
bool fits(const Rounds& rounds, const Datatype& type) { return type.size <= rounds.block(); }

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

const void* input_of(const void* sendbuf, const void* recvbuf) { return sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf; }

// Every member folds the whole block: one round. For short blocks and few members.
void allreduce_replicated(Rounds& rounds, Vector& v, char* out, int64_t begin, int64_t n) {
  contribute(rounds, v, begin, n, {});
  rounds.await_all(v.bytes(n));
  fold_members(rounds, v, out + begin * v.type.extent, begin, n, {0, n}, [](uint32_t) { return Share{}; });
  rounds.finish();
}

// Member i folds the i-th part of the block, and all collect the parts: two rounds.
void allreduce_cut(Rounds& rounds, Vector& v, char* out, int64_t begin, int64_t n) {
  const auto members = static_cast<int64_t>(rounds.members());
  const auto share_of = [&](int64_t i) { return Share{n * i / members, n * (i + 1) / members}; };
  const auto most = v.bytes((n + members - 1) / members);
  char* const base = out + begin * v.type.extent;
  const auto part = [&](Share share) { return base + share.first * v.type.extent; };
  const Share mine = share_of(rounds.me());
  contribute(rounds, v, begin, n, mine);
  if (mine.size() > 0) fold_members(rounds, v, part(mine), begin, n, mine, share_of);
  rounds.finish();
  std::byte* place = rounds.prepare(most, v.bytes(mine.size()));
  if (mine.size() > 0) pack_to_shared(place, part(mine), mine.size(), v.type);
  rounds.publish();
  for (int64_t i = 0; i < members; ++i) {
    const Share share = share_of(i);
    if (i == rounds.me() || share.size() == 0) continue;
    unpack_all(part(share), share.size(), v.type, rounds.await(static_cast<uint32_t>(i), most, v.bytes(share.size())));
  }
  rounds.finish();
}

// Member 0 folds for all: two rounds, n reads there and one at each other member. For short blocks and many members.
void allreduce_collected(Rounds& rounds, Vector& v, char* out, int64_t begin, int64_t n) {
  char* const base = out + begin * v.type.extent;
  const auto share_of = [n](uint32_t member) { return member == 0 ? Share{0, n} : Share{}; };
  contribute(rounds, v, begin, n, share_of(rounds.me()), 0);
  if (rounds.me() == 0) fold_members(rounds, v, base, begin, n, {0, n}, share_of);
  rounds.finish();
  if (rounds.me() == 0) {
    std::byte* place = rounds.prepare(v.bytes(n));
    if (v.bytes(n) > 0) pack_to_shared(place, base, n, v.type);
    rounds.publish();
  } else {
    unpack_all(base, n, v.type, rounds.await(0, v.bytes(n)));
  }
  rounds.finish();
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
  Vector v(rounds, op, type, input, count);
  for (int64_t begin = 0; begin < count; begin += v.block) {
    const int64_t n = std::min(v.block, count - begin);
    const auto share_of = [&](uint32_t member) { return static_cast<int>(member) == root ? Share{0, n} : Share{}; };
    contribute(rounds, v, begin, n, share_of(rounds.me()), root);
    if (comm.rank == root) {
      fold_members(rounds, v, static_cast<char*>(recvbuf) + begin * type.extent, begin, n, {0, n}, share_of);
    }
    rounds.finish();
  }
  return rounds.code();
}

int allreduce(const void* sendbuf, void* recvbuf, MPI_Count count, const Datatype& type, const Op& op, Comm& comm) {
  constexpr size_t kReplicatedBytes = 1024;
  constexpr uint32_t kReplicatedMembers = 16;
  const void* input = input_of(sendbuf, recvbuf);
  if (comm.size == 1) {
    if (sendbuf != MPI_IN_PLACE) copy_typed(recvbuf, input, count, type);
    return MPI_SUCCESS;
  }
  const Signature signature = signature_of(count, type, op);
  Rounds rounds(comm, signature);
  if (rounds.out()) [[unlikely]]
    return rounds.code();
  if (!fits(rounds, type)) {
    rounds.note();
    const int code = reduce_by_messages(input, recvbuf, count, type, op, 0, comm, signature);
    const int sent = bcast(recvbuf, count, type, 0, comm);
    return code != MPI_SUCCESS ? code : sent;
  }
  Vector v(rounds, op, type, input, count);
  if (exposes_allreduce(rounds, v.bytes(count))) {
    allreduce_exposed(rounds, input, recvbuf, count, type, op);
    return rounds.code();
  }
  auto* out = static_cast<char*>(recvbuf);
  for (int64_t begin = 0; begin < count; begin += v.block) {
    const int64_t n = std::min(v.block, count - begin);
    const bool is_short = v.bytes(n) <= kReplicatedBytes;
    if (is_short && rounds.members() <= kReplicatedMembers) allreduce_replicated(rounds, v, out, begin, n);
    else if (is_short) allreduce_collected(rounds, v, out, begin, n);
    else allreduce_cut(rounds, v, out, begin, n);
  }
  return rounds.code();
}

namespace {

// Every member publishes the whole vector, but for its own part, in blocks, and folds the elements [starts[i],
// starts[i + 1]) of it, i being its rank.
int scatter_reduced(const void* input, char* out, const std::vector<int64_t>& starts, const Datatype& type,
                    const Op& op, Comm& comm, const Signature& signature) {
  Rounds rounds(comm, signature);
  if (rounds.out()) [[unlikely]]
    return rounds.code();
  Vector v(rounds, op, type, input, starts.back());
  if (exposes_reduce_scatter(rounds, v.bytes(v.count))) {
    const Share mine{starts[rounds.me()], starts[rounds.me() + 1]};
    reduce_scatter_exposed(rounds, input, out, v.count, mine, type, op);
    return rounds.code();
  }
  for (int64_t begin = 0; begin < v.count; begin += v.block) {
    const int64_t n = std::min(v.block, v.count - begin);
    const auto share_of = [&](uint32_t i) {
      return Share{std::clamp(starts[i] - begin, int64_t{0}, n), std::clamp(starts[i + 1] - begin, int64_t{0}, n)};
    };
    const Share mine = share_of(rounds.me());
    contribute(rounds, v, begin, n, mine);
    if (mine.size() > 0) {
      char* const acc = out + (begin + mine.first - starts[rounds.me()]) * type.extent;
      fold_members(rounds, v, acc, begin, n, mine, share_of);
    }
    rounds.finish();
  }
  return rounds.code();
}

// The part of member i begins with element starts[i]; starts.back() is their number.
int reduce_scatter_parts(const void* sendbuf, void* recvbuf, const std::vector<int64_t>& starts, const Datatype& type,
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
  std::vector<int64_t> starts{0};
  for (int i = 0; i < comm.size; ++i) starts.push_back(starts.back() + recvcounts[i]);
  const Signature signature = Signature().reduces(op, type).counts(recvcounts, comm.size);
  return reduce_scatter_parts(sendbuf, recvbuf, starts, type, op, comm, signature);
}

int reduce_scatter_block(const void* sendbuf, void* recvbuf, MPI_Count recvcount, const Datatype& type, const Op& op,
                         Comm& comm) {
  std::vector<int64_t> starts{0};
  for (int i = 0; i < comm.size; ++i) starts.push_back(starts.back() + recvcount);
  return reduce_scatter_parts(sendbuf, recvbuf, starts, type, op, comm, signature_of(recvcount, type, op));
}

}  // namespace impl
}  // namespace detmpi
