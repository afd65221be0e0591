// Reductions whose result everybody gets.
#include "impl.hpp"
#include "reduce_exposed.hpp"
#include "reduce_rounds.hpp"
#include "stretch.hpp"

namespace detmpi {
namespace {

// Every member folds the whole vector: one round. For short ones and few members.
void allreduce_replicated(Rounds& rounds, CutVector& v, char* out) {
  publish_block(rounds, v, 0, v.count);
  rounds.await_all(v.bytes(v.count));
  fold_block(rounds, v, out, 0, v.count);
  rounds.finish();
}

// Member 0 folds for all: two rounds, n reads there and one at each other member, who waits once. For short vectors.
void allreduce_collected(Rounds& rounds, CutVector& v, char* out) {
  const int64_t n = v.count;
  fold_at(rounds, v, out, 0, n, 0);
  if (rounds.me() == 0) {
    std::byte* place = rounds.prepare(v.bytes(n));
    if (v.bytes(n) > 0) pack_to_shared(place, out, n, v.type);
    rounds.publish();
  } else {
    unpack_all(out, n, v.type, rounds.await(0, v.bytes(n)));
  }
  rounds.finish();
}

// Each member folds a share of a stretch, and all collect the shares. Two members have no others to wait for, and keep to
// what one round holds, which stays in the cache.
void allreduce_by_shares(Rounds& rounds, CutVector& v, char* out) {
  const int64_t most = rounds.members() == 2 ? v.block : Stretch::most(v);
  for (int64_t begin = 0; begin < v.count; begin += most) {
    const auto shares = Stretch::shared_out(rounds, begin, std::min(most, v.count - begin));
    char* const own = out + shares[rounds.me()].first * v.type.extent;
    Stretch stretch(rounds, v, shares);
    stretch.fold_to(own);
    stretch.collect(own, out);
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
  else allreduce_by_shares(rounds, v, out);
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
    reduce_exposed(rounds, input, recvbuf, count, type, op);
    return rounds.code();
  }
  allreduce_in_rounds(rounds, v, static_cast<char*>(recvbuf));
  return rounds.code();
}

}  // namespace detmpi
