// Gather, scatter and allgather. Equal blocks go from or to the root in a round on the board if they are short, a
// gather's in pieces, a round each, if they are longer, and straight between the memories of two members if they are
// long; others are messages.
#include "block.hpp"
#include "exposure.hpp"
#include "impl.hpp"
#include "lost.hpp"
#include "messages.hpp"
#include "mismatch.hpp"
#include "rounds.hpp"
#include "sized.hpp"

#include <algorithm>
#include <vector>

namespace detmpi {
namespace {

// Up to this many bytes a block is in its lane at once, so that waiting for one after the other is as good as waiting
// for all, and simpler.
constexpr size_t kShortBlock = 8192;
// A block for the only other member is sent before the root copies its own, unless that takes long: then both go on at
// once (64 KiB: 6.2 us, at once 9.5; 512 KiB: 36 and 22).
constexpr size_t kShortForOne = 128 << 10;

// Those that are not short, one for each member at most. Their addresses stay.
class Pending {
 public:
  explicit Pending(Comm& comm) : comm_(comm) {}
  Request& add() {
    if (requests_.empty()) requests_.reserve(static_cast<size_t>(comm_.size));
    return requests_.emplace_back();
  }
  int wait() {
    int code = MPI_SUCCESS;
    for (Request& request : requests_) {
      const uint64_t operation = latest_operation(comm_);
      const bool receives = request.kind == RequestKind::kRecv;
      if (receives) await_or_lose(request, comm_, sender_of(request, comm_), operation);
      else if (!request.complete) g_engine.block_until_complete(request);
      const int c = receives ? received(request, comm_, operation) : p2p_status(request, MPI_STATUS_IGNORE);
      if (code == MPI_SUCCESS) code = c;
    }
    return code;
  }

 private:
  Comm& comm_;
  std::vector<Request> requests_;
};

// The root receives from every other member; its own block is copied.
template <typename BlockOf>
int gather_by_messages(const Block& mine, BlockOf&& block_of, int root, Comm& comm, bool in_place,
                       const Signature& signature) {
  if (const int out = begin_operation(comm, signature); out != MPI_SUCCESS) return out;
  if (comm.rank != root) {
    p2p_send(mine.base, mine.count, *mine.type, comm, peer_in(comm, root, signature), SendMode::kStandard);
    return MPI_SUCCESS;
  }
  int code = MPI_SUCCESS;
  const auto note = [&code](int c) { code = code == MPI_SUCCESS ? c : code; };
  Pending pending(comm);
  for (int from = 0; from < comm.size; ++from) {
    const Block block = block_of(from);
    if (from == root || block.bytes() <= kShortBlock) continue;
    p2p_start_recv(pending.add(), block.base, block.count, *block.type, comm, peer_in(comm, from, signature));
  }
  if (!in_place) note(copy_block(mine, block_of(root)));
  for (int from = 0; from < comm.size; ++from) {
    const Block block = block_of(from);
    if (from == root || block.bytes() > kShortBlock) continue;
    note(receive(block.base, block.count, *block.type, comm, peer_in(comm, from, signature)));
  }
  note(pending.wait());
  return code;
}

template <typename BlockOf>
int scatter_by_messages(const Block& mine, BlockOf&& block_of, int root, Comm& comm, bool in_place,
                        const Signature& signature) {
  if (const int out = begin_operation(comm, signature); out != MPI_SUCCESS) return out;
  if (comm.rank != root) {
    return receive(mine.base, mine.count, *mine.type, comm, peer_in(comm, root, signature));
  }
  Pending pending(comm);
  Peer peer = peer_in(comm, root, signature);
  for (int to = 0; to < comm.size; ++to) {
    if (to == root) continue;
    const Block block = block_of(to);
    peer.rank = to;
    if (block.bytes() <= (comm.size == 2 ? kShortForOne : kShortBlock)) {
      p2p_send(block.base, block.count, *block.type, comm, peer, SendMode::kStandard);
    } else {
      p2p_start_send(pending.add(), block.base, block.count, *block.type, comm, peer, SendMode::kStandard);
    }
  }
  const int code = in_place ? MPI_SUCCESS : copy_block(block_of(root), mine);
  const int sent = pending.wait();
  return code != MPI_SUCCESS ? code : sent;
}

// Short blocks of a gather, which fit into a strip, go in a round. Those of a scatter are together in the root's area.
bool gathers_in_round(Comm& comm, size_t block) {
  return comm.size > 1 && block <= chan::Board::strip_bytes(Rounds(comm).block());
}
// Longer ones of a gather are messages, of which more can be ahead, up to where the root falls behind with them: then
// they go through areas, so that who sends does not get further ahead than the caches hold (8 ranks on 2 cores, 16 KiB:
// 8 us, messages 26 to 31; 2 ranks 1.0 and 1.8, but 8 KiB 0.9 and 0.8). In how many rounds; 0: not so.
size_t pieces_of_gather(Comm& comm, size_t block) {
  if (comm.size == 1) return 0;
  const size_t area = Rounds(comm).block();
  const bool small_group = area == chan::Board::kLargestArea;
  const size_t least = comm.size > 2 ? 4096 : 8193;
  const size_t most = small_group ? 2 * area : std::min(kExposedBlock - 1, kMostPieces * area);
  return block >= least && block <= most ? (block + area - 1) / area : 0;
}
bool scatters_in_round(Comm& comm, size_t block) {
  if (comm.size == 1) return false;
  const size_t most = comm.size == 2 ? 2048 : 8192 / static_cast<size_t>(comm.size);
  return block <= most && block * static_cast<size_t>(comm.size) <= Rounds(comm).block();
}

// Another length than expected is an error of this member alone.
void check_length(Rounds& rounds, int from, uint64_t came, const Block& to) {
  if (came == to.bytes() || !g_checks || rounds.out()) [[likely]]
    return;
  rounds.note();
  Comm& comm = rounds.comm();
  rounds.fail(length_error(comm, from, static_cast<uint32_t>(from), latest_operation(comm), came, to.bytes()));
}

// Takes from `came` what there is room for.
void take(Rounds& rounds, int from, std::span<const std::byte> came, const Block& to) {
  bytes_of(to).write(came.data(), came.size());
  rounds.has_read(came.data(), came.size());
  check_length(rounds, from, came.size(), to);
}

template <typename BlockOf>
int gather_in_round(const Block& mine, BlockOf&& block_of, int root, Comm& comm, bool in_place,
                    const Signature& signature) {
  Rounds rounds(comm, signature);
  if (rounds.out()) [[unlikely]]
    return rounds.code();
  if (comm.rank != root) {
    pack_all(prepare_sized(rounds, mine.bytes()), mine.base, mine.count, *mine.type);
    rounds.publish(root);
  } else {
    for (int from = 0; from < comm.size; ++from) {
      if (from != root) take(rounds, from, await_sized(rounds, static_cast<uint32_t>(from)), block_of(from));
    }
    if (!in_place) rounds.fail(copy_block(mine, block_of(root)));
  }
  rounds.finish();
  return rounds.code();
}

// Each round carries a piece of every block. All have equally many, as the signature says.
void send_pieces(Rounds& rounds, TypedBytes block, size_t pieces, int root) {
  for (; pieces > 0; --pieces) {
    const size_t n = std::min(block.left(), rounds.block());
    std::byte* const place = prepare_sized(rounds, n);
    if (n > 0) block.read_to_shared(place, n);
    rounds.publish(root);
    rounds.finish();
  }
}

template <typename BlockOf>
int gather_in_pieces(const Block& mine, BlockOf&& block_of, int root, Comm& comm, bool in_place,
                     const Signature& signature, size_t pieces) {
  Rounds rounds(comm, signature);
  if (rounds.out()) [[unlikely]]
    return rounds.code();
  if (comm.rank != root) {
    send_pieces(rounds, bytes_of(mine), pieces, root);
    return rounds.code();
  }
  if (!in_place) rounds.fail(copy_block(mine, block_of(root)));
  struct Incoming {
    TypedBytes to;
    uint64_t came = 0;
  };
  std::vector<Incoming> incoming;
  for (int from = 0; from < comm.size; ++from) incoming.push_back({bytes_of(block_of(from))});
  for (; pieces > 0; --pieces) {
    for (int from = 0; from < comm.size; ++from) {
      if (from == root) continue;
      const auto piece = await_sized(rounds, static_cast<uint32_t>(from));
      Incoming& in = incoming[static_cast<size_t>(from)];
      in.to.write(piece.data(), piece.size());
      in.came += piece.size();
      rounds.has_read(piece.data(), piece.size());
      if (pieces == 1) check_length(rounds, from, in.came, block_of(from));
    }
    rounds.finish();
  }
  return rounds.code();
}

// `first` of the blocks at the root, which lie one behind the other.
int scatter_in_round(const Block& mine, const Block& first, int root, Comm& comm, bool in_place,
                     const Signature& signature) {
  Rounds rounds(comm, signature);
  if (rounds.out()) [[unlikely]]
    return rounds.code();
  // Of two members only the other one reads.
  const bool pair = comm.size == 2;
  const auto blocks = static_cast<size_t>(pair ? 1 : comm.size);
  if (comm.rank == root) {
    const Block out = pair ? nth(first, 1 - root) : first;
    pack_to_shared(prepare_sized(rounds, blocks * first.bytes()), out.base, pair ? out.count : out.count * comm.size,
                   *first.type);
    rounds.publish();
    if (!in_place) rounds.fail(copy_block(nth(first, root), mine));
  } else {
    const auto all = await_sized(rounds, static_cast<uint32_t>(root));
    const size_t each = all.size() / blocks;
    take(rounds, root, pair ? all : all.subspan(each * rounds.me(), each), mine);
  }
  rounds.finish();
  return rounds.code();
}

// Each member copies its own block. Of messages both ends copy the long ones, which is better for a few members that
// have cores of their own (3 ranks, 512 KiB: gather 56 us, exposed 87; scatter 58, exposed 67).
bool is_exposed_at_root(const Comm& comm, size_t block) {
  constexpr size_t kLongMessage = 256 << 10;
  return block >= kExposedBlock && (comm.size > 3 || (comm.size == 3 && block < kLongMessage));
}

// `first` of the blocks at the root.
int gather_exposed(const Block& mine, const Block& first, int root, Comm& comm, bool in_place,
                   const Signature& signature) {
  Rounds rounds(comm, signature);
  if (rounds.out()) [[unlikely]]
    return rounds.code();
  Exposure exposure(rounds);
  if (comm.rank != root) {
    exposure.write_part(static_cast<uint32_t>(root), bytes_of(mine));
    return rounds.code();
  }
  exposure.open_parts(bytes_of(first, comm.size));
  if (!in_place) rounds.fail(copy_block(mine, nth(first, root)));
  exposure.close_room(
      [&](uint32_t from, uint64_t bytes) { check_length(rounds, static_cast<int>(from), bytes, first); });
  return rounds.code();
}

int scatter_exposed(const Block& mine, const Block& first, int root, Comm& comm, bool in_place,
                    const Signature& signature) {
  Rounds rounds(comm, signature);
  if (rounds.out()) [[unlikely]]
    return rounds.code();
  Exposure exposure(rounds);
  const auto owner = static_cast<uint32_t>(root);
  if (comm.rank == root) {
    exposure.expose(bytes_of(first, comm.size));
    if (!in_place) rounds.fail(copy_block(nth(first, root), mine));
  } else {
    check_length(rounds, root, exposure.read_part(owner, bytes_of(mine)), mine);
  }
  exposure.close_parts(owner);
  return rounds.code();
}

// Two members, each of which reads the other's block from where it lies. Of more it is better to read pieces that the
// first reader has brought into the cache (8 ranks on 2 cores, 64 KiB: 0.18 ms, exposed 0.28).
bool is_exposed(size_t members, size_t bytes) { return members == 2 && bytes >= kExposedBlock; }

void read_other(Rounds& rounds, const TypedBytes& own, const std::vector<TypedBytes>& in, bool in_place) {
  const uint32_t me = rounds.me(), other = 1 - me;
  Exposure exposure(rounds);
  exposure.expose(own);
  if (!in_place) rounds.fail(copy_block(own, in[me]));
  exposure.read(other, 0, in[other]);
  exposure.close();
}

// Everybody publishes its block piece by piece; everybody reads all. `own` is where the own block comes from.
template <typename BlockOf>
int allgather_by_rounds(const Block& own, BlockOf&& block_of, Comm& comm, bool in_place, Signature signature) {
  if (comm.size == 1) return in_place ? MPI_SUCCESS : copy_block(own, block_of(0));  // it has no board
  const size_t expected = block_of(comm.rank).bytes();
  signature.uneven(own.bytes() != expected);
  Rounds rounds(comm, signature);
  if (rounds.out()) [[unlikely]]
    return rounds.code();
  if (own.bytes() != expected) [[unlikely]]
    rounds.fail_uneven(own.bytes(), expected);
  const auto n = static_cast<size_t>(comm.size);
  TypedBytes out = bytes_of(own);
  std::vector<TypedBytes> in(n);
  size_t most = 0;
  for (size_t i = 0; i < n; ++i) {
    const Block block = block_of(static_cast<int>(i));
    in[i] = bytes_of(block);
    most = std::max(most, block.bytes());
  }
  if (is_exposed(n, most)) {
    read_other(rounds, out, in, in_place);
    return rounds.code();
  }
  for (size_t done = 0; done < most; done += rounds.block()) {
    const auto piece = [&](const TypedBytes& bytes) { return std::min(bytes.left(), rounds.block()); };
    const size_t mine = piece(out);
    std::byte* place = rounds.prepare(mine);
    if (mine > 0) out.read_to_shared(place, mine);
    rounds.publish();
    for (size_t step = 0; step < n; ++step) {  // each from another one
      const size_t i = (rounds.me() + n - step) % n;
      const size_t bytes = piece(in[i]);
      const std::byte* data = rounds.await(static_cast<uint32_t>(i), bytes);
      if (step == 0 && in_place) in[i].skip(bytes);
      else in[i].write(data, bytes);
    }
    rounds.finish();
  }
  return rounds.code();
}

}  // namespace

namespace impl {

int gather(const void* sendbuf, MPI_Count sendcount, const Datatype& sendtype, void* recvbuf, MPI_Count recvcount,
           const Datatype& recvtype, int root, Comm& comm) {
  const Block mine{const_cast<void*>(sendbuf), sendcount, &sendtype};
  const Block first{recvbuf, recvcount, &recvtype};
  const size_t bytes = comm.rank == root ? first.bytes() : mine.bytes();
  const auto block_of = [&](int i) { return nth(first, i); };
  const bool in_place = sendbuf == MPI_IN_PLACE;
  const Signature signature = Signature().root(root).message_bytes(bytes);
  if (gathers_in_round(comm, bytes))
    return gather_in_round(mine, block_of, root, comm, in_place, Signature(signature).in_round());
  if (const size_t pieces = pieces_of_gather(comm, bytes); pieces > 0)
    return gather_in_pieces(mine, block_of, root, comm, in_place, Signature(signature).in_pieces(pieces), pieces);
  if (is_exposed_at_root(comm, bytes))
    return gather_exposed(mine, first, root, comm, in_place, Signature(signature).exposed());
  return gather_by_messages(mine, block_of, root, comm, in_place, signature);
}

int gatherv(const void* sendbuf, MPI_Count sendcount, const Datatype& sendtype, void* recvbuf, Integers recvcounts,
            Integers displs, const Datatype& recvtype, int root, Comm& comm) {
  const Block mine{const_cast<void*>(sendbuf), sendcount, &sendtype};
  return gather_by_messages(
      mine,
      [&](int i) {
        return Block{offset(recvbuf, displs[i], recvtype), recvcounts[i], &recvtype};
      },
      root, comm, sendbuf == MPI_IN_PLACE, Signature().root(root));
}

int scatter(const void* sendbuf, MPI_Count sendcount, const Datatype& sendtype, void* recvbuf, MPI_Count recvcount,
            const Datatype& recvtype, int root, Comm& comm) {
  const Block mine{recvbuf, recvcount, &recvtype};
  const Block first{const_cast<void*>(sendbuf), sendcount, &sendtype};
  const bool in_place = recvbuf == MPI_IN_PLACE;
  const size_t bytes = comm.rank == root ? first.bytes() : mine.bytes();
  const Signature signature = Signature().root(root).message_bytes(bytes);
  if (scatters_in_round(comm, bytes))
    return scatter_in_round(mine, first, root, comm, in_place, Signature(signature).in_round());
  if (is_exposed_at_root(comm, bytes))
    return scatter_exposed(mine, first, root, comm, in_place, Signature(signature).exposed());
  return scatter_by_messages(
      mine, [&](int i) { return nth(first, i); }, root, comm, in_place, signature);
}

int scatterv(const void* sendbuf, Integers sendcounts, Integers displs, const Datatype& sendtype, void* recvbuf,
             MPI_Count recvcount, const Datatype& recvtype, int root, Comm& comm) {
  auto* base = const_cast<void*>(sendbuf);
  return scatter_by_messages(
      Block{recvbuf, recvcount, &recvtype},
      [&](int i) {
        return Block{offset(base, displs[i], sendtype), sendcounts[i], &sendtype};
      },
      root, comm, recvbuf == MPI_IN_PLACE, Signature().root(root));
}

int allgather(const void* sendbuf, MPI_Count sendcount, const Datatype& sendtype, void* recvbuf, MPI_Count recvcount,
              const Datatype& recvtype, Comm& comm) {
  const auto block = [first = Block{recvbuf, recvcount, &recvtype}](int i) { return nth(first, i); };
  const bool in_place = sendbuf == MPI_IN_PLACE;
  const Block own = in_place ? block(comm.rank) : Block{const_cast<void*>(sendbuf), sendcount, &sendtype};
  return allgather_by_rounds(own, block, comm, in_place, Signature().bytes(own.bytes()));
}

int allgatherv(const void* sendbuf, MPI_Count sendcount, const Datatype& sendtype, void* recvbuf, Integers recvcounts,
               Integers displs, const Datatype& recvtype, Comm& comm) {
  const auto block = [&](int i) { return Block{offset(recvbuf, displs[i], recvtype), recvcounts[i], &recvtype}; };
  const bool in_place = sendbuf == MPI_IN_PLACE;
  const Block own = in_place ? block(comm.rank) : Block{const_cast<void*>(sendbuf), sendcount, &sendtype};
  return allgather_by_rounds(own, block, comm, in_place, Signature().counts(recvcounts, recvtype, comm.size));
}

}  // namespace impl
}  // namespace detmpi
