// Reductions whose result everybody gets.
#include "impl.hpp"
#include "reduce_rounds.hpp"

namespace detmpi {
namespace {

// Every member folds the whole vector: one round. For short ones and few members.
void allreduce_replicated(Rounds& rounds, CutVector& v, char* out) {
  contribute(rounds, v, 0, v.count, {});
  rounds.await_all(v.bytes(v.count));
  fold_members(rounds, v, out, 0, v.count, {0, v.count}, [](uint32_t) { return Share{}; });
  rounds.finish();
}

// Member 0 folds for all: two rounds, n reads there and one at each other member, who waits once. For short vectors.
void allreduce_collected(Rounds& rounds, CutVector& v, char* out) {
  const int64_t n = v.count;
  fold_at(rounds, v, out, 0, 0, n, 0);
  if (rounds.me() == 0) {
    std::byte* place = rounds.prepare(v.bytes(n));
    if (v.bytes(n) > 0) pack_to_shared(place, out, n, v.type);
    rounds.publish();
  } else {
    unpack_all(out, n, v.type, rounds.await(0, v.bytes(n)));
  }
  rounds.finish();
}

// Block by block: member i folds the i-th part of the block, and all collect the parts: two rounds.
void allreduce_by_parts(Rounds& rounds, CutVector& v, char* out) {
  const auto members = static_cast<int64_t>(rounds.members());
  for (int64_t begin = 0; begin < v.count; begin += v.block) {
    const int64_t n = std::min(v.block, v.count - begin);
    const auto share_of = [&](int64_t i) { return Share{n * i / members, n * (i + 1) / members}; };
    const auto most = v.bytes((n + members - 1) / members);
    const auto part = [&](Share share) { return out + (begin + share.first) * v.type.extent; };
    const Share mine = share_of(rounds.me());
    contribute(rounds, v, begin, n, mine);
    if (mine.size() > 0) fold_members(rounds, v, part(mine), begin, n, mine, share_of);
    rounds.finish();
    std::byte* place = rounds.prepare(most, v.bytes(mine.size()));
    if (mine.size() > 0) pack_to_shared(place, part(mine), mine.size(), v.type);
    rounds.publish();
    for (int64_t step = 1; step < members; ++step) {  // each from another one
      const int64_t i = (rounds.me() + members - step) % members;
      const Share share = share_of(i);
      if (share.size() == 0) continue;
      const std::byte* theirs = rounds.await(static_cast<uint32_t>(i), most, v.bytes(share.size()));
      unpack_all(part(share), share.size(), v.type, theirs);
    }
    rounds.finish();
  }
}

// Member n - 1 - b % n folds the b-th block, in a round of its own; then all collect n blocks a round. Who does not fold only
// publishes, and so runs ahead: ranks that share cores take fewer turns than in two rounds for each block. By descending
// ranks, because a member publishes nothing while it folds: what the next one then still waits for it folds last.
void allreduce_by_turns(Rounds& rounds, CutVector& v, char* out) {
  const auto members = static_cast<int64_t>(rounds.members());
  const auto length = [&](int64_t first) { return std::min(v.block, v.count - first); };
  const auto result = [&](int64_t first) { return out + first * v.type.extent; };
  uint32_t owner = rounds.members();
  for (int64_t first = 0; first < v.count; first += v.block) {
    owner = (owner == 0 ? rounds.members() : owner) - 1;
    fold_at(rounds, v, out, 0, first, length(first), owner);
  }
  for (int64_t group = 0; group < v.count; group += v.block * members) {
    const auto first_of = [&](int64_t member) { return group + (members - 1 - member) * v.block; };
    if (const int64_t mine = first_of(rounds.me()); mine < v.count) {
      std::byte* place = rounds.prepare(v.bytes(v.block), v.bytes(length(mine)));
      pack_to_shared(place, result(mine), length(mine), v.type);
      rounds.publish();
    }
    for (int64_t member = members - 1; member >= 0 && first_of(member) < v.count; --member) {
      if (member == rounds.me()) continue;
      const int64_t n = length(first_of(member));
      const std::byte* theirs = rounds.await(static_cast<uint32_t>(member), v.bytes(v.block), v.bytes(n));
      unpack_all(result(first_of(member)), n, v.type, theirs);
    }
    rounds.finish();
  }
}

// Which way depends on the arguments alone, as logical times do.
void allreduce_in_rounds(Rounds& rounds, CutVector& v, char* out) {
  constexpr size_t kReplicatedBytes = 1024;
  constexpr uint32_t kReplicatedMembers = 16;
  constexpr size_t kCollectedBytes = 4096;
  if (v.count == 0) return;
  const bool one_block = v.count <= v.block;
  const size_t bytes = v.bytes(v.count);
  if (one_block && bytes <= kReplicatedBytes && rounds.members() <= kReplicatedMembers)
    allreduce_replicated(rounds, v, out);
  else if (rounds.members() > 2 && one_block && bytes <= kCollectedBytes) allreduce_collected(rounds, v, out);
  else if (rounds.members() == 2 || one_block) allreduce_by_parts(rounds, v, out);
  else allreduce_by_turns(rounds, v, out);
}

}  // namespace

int impl::allreduce(const void* sendbuf, void* recvbuf, MPI_Count count, const Datatype& type, const Op& op, Comm& comm) {
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
  CutVector v(rounds, op, type, input, count);
  if (exposes_allreduce(rounds, v.bytes(count))) {
    allreduce_exposed(rounds, input, recvbuf, count, type, op);
    return rounds.code();
  }
  allreduce_in_rounds(rounds, v, static_cast<char*>(recvbuf));
  return rounds.code();
}

}  // namespace detmpi
