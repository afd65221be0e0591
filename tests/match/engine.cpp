// One rank of the model: what it publishes, when it may decide, when it acknowledges. The parts are those of
// chan/match.
#include "engine.hpp"

#include <algorithm>
#include <chan/match/decide.hpp>
#include <chan/match/matcher.hpp>
#include <chan/match/snapshot.hpp>
#include <map>
#include <memory>

#include "failed_polls.hpp"
#include "slot.hpp"
#include "world.hpp"

namespace match_test {
namespace {

using match::kNever;
using match::Outlook;
using Kind = match::RankState::Kind;

class Rank final : match::Horizon {
 public:
  Rank(World& world, int self, unsigned max_polls)
      : world_(world), self_(self), max_polls_(max_polls), ranks_(world.program.ranks), matcher_(ranks_) {
    const auto n = static_cast<size_t>(ranks_);
    bounds_.assign(n, 0);
    known_.assign(n, 0);
    slots_.resize(number_of_slots(steps()));
  }

  static void run(void* rank) { static_cast<Rank*>(rank)->run(); }

  bool at_rest() const { return done_ || stuck_; }
  bool went_on() const { return went_on_; }
  RankTrace trace() const {
    RankTrace trace = trace_;
    trace.stuck = stuck_;
    if (!done_) trace.clock = clock_;
    return trace;
  }

 private:
  const std::vector<Step>& steps() const { return world_.program.steps[static_cast<size_t>(self_)]; }
  const std::vector<int>& members(int comm) const { return world_.program.comms[static_cast<size_t>(comm)]; }
  Time lookahead() const { return world_.program.lookahead; }

  void run() {
    for (step_ = 0; step_ < steps().size(); ++step_) {
      perform(steps()[step_]);
      if (cut_off_) serve_for_ever();
    }
    finish();
  }

  // --- knowledge of others ---

  Time next_arrival(int source) const override {
    return match::later(bounds_[static_cast<size_t>(source)], lookahead());
  }

  // Takes in what has come. Only then do bounds that were read before hold for what has not.
  void take_in() {
    for (int from = 0; from < ranks_; ++from) {
      world_.scheduler.yield();
      auto& lane = world_.lanes[{from, self_}];
      uint64_t& taken = world_.taken_in[{from, self_}];
      while (taken < lane.size()) {
        Sent& sent = lane[taken];
        world_.publish(self_, running_record());
        if (sent.synchronous) lower_next_match(sent.message.key.arrival);
        world_.scheduler.yield();
        ++taken;
        match::Receive* taker = matcher_.taker_at_once(sent.message, *this);
        matcher_.arrive(sent.message);
        if (taker != nullptr) {
          taker->message = &sent.message;
          sent.message.taker = taker;
        }
        if (sent.synchronous) unacknowledged_.push_back(&sent);
      }
    }
    bounds_ = known_;
  }
  void drain() {
    take_in();
    settle();
  }

  match::Record running_record() const { return {Kind::kRun, false, published_clock_, {}}; }
  void publish(match::Record record) {
    world_.scheduler.yield();
    world_.next_matches[static_cast<size_t>(self_)] = next_match();
    published_clock_ = record.clock;
    world_.publish(self_, std::move(record));
  }
  void lower_next_match(Time time) {
    Time& next = world_.next_matches[static_cast<size_t>(self_)];
    next = std::min(next, time);
  }

  void settle() {
    matcher_.settle(*this);
    // A pair that is complete before this rank can act again stays. A cancel under way acts now: what is complete later
    // it may still undo.
    const Time act = cancelling_ ? clock_ : std::max(clock_, bounds_[static_cast<size_t>(self_)]);
    std::erase_if(unacknowledged_, [&](Sent* sent) {
      const match::Receive* taker = sent->message.taker;
      if (taker == nullptr || taker->probe || taker->time() > act) return false;
      acknowledge(*sent, taker->time());
      return true;
    });
    world_.scheduler.yield();
    world_.next_matches[static_cast<size_t>(self_)] = next_match();
  }

  Time next_match() const {
    Time next = kNever;
    for (const Sent* sent : unacknowledged_) {
      const match::Receive* taker = sent->message.taker;
      if (taker != nullptr && !taker->probe) next = std::min(next, taker->time());
      else next = std::min(next, matcher_.wanted_at(sent->message));
    }
    return next;
  }

  void acknowledge(Sent& sent, Time matched) {
    world_.scheduler.yield();
    world_.acks[{sent.message.key.source, self_, sent.position}] = match::later(matched, match::kAckLatency);
  }

  void look_at_others() {
    listen();
    const auto& states = snapshot_.take();
    const auto bounds = match::solve_bounds(states, known_);
    for (size_t i = 0; i < bounds.size(); ++i) known_[i] = std::max(known_[i], bounds[i]);
    tell();
    // What is known of acknowledgements.
    for (Slot& slot : slots_) {
      if (slot.use != Slot::Use::kSynchronous || slot.need.kind != match::Need::Kind::kAck) continue;
      slot.bound = std::max(slot.bound, match::earliest(match::node_of_ack(world_, self_, slot.need), known_));
      if (const auto time = world_.acknowledgement(self_, slot.need.peer, slot.need.position)) {
        slot.need.kind = match::Need::Kind::kFixed;
        slot.need.time = *time;
      }
    }
    deadlock_ = states[static_cast<size_t>(self_)].kind == Kind::kWait && bounds[static_cast<size_t>(self_)] == kNever;
  }

  // What one rank has found out counts for all.
  void listen() {
    for (size_t i = 0; i < known_.size(); ++i) known_[i] = std::max(known_[i], world_.told_of(i));
  }
  void tell() {
    for (size_t i = 0; i < known_.size(); ++i) world_.tell(i, known_[i]);
  }

  match::Record record(Kind kind) const { return {kind, false, clock_, {}}; }

  match::Need need(const match::Receive& receive) const {
    match::Need need;
    if (receive.final()) {
      need.time = receive.time();
      return need;
    }
    need.kind = match::Need::Kind::kReceive;
    need.time = receive.post;
    need.candidate = matcher_.least_candidate(receive);
    need.all_but = receive.source == match::kAny && receive.senders.size() == static_cast<size_t>(world_.program.ranks);
    const auto add = [&](int source) {
      if (matcher_.has_candidate(receive, source) == need.all_but) need.sources.push_back({source});
    };
    if (receive.source != match::kAny) add(receive.source);
    else std::ranges::for_each(receive.senders, add);
    return need;
  }
  match::Need need(const Slot& slot) const { return slot.use == Slot::Use::kReceive ? need(slot.receive) : slot.need; }

  Outlook outlook(const Slot& slot) const {
    if (slot.use == Slot::Use::kReceive) return matcher_.outlook(slot.receive, *this);
    if (slot.need.kind == match::Need::Kind::kFixed) return {true, slot.need.time};
    return {false, slot.bound};
  }

  // --- blocking ---

  // Calls `attempt` until it is true, with ever more knowledge of the others. `needs`: what this rank waits for
  // meanwhile.
  template <typename Attempt, typename Needs>
  void block(bool any, Attempt&& attempt, Needs&& needs) {
    for (;;) {
      drain();
      if (attempt()) break;
      match::Record mine = record(Kind::kWait);
      mine.any = any;
      mine.needs = needs();
      publish(std::move(mine));
      look_at_others();
      const bool verdict = deadlock_;
      drain();
      if (attempt()) {
        went_on_ = went_on_ || stuck_ || verdict;
        break;
      }
      if (verdict) stuck_ = true;
    }
  }

  // The same for a call that waits for nothing but time, or up to `until_`. What has come need not be settled to tell
  // that nothing has. `needs`: of those requests of which the first may end it.
  template <typename Attempt, typename Needs>
  void test(Attempt&& attempt, Needs&& needs) {
    look_at_others();
    take_in();
    if (attempt()) return;
    for (;;) {
      drain();
      if (attempt()) return;
      publish(until_ == clock_ ? record(Kind::kRun) : testing_record(needs()));
      look_at_others();
      drain();
      if (attempt()) return;
    }
  }

  match::Record testing_record(std::vector<match::Need> needs) const {
    match::Need end;
    end.time = needs.empty() ? clock_ : until_;
    needs.push_back(end);
    match::Record mine = record(Kind::kWait);
    mine.any = true;
    mine.needs = std::move(needs);
    return mine;
  }

  // --- calls ---

  void act() { clock_ += failed_polls_.tick(lookahead()); }

  Event& event(bool flag) {
    Event& e = trace_.events.emplace_back();
    e.step = static_cast<int>(step_);
    e.flag = flag;
    e.clock = clock_;
    return e;
  }

  bool first_is_there(const Step& step) const {
    return !step.slots.empty() && slots_[static_cast<size_t>(step.slots.front())].use != Slot::Use::kEmpty;
  }

  void perform(const Step& step) {
    if (step.op == Op::kWork) {
      clock_ += step.work;
      publish(record(Kind::kRun));
      return;
    }
    const bool polls =
        step.op == Op::kTestall || step.op == Op::kTestany || step.op == Op::kTestsome || step.op == Op::kIprobe;
    for (unsigned calls = 1;; ++calls) {
      act();
      const Step polled = as_polled(step, first_is_there(step));
      until_ = clock_ + (polls ? failed_polls_.reach(polled, lookahead()) : 0);
      const bool answer = call(step);
      if (polls && !answer) failed_polls_.add(polled);
      else failed_polls_.forget();
      if (!polls || answer || !step.until_true) return;
      if (calls == max_polls_) {
        cut_off_ = true;
        return;
      }
    }
  }

  bool call(const Step& step) {
    if (!lets_hold(step.op)) settle_held(step.op == Op::kWaitall);
    switch (step.op) {
      case Op::kIsend:
      case Op::kIssend: return send(step);
      case Op::kIrecv: return post(step);
      case Op::kRecv: return receive(step);
      case Op::kWaitall:
      case Op::kWaitany:
      case Op::kWaitsome: return wait(step);
      case Op::kTestall:
      case Op::kTestany:
      case Op::kTestsome: return test_requests(step);
      case Op::kProbe:
      case Op::kIprobe: return probe(step);
      case Op::kCancel: return cancel(step);
      case Op::kBarrier:
      case Op::kBcast: return collective(step);
      case Op::kWork: break;
    }
    return true;
  }

  bool send(const Step& step) {
    drain();  // it may find no room, and takes in what comes meanwhile
    const int to = members(step.comm)[static_cast<size_t>(step.peer)];
    const auto context = static_cast<uint32_t>(step.comm);
    uint64_t& number = numbers_[{to, context}];
    const Time latency = match_test::latency(world_.program, self_, to, step.comm, number);
    Time& floor = floors_[{to, context}];
    floor = std::max(floor, clock_ + latency);
    Slot& slot = slots_[static_cast<size_t>(step.slot)];
    slot = {};
    slot.use = Slot::Use::kSend;
    slot.need.time = clock_;
    world_.scheduler.yield();
    auto& lane = world_.lanes[{self_, to}];
    Sent& sent = lane.emplace_back();
    sent.message.context = context;
    sent.message.tag = step.tag;
    sent.message.key = {floor, self_, number};
    sent.position = lane.size() - 1;
    if (step.op == Op::kIssend) {
      sent.synchronous = true;
      slot.use = Slot::Use::kSynchronous;
      slot.need.kind = match::Need::Kind::kAck;
      slot.need.time = floor;
      slot.need.peer = to;
      slot.need.position = sent.position;
    }
    ++number;
    event(true);
    publish(record(Kind::kRun));
    return true;
  }

  match::Receive pattern(const Step& step) const {
    match::Receive receive;
    receive.context = static_cast<uint32_t>(step.comm);
    receive.source = step.peer == kAny ? match::kAny : members(step.comm)[static_cast<size_t>(step.peer)];
    receive.tag = step.tag;
    receive.post = clock_;
    receive.senders = members(step.comm);
    return receive;
  }

  void prefer(match::Receive& receive, const Step& step) const {
    receive.usual = members(step.comm)[static_cast<size_t>(step.usual)];
    receive.grace = step.grace;
  }

  bool post(const Step& step) {
    Slot& slot = slots_[static_cast<size_t>(step.slot)];
    slot = {};
    slot.use = Slot::Use::kReceive;
    slot.receive = pattern(step);
    const auto competes = [&](const Slot& other) {
      return &other != &slot && other.receive.held && match::Matcher::overlap(other.receive, slot.receive);
    };
    if (std::ranges::any_of(slots_, competes)) settle_held(false);
    be_as_late(slot.receive);
    const auto in_the_way = [&](const Slot& other) {
      return &other != &slot && is_from_any(other) && !other.receive.held;
    };
    const bool behind = slot.receive.grace != 0;
    if (step.peer == kAny && step.grace != 0 && !behind && std::ranges::none_of(slots_, in_the_way)) {
      prefer(slot.receive, step);
      slot.receive.held = true;
    }
    matcher_.post(slot.receive);
    event(true);
    publish(record(Kind::kRun));
    return true;
  }

  // What is held prefers its usual source from now on, or nobody.
  void settle_held(bool prefer) {
    for (Slot& slot : slots_) {
      if (!slot.receive.held) continue;
      slot.receive.held = false;
      if (!prefer) slot.receive.prefer_nobody();
    }
  }

  // As receives that compete with it and that the program has not seen complete.
  void be_as_late(match::Receive& receive) const {
    for (const Slot& slot : slots_) {
      if (&slot.receive == &receive || slot.receive.held || !is_receive(slot)) continue;
      if (match::Matcher::overlap(slot.receive, receive)) receive.grace = std::max(receive.grace, slot.receive.grace);
    }
  }

  bool receive(const Step& step) {
    const bool alone = std::ranges::none_of(slots_, [&](const Slot& slot) { return is_from_any(slot); });
    Slot& slot = slots_[static_cast<size_t>(step.slot)];
    slot = {};
    slot.use = Slot::Use::kReceive;
    slot.receive = pattern(step);
    be_as_late(slot.receive);
    if (step.peer == kAny && step.grace != 0 && slot.receive.grace == 0 && alone) prefer(slot.receive, step);
    matcher_.post(slot.receive);
    const auto attempt = [&] {
      const auto time = match::wait_all({{outlook(slot)}}, clock_);
      if (time) clock_ = *time;
      return time.has_value();
    };
    block(false, attempt, [&] { return std::vector<match::Need>{need(slot)}; });
    conclude(true, {{step.slot}, {}}, {0});
    return true;
  }

  Requests requests(const Step& step) const {
    Requests all;
    for (const int slot : step.slots) {
      if (slots_[static_cast<size_t>(slot)].use == Slot::Use::kEmpty) continue;
      all.slots.push_back(slot);
      all.outlooks.push_back(outlook(slots_[static_cast<size_t>(slot)]));
    }
    return all;
  }

  int member_of(int comm, int rank) const {
    const auto& all = members(comm);
    return static_cast<int>(std::find(all.begin(), all.end(), rank) - all.begin());
  }

  Event::Completion complete(int number) {
    Slot& slot = slots_[static_cast<size_t>(number)];
    Event::Completion done;
    done.slot = number;
    done.cancelled = slot.use == Slot::Use::kCancelled;
    if (slot.use == Slot::Use::kReceive) {
      const Time time = slot.receive.time();
      match::Message& message = matcher_.take(slot.receive);
      done.source = member_of(static_cast<int>(message.context), message.key.source);
      done.tag = message.tag;
      done.message = message.key.number;
      std::erase_if(unacknowledged_, [&](Sent* sent) {
        if (&sent->message != &message) return false;
        acknowledge(*sent, time);
        return true;
      });
    }
    slot.use = Slot::Use::kEmpty;
    return done;
  }

  // Completes the requests at these indices, and records the call's return.
  void conclude(bool flag, const Requests& all, const std::vector<size_t>& indices) {
    std::vector<int> slots;
    for (const size_t index : indices) slots.push_back(all.slots[index]);
    std::sort(slots.begin(), slots.end());
    Event& e = event(flag);
    for (const int slot : slots) e.done.push_back(complete(slot));
    publish(record(Kind::kRun));
  }

  bool wait(const Step& step) {
    Requests all;
    std::vector<size_t> indices;
    const auto attempt = [&] {
      all = requests(step);
      if (all.slots.empty()) return true;
      if (step.op == Op::kWaitall) {
        const auto time = match::wait_all(all.outlooks, clock_);
        if (!time) return false;
        clock_ = *time;
        indices = every(all);
      } else if (step.op == Op::kWaitany) {
        const auto first = match::wait_any(all.outlooks);
        if (!first) return false;
        clock_ = std::max(clock_, first->time);
        indices = {first->index};
      } else {
        const auto some = match::wait_some(all.outlooks, clock_);
        if (!some) return false;
        clock_ = some->time;
        indices = some->indices;
      }
      return true;
    };
    const auto needs = [&] {
      std::vector<match::Need> list;
      std::vector<const Slot*> slots;
      for (const int slot : requests(step).slots) {
        const Slot& own = slots_[static_cast<size_t>(slot)];
        const auto earlier = std::ranges::find_if(slots, [&](const Slot* s) { return repeats(own, *s); });
        if (earlier == slots.end()) list.push_back(need(own));
        else list.push_back(repeat_of(static_cast<size_t>(earlier - slots.begin())));
        slots.push_back(&own);
      }
      return list;
    };
    block(step.op != Op::kWaitall, attempt, needs);
    conclude(true, all, indices);
    return true;
  }

  bool test_requests(const Step& step) {
    Requests all;
    std::vector<size_t> indices;
    bool flag = false;
    const auto attempt = [&] {
      all = requests(step);
      if (all.slots.empty()) {
        flag = true;
      } else if (step.op == Op::kTestall) {
        const auto answer = match::test_all(all.outlooks, clock_, until_);
        if (!answer) return false;
        clock_ = answer->time;
        flag = answer->complete;
        if (flag) indices = every(all);
      } else if (step.op == Op::kTestany) {
        const auto answer = match::test_any(all.outlooks, clock_, until_);
        if (!answer) return false;
        clock_ = answer->time;
        flag = answer->index != match::kNone;
        if (flag) indices = {answer->index};
      } else {
        const auto answer = match::test_some(all.outlooks, clock_, until_);
        if (!answer) return false;
        clock_ = answer->time;
        indices = answer->indices;
        flag = !indices.empty();
      }
      return true;
    };
    // Where all must be complete, one that is not stands for them.
    const auto needs = [&] {
      std::vector<match::Need> list;
      const Requests now = requests(step);
      for (size_t i = 0; i < now.slots.size(); ++i) {
        const bool counts = step.op != Op::kTestall || (list.empty() && !now.outlooks[i].final);
        if (counts) list.push_back(need(slots_[static_cast<size_t>(now.slots[i])]));
      }
      return list;
    };
    test(attempt, needs);
    conclude(flag, all, indices);
    return flag;
  }

  bool probe(const Step& step) {
    match::Receive receive = pattern(step);
    receive.probe = true;
    be_as_late(receive);
    matcher_.post(receive);
    bool flag = false;
    if (step.op == Op::kProbe) {
      block(
          false,
          [&] {
            const auto time = match::wait_all({{matcher_.outlook(receive, *this)}}, clock_);
            if (time) clock_ = *time;
            flag = true;
            return time.has_value();
          },
          [&] { return std::vector<match::Need>{need(receive)}; });
    } else {
      test(
          [&] {
            const auto answer = match::test_all({{matcher_.outlook(receive, *this)}}, clock_, until_);
            if (answer) clock_ = answer->time;
            flag = answer && answer->complete;
            return answer.has_value();
          },
          [&] { return std::vector<match::Need>{need(receive)}; });
    }
    Event& e = event(flag);
    if (flag) {
      const match::Message& message = *receive.message;
      e.done.push_back({-1, member_of(step.comm, message.key.source), message.tag, message.key.number, false});
    }
    matcher_.withdraw(receive, clock_);
    publish(record(Kind::kRun));
    return flag;
  }

  bool cancel(const Step& step) {
    Slot& slot = slots_[static_cast<size_t>(step.slot)];
    event(slot.use == Slot::Use::kReceive && withdraw(slot));
    publish(record(Kind::kRun));
    return true;
  }

  // A cancelled receive is complete, and stays until somebody asks for it.
  bool withdraw(Slot& slot) {
    bool cancelled = false;
    cancelling_ = true;
    until_ = clock_;
    test(
        [&] {
          const auto answer = match::cancel(outlook(slot), clock_);
          cancelled = answer.value_or(false);
          return answer.has_value();
        },
        [] { return std::vector<match::Need>{}; });
    cancelling_ = false;
    if (!cancelled) return false;
    matcher_.withdraw(slot.receive, clock_);
    slot.use = Slot::Use::kCancelled;
    slot.need = {};
    slot.need.time = clock_;
    return true;
  }

  bool collective(const Step& step) {
    const auto context = static_cast<uint32_t>(step.comm);
    const uint64_t sequence = entered_[context]++;
    world_.scheduler.yield();
    world_.entries[{context, sequence, self_}] = clock_;
    publish(record(Kind::kRun));
    std::vector<int> awaited;
    if (step.op == Op::kBarrier) {
      for (const int member : members(step.comm)) {
        if (member != self_) awaited.push_back(member);
      }
    } else if (const int root = members(step.comm)[static_cast<size_t>(step.peer)]; root != self_) {
      awaited.push_back(root);
    }
    match::Need need;
    block(
        false,
        [&] {
          need = {};
          need.kind = match::Need::Kind::kMarks;
          need.time = clock_;
          for (const int member : awaited) {
            const auto entry = world_.entered(context, sequence, member);
            if (entry) need.time = std::max(need.time, match::later(*entry, lookahead()));
            else need.sources.push_back({member, context, sequence});
          }
          if (!need.sources.empty()) return false;
          clock_ = need.time;
          return true;
        },
        [&] { return std::vector<match::Need>{need}; });
    event(true);
    publish(record(Kind::kRun));
    return true;
  }

  // Pending receives are withdrawn.
  void finish() {
    trace_.clock = clock_;
    clock_ += 1;
    settle_held(false);
    for (Slot& slot : slots_) {
      if (slot.use == Slot::Use::kReceive && !withdraw(slot)) complete(static_cast<int>(&slot - slots_.data()));
    }
    publish(record(Kind::kDone));
    done_ = true;
  }

  // A rank that polls for ever takes no further part, but its receives stay posted.
  void serve_for_ever() {
    block(
        true, [] { return false; }, [] { return std::vector<match::Need>{}; });
  }

  World& world_;
  int self_;
  unsigned max_polls_;
  int ranks_;
  match::Matcher matcher_;
  std::vector<Slot> slots_;
  RankTrace trace_;
  size_t step_ = 0;
  Time clock_ = 0;
  Time until_ = 0;  // of a poll
  FailedPolls failed_polls_{self_};
  bool cancelling_ = false;
  bool cut_off_ = false, done_ = false, stuck_ = false, went_on_ = false, deadlock_ = false;

  Time published_clock_ = 0;
  match::Snapshot snapshot_{world_, lookahead()};
  std::vector<Time> known_;   // bounds of the last look at the others
  std::vector<Time> bounds_;  // those that hold for messages that have not been taken in
  std::map<std::pair<int, uint32_t>, Time> floors_;
  std::map<std::pair<int, uint32_t>, uint64_t> numbers_;
  std::map<uint32_t, uint64_t> entered_;
  std::vector<Sent*> unacknowledged_;
};

}  // namespace

EngineRun run_engine(const Program& program, uint64_t schedule, unsigned max_polls) {
  World world(program, schedule);
  std::vector<std::unique_ptr<Rank>> ranks;
  for (int rank = 0; rank < program.ranks; ++rank) ranks.push_back(std::make_unique<Rank>(world, rank, max_polls));
  for (auto& rank : ranks) world.scheduler.add(&Rank::run, rank.get());
  EngineRun run;
  run.hung =
      !world.scheduler.run([&] { return std::ranges::all_of(ranks, [](const auto& r) { return r->at_rest(); }); });
  for (auto& rank : ranks) {
    run.trace.push_back(rank->trace());
    run.false_verdict = run.false_verdict || rank->went_on();
  }
  return run;
}

}  // namespace match_test
