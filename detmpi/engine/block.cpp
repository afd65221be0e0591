// What a rank does while it is blocked: it takes in what comes, learns what the others may still do, publishes what it
// waits for, and sleeps when all of that is in vain.
//
// A blocked rank publishes its record when another rank watches it, when it needs a snapshot, and before it sleeps.
// LOGICAL-TIME sections 3 and 5.
#include <base/check.hpp>
#include <base/sys.hpp>

#include <algorithm>

#include "../job/rank_output.hpp"
#include "../object/call.hpp"
#include "engine.hpp"
#include "operation.hpp"
#include "watchers.hpp"

namespace detmpi {

using chan::match::kNever;
using chan::match::later;
using chan::match::Need;
using chan::match::Receive;
using chan::match::Time;

void Engine::block_until_parts_complete(Request& request) {
  Operation& operation = *request.operation;
  operation.await_or_lose_parts();
  for (Request& part : operation.parts()) {
    if (part.offer != 0) await_taker(part);
  }
  block({Wait::Kind::kAll, {}, &request}, kAnySource, [&] { return request.complete = operation.complete(); });
}

// Whose message or acknowledgement completes the request, or probably does. Where others are pending from any source
// it pays to look for theirs meanwhile: what must be known before they are final is asked for early.
int Engine::hint_for(const Request& request) const {
  if (request.kind != RequestKind::kRecv) return request.pushed ? request.peer_world : kAnySource;
  if (request.source != chan::match::kAny) return request.source;
  return request.usual != chan::match::kAny && matcher_.holds_only(request) ? request.usual : kAnySource;
}

// A plain receive whose message is there already needs no wait.
bool Engine::comes_at_once(Request& request) {
  const bool plain = request.kind == RequestKind::kRecv && !request.matched && request.plain();
  if (plain && matcher_.no_receives()) poll_source(request.source, &request);
  return request.complete;
}

void Engine::block_until_complete(Request& request) {
  if (request.kind == RequestKind::kOperation) return block_until_parts_complete(request);
  if (request.offer != 0) await_taker(request);
  request.awaited = true;
  if (comes_at_once(request)) return;
  const bool receive = request.kind == RequestKind::kRecv;
  const bool logical =
      receive ? !request.matched : request.mode == SendMode::kSynchronous || request.kind == RequestKind::kGeneral;
  const Wait wait{logical ? Wait::Kind::kAll : Wait::Kind::kPhysical, {}, &request, &request};
  block(wait, hint_for(request), [&request] { return request.complete; });
}

void Engine::block_until_all_complete(std::span<const MPI_Request> handles) {
  // First, since what is published later is that messages are waited for.
  for (const MPI_Request handle : handles) {
    Request* request = active_request(handle);
    if (request == nullptr) continue;
    request->awaited = true;
    if (request->operation != nullptr) request->operation->await_or_lose_parts();
  }
  for (const MPI_Request handle : handles) {
    Request* request = active_request(handle);
    if (request == nullptr || request->complete) continue;
    if (request->kind == RequestKind::kOperation) {
      block_until_parts_complete(*request);
      continue;
    }
    if (request->offer != 0) await_taker(*request);
    if (comes_at_once(*request)) continue;
    const Wait wait{Wait::Kind::kAll, handles, nullptr, request};
    block(wait, hint_for(*request), [request] { return request->complete; });
  }
}

// One look of a wait that is not over. True if it was at everything: then, if the wait still is not over,
// look_further() follows.
bool Engine::spin_poll(const Wait& wait, int hint) {
  ++polls_;
  if (hint != kAnySource && polls_ < kPollsBeforeAll && !publishing_is_due(wait)) {
    if (hint >= 0) poll_source(hint, wait.sought);
    if (matcher_.no_receives() || !awaits_decision(wait)) return false;
  }
  learn(wait);
  return true;
}

// Has anything come that may be what is waited for, while it is not known what else may come?
bool Engine::awaits_decision(const Wait& wait) const {
  bool found = false;
  each(wait, [&](const Request& r) {
    const bool open = r.kind == RequestKind::kRecv && !r.matched && !r.complete && !r.plain();
    found = found || (open && matcher_.least_candidate(r) != kNever);
  });
  return found;
}

// True if this may have ended the wait.
bool Engine::look_further(const Wait& wait) {
  if (publishing_is_due(wait)) publish(wait);
  if (!horizon_.snapshot_helps() || polls_ < next_snapshot_) return false;
  next_snapshot_ = polls_ * 2;
  learn_by_snapshot(wait);
  return true;
}

// A test that waits is over soon, mostly, and its clock has been published.
bool Engine::publishing_is_due(const Wait& wait) const {
  const uint32_t least = wait.is_test() && !wait.is_instant() ? kPollsBeforeSnapshot : 0;
  return published_changes_ != changes_ + 1 && polls_ >= std::max(least, polls_before_publishing_) && somebody_asks();
}

// A look at the clocks first, at the lanes then: so what the clocks tell holds for what is not in the queues. It is not
// adopted if the lanes were not read to the end, since the wait is over: the next message would come before its
// receive, and be copied once more.
void Engine::learn(const Wait& wait) {
  horizon_.begin_looks();
  look_at_clocks(wait);
  learn_of_acks(wait);
  poll_all(wait.sought);
  if (wait.sought != nullptr && wait.sought->complete) return;
  horizon_.adopt();
  look_for_lost_parts(wait);
  conclude_what_is_known(wait);
}

// Nothing that is not visible yet was sent before the limit.
void Engine::take_snapshot() { horizon_.take_snapshot(later(g_clock_limit, 1)); }

void Engine::learn_by_snapshot(const Wait& wait) {
  publish(wait);
  take_snapshot();
  learn_of_acks(wait);
  poll_all();
  horizon_.adopt();
  look_for_lost_parts(wait);
  conclude_what_is_known(wait);
}

bool Engine::acts_after(int rank, uint64_t time) {
  g_job->bounds_asked.store(1);  // blocked ranks publish what they wait for
  spmc::base::heavy_fence();
  begin_block();
  learn_by_snapshot({Wait::Kind::kTest});
  end_block();
  if (first_come_) return JobView().done(rank) || clock_line(rank).clock.load(std::memory_order_acquire) > time;
  return !horizon_.wanting(rank, horizon_.arrival_of(time));
}

void Engine::conclude_what_is_known(const Wait& wait) {
  if (concluded_at_ == news() && !acks_lack_room_) return;
  concluded_at_ = news();
  if (unacknowledged_.empty() && waits_for_all_there_is(wait)) return settle(Horizon::Others(horizon_, rank_));
  horizon_.set_self(later(g_clock, 1));
  if (needs_own_bound(wait)) horizon_.set_self(later(earliest_return(wait), 1));
  settle();
  if (!unacknowledged_.empty()) settle_acks();
}

// Must this rank know of itself more than that it acts after its clock? To learn that it looks at all others. Who waits
// for the first of several, or tests, asks of each receive when its message may come at the earliest, and one of its
// own may; who waits for all, only of those whose message has come. And acknowledgements are given by it.
bool Engine::needs_own_bound(const Wait& wait) const {
  if (wait.kind != Wait::Kind::kAll || !unacknowledged_.empty()) return true;
  bool needed = false;
  matcher_.each_open([&](const Receive& r) { needed = needed || candidate_behind_self(r) != kNever; });
  return needed;
}

// When what has come for the receive comes to it, if for all that is known this rank may still send itself something
// that comes before; else kNever.
uint64_t Engine::candidate_behind_self(const Receive& receive) const {
  if (receive.held) return kNever;
  const uint64_t candidate = matcher_.least_candidate(receive);
  return receive.due(horizon_.next_arrival(rank_), rank_) <= candidate ? candidate : kNever;
}

// The only receive in question is the one that is waited for. Then this rank sends nothing that could be its message,
// and needs no bound of its own.
bool Engine::waits_for_all_there_is(const Wait& wait) const {
  return wait.kind == Wait::Kind::kAll && wait.request != nullptr && matcher_.holds_only(*wait.request);
}

void Engine::learn_of_acks(const Wait& wait) {
  if (acks_expected_ == 0 || first_come_) return;
  each_part(wait, [&](Request& r) {
    if (r.kind != RequestKind::kSend || r.mode != SendMode::kSynchronous || r.matched || !r.started) return;
    if (r.peer_world == rank_) return;  // earliest_own_ack
    const uint64_t bound = horizon_.earliest_ack(need_of(r));
    if (bound <= r.bound) return;
    r.bound = bound;
    horizon_.note_news();
  });
}

// Which ranks matter, and up to which time.
void Engine::ask(const Wait& wait) {
  questions_.clear();
  asks_about_self_ = false;
  const auto about = [&](std::span<const int> ranks, uint64_t beyond) {
    if (horizon_.none_wanting(beyond)) return;
    for (const int rank : ranks) {
      if (horizon_.wanting(rank, beyond)) questions_.push_back({rank, beyond});
    }
  };
  // What may come to the receive before `candidate` does.
  const auto about_others = [&](const Receive& r, uint64_t candidate) {
    if (r.grace == 0) return about(r.senders, candidate);
    if (r.usual != chan::match::kAny) about({&r.usual, 1}, candidate);
    if (candidate < r.grace || horizon_.none_wanting(candidate - r.grace)) return;
    for (const int rank : r.senders) {
      if (rank != r.usual) about({&rank, 1}, candidate - r.grace);
    }
  };
  const bool test = wait.is_test();
  const auto about_ack = [&](const Request& send, uint64_t beyond) {
    about({&send.peer_world, 1}, horizon_.beyond_for_ack(beyond));
  };
  const uint64_t until = wait.until();
  // A test asks about nothing later.
  if (test && horizon_.none_wanting(acks_expected_ > 0 ? horizon_.beyond_for_ack(until) : until)) return;
  // What has come for a wildcard is its message once nothing earlier can come.
  matcher_.each_open([&](const Receive& r) {
    if (r.held) return;
    const uint64_t candidate = matcher_.least_candidate(r);
    const bool plain = r.source != chan::match::kAny && !r.contested;
    const auto senders = plain ? std::span(&r.source, 1) : r.senders;
    if (test) about(senders, std::min(candidate, until));
    else if (candidate != kNever && !plain) about_others(r, candidate);
  });
  if (!wait.is_instant() && wait.kind != Wait::Kind::kPhysical) ask_about_self(wait);
  if (!test && wait.kind != Wait::Kind::kAny) return;
  // A test asks for what completes by its end; a wait for the first of several, for what may be before the first known.
  uint64_t beyond = test ? until : kNever;
  if (!test) {
    each(wait, [&](const Request& r) {
      if (const auto o = outlook(r); o.final) beyond = std::min(beyond, std::max(o.time, g_clock));
    });
    if (beyond == kNever) return;
  }
  each_part(wait, [&](const Request& r) {
    const auto o = outlook(r);
    if (o.final || o.time > beyond) return;
    if (r.kind == RequestKind::kSend) about_ack(r, beyond);
    else if (r.source != chan::match::kAny) about({&r.source, 1}, beyond);
    else about(r.senders, beyond);
  });
}

// Up to which time this rank must know of itself that it does not act, kNever if it need not.
//
// A synchronous message that is matched later than the clock is acknowledged once this rank cannot act before that: so
// its sender is not kept waiting by what this rank waits for, which may be that sender. And what has come for a
// receive that this rank does not wait for is its message once this rank cannot send itself an earlier one.
uint64_t Engine::own_due(const Wait& wait) const {
  uint64_t due = kNever;
  for (const Unacknowledged& entry : unacknowledged_) {
    if (entry.request != nullptr && !may_acknowledge(*entry.request)) due = std::min(due, entry.request->stamp);
  }
  if (waits_for_all_there_is(wait)) return due;
  matcher_.each_open([&](const Receive& r) {
    const uint64_t candidate = candidate_behind_self(r);
    if (candidate >= due || waits_for(wait, r)) return;
    if (std::ranges::find(r.senders, rank_) != r.senders.end()) due = candidate;
  });
  return due;
}

// Does the call not return before the receive is complete?
bool Engine::waits_for(const Wait& wait, const Receive& receive) {
  if (wait.kind != Wait::Kind::kAll) return false;
  bool found = &receive == wait.probe;
  each_part(wait, [&](const Request& r) { found = found || &receive == &r; });
  return found;
}

void Engine::ask_about_self(const Wait& wait) {
  const uint64_t due = own_due(wait);
  asks_about_self_ = due != kNever && !(wait.is_test() && due > wait.until());
  if (!asks_about_self_) return;
  const auto about = [&](int rank) { questions_.push_back({rank, due}); };
  const auto about_ack = [&](const Request& send) {
    questions_.push_back({send.peer_world, horizon_.beyond_for_ack(due)});
  };
  const auto about_source = [&](const Receive& r) {
    if (r.source != chan::match::kAny) about(r.source);
    else std::ranges::for_each(r.senders, about);
  };
  each_part(wait, [&](const Request& r) {
    if (outlook(r).final) return;
    if (r.kind == RequestKind::kSend) about_ack(r);
    else if (r.kind == RequestKind::kRecv) about_source(r);
  });
  if (wait.probe != nullptr) about_source(*wait.probe);
  if (wait.marks != nullptr) about(wait.marks->sources[0].rank);
}

void Engine::look_at_clocks(const Wait& wait) {
  if (first_come_) return;
  if (asked_at_ != news()) {
    asked_at_ = news();
    ask(wait);
  }
  std::erase_if(questions_, [&](const Question& q) { return horizon_.look(q.rank, q.beyond); });
  if (!questions_.empty() && g_job->bounds_asked.load(std::memory_order_relaxed) == 0) g_job->bounds_asked.store(1);
}

// Asks those ranks to wake this one. True if one had to be asked anew.
bool Engine::watch(const Wait& wait) {
  bool anew = false;
  uint64_t watched = 0;  // questions with one time follow each other
  for (const Question& q : questions_) {
    if (q.beyond == watched || !horizon_.wanting(q.rank, q.beyond)) continue;
    watched = q.beyond;
    anew = horizon_.watch(q.beyond) || anew;
  }
  if (wait.kind != Wait::Kind::kTest && wait.kind != Wait::Kind::kAny && !asks_about_self_) return anew;
  each_part(wait, [&](const Request& r) {
    const bool may_be_acknowledged = r.kind == RequestKind::kSend && !outlook(r).final;
    if (may_be_acknowledged && horizon_.watch_next(r.peer_world)) anew = true;
  });
  return anew;
}

// No earlier than this does the call return; at least the clock. Never, if the rank is in a deadlock, as others may
// have told: it still takes messages in, and acknowledges them.
uint64_t Engine::earliest_return(const Wait& wait) const {
  if (wait.kind == Wait::Kind::kPhysical || wait.is_instant()) return g_clock;
  const Horizon::Others others(horizon_, rank_);
  uint64_t all = g_clock, any = kNever;
  each(wait, [&](const Request& r) {
    const uint64_t time = outlook(r, others).time;
    all = std::max(all, time);
    any = std::min(any, time);
  });
  if (wait.probe != nullptr) all = std::max(all, matcher_.outlook(*wait.probe, others).time);
  if (wait.marks != nullptr) {
    // As a message: what is not there now, after the looks at the clocks, comes later.
    const auto& mark = wait.marks->sources[0];
    if (!JobView().marked(mark)) all = std::max(all, others.next_arrival(mark.rank));
  }
  if (wait.is_test()) return std::max(g_clock, std::min(wait.until(), wait.first ? any : all));
  if (first_come_ && all == kNever) return g_clock;  // nothing is known
  return wait.kind == Wait::Kind::kAny && any != kNever ? std::max(g_clock, any) : all;
}

// --- publishing ---

Need Engine::need_of_receive(const Receive& receive) const {
  Need need;
  if (receive.final()) {  // a probe: the call is about to return, but what it has learnt is to be published first
    need.time = receive.time();
    return need;
  }
  need.kind = Need::Kind::kReceive;
  need.time = receive.post;
  need.candidate = matcher_.least_candidate(receive);
  need.all_but = receive.source == chan::match::kAny && receive.senders.size() == in_.size();
  // Those that have sent one are named where all others are meant, else those that have not.
  const auto add = [&](int source) {
    if (matcher_.has_candidate(receive, source) == need.all_but) need.sources.push_back({source});
  };
  if (receive.source != chan::match::kAny) add(receive.source);
  else if (need.all_but) matcher_.each_occupied(add);
  else std::ranges::for_each(receive.senders, add);
  return need;
}

// The messages that have not come, and the time of those that have. Where there are others than named messages, one
// that is missing stands for all: what is waited for does not come before it. In the same way the marks that tell
// whether messages come stand for these.
Need Engine::need_of_parts(const Request& r) const {
  Need need;
  if (r.operation->open()) {  // nobody sends what it waits for
    need.kind = Need::Kind::kReceive;
    return need;
  }
  if (const Request* first = r.operation->first()) return need_of(*first);
  const auto& parts = r.operation->parts();
  const auto stands = [&](const Request& part) {
    return !(part.kind == RequestKind::kRecv && part.plain()) && !outlook(part).final;
  };
  if (const auto part = std::ranges::find_if(parts, stands); part != parts.end()) return need_of(*part);
  need.time = r.post;
  r.operation->add_marks(need.sources);
  need.kind = need.sources.empty() ? Need::Kind::kMessages : Need::Kind::kMarks;
  for (const Request& part : parts) {
    const auto o = outlook(part);
    if (o.final) need.time = std::max(need.time, o.time);
    else if (need.kind == Need::Kind::kMessages) need.sources.push_back({part.source});
  }
  return need;
}

Need Engine::need_of(const Request& r) const {
  if (r.kind == RequestKind::kOperation) return need_of_parts(r);
  Need need;
  if (r.kind == RequestKind::kGeneral) {
    need.time = r.stamp;
    if (!r.complete) need.kind = Need::Kind::kReceive;  // that nobody sends
  } else if (r.kind == RequestKind::kRecv) {
    if (!r.matched && !r.complete) return need_of_receive(r);
    need.time = r.stamp;
  } else if (r.mode != SendMode::kSynchronous || r.matched || r.complete) {
    need.time = r.mode == SendMode::kSynchronous ? r.stamp : r.post;
  } else {
    need.kind = Need::Kind::kAck;
    need.time = r.stamp;
    need.peer = r.peer_world;
    need.position = r.position;
  }
  return need;
}

// Of wildcards that accept the same messages, at the same times, the first tells all. The times of their posts make no
// difference: none is after the clock.
void Engine::add_need(const Request& r) {
  if (r.kind != RequestKind::kRecv || r.matched || r.complete || r.source != chan::match::kAny) {
    needs_.push_back(need_of(r));
    return;
  }
  const auto same = [&](const Pattern& p) {
    return p.context == r.context && p.tag == r.tag && p.usual == r.usual && p.grace == r.grace;
  };
  const auto earlier = std::ranges::find_if(patterns_, same);
  if (earlier == patterns_.end()) {
    patterns_.push_back({r.context, r.tag, r.usual, r.grace, needs_.size()});
    needs_.push_back(need_of(r));
  } else {
    Need& need = needs_.emplace_back();
    need.kind = Need::Kind::kRepeat;
    need.repeats = earlier->need;
  }
}

// A test ends with its time, or when its requests are complete: of those that all must be, one that is not stands for
// all, as the test does not end before it.
void Engine::add_needs(const Wait& wait) {
  needs_.clear();
  patterns_.clear();
  const bool one = wait.is_test() && !wait.first;
  each(wait, [&](const Request& r) {
    if (!one || (needs_.empty() && !outlook(r).final)) add_need(r);
  });
  if (wait.probe != nullptr) needs_.push_back(need_of_receive(*wait.probe));
  if (wait.marks != nullptr) needs_.push_back(*wait.marks);
  if (!wait.is_test()) return;
  Need& end = needs_.emplace_back();
  end.time = needs_.size() == 1 ? g_clock : wait.until();  // all are complete by then: who knows when
}

// In the midst of a call: the job may end here once others know of this time, and what was printed before the call
// belongs to an earlier one.
void Engine::publish_clock() {
  show_printed();
  clock_line(rank_).clock.store(std::min(g_clock, g_clock_limit), std::memory_order_release);
  wake_watchers(rank_);
}

// A rank whose sends wait for room counts as running: whoever makes room need not know of its clock.
void Engine::publish(const Wait& wait) {
  if (published_changes_ == changes_ + 1) return;
  // Whoever still has a question asks again at its next look, and who sleeps with one watches: so a rank that does not
  // see yet that the question was dropped, or asked again, publishes once too often, or a look later.
  if (published_changes_ == 0 && ++waits_told_ % kWaitsPerQuestion == 0) g_job->bounds_asked.store(0);
  published_changes_ = changes_ + 1;
  announce_due_ = true;
  if (wait.is_instant() || wait.kind == Wait::Kind::kPhysical || g_clock_limit != kNever) {
    publisher_.run();
    publish_clock();
    return;
  }
  add_needs(wait);
  show_printed();
  ++control_messages_;
  publisher_.wait(g_clock, wait.kind == Wait::Kind::kAny || wait.is_test(), needs_);
  wake_watchers(rank_);
}

void Engine::announce() {
  announce_due_ = false;
  publish_clock();
}

void Engine::prepare_sleep(const Wait& wait) {
  show_printed();
  learn(wait);
  publish(wait);
  if (watch(wait)) announce_due_ = true;
  if (g_job->first_space == 0) end_if_stuck();
}

// A program that was started by itself has nobody who would tell of its deadlock.
void Engine::end_if_stuck() {
  take_snapshot();
  if (horizon_.never_acts()) {
    spmc::base::complain("%s waits for what can never come: this is a job of one rank", call_name(g_call.id));
    spmc::base::die(kStuckExit);
  }
}

// After the heavy fence: true if something is different from what was published and asked.
bool Engine::must_look_again(const Wait& wait) {
  const Time until = g_job->describe.load(std::memory_order_acquire);  // before the look at the lanes
  learn(wait);
  if (horizon_.snapshot_helps()) learn_by_snapshot(wait);
  if (until != 0 && !described_) describe(wait, until);
  return published_changes_ != changes_ + 1 || watch(wait);
}

void Engine::end_block() {
  publisher_.run();
  horizon_.stop_watching();
  published_changes_ = 0;
}

}  // namespace detmpi
