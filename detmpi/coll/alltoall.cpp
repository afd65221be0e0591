// All-to-all: every member has different data for every other. Blocks of one and the same size go through the board,
// all in one round, if those of a member find room there, and are read from where they lie if they are long; those in
// between are messages, all receives posted first, sends starting at the right-hand neighbour. Of blocks of different
// sizes each member says in a round which way they go; those of 64 members and more are messages. What a member has for
// itself is copied.
#include "block.hpp"
#include "exposure.hpp"
#include "impl.hpp"
#include "lost.hpp"
#include "messages.hpp"
#include "mismatch.hpp"
#include "rounds.hpp"

#include <algorithm>
#include <vector>

namespace detmpi {
namespace {

// The other members, from the right-hand neighbour on, and from the left-hand one on.
std::vector<int> rightwards(const Comm& comm) {
  std::vector<int> others;
  for (int step = 1; step < comm.size; ++step) others.push_back((comm.rank + step) % comm.size);
  return others;
}
std::vector<int> leftwards(const Comm& comm) {
  std::vector<int> others = rightwards(comm);
  std::ranges::reverse(others);
  return others;
}

// Messages with the blocks for the members `to`, under way until they are waited for.
class Sends {
 public:
  template <typename ToSend>
  Sends(Comm& comm, const Signature& signature, const std::vector<int>& to, ToSend&& to_send) : requests_(to.size()) {
    for (size_t i = 0; i < to.size(); ++i) {
      const Block b = to_send(to[i]);
      const Peer peer = peer_in(comm, to[i], signature);
      p2p_start_send(requests_[i], b.base, b.count, *b.type, comm, peer, SendMode::kStandard);
    }
  }
  ~Sends() {
    for (Request& request : requests_) {
      if (!request.complete) g_engine.block_until_complete(request);
    }
  }
  Sends(const Sends&) = delete;
  Sends& operator=(const Sends&) = delete;

 private:
  std::vector<Request> requests_;
};

// Those of the members `from`.
class Receives {
 public:
  template <typename ToReceive>
  Receives(Comm& comm, const Signature& signature, const std::vector<int>& from, ToReceive&& to_receive)
      : comm_(comm), requests_(from.size()) {
    for (size_t i = 0; i < from.size(); ++i) {
      const Block b = to_receive(from[i]);
      p2p_start_recv(requests_[i], b.base, b.count, *b.type, comm, peer_in(comm, from[i], signature));
    }
  }
  // Waits for them; an error code.
  int finish() {
    int code = MPI_SUCCESS;
    for (Request& request : requests_) {
      await_or_lose(request, comm_, sender_of(request, comm_), latest_operation(comm_));
      if (const int c = received(request, comm_, latest_operation(comm_)); code == MPI_SUCCESS) code = c;
    }
    return code;
  }

 private:
  Comm& comm_;
  std::vector<Request> requests_;
};

// All blocks are messages.
template <typename ToSend, typename ToReceive>
int exchange(Comm& comm, const Signature& signature, ToSend&& to_send, ToReceive&& to_receive) {
  if (const int out = begin_operation(comm, signature); out != MPI_SUCCESS) return out;
  Receives receives(comm, signature, leftwards(comm), to_receive);
  const Sends sends(comm, signature, rightwards(comm), to_send);
  const int own = copy_block(to_send(comm.rank), to_receive(comm.rank));
  const int code = receives.finish();
  return own != MPI_SUCCESS ? own : code;
}

// In place: what is sent is what stands in the receive buffer, so it is packed before anything arrives.
class InPlaceCopy {
 public:
  template <typename BlockOf>
  InPlaceCopy(Comm& comm, BlockOf&& blocks) {
    size_t total = 0;
    for (int i = 0; i < comm.size; ++i) {
      const Block b = blocks(i);
      starts_.push_back(total);
      total += b.bytes();
    }
    starts_.push_back(total);
    bytes_.resize(total);
    for (int i = 0; i < comm.size; ++i) {
      const Block b = blocks(i);
      pack_all(bytes_.data() + starts_[static_cast<size_t>(i)], b.base, b.count, *b.type);
    }
  }
  Block block(int i) {
    const size_t begin = starts_[static_cast<size_t>(i)];
    const size_t end = starts_[static_cast<size_t>(i) + 1];
    return {bytes_.data() + begin, static_cast<int64_t>(end - begin), datatype_from(MPI_BYTE)};
  }

 private:
  std::vector<size_t> starts_;
  std::vector<char> bytes_;
};

// Reads what does not come as a message. Who sends the rest, from the left-hand neighbour on.
template <typename ToReceive>
std::vector<int> read_any_way(Comm& comm, Rounds& rounds, Exposure& exposure, ToReceive&& to_receive) {
  std::vector<int> by_message;
  for (int step = 1; step < comm.size; ++step) {
    const int from = (comm.rank - step + comm.size) % comm.size;
    const auto member = static_cast<uint32_t>(from);
    const Block in = to_receive(from);
    const auto came = exposure.read_own(member, bytes_of(in));
    if (came.by_message) by_message.push_back(from);
    else if (!rounds.out() && (came.bytes > in.bytes() || (came.bytes < in.bytes() && g_checks)))
      rounds.fail(length_error(comm, from, member, latest_operation(comm), came.bytes, in.bytes()));
  }
  return by_message;
}

// Those for whom messages are best.
template <typename ToSend>
std::vector<int> by_message_to(const Comm& comm, const Exposure& exposure, ToSend&& to_send) {
  std::vector<int> to;
  for (int step = 1; step < comm.size; ++step) {
    const int other = (comm.rank + step) % comm.size;
    if (exposure.leaves_to_messages(to_send(other).bytes())) to.push_back(other);
  }
  return to;
}

// Each member says in a round which way its blocks go. Messages are sent before, so that they come during it.
template <typename ToSend, typename ToReceive>
int exchange_any_way(Comm& comm, ToSend&& to_send, ToReceive&& to_receive) {
  Rounds rounds(comm, Signature());
  if (rounds.out()) [[unlikely]]
    return rounds.code();
  Exposure exposure(rounds);
  const Sends sends(comm, Signature(), by_message_to(comm, exposure, to_send), to_send);
  exposure.expose_each([&](uint32_t to) { return bytes_of(to_send(static_cast<int>(to))); });
  rounds.fail(copy_block(to_send(comm.rank), to_receive(comm.rank)));
  const std::vector<int> from = read_any_way(comm, rounds, exposure, to_receive);
  exposure.close();
  if (!rounds.out()) rounds.fail(Receives(comm, Signature(), from, to_receive).finish());
  return rounds.code();
}

// Calls `how` with what is to be sent.
template <typename ToSend, typename ToReceive, typename How>
int with_source(Comm& comm, bool in_place, ToSend&& to_send, ToReceive&& to_receive, How&& how) {
  if (!in_place) return how(to_send);
  InPlaceCopy copy(comm, to_receive);
  return how([&copy](int i) { return copy.block(i); });
}

template <typename ToSend, typename ToReceive>
int exchange_uneven(Comm& comm, bool in_place, ToSend&& to_send, ToReceive&& to_receive) {
  return with_source(comm, in_place, to_send, to_receive, [&](auto&& source) {
    return comm.size > 1 && Exposure::can_expose_each(Rounds(comm)) ? exchange_any_way(comm, source, to_receive)
                                                                    : exchange(comm, Signature(), source, to_receive);
  });
}

// Every member reads its block of everybody's, from the left-hand neighbour on. `first` of those that this member has.
template <typename ToReceive>
int read_blocks(Comm& comm, const Signature& signature, const Block& first, ToReceive&& to_receive) {
  Rounds rounds(comm, signature);
  if (rounds.out()) [[unlikely]]
    return rounds.code();
  const auto n = static_cast<uint32_t>(comm.size), me = rounds.me();
  const size_t block = to_receive(comm.rank).bytes(), sent = first.bytes();
  if (sent != block) [[unlikely]]
    rounds.fail_uneven(sent, block);
  Exposure exposure(rounds);
  exposure.expose(bytes_of(first, comm.size));
  rounds.fail(copy_block(nth(first, comm.rank), to_receive(comm.rank)));
  for (uint32_t step = 1; step < n; ++step) {
    const uint32_t from = (me + n - step) % n;
    exposure.read(from, block * me, bytes_of(to_receive(static_cast<int>(from))));
  }
  exposure.close();
  return rounds.code();
}

}  // namespace

namespace impl {

int alltoall(const void* sendbuf, MPI_Count sendcount, const Datatype& sendtype, void* recvbuf, MPI_Count recvcount,
             const Datatype& recvtype, Comm& comm) {
  auto* in = const_cast<void*>(sendbuf);
  const bool in_place = sendbuf == MPI_IN_PLACE;
  const size_t block = recvtype.size * static_cast<size_t>(recvcount);
  const size_t sent = in_place ? block : sendtype.size * static_cast<size_t>(sendcount);
  const auto members = static_cast<size_t>(comm.size);
  if (members > 1 && block <= Rounds(comm).block() / members) {
    const size_t total = block * members;
    Rounds rounds(comm, Signature().bytes(sent).uneven(sent != block));
    if (rounds.out()) [[unlikely]]
      return rounds.code();
    if (sent != block) [[unlikely]]
      rounds.fail_uneven(sent, block);
    std::byte* place = rounds.prepare(total);
    if (in_place) pack_to_shared(place, recvbuf, recvcount * comm.size, recvtype);
    else if (sent == block) pack_to_shared(place, in, sendcount * comm.size, sendtype);
    rounds.publish();
    for (int step = 0; step < comm.size; ++step) {  // each from another one
      const int from = (comm.rank + comm.size - step) % comm.size;
      const std::byte* data = rounds.await(static_cast<uint32_t>(from), total) + block * rounds.me();
      unpack_all(offset(recvbuf, int64_t{from} * recvcount, recvtype), recvcount, recvtype, data);
    }
    rounds.finish();
    return rounds.code();
  }
  const Block first{in, sendcount, &sendtype};
  const auto to_send = [&](int i) { return nth(first, i); };
  const auto to_receive = [to = Block{recvbuf, recvcount, &recvtype}](int i) { return nth(to, i); };
  if (comm.size > 1 && block >= kExposedBlock) {
    const Signature signature = Signature().bytes(sent).uneven(sent != block);
    if (!in_place) return read_blocks(comm, signature, first, to_receive);
    InPlaceCopy copy(comm, to_receive);
    return read_blocks(comm, signature, copy.block(0), to_receive);
  }
  return with_source(comm, in_place, to_send, to_receive, [&](auto&& source) {
    return exchange(comm, Signature().message_bytes(sent), source, to_receive);
  });
}

int alltoallv(const void* sendbuf, Integers sendcounts, Integers sdispls, const Datatype& sendtype, void* recvbuf,
              Integers recvcounts, Integers rdispls, const Datatype& recvtype, Comm& comm) {
  auto* in = const_cast<void*>(sendbuf);
  return exchange_uneven(
      comm, sendbuf == MPI_IN_PLACE,
      [&](int i) {
        return Block{offset(in, sdispls[i], sendtype), sendcounts[i], &sendtype};
      },
      [&](int i) {
        return Block{offset(recvbuf, rdispls[i], recvtype), recvcounts[i], &recvtype};
      });
}

int alltoallw(const void* sendbuf, Integers sendcounts, Integers sdispls, const MPI_Datatype sendtypes[], void* recvbuf,
              Integers recvcounts, Integers rdispls, const MPI_Datatype recvtypes[], Comm& comm) {
  auto* in = static_cast<char*>(const_cast<void*>(sendbuf));
  auto* out = static_cast<char*>(recvbuf);
  return exchange_uneven(
      comm, sendbuf == MPI_IN_PLACE,
      [&](int i) {
        return Block{in + sdispls[i], sendcounts[i], &datatype_or_null(sendtypes[i])};
      },
      [&](int i) {
        return Block{out + rdispls[i], recvcounts[i], &datatype_or_null(recvtypes[i])};
      });
}

}  // namespace impl
}  // namespace detmpi
