// Receives from any source that may prefer their usual one (habits.hpp): those that no other receive of the rank
// competes with from their post until they are complete. Of a blocking one that is known at its post. Another one is
// *held*: it does not become final before it is known whether it is waited for first (then it prefers), or the program
// does anything else that could depend on it (then it does not). What the program does decides, never what has come.
#include <algorithm>

#include "../object/call.hpp"
#include "choices.hpp"
#include "engine.hpp"
#include "events.hpp"

namespace detmpi {
namespace {

// Calls of which nobody can tell whether a receive that is pending has its message: they neither look at it nor wait
// for what others do only when it has.
bool leaves_open(CallId id) {
  switch (id) {
    case CallId::kSend:
    case CallId::kSendC:
    case CallId::kIsend:
    case CallId::kIsendC:
    case CallId::kIrecv:
    case CallId::kIrecvC:
    case CallId::kCommRank:
    case CallId::kCommSize:
    case CallId::kWtime: return true;
    default: return false;
  }
}

bool names(std::span<const MPI_Request> handles, const Request& request) {
  return !request.detached && std::ranges::find(handles, request.handle) != handles.end();
}

}  // namespace

void Engine::note_from_any(Request& request) {
  request.from_any = true;
  request.prefer_nobody();                         // it may be persistent
  const bool alone = from_any_++ == held_.size();  // the held ones do not compete with it, or they were settled
  const bool may_be_held = request.handle != MPI_REQUEST_NULL && !strict_sends_;
  if (!alone || first_come_ || !g_choices.plain()) return;
  if (!request.blocking && !may_be_held) return;
  habits_.apply(request, g_job->lookahead);
  if (request.blocking || request.grace == 0) return;
  request.held = true;
  held_.push_back(&request);
  g_watch_calls = true;
}

void Engine::settle_held(std::span<const MPI_Request> waited_for) {
  if (held_.empty()) return;
  for (Request* request : held_) {
    request->held = false;
    if (!names(waited_for, *request)) request->prefer_nobody();
  }
  held_.clear();
  g_watch_calls = g_log_events || !g_choices.plain();
  ++changes_;
  if (!unacknowledged_.empty()) publish_next_match();
}

void Engine::settle_held_if_competing(const Request& request) {
  const auto competes = [&](const Request* held) { return chan::match::Matcher::overlap(*held, request); };
  if (std::ranges::any_of(held_, competes)) settle_held({});
}

void Engine::begin_call() {
  // These settle it themselves: they know for what they wait.
  const bool waits = g_call.id == CallId::kWait || g_call.id == CallId::kWaitall;
  if (!waits && !leaves_open(g_call.id)) settle_held({});
}

}  // namespace detmpi
