// Barrier and broadcast.
#include "../engine/p2p.hpp"
#include "exposure.hpp"
#include "impl.hpp"
#include "messages.hpp"
#include "rounds.hpp"

#include <base/long_memory.h>

#include <algorithm>

namespace detmpi {
namespace {

// Data that lie in huge pages as a rule (base/long_memory.h): each member reads them there, in one copy. In small pages
// that would take longer than what follows below, by a quarter to a half, and among many members gain nothing.
bool is_exposed(const Rounds& rounds, size_t bytes) {
  constexpr uint32_t kMostMembers = 8;
  return bytes >= kHugePage && rounds.members() <= kMostMembers;
}

void bcast_exposed(Rounds& rounds, const TypedBytes& data, size_t bytes, uint32_t root) {
  constexpr size_t kExposedAtOnce = 16 << 20;  // where they are copied for that, so much memory is needed
  for (size_t done = 0; done < bytes; done += kExposedAtOnce) {
    const TypedBytes part = data.part(done, std::min(bytes - done, kExposedAtOnce));
    Exposure exposure(rounds);
    if (rounds.me() == root) exposure.expose(part);
    else exposure.read(root, 0, part);
    exposure.close_parts(root);
  }
}

// Between two members both ends copy a long message, which is better than to pass it through the board (64 and 512 KiB
// on a newer Intel Xeon: 4 and 13 us, through the board 7 and 54).
bool is_message(const Rounds& rounds, size_t bytes) {
  constexpr size_t kLongMessage = 64 << 10;
  return rounds.members() == 2 && bytes >= kLongMessage;
}

// The round before it tells the other member of the operation and the root's length. Where it is in another operation
// the message finds no receive, as any other one.
int bcast_by_message(Rounds& rounds, void* buffer, MPI_Count count, const Datatype& type, int root) {
  Comm& comm = rounds.comm();
  const bool sends = comm.rank == root;
  if (sends) {
    rounds.prepare(0);
    rounds.publish();
  }
  rounds.finish();
  const Peer peer = peer_in(comm, sends ? 1 - root : root, Signature().root(root));
  if (sends) p2p_send(buffer, count, type, comm, peer, SendMode::kStandard);
  else if (rounds.code() == MPI_SUCCESS) rounds.fail(receive(buffer, count, type, comm, peer));
  else p2p_recv(buffer, count, type, comm, peer, MPI_STATUS_IGNORE);  // another length: that has been told
  return rounds.code();
}

}  // namespace

namespace impl {

// Up to this many members look at every other's entry; beyond, member 0 does so for all: n reads there and one read at
// each other member, against n * n.
constexpr uint32_t kFlatMembers = 32;

int barrier(Comm& comm) {
  if (comm.size == 1) return MPI_SUCCESS;
  Rounds rounds(comm, Signature());
  if (rounds.out()) [[unlikely]]
    return rounds.code();
  rounds.prepare(0);
  if (rounds.members() <= kFlatMembers) {
    rounds.publish();
    rounds.await_all(0);
    rounds.finish();
    return rounds.code();
  }
  rounds.publish(0);
  if (rounds.me() == 0) rounds.await_all(0);
  rounds.finish();
  if (rounds.me() == 0) {
    rounds.prepare(0);
    rounds.publish();
  } else {
    rounds.await(0, 0);
  }
  rounds.finish();
  return rounds.code();
}

// Everybody is to have as many bytes as the root. Those who have not take part in all the same, to the end.
//
// Cost: one copy in, one copy out, in pieces; up to kAreaDepth pieces are under way at once. Of exposed data and long
// messages one copy.
int bcast(void* buffer, MPI_Count count, const Datatype& type, int root, Comm& comm) {
  if (comm.size == 1) return MPI_SUCCESS;
  TypedBytes data(type, buffer, count);
  Rounds rounds(comm, Signature().root(root).bytes(data.size()));
  if (rounds.out()) [[unlikely]]
    return rounds.code();
  const size_t sent = comm.rank == root ? data.size() : rounds.bytes_at(static_cast<uint32_t>(root), data.size());
  if (is_exposed(rounds, sent)) {
    bcast_exposed(rounds, data, sent, static_cast<uint32_t>(root));
    return rounds.code();
  }
  if (is_message(rounds, sent)) return bcast_by_message(rounds, buffer, count, type, root);
  size_t done = 0;
  do {
    const size_t n = std::min(sent - done, rounds.block());
    if (comm.rank == root) {
      std::byte* place = rounds.prepare(n);
      if (n > 0) data.read_to_shared(place, n);
      rounds.publish();
    } else {
      data.write(rounds.await(static_cast<uint32_t>(root), n), n);
    }
    rounds.finish();
    done += n;
  } while (done < sent);
  return rounds.code();
}

}  // namespace impl
}  // namespace detmpi
