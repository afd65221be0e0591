// Three passes: the times of all calls, rank by rank; what they posted, and from this the matching of the whole job at
// once; then every call against its formula.
//
// The matching needs no simulation: receives in post order, each takes the first compatible message in key order that
// is still free. This is the only stable matching, as all messages rank receives alike (by post) and all receives rank
// messages alike (by key). Compatible includes that the message arrives before the receive is withdrawn.
#include "check_trace.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <stdexcept>
#include <tuple>

#include <chan/match/poll.hpp>

namespace match_test {
namespace {

constexpr Time kNever = std::numeric_limits<Time>::max();

struct Call {
  const Step* step = nullptr;
  Time time = 0;                 // t
  const Event* event = nullptr;  // none: the call in which a rank is stuck
  Time reach = 0;                // of a poll: so long it waits
  Time grace = 0;                // of a probe: messages come to it later by that
};

struct Sent {
  int from = 0, to = 0, comm = 0, source = 0, tag = 0;
  uint64_t number = 0;
  Time arrival = 0;
  Time taken = kNever;  // T of the receive that it matches
};

struct Posted {
  const Step* step = nullptr;
  Time time = 0;
  int usual = kAny;  // messages of others come later by the grace
  Time grace = 0;
  Time until = kNever;                 // withdrawn then
  std::optional<size_t> message = {};  // in sent_
  Time complete = kNever;              // T
};

// When the message comes to the receive.
Time due(const Posted& receive, const Sent& message) {
  return message.source != receive.usual ? message.arrival + receive.grace : message.arrival;
}

bool polls(const Step& step) {
  return step.op == Op::kTestall || step.op == Op::kTestany || step.op == Op::kTestsome || step.op == Op::kIprobe;
}

bool blocks(const Step& step) {
  return step.op == Op::kWaitall || step.op == Op::kWaitany || step.op == Op::kWaitsome || step.op == Op::kProbe ||
         step.op == Op::kRecv || step.op == Op::kBarrier || step.op == Op::kBcast;
}

bool fills(Op op) { return op == Op::kIsend || op == Op::kIssend || op == Op::kIrecv; }

bool fits(const Step& pattern, const Sent& message) {
  return pattern.comm == message.comm && (pattern.peer == kAny || pattern.peer == message.source) &&
         (pattern.tag == kAny || pattern.tag == message.tag);
}

// What a call should have given: when it returns (kNever: not), its answer, what it completed.
struct Expected {
  Time returns = kNever;
  bool flag = true;
  std::vector<Event::Completion> done;
};

class Checker {
 public:
  Checker(const Program& program, const Trace& trace, unsigned max_polls)
      : program_(program), trace_(trace), max_polls_(max_polls), calls_(trace.size()), receives_(trace.size()) {}

  void check() {
    require(trace_.size() == static_cast<size_t>(program_.ranks), "number of ranks");
    for (size_t rank = 0; rank < trace_.size(); ++rank) list_calls(rank);
    for (size_t rank = 0; rank < trace_.size(); ++rank) list_posts(rank);
    for (size_t rank = 0; rank < trace_.size(); ++rank) match(rank);
    for (size_t rank = 0; rank < trace_.size(); ++rank) check_calls(rank);
  }

 private:
  static void require(bool good, const std::string& what) {
    if (!good) throw std::runtime_error(what);
  }

  static std::string place(size_t rank, const Step* step, const Program& program) {
    std::ostringstream text;
    text << "rank " << rank << " step " << step - program.steps[rank].data();
    return text.str();
  }

  // --- First pass: who calls when ---

  void list_calls(size_t rank) {
    const auto& steps = program_.steps[rank];
    const auto& events = trace_[rank].events;
    Time clock = 0;
    std::vector<Step> failed;  // polls in a row
    uint64_t rows = 0;         // of such
    std::set<int> filled;      // slots
    size_t next = 0;
    bool cut = false;
    for (const Step& step : steps) {
      if (step.op == Op::kWork) {
        clock += step.work;
        continue;
      }
      for (unsigned n = 1;; ++n) {
        const Time call = clock + tick(failed, static_cast<int>(rank), rows);
        const Event* event = next < events.size() ? &events[next++] : nullptr;
        const Step polled = as_polled(step, !step.slots.empty() && filled.count(step.slots.front()) != 0);
        calls_[rank].push_back({&step, call, event, reach(failed, polled)});
        if (event == nullptr) {
          require(trace_[rank].stuck, place(rank, &step, program_) + ": the trace ends early");
          require(trace_[rank].clock == call, place(rank, &step, program_) + ": clock of the stuck rank");
          return;
        }
        require(event->step == &step - steps.data(), place(rank, &step, program_) + ": another step's event");
        clock = event->clock;
        const bool fails = polls(step) && !event->flag;
        rows += fails && failed.empty();
        if (fails) failed.push_back(polled);
        else failed.clear();
        if (fills(step.op)) filled.insert(step.slot);
        for (const auto& done : event->done) filled.erase(done.slot);
        if (!fails || !step.until_true) break;
        cut = n >= max_polls_;
        if (cut) break;
      }
      if (cut) break;
    }
    require(next == events.size(), "rank " + std::to_string(rank) + ": events after its end");
    require(trace_[rank].stuck == cut, "rank " + std::to_string(rank) + ": stuck without a reason");
    require(trace_[rank].clock == clock, "rank " + std::to_string(rank) + ": clock at the end");
  }

  Time tick(const std::vector<Step>& failed, int rank, uint64_t row) const {
    return 1 + (failed.size() == 1 ? chan::match::stumble(rank, row, program_.lookahead) : 0);
  }

  Time reach(const std::vector<Step>& failed, const Step& step) const {
    if (!polls(step) || failed.empty() || !polls_for_same(failed[0], step)) return 0;
    int returns = 0;
    Time result = 1;
    for (const Step& before : failed) {
      if (!polls_for_same(before, step)) continue;
      ++returns;
      if (result < program_.lookahead) result *= 2;
    }
    if (returns == 2 && step.op != Op::kIprobe) return program_.lookahead;
    return std::min(result, program_.lookahead / 4 > 1 ? program_.lookahead / 4 : 1);
  }

  // --- Second pass: messages, receives, entries ---

  void list_posts(size_t rank) {
    std::map<int, size_t> latest;  // receive by slot
    Open open;
    for (Call& call : calls_[rank]) {
      const Step& step = *call.step;
      if (!lets_hold(step.op)) open.held.clear();
      switch (step.op) {
        case Op::kIsend:
        case Op::kIssend:
          message_of_[&step] = sent_.size();
          sent_.push_back(message(rank, step, call.time));
          break;
        case Op::kIrecv:
          latest[step.slot] = receives_[rank].size();
          receives_[rank].push_back(posted(rank, call, open));
          break;
        case Op::kRecv: receives_[rank].push_back(received(call, open)); break;
        case Op::kProbe:
        case Op::kIprobe: call.grace = grace_behind(open.all_late(), step); break;
        case Op::kCancel:
          if (call.event != nullptr && call.event->flag) {
            require(latest.count(step.slot) != 0, place(rank, &step, program_) + ": cancelled no receive");
            receives_[rank][latest[step.slot]].until = call.time;
          }
          break;
        case Op::kBarrier:
        case Op::kBcast: entries_[{step.comm, member(rank, step.comm)}].push_back(call.time); break;
        default: break;
      }
      if (call.event == nullptr) continue;
      for (const auto& done : call.event->done) open.close(done.slot);
    }
    if (trace_[rank].stuck) return;
    for (Posted& receive : receives_[rank]) receive.until = std::min(receive.until, trace_[rank].clock + 1);
  }

  // Receives of one rank that it has not seen complete, by slot.
  struct Open {
    std::set<int> from_any;
    std::map<int, Step> held;
    std::map<int, Step> late;

    static std::vector<Step> steps(const std::map<int, Step>& by_slot) {
      std::vector<Step> steps;
      for (const auto& [slot, step] : by_slot) steps.push_back(step);
      return steps;
    }
    std::vector<Step> all_late() const { return steps(late); }
    void close(int slot) {
      from_any.erase(slot);
      late.erase(slot);
    }
  };

  // A kIrecv, which may be held from now on.
  Posted posted(size_t rank, const Call& call, Open& open) const {
    const Step& step = *call.step;
    if (std::ranges::any_of(open.held, [&](const auto& other) { return competes(other.second, step); })) {
      open.held.clear();
    }
    Posted receive{&step, call.time};
    receive.grace = grace_behind(open.all_late(), step);
    const bool holds =
        step.peer == kAny && step.grace != 0 && receive.grace == 0 && open.held.size() == open.from_any.size();
    if (step.peer == kAny) open.from_any.insert(step.slot);
    if (holds) {
      const auto index = static_cast<size_t>(&step - program_.steps[rank].data());
      if (comes_to_prefer(program_.steps[rank], index, {Open::steps(open.held), open.all_late()})) {
        receive.usual = step.usual;
        receive.grace = step.grace;
      }
      open.held[step.slot] = step;
    }
    if (receive.grace != 0) {
      Step late = step;
      late.grace = receive.grace;
      open.late[step.slot] = late;
    }
    return receive;
  }

  static Posted received(const Call& call, const Open& open) {
    const Step& step = *call.step;
    Posted receive{&step, call.time};
    receive.grace = grace_behind(open.all_late(), step);
    if (step.peer == kAny && open.from_any.empty() && receive.grace == 0) {
      receive.usual = step.usual;
      receive.grace = step.grace;
    }
    return receive;
  }

  Sent message(size_t rank, const Step& step, Time time) {
    Sent result;
    result.from = static_cast<int>(rank);
    result.to = program_.comms[static_cast<size_t>(step.comm)][static_cast<size_t>(step.peer)];
    result.comm = step.comm;
    result.source = member(rank, step.comm);
    result.tag = step.tag;
    for (const Sent& earlier : sent_) {
      if (earlier.from != result.from || earlier.to != result.to || earlier.comm != result.comm) continue;
      ++result.number;
      result.arrival = earlier.arrival;
    }
    const Time delay = latency(program_, result.from, result.to, result.comm, result.number);
    result.arrival = std::max(result.arrival, time + delay);
    return result;
  }

  int member(size_t rank, int comm) const {
    const auto& members = program_.comms[static_cast<size_t>(comm)];
    return static_cast<int>(std::find(members.begin(), members.end(), static_cast<int>(rank)) - members.begin());
  }

  // The least of the messages to `rank`, in key order, for which `good` holds. `time`: when it comes.
  template <class Good, class Coming>
  std::optional<size_t> first_message(size_t rank, Good good, Coming time) const {
    const auto key = [&](size_t i) { return std::tuple(time(sent_[i]), sent_[i].from, sent_[i].number); };
    std::optional<size_t> first;
    for (size_t i = 0; i < sent_.size(); ++i) {
      if (sent_[i].to != static_cast<int>(rank) || !good(sent_[i])) continue;
      if (!first || key(i) < key(*first)) first = i;
    }
    return first;
  }

  void match(size_t rank) {
    for (Posted& receive : receives_[rank]) {
      const auto free = [&](const Sent& message) {
        return message.taken == kNever && due(receive, message) <= receive.until && fits(*receive.step, message);
      };
      receive.message = first_message(rank, free, [&](const Sent& message) { return due(receive, message); });
      if (!receive.message) continue;
      Sent& message = sent_[*receive.message];
      receive.complete = message.taken = std::max(receive.time, due(receive, message));
    }
  }

  // --- Third pass: every call ---

  struct Held {
    Time complete = kNever;
    Event::Completion outcome;
    const Posted* receive = nullptr;
  };
  using Slots = std::map<int, Held>;

  void check_calls(size_t rank) const {
    Slots slots;
    size_t receives = 0;
    for (const Call& call : calls_[rank]) {
      const Step& step = *call.step;
      if (step.op == Op::kIsend || step.op == Op::kIssend) slots[step.slot] = held_send(call);
      if (step.op == Op::kIrecv || step.op == Op::kRecv) slots[step.slot] = held_receive(receives_[rank][receives++]);
      Expected expected = expect(rank, call, slots);
      compare(rank, call, expected);
      for (const auto& completion : expected.done) slots.erase(completion.slot);
    }
  }

  void compare(size_t rank, const Call& call, Expected& expected) const {
    const std::string where = place(rank, call.step, program_);
    if (call.event == nullptr) return require(expected.returns == kNever, where + ": stuck, but it could return");
    require(expected.returns != kNever, where + ": returned, but nothing lets it");
    require(call.event->clock == expected.returns, where + ": clock, not " + std::to_string(expected.returns));
    require(call.event->flag == expected.flag, where + ": answer");
    std::sort(expected.done.begin(), expected.done.end(), [](auto& a, auto& b) { return a.slot < b.slot; });
    require(call.event->done == expected.done, where + ": completions");
  }

  Held held_send(const Call& call) const {
    const Sent& message = sent_[message_of_.at(call.step)];
    Held held;
    held.outcome.slot = call.step->slot;
    held.complete = call.time;
    if (call.step->op == Op::kIssend)
      held.complete = message.taken == kNever ? kNever : message.taken + chan::match::kAckLatency;
    return held;
  }

  Held held_receive(const Posted& receive) const {
    Held held;
    held.receive = &receive;
    held.complete = receive.complete;
    held.outcome.slot = receive.step->slot;
    if (receive.message) held.outcome = outcome_of(receive.step->slot, sent_[*receive.message]);
    return held;
  }

  static Event::Completion outcome_of(int slot, const Sent& message) {
    return {slot, message.source, message.tag, message.number, false};
  }

  Expected expect(size_t rank, const Call& call, Slots& slots) const {
    switch (call.step->op) {
      case Op::kCancel: return expect_cancel(call, slots);
      case Op::kBarrier:
      case Op::kBcast: return expect_collective(rank, call);
      case Op::kProbe:
      case Op::kIprobe: return expect_probe(rank, call);
      case Op::kWaitall:
      case Op::kWaitany:
      case Op::kWaitsome:
      case Op::kTestall:
      case Op::kTestany:
      case Op::kTestsome: return expect_completion(call, call.step->slots, slots);
      case Op::kRecv: return expect_completion(call, {call.step->slot}, slots);
      default: return {call.time, true, {}};
    }
  }

  // The time at which the wait is true and what it then takes; a test is true if that is not after its end.
  static Expected expect_completion(const Call& call, const std::vector<int>& of, const Slots& slots) {
    std::vector<Held> held;
    for (int slot : of) {
      if (slots.count(slot) != 0) held.push_back(slots.at(slot));
    }
    if (held.empty()) return {call.time, true, {}};
    const auto earlier = [](const Held& a, const Held& b) { return a.complete < b.complete; };
    const Op op = call.step->op;
    const bool all = op == Op::kWaitall || op == Op::kTestall || op == Op::kRecv,
               any = op == Op::kWaitany || op == Op::kTestany;
    const auto decides =
        all ? std::max_element(held.begin(), held.end(), earlier) : std::min_element(held.begin(), held.end(), earlier);
    Expected result;
    result.returns = std::max(call.time, decides->complete);
    if (polls(*call.step) && result.returns > call.time + call.reach) return {call.time + call.reach, false, {}};
    if (result.returns == kNever) return result;
    if (any) return {result.returns, true, {decides->outcome}};
    for (const Held& request : held) {
      if (request.complete <= result.returns) result.done.push_back(request.outcome);
    }
    return result;
  }

  // A probe sees the first message that no receive has when both the message and the probe are there.
  Expected expect_probe(size_t rank, const Call& call) const {
    const auto seen = [&](const Sent& message) {
      const Time due = message.arrival + call.grace;
      if (call.step->op == Op::kIprobe && due > call.time + call.reach) return false;
      return fits(*call.step, message) && message.taken > std::max(call.time, due);
    };
    const auto first = first_message(rank, seen, [](const Sent& message) { return message.arrival; });
    if (!first) return {blocks(*call.step) ? kNever : call.time + call.reach, false, {}};
    return {std::max(call.time, sent_[*first].arrival + call.grace), true, {outcome_of(-1, sent_[*first])}};
  }

  // `until` was taken from the trace's answer: a receive that was cancelled must be one that then matched nothing.
  static Expected expect_cancel(const Call& call, Slots& slots) {
    const auto found = slots.find(call.step->slot);
    if (found == slots.end() || found->second.receive == nullptr || found->second.complete <= call.time) {
      return {call.time, false, {}};
    }
    found->second.complete = call.time;
    found->second.outcome = {call.step->slot, -1, 0, 0, true};
    return {call.time, true, {}};
  }

  Expected expect_collective(size_t rank, const Call& call) const {
    const Step& step = *call.step;
    const int self = member(rank, step.comm);
    const auto& own = entries_.at({step.comm, self});
    const auto turn = static_cast<size_t>(std::find(own.begin(), own.end(), call.time) - own.begin());
    Expected result;
    result.returns = call.time;
    for (int other = 0; other < static_cast<int>(program_.comms[static_cast<size_t>(step.comm)].size()); ++other) {
      if (other == self || (step.op == Op::kBcast && other != step.peer)) continue;
      const auto theirs = entries_.find({step.comm, other});
      if (theirs == entries_.end() || theirs->second.size() <= turn) return {kNever, true, {}};
      result.returns = std::max(result.returns, theirs->second[turn] + program_.lookahead);
    }
    return result;
  }

  const Program& program_;
  const Trace& trace_;
  const unsigned max_polls_;
  std::vector<std::vector<Call>> calls_;                      // by rank
  std::vector<std::vector<Posted>> receives_;                 // by rank, in post order
  std::vector<Sent> sent_;                                    // of one rank in the order of its calls
  std::map<const Step*, size_t> message_of_;                  // in sent_
  std::map<std::pair<int, int>, std::vector<Time>> entries_;  // by comm and member
};

}  // namespace

std::string check_trace(const Program& program, const Trace& trace, unsigned max_polls) {
  try {
    Checker(program, trace, max_polls).check();
  } catch (const std::runtime_error& wrong) {
    return wrong.what();
  }
  return {};
}

}  // namespace match_test
