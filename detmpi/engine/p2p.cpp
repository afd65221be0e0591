#include "p2p.hpp"

#include <algorithm>

#include "../object/call.hpp"
#include "../object/errors.hpp"
#include "events.hpp"
#include "operation.hpp"

namespace detmpi {
namespace {

// A collective operation acts several times, and may block in between: what it does then must be later than the clock
// that others know by then.
uint64_t step_of(uint32_t context) { return context & 1; }

void set_pattern(Request& request, Comm& comm, Peer from) {
  const bool any = from.rank == MPI_ANY_SOURCE;
  request.kind = RequestKind::kRecv;
  request.comm = &comm;
  request.context = from.context;
  request.peer = from.rank;
  request.tag = from.tag;
  request.source = any ? chan::match::kAny : senders_in(comm)[static_cast<size_t>(from.rank)];
  request.peer_world = any ? 0 : request.source;
}

// Logs the send, and makes a strict one synchronous. Returns its mode.
[[gnu::cold]] SendMode look_at_send(const void* buf, int64_t count, const Datatype& type, Peer to, SendMode mode) {
  const TypedBytes data(type, buf, count);
  if (g_log_events) {
    Event event{EventKind::kSend, to.rank, to.tag, data.size()};
    event.context = to.context;
    event.content = content_of(data, data.size());
    log_act(event);
  }
  return g_engine.mode_of(mode, to.context);
}

void note_receive(Peer from, size_t room) {
  note_act({EventKind::kReceive, from.rank, from.tag, room, 0, from.context});
}

// A receive that was complete at once, before the clock has moved to its time.
[[gnu::cold]] void note_received_now(const Engine::Received& received, Peer from, const char* data, size_t room) {
  note_receive(from, room);
  Event event{EventKind::kGot, received.source, received.tag, received.bytes, std::max(g_clock, received.time)};
  event.context = from.context;
  if (g_log_events) event.content = hash_bytes(data, received.bytes);
  fold_answer(event);
}

void address(Request& request, Comm& comm, Peer to, SendMode mode) {
  request.kind = RequestKind::kSend;
  request.mode = mode;
  request.comm = &comm;
  request.context = to.context;
  request.peer = to.rank;
  request.peer_world = receivers_in(comm)[static_cast<size_t>(to.rank)];
  request.tag = to.tag;
}

void start_send(Request& request, const void* buf, int64_t count, const Datatype& type, Comm& comm, Peer to,
                SendMode mode) {
  address(request, comm, to, mode);
  request.data = TypedBytes(type, buf, count);
  g_engine.send(request);
}

// A message of consecutive bytes that finds room. Returns its time of arrival; 0: the general way, then.
[[gnu::always_inline]] inline uint64_t try_send_now(const void* buf, int64_t count, const Datatype& type, Comm& comm,
                                                    Peer to, SendMode mode, bool blocks) {
  if (!type.dense || mode != SendMode::kStandard) [[unlikely]]
    return 0;
  const char* const data = place(static_cast<const char*>(buf), type.true_lb);
  const int world = receivers_in(comm)[static_cast<size_t>(to.rank)];
  return g_engine.try_send_now(world, data, type.size * static_cast<size_t>(count), to.tag, comm, to.context, blocks);
}

// What the receives of an operation have brought is known now, in their order, and that synchronous sends were
// received. Where one has failed there is nothing to conclude from them.
int operation_status(Request& request, MPI_Status* status) {
  const auto hidden = request.operation->hides_contents() ? std::make_unique<ContentsHidden>() : nullptr;
  int code = MPI_SUCCESS;
  for (Request& part : request.operation->parts()) {
    if (part.kind != RequestKind::kRecv && part.mode != SendMode::kSynchronous) continue;
    if (const int c = request.operation->status_of(part); code == MPI_SUCCESS) code = c;
  }
  if (code == MPI_SUCCESS) code = request.operation->finish();
  if (wanted(status)) request.operation->tell(status);
  return code;
}

}  // namespace

void empty_status(MPI_Status* status, int source) {
  if (!wanted(status)) return;
  status->MPI_SOURCE = source;
  status->MPI_TAG = MPI_ANY_TAG;
  if (source != MPI_PROC_NULL) status->MPI_ERROR = MPI_SUCCESS;  // of a receive it is left alone
  status->count_hi_and_cancelled = 0;
  status_set_bytes(*status, 0);
}

void fill_status(MPI_Status* status, int source, int tag, uint64_t bytes) {
  if (!wanted(status)) return;
  status->MPI_SOURCE = source;
  status->MPI_TAG = tag;
  status->count_hi_and_cancelled = 0;
  status_set_bytes(*status, bytes);
}

int p2p_status(Request& request, MPI_Status* status) {
  if (request.kind == RequestKind::kOperation) return operation_status(request, status);
  if (request.kind == RequestKind::kGeneral) return general_query(request, status);
  g_engine.observe(request);
  int code = MPI_SUCCESS;
  if (request.truncated) [[unlikely]] {
    code = make_error(
        MPI_ERR_TRUNCATE, "message of %lu bytes (source %d, tag %d) is longer than the receive buffer of %zu bytes",
        static_cast<unsigned long>(request.bytes), request.matched_source, request.matched_tag, request.data.size());
  }
  if (!wanted(status)) return code;
  if (request.kind == RequestKind::kRecv) p2p_tell(request, status);
  else fill_status(status, MPI_ANY_SOURCE, MPI_ANY_TAG, 0);
  return code;
}

void p2p_tell(const Request& receive, MPI_Status* status) {
  if (receive.cancelled) {
    fill_status(status, MPI_ANY_SOURCE, MPI_ANY_TAG, 0);
    status->count_hi_and_cancelled |= 1;
    return;
  }
  fill_status(status, receive.matched_source, receive.matched_tag,
              receive.truncated ? receive.data.size() : receive.bytes);
}

void p2p_start_send(Request& request, const void* buf, int64_t count, const Datatype& type, Comm& comm, Peer to,
                    SendMode mode) {
  g_clock += step_of(to.context);
  if (g_engine.looks_at_sends()) [[unlikely]]
    mode = look_at_send(buf, count, type, to, mode);
  const uint64_t stamp = try_send_now(buf, count, type, comm, to, mode, false);
  if (stamp == 0) return start_send(request, buf, count, type, comm, to, mode);
  address(request, comm, to, mode);
  request.post = g_clock;
  request.stamp = stamp;
  request.started = request.pushed = request.complete = true;
}

void p2p_start_recv(Request& request, void* buf, int64_t count, const Datatype& type, Comm& comm, Peer from) {
  g_clock += step_of(from.context);
  set_pattern(request, comm, from);
  request.data = TypedBytes(type, buf, count);
  note_receive(from, request.data.size());
  g_engine.receive(request);
}

void p2p_start_recv_since(uint64_t post, Request& request, TypedBytes data, Comm& comm, Peer from) {
  set_pattern(request, comm, from);
  request.data = data;
  g_engine.receive_since(request, post);
}

bool p2p_overlap(const void* sendbuf, int64_t sendcount, const Datatype& sendtype, const void* recvbuf,
                 int64_t recvcount, const Datatype& recvtype) {
  const auto sent = reinterpret_cast<uintptr_t>(sendbuf) + static_cast<uintptr_t>(sendtype.true_lb);
  const auto received = reinterpret_cast<uintptr_t>(recvbuf) + static_cast<uintptr_t>(recvtype.true_lb);
  const size_t sent_bytes = sendtype.dense ? sendtype.size * static_cast<size_t>(sendcount) : 1;
  const size_t received_bytes = recvtype.dense ? recvtype.size * static_cast<size_t>(recvcount) : 1;
  return sent < received ? received - sent < sent_bytes && received_bytes != 0
                         : sent - received < received_bytes && sent_bytes != 0;
}

int p2p_pack(const void* buf, int64_t count, const Datatype& type, PackedCopy* copy) {
  const size_t bytes = type.size * static_cast<size_t>(count);
  copy->reset(static_cast<char*>(std::malloc(std::max<size_t>(bytes, 1))));
  if (*copy == nullptr) return make_error(MPI_ERR_NO_MEM, "no memory for a copy of a message of %zu bytes", bytes);
  pack_all(copy->get(), buf, count, type);
  return MPI_SUCCESS;
}

void p2p_start_with_nobody(Request& request, RequestKind kind) {
  request.kind = kind;
  request.peer = request.matched_source = MPI_PROC_NULL;
  request.matched_tag = MPI_ANY_TAG;
  request.bytes = 0;
  request.complete = request.pushed = request.matched = true;
  request.post = request.stamp = g_clock;
}

void p2p_send(const void* buf, int64_t count, const Datatype& type, Comm& comm, Peer to, SendMode mode, bool one_way) {
  g_clock += step_of(to.context);
  if (g_engine.looks_at_sends()) [[unlikely]]
    mode = look_at_send(buf, count, type, to, mode);
  if (try_send_now(buf, count, type, comm, to, mode, true) != 0) return;
  Request request;
  request.blocking = true;
  request.one_way = one_way;
  start_send(request, buf, count, type, comm, to, mode);
  if (!request.complete) g_engine.block_until_complete(request);
  g_engine.observe(request);
}

namespace {

// A blocking receive whose message is there, or comes shortly.
template <typename Tell>
[[gnu::always_inline]] inline bool try_receive(void* buf, int64_t count, const Datatype& type, Comm& comm, Peer from,
                                               Tell&& tell) {
  g_clock += step_of(from.context);
  if (from.rank == MPI_ANY_SOURCE || !type.dense) return false;
  Engine::Received received;
  const int world = senders_in(comm)[static_cast<size_t>(from.rank)];
  char* const data = place(static_cast<const char*>(buf), type.true_lb);
  const size_t room = type.size * static_cast<size_t>(count);
  if (!g_engine.try_receive_soon(world, from.context, from.tag, data, room, &received)) return false;
  if (g_note_events) [[unlikely]]
    note_received_now(received, from, data, room);
  g_clock = std::max(g_clock, received.time);
  tell(received);
  return true;
}

}  // namespace

bool p2p_try_recv(void* buf, int64_t count, const Datatype& type, Comm& comm, Peer from, uint64_t* sent) {
  return try_receive(buf, count, type, comm, from, [&](const Engine::Received& r) { *sent = r.bytes; });
}

void p2p_post_recv(Request& request, void* buf, int64_t count, const Datatype& type, Comm& comm, Peer from) {
  request.blocking = true;
  request.post = g_clock;
  set_pattern(request, comm, from);
  request.data = TypedBytes(type, buf, count);
  note_receive(from, request.data.size());
  g_engine.receive(request);
}

int p2p_recv(void* buf, int64_t count, const Datatype& type, Comm& comm, Peer from, MPI_Status* status) {
  const auto tell = [&](const Engine::Received& r) { fill_status(status, r.source, r.tag, r.bytes); };
  if (try_receive(buf, count, type, comm, from, tell)) return MPI_SUCCESS;
  Request request;
  p2p_post_recv(request, buf, count, type, comm, from);
  if (!request.complete) g_engine.block_until_complete(request);
  return p2p_status(request, status);
}

}  // namespace detmpi
