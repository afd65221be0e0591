// Barrier and broadcast.
#include "../engine/p2p.hpp"
#include "../object/call.hpp"
#include "../object/errors.hpp"
#include "../types/datatype.hpp"
#include "bcast.hpp"
#include "impl.hpp"
#include "rounds.hpp"

#include <algorithm>

namespace detmpi {

int check_bcast(size_t sent, size_t here) {
  if (sent == here) [[likely]]
    return MPI_SUCCESS;
  return make_error(sent > here ? MPI_ERR_TRUNCATE : MPI_ERR_COUNT, "the root sends %zu bytes, this rank asks for %zu",
                    sent, here);
}

namespace impl {

// Up to this many members look at every other's entry; beyond, member 0 does so for all: n reads there and one read at
// each other member, against n * n.
constexpr uint32_t kFlatMembers = 32;

int barrier(Comm& comm) {
  if (comm.size == 1) return MPI_SUCCESS;
  Rounds rounds(comm);
  rounds.prepare(0);
  if (rounds.members() <= kFlatMembers) {
    rounds.publish();
    rounds.await_all(0);
    rounds.finish();
    return MPI_SUCCESS;
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
  return MPI_SUCCESS;
}

// Everybody is to have as many bytes as the root. Those who have not take part in all the same, to the end.
//
// Cost: one copy in, one copy out, in pieces; up to kBoardDepth pieces are under way at once.
int bcast(void* buffer, MPI_Count count, const Datatype& type, int root, Comm& comm) {
  if (comm.size == 1) return MPI_SUCCESS;
  Rounds rounds(comm);
  TypedBytes data(type, buffer, count);
  if (comm.rank == root) rounds.announce(data.size());
  const size_t sent = comm.rank == root ? data.size() : rounds.announced(static_cast<uint32_t>(root));
  size_t done = 0;
  do {
    const size_t n = std::min(sent - done, rounds.block());
    if (comm.rank == root) {
      std::byte* place = rounds.prepare(n);
      if (n > 0) data.read(place, n);
      rounds.publish();
    } else {
      data.write(rounds.await(static_cast<uint32_t>(root), n), n);
    }
    rounds.finish();
    done += n;
  } while (done < sent);
  return check_bcast(sent, data.size());
}

}  // namespace impl
}  // namespace detmpi
