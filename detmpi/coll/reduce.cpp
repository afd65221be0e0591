// Reductions. The result is the left fold over the members in rank order, ((a0 + a1) + a2) + ..., bit for bit, whatever
// the number of pieces: the vector is cut, the operands are never reordered (DESIGN 5.8).
#include "../engine/p2p.hpp"
#include "../object/errors.hpp"
#include "../ops/op.hpp"
#include "../types/typed_room.hpp"
#include "impl.hpp"
#include "rounds.hpp"

#include <algorithm>
#include <vector>

namespace detmpi {
namespace {

// Packed elements laid out as in a program's memory, as operations want them; a dense type needs no copy.
class Laid {
 public:
  Laid(const Datatype& type, int64_t most) : type_(type), room_(type, type.dense ? 0 : most) {}
  const void* from(const std::byte* packed, int64_t count) {
    if (type_.dense) return reinterpret_cast<const char*>(packed) - type_.true_lb;
    unpack_all(room_.base(), count, type_, packed);
    return room_.base();
  }

 private:
  const Datatype& type_;
  TypedRoom room_;
};

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

// acc (laid out) = fold of the members [0, last] of this round's elements [first, first + n) of the block.
void fold_members(Rounds& rounds, Vector& v, char* acc, uint32_t last, int64_t in_block, int64_t first, int64_t n) {
  const size_t bytes = v.bytes(in_block);
  const size_t skip = v.bytes(first);
  unpack_all(acc, n, v.type, rounds.await(0, bytes) + skip);
  for (uint32_t member = 1; member <= last; ++member) {
    fold(v.op, acc, v.laid.from(rounds.await(member, bytes) + skip, n), n, v.type);
  }
}

void contribute(Rounds& rounds, const Vector& v, int64_t begin, int64_t n, int to = Rounds::kEverybody) {
  std::byte* place = rounds.prepare(v.bytes(n));
  if (v.bytes(n) > 0) pack_all(place, v.at(begin), n, v.type);
  rounds.publish(to);
}

// Does a whole element fit into a round?
bool fits(const Rounds& rounds, const Datatype& type) { return type.size <= rounds.block(); }

// Elements larger than a round: members send theirs to the root, which folds them one after the other.
int reduce_by_messages(const void* in, void* out, int count, const Datatype& type, const Op& op, int root, Comm& comm,
                       bool prefix, bool inclusive) {
  const Peer from_left{comm.rank - 1, 0, collective_context(comm)};
  const Peer to_right{comm.rank + 1, 0, collective_context(comm)};
  const TypedRoom left(type, comm.rank > 0 ? count : 0), acc(type, count);
  copy_typed(acc.base(), in, count, type);
  if (comm.rank > 0) {  // the fold travels along the ranks
    p2p_recv(left.base(), count, type, comm, from_left, MPI_STATUS_IGNORE);
    fold_left(op, left.base(), acc.base(), count, type);
  }
  if (comm.rank + 1 < comm.size) p2p_send(acc.base(), count, type, comm, to_right, SendMode::kStandard);
  if (prefix) {
    if (inclusive) copy_typed(out, acc.base(), count, type);
    else if (comm.rank > 0) copy_typed(out, left.base(), count, type);
    return MPI_SUCCESS;
  }
  const int last = comm.size - 1;
  const Peer to_root{root, 1, collective_context(comm)};
  const Peer from_last{last, 1, collective_context(comm)};
  if (root == last && comm.rank == last) copy_typed(out, acc.base(), count, type);
  else if (comm.rank == last) p2p_send(acc.base(), count, type, comm, to_root, SendMode::kStandard);
  else if (comm.rank == root) p2p_recv(out, count, type, comm, from_last, MPI_STATUS_IGNORE);
  return MPI_SUCCESS;
}

const void* input_of(const void* sendbuf, const void* recvbuf) { return sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf; }

// Every member folds the whole block: one round. For short blocks and few members.
void allreduce_replicated(Rounds& rounds, Vector& v, char* out, int64_t begin, int64_t n) {
  contribute(rounds, v, begin, n);
  rounds.await_all(v.bytes(n));
  fold_members(rounds, v, out + begin * v.type.extent, rounds.members() - 1, n, 0, n);
  rounds.finish();
}

// Member i folds the i-th part of the block, and all collect the parts: two rounds.
void allreduce_cut(Rounds& rounds, Vector& v, char* out, int64_t begin, int64_t n) {
  const auto members = static_cast<int64_t>(rounds.members());
  const auto cut = [&](int64_t i) { return n * i / members; };
  const auto me = static_cast<int64_t>(rounds.me());
  const auto most = v.bytes((n + members - 1) / members);
  char* const base = out + begin * v.type.extent;
  const auto part = [&](int64_t i) { return base + cut(i) * v.type.extent; };
  const int64_t mine = cut(me + 1) - cut(me);
  contribute(rounds, v, begin, n);
  if (mine > 0) {
    // The own part of `out` may be this member's input still: it has been published, so it may be overwritten.
    fold_members(rounds, v, part(me), rounds.members() - 1, n, cut(me), mine);
  }
  rounds.finish();
  std::byte* place = rounds.prepare(most, v.bytes(mine));
  if (mine > 0) pack_all(place, part(me), mine, v.type);
  rounds.publish();
  for (int64_t i = 0; i < members; ++i) {
    const int64_t size = cut(i + 1) - cut(i);
    if (i == me || size == 0) continue;
    unpack_all(part(i), size, v.type, rounds.await(static_cast<uint32_t>(i), most, v.bytes(size)));
  }
  rounds.finish();
}

// Member 0 folds for all: two rounds, n reads there and one at each other member. For short blocks and many members.
void allreduce_collected(Rounds& rounds, Vector& v, char* out, int64_t begin, int64_t n) {
  char* const base = out + begin * v.type.extent;
  contribute(rounds, v, begin, n, 0);
  if (rounds.me() == 0) fold_members(rounds, v, base, rounds.members() - 1, n, 0, n);
  rounds.finish();
  if (rounds.me() == 0) {
    std::byte* place = rounds.prepare(v.bytes(n));
    if (v.bytes(n) > 0) pack_all(place, base, n, v.type);
    rounds.publish();
  } else {
    unpack_all(base, n, v.type, rounds.await(0, v.bytes(n)));
  }
  rounds.finish();
}

}  // namespace

namespace impl {

int reduce(const void* sendbuf, void* recvbuf, int count, const Datatype& type, const Op& op, int root, Comm& comm) {
  const void* input = input_of(sendbuf, recvbuf);
  if (comm.size == 1) {
    if (sendbuf != MPI_IN_PLACE) copy_typed(recvbuf, input, count, type);
    return MPI_SUCCESS;
  }
  Rounds rounds(comm);
  if (!fits(rounds, type)) return reduce_by_messages(input, recvbuf, count, type, op, root, comm, false, false);
  Vector v(rounds, op, type, input, count);
  for (int64_t begin = 0; begin < count; begin += v.block) {
    const int64_t n = std::min(v.block, count - begin);
    contribute(rounds, v, begin, n, root);
    if (comm.rank == root) {
      fold_members(rounds, v, static_cast<char*>(recvbuf) + begin * type.extent, rounds.members() - 1, n, 0, n);
    }
    rounds.finish();
  }
  return MPI_SUCCESS;
}

int allreduce(const void* sendbuf, void* recvbuf, int count, const Datatype& type, const Op& op, Comm& comm) {
  constexpr size_t kReplicatedBytes = 1024;
  constexpr uint32_t kReplicatedMembers = 16;
  const void* input = input_of(sendbuf, recvbuf);
  if (comm.size == 1) {
    if (sendbuf != MPI_IN_PLACE) copy_typed(recvbuf, input, count, type);
    return MPI_SUCCESS;
  }
  Rounds rounds(comm);
  if (!fits(rounds, type)) {
    reduce_by_messages(input, recvbuf, count, type, op, 0, comm, false, false);
    return bcast(recvbuf, count, type, 0, comm);
  }
  Vector v(rounds, op, type, input, count);
  auto* out = static_cast<char*>(recvbuf);
  for (int64_t begin = 0; begin < count; begin += v.block) {
    const int64_t n = std::min(v.block, count - begin);
    const bool is_short = v.bytes(n) <= kReplicatedBytes;
    if (is_short && rounds.members() <= kReplicatedMembers) allreduce_replicated(rounds, v, out, begin, n);
    else if (is_short) allreduce_collected(rounds, v, out, begin, n);
    else allreduce_cut(rounds, v, out, begin, n);
  }
  return MPI_SUCCESS;
}

namespace {

int prefix(const void* sendbuf, void* recvbuf, int count, const Datatype& type, const Op& op, Comm& comm,
           bool inclusive) {
  const void* input = input_of(sendbuf, recvbuf);
  Rounds rounds(comm);
  if (!fits(rounds, type)) return reduce_by_messages(input, recvbuf, count, type, op, 0, comm, true, inclusive);
  Vector v(rounds, op, type, input, count);
  for (int64_t begin = 0; begin < count; begin += v.block) {
    const int64_t n = std::min(v.block, count - begin);
    contribute(rounds, v, begin, n);
    char* const acc = static_cast<char*>(recvbuf) + begin * type.extent;
    if (inclusive) fold_members(rounds, v, acc, rounds.me(), n, 0, n);
    else if (rounds.me() > 0) fold_members(rounds, v, acc, rounds.me() - 1, n, 0, n);
    rounds.finish();
  }
  return MPI_SUCCESS;
}

}  // namespace

int scan(const void* sendbuf, void* recvbuf, int count, const Datatype& type, const Op& op, Comm& comm) {
  if (comm.size > 1) return prefix(sendbuf, recvbuf, count, type, op, comm, true);
  if (sendbuf != MPI_IN_PLACE) copy_typed(recvbuf, sendbuf, count, type);
  return MPI_SUCCESS;
}

int exscan(const void* sendbuf, void* recvbuf, int count, const Datatype& type, const Op& op, Comm& comm) {
  return comm.size > 1 ? prefix(sendbuf, recvbuf, count, type, op, comm, false) : MPI_SUCCESS;
}

namespace {

// Every member publishes the whole vector in blocks and folds the elements [own, own + mine) of it.
int scatter_reduced(const void* input, char* out, int64_t total, int64_t own, int64_t mine, const Datatype& type,
                    const Op& op, Comm& comm) {
  Rounds rounds(comm);
  Vector v(rounds, op, type, input, total);
  for (int64_t begin = 0; begin < total; begin += v.block) {
    const int64_t n = std::min(v.block, total - begin);
    contribute(rounds, v, begin, n);
    const int64_t first = std::max(begin, own);
    const int64_t last = std::min(begin + n, own + mine);
    if (first < last) {
      fold_members(rounds, v, out + (first - own) * type.extent, rounds.members() - 1, n, first - begin, last - first);
    }
    rounds.finish();
  }
  return MPI_SUCCESS;
}

int reduce_scatter_counts(const void* sendbuf, void* recvbuf, const std::vector<int64_t>& counts, const Datatype& type,
                          const Op& op, Comm& comm) {
  int64_t total = 0;
  int64_t own = 0;
  for (int i = 0; i < comm.size; ++i) {
    if (i < comm.rank) own += counts[static_cast<size_t>(i)];
    total += counts[static_cast<size_t>(i)];
  }
  const int64_t mine = counts[static_cast<size_t>(comm.rank)];
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
  if (type.size > Rounds(comm).block()) {
    for (int root = 0; root < comm.size; ++root) {
      const int64_t n = counts[static_cast<size_t>(root)];
      reduce_by_messages(input, recvbuf, static_cast<int>(n), type, op, root, comm, false, false);
      input += n * type.extent;
    }
    return MPI_SUCCESS;
  }
  return scatter_reduced(input, static_cast<char*>(recvbuf), total, own, mine, type, op, comm);
}

}  // namespace

int reduce_scatter(const void* sendbuf, void* recvbuf, const int recvcounts[], const Datatype& type, const Op& op,
                   Comm& comm) {
  return reduce_scatter_counts(sendbuf, recvbuf, {recvcounts, recvcounts + comm.size}, type, op, comm);
}

int reduce_scatter_block(const void* sendbuf, void* recvbuf, int recvcount, const Datatype& type, const Op& op,
                         Comm& comm) {
  return reduce_scatter_counts(sendbuf, recvbuf, std::vector<int64_t>(static_cast<size_t>(comm.size), recvcount), type,
                               op, comm);
}

}  // namespace impl
}  // namespace detmpi
