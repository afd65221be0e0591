// The reference: one loop over the instants of logical time at which something happens anywhere in the job. At each
// instant first all messages that arrive are delivered, then every rank acts at most once: it makes its next call, or
// looks whether the call in which it is blocked now returns.
//
// What a rank does at an instant reaches others at a later instant only, since L >= 1: so the order of the ranks within
// an instant makes no difference. And as all instants at which a completion time lies are visited, a blocking call is
// simply the test of the same name, asked at every instant until it is true: the first at which it is true is its time
// T. A poll is the same, up to its end.
#include <algorithm>
#include <limits>
#include <map>
#include <stdexcept>
#include <tuple>

#include <chan/match/poll.hpp>

#include "program.hpp"

namespace match_test {
namespace {

constexpr Time kNever = std::numeric_limits<Time>::max();

struct Message {
  int from = 0, to = 0;  // ranks
  int comm = 0;
  int source = 0;  // `from` as a member of the communicator
  int tag = 0;
  uint64_t number = 0;  // k
  Time arrival = 0;
  int ack_slot = -1;  // of the synchronous send at `from`; -1: a standard send
};

// The order in which messages are delivered. The communicator only makes it total: it keeps no two messages of one
// communicator apart.
auto key_of(const Message& message) {
  return std::tuple(message.arrival, message.from, message.number, message.comm, message.to);
}

struct Request {
  Step post;                  // with the grace that it has
  Time time = kNever;         // T; may be in the future for a synchronous send
  Event::Completion outcome;  // what a wait will report
  bool held = false;          // receive from any source
};

// From whom a rank gets what it receives from any source.
struct Habit {
  int source = kAny;
  Time times = 0;  // in succession
  Time trust = 0;
};

// Ready -> Ready (a call that returns, or a failed poll), Blocked, Cut (too many polls), Done (no step left).
// Blocked -> Ready. Cut and Done are final, and so is Blocked when no instant is left.
enum class State { kReady, kBlocked, kCut, kDone };

struct Rank {
  int id = 0;
  State state = State::kReady;
  size_t step = 0;                  // the next, or in which it is blocked
  Time clock = 0;                   // C
  Time acts_at = 0;                 // while ready: time of the next call, or of being done
  Time ends_at = 0;                 // while blocked in a poll: when it returns in vain
  std::vector<Step> failed_polls;   // in a row, also over several steps
  uint64_t rows_of_polls = 0;       // of which the latest is `failed_polls`
  unsigned polls = 0;               // calls of this step
  std::map<int, Request> requests;  // by slot; a completed one is removed
  std::vector<int> pending;         // slots of the receives without a message, in post order
  std::vector<int> late;            // slots of those to which messages come by a grace later; they are not pending
  std::vector<Message> unexpected;  // delivered, not received; in key order
  std::vector<Event> events;
  std::map<std::pair<int, int>, Habit> habits;  // by communicator and tag of receives
  bool gave_up_habits = false;
};

// When the message comes to a receive or probe.
Time due(const Step& step, const Message& message) {
  return message.source != step.usual ? message.arrival + step.grace : message.arrival;
}

bool is_from_any(const Request& request) { return request.post.op == Op::kIrecv && request.post.peer == kAny; }

bool is_probe(Op op) { return op == Op::kProbe || op == Op::kIprobe; }

bool is_poll(Op op) { return op == Op::kTestall || op == Op::kTestany || op == Op::kTestsome || op == Op::kIprobe; }

// Whether the receive or probe `step` may take `message`.
bool compatible(const Step& step, const Message& message) {
  return step.comm == message.comm && (step.peer == kAny || step.peer == message.source) &&
         (step.tag == kAny || step.tag == message.tag);
}

Event::Completion describe(int slot, const Message& message) {
  Event::Completion result;
  result.slot = slot;
  result.source = message.source;
  result.tag = message.tag;
  result.message = message.number;
  return result;
}

class Simulation {
 public:
  Simulation(const Program& program, unsigned max_polls, bool backwards)
      : program_(program), max_polls_(max_polls), backwards_(backwards) {
    if (program.lookahead < 1) throw std::invalid_argument("the lookahead is at least 1");
    for (int r = 0; r < program.ranks; ++r) ranks_.emplace_back().id = r;
    for (const auto& members : program.comms) entries_.emplace_back(members.size());
  }

  Trace run() {
    for (Rank& rank : ranks_) schedule(rank);
    for (now_ = next_instant(); now_ != kNever; now_ = next_instant()) {
      deliver_arrivals();
      for (size_t i = 0; i < ranks_.size(); ++i) visit(ranks_[backwards_ ? ranks_.size() - 1 - i : i]);
    }
    Trace trace;
    for (const Rank& rank : ranks_) trace.push_back({rank.events, rank.state != State::kDone, rank.clock});
    return trace;
  }

 private:
  // --- Time ---

  // The first instant after now at which something may happen. It does no harm if then nothing does.
  Time next_instant() const {
    Time next = kNever;
    const auto consider = [&](Time time) {
      if (time > now_) next = std::min(next, time);
    };
    for (const Message& message : in_flight_) consider(message.arrival);
    for (const Rank& rank : ranks_) {
      for (const int slot : rank.late) {
        for (const Message& message : rank.unexpected) consider(due(rank.requests.at(slot).post, message));
      }
      if (rank.state != State::kBlocked || !is_probe(step_of(rank).op)) continue;
      for (const Message& message : rank.unexpected) consider(due(probe_of(rank, step_of(rank)), message));
    }
    for (const Rank& rank : ranks_) {
      if (rank.state == State::kReady) consider(rank.acts_at);
      if (rank.state != State::kBlocked) continue;
      for (const auto& [slot, request] : rank.requests) consider(request.time);
      consider(rank.ends_at);
      const Op op = step_of(rank).op;
      if (op == Op::kBarrier || op == Op::kBcast) consider(release_time(rank));
    }
    return next;
  }

  void visit(Rank& rank) {
    match_late(rank);
    if (rank.state == State::kReady && rank.acts_at == now_) {
      act(rank);
      match_late(rank);
    }
    if (rank.state == State::kBlocked) answer(rank);
  }

  // Work is added to the clock; then the rank's next call, or its end, gets its time.
  void schedule(Rank& rank) {
    const auto& steps = steps_of(rank);
    for (; rank.step < steps.size() && steps[rank.step].op == Op::kWork; ++rank.step) {
      rank.clock += steps[rank.step].work;
    }
    rank.state = State::kReady;
    rank.acts_at = rank.clock + (rank.step < steps.size() ? tick_of(rank) : 1);
  }

  Time tick_of(const Rank& rank) const {
    if (rank.failed_polls.empty()) return 1;
    const bool first_of_row = rank.failed_polls.size() == 1;
    return 1 + (first_of_row ? chan::match::stumble(rank.id, rank.rows_of_polls, program_.lookahead) : 0);
  }

  static Step as_polled(const Rank& rank, const Step& step) {
    return match_test::as_polled(step, !step.slots.empty() && rank.requests.count(step.slots.front()) != 0);
  }

  // For how long a poll waits: the n-th return to what the row of failed polls began with.
  Time reach_of(const Rank& rank, const Step& step) const {
    if (!is_poll(step.op) || rank.failed_polls.empty()) return 0;
    const Step& first = rank.failed_polls.front();
    if (!polls_for_same(as_polled(rank, step), first)) return 0;
    const auto n = std::ranges::count_if(rank.failed_polls, [&](const Step& s) { return polls_for_same(s, first); });
    if (n == 2 && step.op != Op::kIprobe) return program_.lookahead;
    return std::min(Time{1} << std::min<ptrdiff_t>(n, 30), std::max(Time{1}, program_.lookahead / 4));
  }

  // --- Habits ---

  // What the next receives prefer, up to the next call that may tell the rank of others.
  void apply_habits(Rank& rank) {
    auto& steps = program_.steps[static_cast<size_t>(rank.id)];
    const Step& first = steps[rank.step];
    const bool probes = first.op == Op::kProbe || first.op == Op::kIprobe;
    rank.gave_up_habits = rank.gave_up_habits || (probes && first.peer == kAny);
    for (size_t i = rank.step; i < steps.size(); ++i) {
      Step& step = steps[i];
      if ((step.op == Op::kIrecv || step.op == Op::kRecv) && step.peer == kAny) apply_habit(rank, step);
      if (!lets_hold(step.op)) return;
    }
  }

  void apply_habit(const Rank& rank, Step& step) const {
    step.usual = kAny;
    step.grace = 0;
    const auto habit = rank.habits.find({step.comm, step.tag});
    if (rank.gave_up_habits || habit == rank.habits.end() || habit->second.trust < 8) return;
    step.usual = habit->second.source;
    step.grace = std::min(habit->second.times, Time{64}) * program_.lookahead;
  }

  // The rank is told that the request is complete. A change of the source takes 8 of the trust, which is 64 at most.
  static void note_habit(Rank& rank, const Request& request) {
    const bool received = request.post.op == Op::kIrecv || request.post.op == Op::kRecv;
    if (!received || request.post.peer != kAny || request.outcome.cancelled) return;
    Habit& habit = rank.habits[{request.post.comm, request.post.tag}];
    if (habit.source != request.outcome.source) {
      habit.trust = habit.trust > 8 ? habit.trust - 8 : 0;
      habit.source = request.outcome.source;
      habit.times = 0;
    }
    habit.times += 1;
    habit.trust = std::min(habit.trust + 1, Time{64});
  }

  // --- Calls ---

  // What a call does at once, at its time. Then every call is treated as blocked, until answer() finds that it returns.
  void act(Rank& rank) {
    if (rank.step == steps_of(rank).size()) {
      rank.pending.clear();
      rank.late.clear();
      rank.state = State::kDone;
      return;
    }
    rank.clock = now_;
    rank.state = State::kBlocked;
    ++rank.polls;
    if (program_.habits) apply_habits(rank);
    const Step& step = step_of(rank);
    rank.ends_at = now_ + reach_of(rank, step);
    if (!lets_hold(step.op)) release(rank);
    switch (step.op) {
      case Op::kIsend:
      case Op::kIssend: send(rank, step); break;
      case Op::kIrecv: receive(rank, step); break;
      case Op::kRecv: receive_now(rank, step); break;
      case Op::kBarrier:
      case Op::kBcast: entries_of(step)[index_of(rank, step.comm)].push_back(now_); break;
      default: break;
    }
  }

  // A call returns if it is true now, and a poll at its end.
  void answer(Rank& rank) {
    const Step& step = step_of(rank);
    Event event;
    event.step = static_cast<int>(rank.step);
    event.clock = now_;
    event.flag = returns_true(rank, step, event.done);
    const bool ends = is_poll(step.op) && now_ == rank.ends_at;
    if (!event.flag && !ends && step.op != Op::kCancel) return;
    for (const auto& completion : event.done) {  // in the order of the call's requests
      const auto request = rank.requests.find(completion.slot);
      if (request == rank.requests.end()) continue;
      note_habit(rank, request->second);
      rank.requests.erase(request);
    }
    std::sort(event.done.begin(), event.done.end(), [](const auto& a, const auto& b) { return a.slot < b.slot; });
    rank.events.push_back(event);
    rank.clock = now_;
    const bool failed = is_poll(step.op) && !event.flag;
    rank.rows_of_polls += failed && rank.failed_polls.empty();
    if (failed) rank.failed_polls.push_back(as_polled(rank, step));
    else rank.failed_polls.clear();
    const bool again = failed && step.until_true;
    if (again && rank.polls >= max_polls_) {
      rank.state = State::kCut;
      return;
    }
    if (!again) {
      ++rank.step;
      rank.polls = 0;
    }
    schedule(rank);
  }

  // Whether the call `step` is true at the present instant; in `done`, what it completes then.
  bool returns_true(Rank& rank, const Step& step, std::vector<Event::Completion>& done) {
    switch (step.op) {
      case Op::kWaitall:
      case Op::kTestall: return complete_all(rank, step, done);
      case Op::kWaitany:
      case Op::kTestany: return complete_any(rank, step, done);
      case Op::kWaitsome:
      case Op::kTestsome: return complete_some(rank, step, done);
      case Op::kProbe:
      case Op::kIprobe: return probe(rank, probe_of(rank, step), done);
      case Op::kCancel: return cancel(rank, step.slot);
      case Op::kRecv: return complete(rank.requests.at(step.slot), done);
      case Op::kBarrier:
      case Op::kBcast: return release_time(rank) <= now_;
      default: return true;
    }
  }

  // --- Requests ---

  // The requests of a wait or test, by position, without empty slots.
  static std::vector<const Request*> held(const Rank& rank, const Step& step) {
    std::vector<const Request*> requests;
    for (int slot : step.slots) {
      const auto found = rank.requests.find(slot);
      if (found != rank.requests.end()) requests.push_back(&found->second);
    }
    return requests;
  }

  bool complete_all(const Rank& rank, const Step& step, std::vector<Event::Completion>& done) const {
    const auto requests = held(rank, step);
    for (const Request* request : requests) {
      if (request->time > now_) return false;
    }
    for (const Request* request : requests) done.push_back(request->outcome);
    return true;
  }

  bool complete_any(const Rank& rank, const Step& step, std::vector<Event::Completion>& done) const {
    const auto requests = held(rank, step);
    if (requests.empty()) return true;
    const Request* first = requests.front();
    for (const Request* request : requests) {
      if (request->time < first->time) first = request;
    }
    if (first->time > now_) return false;
    done.push_back(first->outcome);
    return true;
  }

  bool complete_some(const Rank& rank, const Step& step, std::vector<Event::Completion>& done) const {
    const auto requests = held(rank, step);
    for (const Request* request : requests) {
      if (request->time <= now_) done.push_back(request->outcome);
    }
    return requests.empty() || !done.empty();
  }

  Request& new_request(Rank& rank, const Step& step) {
    if (rank.requests.count(step.slot) != 0) throw std::invalid_argument("a slot is filled twice");
    Request& request = rank.requests[step.slot];
    request.post = step;
    request.outcome.slot = step.slot;
    return request;
  }

  // --- Messages ---

  void send(Rank& rank, const Step& step) {
    Message message;
    message.from = rank.id;
    message.to = program_.comms.at(static_cast<size_t>(step.comm)).at(static_cast<size_t>(step.peer));
    message.comm = step.comm;
    message.source = static_cast<int>(index_of(rank, step.comm));
    message.tag = step.tag;
    Channel& channel = channels_[{message.from, message.to, message.comm}];
    message.number = channel.sent++;
    const Time arrival = now_ + latency(program_, message.from, message.to, message.comm, message.number);
    message.arrival = channel.last_arrival = std::max(channel.last_arrival, arrival);
    Request& request = new_request(rank, step);
    if (step.op == Op::kIssend) {
      message.ack_slot = step.slot;
    } else {
      request.time = now_;
    }
    in_flight_.push_back(message);
  }

  void receive(Rank& rank, const Step& step) {
    if (std::ranges::any_of(rank.requests,
                            [&](const auto& r) { return r.second.held && competes(r.second.post, step); })) {
      release(rank);
    }
    const auto in_the_way = [](const auto& r) { return is_from_any(r.second) && !r.second.held; };
    const Earlier earlier = earlier_of(rank);
    const Step behind = posted_behind(earlier, step);
    const bool may_prefer =
        step.peer == kAny && step.grace != 0 && behind.grace == 0 && std::ranges::none_of(rank.requests, in_the_way);
    const bool prefers = may_prefer && comes_to_prefer(steps_of(rank), rank.step, earlier);
    post(rank, prefers ? step : behind).held = may_prefer;
  }

  static Earlier earlier_of(const Rank& rank) {
    Earlier earlier;
    for (const auto& [slot, request] : rank.requests) {
      if (request.held) earlier.held.push_back(request.post);
      else if (request.post.grace != 0 && request.post.op == Op::kIrecv) earlier.late.push_back(request.post);
    }
    return earlier;
  }

  // It prefers nobody.
  static Step posted_behind(const Earlier& earlier, const Step& step) {
    Step behind = step;
    behind.usual = kAny;
    behind.grace = grace_behind(earlier.late, step);
    return behind;
  }
  static Step probe_of(const Rank& rank, const Step& step) { return posted_behind(earlier_of(rank), step); }

  Request& post(Rank& rank, const Step& step) {
    Request& request = new_request(rank, step);
    index_of(rank, step.comm);  // it must be a member
    if (step.grace != 0) {
      rank.late.push_back(step.slot);
      return request;
    }
    for (size_t i = 0; i < rank.unexpected.size(); ++i) {
      if (!compatible(step, rank.unexpected[i])) continue;
      match(request, rank.unexpected[i]);
      rank.unexpected.erase(rank.unexpected.begin() + static_cast<ptrdiff_t>(i));
      return request;
    }
    rank.pending.push_back(step.slot);
    return request;
  }

  static void release(Rank& rank) {
    for (auto& [slot, request] : rank.requests) request.held = false;
  }

  // Takes what has come to those receives.
  void match_late(Rank& rank) {
    std::erase_if(rank.late, [&](int slot) {
      Request& request = rank.requests.at(slot);
      const auto coming = [&](const Message& m) { return std::tuple(due(request.post, m), m.from, m.number); };
      auto first = rank.unexpected.end();
      for (auto at = rank.unexpected.begin(); at != rank.unexpected.end(); ++at) {
        if (!compatible(request.post, *at) || due(request.post, *at) > now_) continue;
        if (first == rank.unexpected.end() || coming(*at) < coming(*first)) first = at;
      }
      if (first == rank.unexpected.end()) return false;
      match(request, *first);
      rank.unexpected.erase(first);
      return true;
    });
  }

  // A blocking receive; answer() finds that it is complete.
  void receive_now(Rank& rank, const Step& step) {
    const auto from_any = [](const auto& held) { return is_from_any(held.second); };
    const Step behind = posted_behind(earlier_of(rank), step);
    const bool prefers = step.peer == kAny && behind.grace == 0 && std::ranges::none_of(rank.requests, from_any);
    post(rank, prefers ? step : behind);
  }

  bool complete(const Request& request, std::vector<Event::Completion>& done) const {
    if (request.time > now_) return false;
    done.push_back(request.outcome);
    return true;
  }

  void deliver_arrivals() {
    std::sort(in_flight_.begin(), in_flight_.end(),
              [](const Message& a, const Message& b) { return key_of(a) < key_of(b); });
    while (!in_flight_.empty() && in_flight_.front().arrival == now_) {
      deliver(in_flight_.front());
      in_flight_.erase(in_flight_.begin());
    }
  }

  void deliver(const Message& message) {
    Rank& rank = ranks_[static_cast<size_t>(message.to)];
    for (size_t i = 0; i < rank.pending.size(); ++i) {
      Request& request = rank.requests.at(rank.pending[i]);
      if (!compatible(request.post, message)) continue;
      match(request, message);
      rank.pending.erase(rank.pending.begin() + static_cast<ptrdiff_t>(i));
      return;
    }
    rank.unexpected.push_back(message);
  }

  // Both are there since now: one of them has just come. So now is T = max(post, arrival).
  void match(Request& receive, const Message& message) {
    receive.time = now_;
    receive.outcome = describe(receive.outcome.slot, message);
    if (message.ack_slot < 0) return;
    ranks_[static_cast<size_t>(message.from)].requests.at(message.ack_slot).time = now_ + chan::match::kAckLatency;
  }

  bool probe(const Rank& rank, const Step& step, std::vector<Event::Completion>& done) const {
    for (const Message& message : rank.unexpected) {
      if (!compatible(step, message) || due(step, message) > now_) continue;
      done.push_back(describe(-1, message));
      return true;
    }
    return false;
  }

  // Of a receive that has no message. The request stays, complete, until a wait or test reports it as cancelled.
  bool cancel(Rank& rank, int slot) {
    if (std::erase(rank.pending, slot) + std::erase(rank.late, slot) == 0) return false;
    Request& request = rank.requests.at(slot);
    request.time = now_;
    request.outcome.cancelled = true;
    return true;
  }

  // --- Collectives ---

  // When the collective in which the rank is blocked returns, as far as is known now: kNever while an entry is missing.
  Time release_time(const Rank& rank) const {
    const Step& step = step_of(rank);
    const auto& entries = entries_[static_cast<size_t>(step.comm)];
    const size_t self = index_of(rank, step.comm);
    const size_t turn = entries[self].size() - 1;
    Time release = entries[self][turn];
    for (size_t other = 0; other < entries.size(); ++other) {
      const bool needed = step.op == Op::kBarrier || static_cast<int>(other) == step.peer;
      if (other == self || !needed) continue;
      if (entries[other].size() <= turn) return kNever;
      release = std::max(release, entries[other][turn] + program_.lookahead);
    }
    return release;
  }

  // --- Access ---

  const std::vector<Step>& steps_of(const Rank& rank) const { return program_.steps.at(static_cast<size_t>(rank.id)); }
  const Step& step_of(const Rank& rank) const { return steps_of(rank)[rank.step]; }
  std::vector<std::vector<Time>>& entries_of(const Step& step) { return entries_.at(static_cast<size_t>(step.comm)); }

  // The rank as a member of the communicator.
  size_t index_of(const Rank& rank, int comm) const {
    const auto& members = program_.comms.at(static_cast<size_t>(comm));
    const auto found = std::find(members.begin(), members.end(), rank.id);
    if (found == members.end()) throw std::invalid_argument("a rank uses a communicator of others");
    return static_cast<size_t>(found - members.begin());
  }

  struct Channel {
    uint64_t sent = 0;
    Time last_arrival = 0;
  };

  Program program_;
  const unsigned max_polls_;
  const bool backwards_;
  Time now_ = 0;
  std::vector<Rank> ranks_;
  std::vector<Message> in_flight_;
  std::map<std::tuple<int, int, int>, Channel> channels_;  // by (from, to, comm)
  std::vector<std::vector<std::vector<Time>>> entries_;    // into collectives: by comm, member, order of calls
};

}  // namespace

Trace run_reference(const Program& program, unsigned max_polls, bool backwards) {
  return Simulation(program, max_polls, backwards).run();
}

}  // namespace match_test
