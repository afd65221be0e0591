// Gather, scatter and allgather.
#include "../engine/p2p.hpp"
#include "block.hpp"
#include "impl.hpp"
#include "rounds.hpp"

#include <algorithm>
#include <vector>

namespace detmpi {
namespace {

// Up to this many bytes a block is in its lane at once, so that waiting for one after the other is as good as waiting
// for all, and simpler.
constexpr size_t kShortBlock = 8192;

// Those that are not short, `n` at most. Their addresses stay.
class Pending {
 public:
  explicit Pending(int n) : most_(static_cast<size_t>(n)) {}
  Request& add() {
    if (requests_.empty()) requests_.reserve(most_);
    return requests_.emplace_back();
  }
  int wait() {
    int code = MPI_SUCCESS;
    for (Request& request : requests_) {
      if (!request.complete) g_engine.block_until_complete(request);
      if (const int c = p2p_status(request, MPI_STATUS_IGNORE); code == MPI_SUCCESS) code = c;
    }
    return code;
  }

 private:
  size_t most_;
  std::vector<Request> requests_;
};

// The root receives from every other member; its own block is copied.
template <typename BlockOf>
int gather_by_messages(const Block& mine, BlockOf&& block_of, int root, Comm& comm, bool in_place) {
  const uint32_t context = collective_context(comm);
  if (comm.rank != root) {
    p2p_send(mine.base, mine.count, *mine.type, comm, {root, 0, context}, SendMode::kStandard);
    return MPI_SUCCESS;
  }
  int code = MPI_SUCCESS;
  const auto note = [&code](int c) { code = code == MPI_SUCCESS ? c : code; };
  Pending pending(comm.size);
  for (int from = 0; from < comm.size; ++from) {
    const Block block = block_of(from);
    if (from == root || block.bytes() <= kShortBlock) continue;
    p2p_start_recv(pending.add(), block.base, block.count, *block.type, comm, {from, 0, context});
  }
  if (!in_place) note(copy_block(mine, block_of(root)));
  for (int from = 0; from < comm.size; ++from) {
    const Block block = block_of(from);
    if (from == root || block.bytes() > kShortBlock) continue;
    note(p2p_recv(block.base, block.count, *block.type, comm, {from, 0, context}, MPI_STATUS_IGNORE));
  }
  note(pending.wait());
  return code;
}

template <typename BlockOf>
int scatter_by_messages(const Block& mine, BlockOf&& block_of, int root, Comm& comm, bool in_place) {
  const uint32_t context = collective_context(comm);
  if (comm.rank != root) {
    return p2p_recv(mine.base, mine.count, *mine.type, comm, {root, 0, context}, MPI_STATUS_IGNORE);
  }
  Pending pending(comm.size);
  for (int to = 0; to < comm.size; ++to) {
    const Block block = block_of(to);
    const Peer peer{to, 0, context};
    if (to == root) continue;
    if (block.bytes() <= kShortBlock) {
      p2p_send(block.base, block.count, *block.type, comm, peer, SendMode::kStandard);
    } else {
      p2p_start_send(pending.add(), block.base, block.count, *block.type, comm, peer, SendMode::kStandard);
    }
  }
  const int code = in_place ? MPI_SUCCESS : copy_block(block_of(root), mine);
  const int sent = pending.wait();
  return code != MPI_SUCCESS ? code : sent;
}

// Everybody publishes its block piece by piece; everybody reads all. `own` is where the own block comes from.
template <typename BlockOf>
int allgather_by_rounds(const Block& own, BlockOf&& block_of, Comm& comm, bool in_place) {
  if (comm.size == 1) return gather_by_messages(own, block_of, 0, comm, in_place);  // it has no board
  Rounds rounds(comm);
  const auto n = static_cast<size_t>(comm.size);
  TypedBytes out(*own.type, own.base, own.count);
  std::vector<TypedBytes> in(n);
  size_t most = 0;
  for (size_t i = 0; i < n; ++i) {
    const Block block = block_of(static_cast<int>(i));
    in[i] = TypedBytes(*block.type, block.base, block.count);
    most = std::max(most, block.bytes());
  }
  for (size_t done = 0; done < most; done += rounds.block()) {
    const auto piece = [&](const TypedBytes& bytes) { return std::min(bytes.left(), rounds.block()); };
    const size_t mine = piece(out);
    std::byte* place = rounds.prepare(mine);
    if (mine > 0) out.read(place, mine);
    rounds.publish();
    for (size_t i = 0; i < n; ++i) {
      const size_t bytes = piece(in[i]);
      const std::byte* data = rounds.await(static_cast<uint32_t>(i), bytes);
      if (i == rounds.me() && in_place) in[i].skip(bytes);
      else in[i].write(data, bytes);
    }
    rounds.finish();
  }
  return MPI_SUCCESS;
}

}  // namespace

namespace impl {

int gather(const void* sendbuf, MPI_Count sendcount, const Datatype& sendtype, void* recvbuf, MPI_Count recvcount,
           const Datatype& recvtype, int root, Comm& comm) {
  const Block mine{const_cast<void*>(sendbuf), sendcount, &sendtype};
  return gather_by_messages(
      mine,
      [&](int i) {
        return Block{offset(recvbuf, int64_t{i} * recvcount, recvtype), recvcount, &recvtype};
      },
      root, comm, sendbuf == MPI_IN_PLACE);
}

int gatherv(const void* sendbuf, MPI_Count sendcount, const Datatype& sendtype, void* recvbuf, Integers recvcounts,
            Integers displs, const Datatype& recvtype, int root, Comm& comm) {
  const Block mine{const_cast<void*>(sendbuf), sendcount, &sendtype};
  return gather_by_messages(
      mine,
      [&](int i) {
        return Block{offset(recvbuf, displs[i], recvtype), recvcounts[i], &recvtype};
      },
      root, comm, sendbuf == MPI_IN_PLACE);
}

int scatter(const void* sendbuf, MPI_Count sendcount, const Datatype& sendtype, void* recvbuf, MPI_Count recvcount,
            const Datatype& recvtype, int root, Comm& comm) {
  auto* base = const_cast<void*>(sendbuf);
  return scatter_by_messages(
      Block{recvbuf, recvcount, &recvtype},
      [&](int i) {
        return Block{offset(base, int64_t{i} * sendcount, sendtype), sendcount, &sendtype};
      },
      root, comm, recvbuf == MPI_IN_PLACE);
}

int scatterv(const void* sendbuf, Integers sendcounts, Integers displs, const Datatype& sendtype, void* recvbuf,
             MPI_Count recvcount, const Datatype& recvtype, int root, Comm& comm) {
  auto* base = const_cast<void*>(sendbuf);
  return scatter_by_messages(
      Block{recvbuf, recvcount, &recvtype},
      [&](int i) {
        return Block{offset(base, displs[i], sendtype), sendcounts[i], &sendtype};
      },
      root, comm, recvbuf == MPI_IN_PLACE);
}

int allgather(const void* sendbuf, MPI_Count sendcount, const Datatype& sendtype, void* recvbuf, MPI_Count recvcount,
              const Datatype& recvtype, Comm& comm) {
  const auto block = [&](int i) {
    return Block{offset(recvbuf, int64_t{i} * recvcount, recvtype), recvcount, &recvtype};
  };
  const bool in_place = sendbuf == MPI_IN_PLACE;
  const Block own = in_place ? block(comm.rank) : Block{const_cast<void*>(sendbuf), sendcount, &sendtype};
  return allgather_by_rounds(own, block, comm, in_place);
}

int allgatherv(const void* sendbuf, MPI_Count sendcount, const Datatype& sendtype, void* recvbuf, Integers recvcounts,
               Integers displs, const Datatype& recvtype, Comm& comm) {
  const auto block = [&](int i) { return Block{offset(recvbuf, displs[i], recvtype), recvcounts[i], &recvtype}; };
  const bool in_place = sendbuf == MPI_IN_PLACE;
  const Block own = in_place ? block(comm.rank) : Block{const_cast<void*>(sendbuf), sendcount, &sendtype};
  return allgather_by_rounds(own, block, comm, in_place);
}

}  // namespace impl
}  // namespace detmpi
