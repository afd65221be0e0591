// Probes: receives that are posted last, see their message and leave it. A matched probe takes it out.
#include <chan/match/decide.hpp>

#include <algorithm>

#include "../object/call.hpp"
#include "../object/errors.hpp"
#include "events.hpp"
#include "impl.hpp"
#include "p2p.hpp"
#include "polling.hpp"

namespace detmpi::impl {
namespace {

using chan::match::Outlook;

HandleTable<Message, HandleKind::kMessage> g_messages;  // taken by matched probes

// A probe in the matcher; leaves it at the end.
class Probe {
 public:
  Probe(int source, int tag, Comm& comm) : comm_(comm) {
    probe_.context = user_context(comm);
    probe_.senders = senders_in(comm);
    probe_.source = source == MPI_ANY_SOURCE ? chan::match::kAny : probe_.senders[static_cast<size_t>(source)];
    probe_.tag = tag;
    probe_.post = g_clock;
    probe_.probe = true;
    if (source == MPI_ANY_SOURCE) g_engine.give_up_habits();
    note_act({.kind = EventKind::kProbe, .peer = source, .tag = tag, .context = probe_.context});
    g_engine.take_grace_of_earlier(probe_);
    g_engine.matcher().post(probe_);
  }
  ~Probe() { g_engine.matcher().withdraw(probe_, g_clock); }
  Probe(const Probe&) = delete;
  Probe& operator=(const Probe&) = delete;

  // Blocks.
  Message& wait() {
    g_engine.decide(wait_of(Wait::Kind::kAll), [this] { return outlook().final; });
    g_clock = std::max(g_clock, probe_.time());
    return message();
  }
  // The message if it has come by now.
  Message* look() {
    Wait wait = wait_of(Wait::Kind::kTest);
    begin_poll(wait);
    std::optional<chan::match::All> there;
    g_engine.decide_test(wait, [&] {
      const Outlook known = outlook();
      return (there = chan::match::test_all({&known, 1}, g_clock, wait.until())).has_value();
    });
    g_clock = there->time;
    if (!there->complete) failed_poll(wait);
    return there->complete ? &message() : nullptr;
  }

 private:
  Message& message() { return static_cast<Message&>(*probe_.message); }

  Wait wait_of(Wait::Kind kind) {
    Wait wait{kind};
    wait.probe = &probe_;
    wait.comm = &comm_;
    return wait;
  }

  Outlook outlook() const { return g_engine.matcher().outlook(probe_, g_engine.horizon()); }

  Comm& comm_;
  chan::match::Receive probe_;
};

void fill(const Message& message, MPI_Status* status) {
  note_answer({EventKind::kSeen, message.source, message.tag, message.bytes, g_clock, message.context});
  fill_status(status, message.source, message.tag, message.bytes);
}

// After the probe has left the matcher.
void take(Message& message, Comm& comm, MPI_Message* handle) {
  g_engine.matcher().take(message);
  message.comm = &comm;
  comm_retain(comm);
  *handle = message.handle = g_messages.insert(&message);
}

Message* message_from(MPI_Message* handle) {
  Message* message = g_messages.get(*handle);
  if (message == nullptr) return nullptr;
  g_messages.erase(*handle);
  *handle = MPI_MESSAGE_NULL;
  return message;
}

// The message's reference to the communicator becomes the request's.
void start_matched(Request& request, Message& message, void* buf, MPI_Count count, const Datatype& type) {
  request.comm = message.comm;
  request.context = message.context;
  request.post = g_clock;
  request.peer_world = request.source = message.key.source;
  request.data = TypedBytes(type, buf, count);
  g_engine.take_unexpected(message, request);
}

}  // namespace

int probe(int source, int tag, Comm& comm, MPI_Status* status) {
  if (source == MPI_PROC_NULL) empty_status(status, MPI_PROC_NULL);
  else fill(Probe(source, tag, comm).wait(), status);
  return MPI_SUCCESS;
}

int iprobe(int source, int tag, Comm& comm, int* flag, MPI_Status* status) {
  *flag = 1;
  if (source == MPI_PROC_NULL) {
    empty_status(status, MPI_PROC_NULL);
    return MPI_SUCCESS;
  }
  const Message* message = Probe(source, tag, comm).look();
  *flag = message != nullptr;
  if (message != nullptr) fill(*message, status);
  return MPI_SUCCESS;
}

int mprobe(int source, int tag, Comm& comm, MPI_Message* handle, MPI_Status* status) {
  if (source == MPI_PROC_NULL) {
    *handle = MPI_MESSAGE_NO_PROC;
    empty_status(status, MPI_PROC_NULL);
    return MPI_SUCCESS;
  }
  Message& message = Probe(source, tag, comm).wait();
  fill(message, status);
  take(message, comm, handle);
  return MPI_SUCCESS;
}

int improbe(int source, int tag, Comm& comm, int* flag, MPI_Message* handle, MPI_Status* status) {
  *flag = 1;
  if (source == MPI_PROC_NULL) return mprobe(source, tag, comm, handle, status);
  Message* message = Probe(source, tag, comm).look();
  *flag = message != nullptr;
  if (message == nullptr) return MPI_SUCCESS;
  fill(*message, status);
  take(*message, comm, handle);
  return MPI_SUCCESS;
}

int mrecv(void* buf, MPI_Count count, const Datatype& type, MPI_Message* handle, MPI_Status* status) {
  if (*handle == MPI_MESSAGE_NO_PROC) {
    *handle = MPI_MESSAGE_NULL;
    empty_status(status, MPI_PROC_NULL);
    return MPI_SUCCESS;
  }
  Message* message = message_from(handle);
  if (message == nullptr) return make_error(MPI_ERR_REQUEST, "not a message handle");
  Request request;
  request.blocking = true;
  start_matched(request, *message, buf, count, type);
  if (!request.complete) g_engine.block_until_complete(request);
  const int code = p2p_status(request, status);
  if (code != MPI_SUCCESS) blame(request);
  comm_release(*request.comm);
  return code;
}

int imrecv(void* buf, MPI_Count count, const Datatype& type, MPI_Message* handle, MPI_Request* request_handle) {
  if (*handle == MPI_MESSAGE_NO_PROC) {
    *handle = MPI_MESSAGE_NULL;
    Request& request = request_new();
    request.comm = g_comm_world;
    comm_retain(*g_comm_world);
    p2p_start_with_nobody(request, RequestKind::kRecv);
    *request_handle = request.handle;
    return MPI_SUCCESS;
  }
  Message* message = message_from(handle);
  if (message == nullptr) return make_error(MPI_ERR_REQUEST, "not a message handle");
  Request& request = request_new();
  start_matched(request, *message, buf, count, type);
  *request_handle = request.handle;
  return MPI_SUCCESS;
}

}  // namespace detmpi::impl
