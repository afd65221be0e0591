// Receives from any source that may prefer their usual one (habits.hpp): those that no other receive of the rank that
// is pending from any source competes with. A blocking one does so at its post. Another one is *held*: it does not
// become final before it is known whether the program next waits for this or other requests (then it prefers), or does
// anything else that could depend on it (then it does not). What the program does decides, never what has come.
//
// Receives that could take the same messages must see them in one order. So what is posted behind a receive that
// prefers, and competes with it, sees every message later by its grace: no earlier than that one sees it.
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

bool same_pattern(const chan::match::Receive& a, const chan::match::Receive& b) {
  return a.context == b.context && a.source == b.source && a.tag == b.tag;
}

}  // namespace

void Engine::note_from_any(Request& request) {
  request.from_any = true;
  // The held ones do not compete with it, or they were settled.
  const bool alone = from_any_++ == held_.size() && request.grace == 0;
  const bool may_be_held = request.handle != MPI_REQUEST_NULL && !strict_sends_;
  if (!alone || first_come_ || !g_choices.plain()) return;
  if (!request.blocking && !may_be_held) return;
  habits_.apply(request, g_job->lookahead);
  if (request.blocking || request.grace == 0) return;
  request.held = true;
  held_.push_back(&request);
  g_watch_calls = true;
}

void Engine::settle_held(bool prefer) {
  if (held_.empty()) return;
  for (Request* request : held_) {
    request->held = false;
    if (prefer) graced_.push_back({*request, request});
    else request->prefer_nobody();
  }
  held_.clear();
  g_watch_calls = g_log_events || !g_choices.plain();
  ++changes_;
  if (!unacknowledged_.empty()) publish_next_match();
}

void Engine::settle_held_if_competing(const Request& request) {
  const auto competes = [&](const Request* held) { return chan::match::Matcher::overlap(*held, request); };
  if (std::ranges::any_of(held_, competes)) settle_held(false);
}

void Engine::take_grace_of_earlier(chan::match::Receive& receive) const {
  for (const auto& [earlier, request] : graced_) {
    if (chan::match::Matcher::overlap(earlier, receive)) receive.grace = std::max(receive.grace, earlier.grace);
  }
}

// Its pattern stays for ever, as the program never learns that it is complete. Of equal patterns the greatest grace
// does.
void Engine::let_go(Request& request) {
  if (request.cancelled) return note_seen(request);
  if (request.kind != RequestKind::kRecv || request.grace == 0) return;
  std::erase_if(graced_, [&](const Graced& g) {
    const bool freed = g.request == nullptr && same_pattern(g.receive, request) && g.receive.grace <= request.grace;
    return freed || g.request == &request;
  });
  graced_.push_back({request, nullptr});
}

void Engine::let_go_part(Request& part) {
  let_go(part);
  part.given_up = true;
  if (part.kept_back) late_.push_back(&part);
}

void Engine::note_seen(Request& request) {
  if (request.from_any) {
    request.from_any = false;
    --from_any_;
    if (!request.cancelled) habits_.note(request, request.peer_world);
  }
  if (request.grace != 0) std::erase_if(graced_, [&](const Graced& g) { return g.request == &request; });
}

void Engine::begin_call() {
  // These settle it themselves: they know for what they wait.
  const bool waits = g_call.id == CallId::kWait || g_call.id == CallId::kWaitall;
  if (!waits && !leaves_open(g_call.id)) settle_held(false);
}

}  // namespace detmpi
