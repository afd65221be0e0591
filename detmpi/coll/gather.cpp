// Gather, scatter and allgather.
#include "../engine/p2p.hpp"
#include "block.hpp"
#include "impl.hpp"
#include "rounds.hpp"

#include <algorithm>
#include <vector>

namespace detmpi {
namespace {

// The root receives from every other member, in rank order of posting; its own block is copied.
template <typename BlockOf>
int gather_by_messages(const Block& mine, BlockOf&& block_of, int root, Comm& comm, bool in_place) {
  const uint32_t context = collective_context(comm);
  if (comm.rank != root) {
    p2p_send(mine.base, mine.count, *mine.type, comm, {root, 0, context}, SendMode::kStandard);
    return MPI_SUCCESS;
  }
  std::vector<Request> requests(static_cast<size_t>(comm.size));
  for (int from = 0; from < comm.size; ++from) {
    Request& request = requests[static_cast<size_t>(from)];
    const Block block = block_of(from);
    if (from == root) {
      if (in_place) {
        request.complete = true;
        continue;
      }
      p2p_start_recv(request, block.base, block.count, *block.type, comm, {from, 0, context});
      p2p_send(mine.base, mine.count, *mine.type, comm, {root, 0, context}, SendMode::kStandard);
    } else {
      p2p_start_recv(request, block.base, block.count, *block.type, comm, {from, 0, context});
    }
  }
  int code = MPI_SUCCESS;
  for (Request& request : requests) {
    if (!request.complete) g_engine.block_until_complete(request);
    if (const int c = p2p_status(request, MPI_STATUS_IGNORE); code == MPI_SUCCESS) code = c;
  }
  return code;
}

template <typename BlockOf>
int scatter_by_messages(const Block& mine, BlockOf&& block_of, int root, Comm& comm, bool in_place) {
  const uint32_t context = collective_context(comm);
  if (comm.rank != root) {
    return p2p_recv(mine.base, mine.count, *mine.type, comm, {root, 0, context}, MPI_STATUS_IGNORE);
  }
  std::vector<Request> requests(static_cast<size_t>(comm.size));
  for (int to = 0; to < comm.size; ++to) {
    Request& request = requests[static_cast<size_t>(to)];
    const Block block = block_of(to);
    if (to == root && in_place) request.complete = true;
    else p2p_start_send(request, block.base, block.count, *block.type, comm, {to, 0, context}, SendMode::kStandard);
  }
  int code = MPI_SUCCESS;
  if (!in_place) code = p2p_recv(mine.base, mine.count, *mine.type, comm, {root, 0, context}, MPI_STATUS_IGNORE);
  for (Request& request : requests) {
    if (!request.complete) g_engine.block_until_complete(request);
  }
  return code;
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

int gather(const void* sendbuf, int sendcount, const Datatype& sendtype, void* recvbuf, int recvcount,
           const Datatype& recvtype, int root, Comm& comm) {
  const Block mine{const_cast<void*>(sendbuf), sendcount, &sendtype};
  return gather_by_messages(
      mine,
      [&](int i) {
        return Block{offset(recvbuf, int64_t{i} * recvcount, recvtype), recvcount, &recvtype};
      },
      root, comm, sendbuf == MPI_IN_PLACE);
}

int gatherv(const void* sendbuf, int sendcount, const Datatype& sendtype, void* recvbuf, const int recvcounts[],
            const int displs[], const Datatype& recvtype, int root, Comm& comm) {
  const Block mine{const_cast<void*>(sendbuf), sendcount, &sendtype};
  return gather_by_messages(
      mine,
      [&](int i) {
        return Block{offset(recvbuf, displs[i], recvtype), recvcounts[i], &recvtype};
      },
      root, comm, sendbuf == MPI_IN_PLACE);
}

int scatter(const void* sendbuf, int sendcount, const Datatype& sendtype, void* recvbuf, int recvcount,
            const Datatype& recvtype, int root, Comm& comm) {
  auto* base = const_cast<void*>(sendbuf);
  return scatter_by_messages(
      Block{recvbuf, recvcount, &recvtype},
      [&](int i) {
        return Block{offset(base, int64_t{i} * sendcount, sendtype), sendcount, &sendtype};
      },
      root, comm, recvbuf == MPI_IN_PLACE);
}

int scatterv(const void* sendbuf, const int sendcounts[], const int displs[], const Datatype& sendtype, void* recvbuf,
             int recvcount, const Datatype& recvtype, int root, Comm& comm) {
  auto* base = const_cast<void*>(sendbuf);
  return scatter_by_messages(
      Block{recvbuf, recvcount, &recvtype},
      [&](int i) {
        return Block{offset(base, displs[i], sendtype), sendcounts[i], &sendtype};
      },
      root, comm, recvbuf == MPI_IN_PLACE);
}

int allgather(const void* sendbuf, int sendcount, const Datatype& sendtype, void* recvbuf, int recvcount,
              const Datatype& recvtype, Comm& comm) {
  const auto block = [&](int i) {
    return Block{offset(recvbuf, int64_t{i} * recvcount, recvtype), recvcount, &recvtype};
  };
  const bool in_place = sendbuf == MPI_IN_PLACE;
  const Block own = in_place ? block(comm.rank) : Block{const_cast<void*>(sendbuf), sendcount, &sendtype};
  return allgather_by_rounds(own, block, comm, in_place);
}

int allgatherv(const void* sendbuf, int sendcount, const Datatype& sendtype, void* recvbuf, const int recvcounts[],
               const int displs[], const Datatype& recvtype, Comm& comm) {
  const auto block = [&](int i) { return Block{offset(recvbuf, displs[i], recvtype), recvcounts[i], &recvtype}; };
  const bool in_place = sendbuf == MPI_IN_PLACE;
  const Block own = in_place ? block(comm.rank) : Block{const_cast<void*>(sendbuf), sendcount, &sendtype};
  return allgather_by_rounds(own, block, comm, in_place);
}

}  // namespace impl
}  // namespace detmpi
