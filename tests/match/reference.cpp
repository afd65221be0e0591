// The reference: the whole job simulated instant by instant. At an instant x, in this order:
//
//   1  messages that arrive at x are delivered, in the order of their keys
//   2  calls that wait return if what they wait for has happened
//   3  ranks whose next call is due at x make it; calls that need not wait return at once
//
// Whatever a call causes elsewhere happens at x + 1 or later, so the order of the ranks within an instant does not
// matter.
#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "program.hpp"

namespace match_test {
namespace {

constexpr Time kNever = ~Time{0};

struct Letter {  // a message
  Time arrival = 0;
  int from = 0;  // rank
  uint64_t number = 0;
  int to = 0;
  int comm = 0, tag = 0;
  Time latency = 0;
  bool delivered = false, taken = false;
  Time matched = kNever;
  bool before(const Letter& other) const {
    return std::tie(arrival, from, number) < std::tie(other.arrival, other.from, other.number);
  }
};

struct Request {
  enum class Kind { kNone, kSend, kSynchronous, kReceive } kind = Kind::kNone;
  Time post = 0;
  int comm = 0, source = 0, tag = 0;  // receive: rank or kAny
  size_t letter = ~size_t{0};         // what a synchronous send sent, or a receive got
};

enum class Life { kActive, kBlocked, kDone, kCutOff };

struct RankState {
  Life life = Life::kActive;
  Time clock = 0, tick = 1;
  size_t step = 0;
  unsigned polls = 0, failed_polls = 0;  // of this step; in a row
  std::vector<Request> requests;         // by slot
  std::vector<size_t> posted;            // slots of pending receives, in post order
  std::map<int, size_t> collectives;     // entered so far, by communicator
  RankTrace trace;
};

class Simulation {
 public:
  Simulation(const Program& program, unsigned max_polls, bool backwards)
      : program_(program), max_polls_(max_polls), ranks_(static_cast<size_t>(program.ranks)) {
    for (int r = 0; r < program.ranks; ++r) order_.push_back(r);
    if (backwards) std::reverse(order_.begin(), order_.end());
    for (size_t r = 0; r < ranks_.size(); ++r) {
      ranks_[r].requests.resize(static_cast<size_t>(slots_of(program, static_cast<int>(r))));
      skip_work(static_cast<int>(r));
    }
  }

  Trace run() {
    for (Time now = next_instant(0); now != kNever; now = next_instant(now + 1)) {
      deliver(now);
      for (const int r : order_) {
        if (at(r).life == Life::kBlocked) try_return(r, now);
      }
      for (const int r : order_) {
        if (at(r).life == Life::kActive && due(r) == now) call(r, now);
      }
    }
    Trace trace;
    for (RankState& rank : ranks_) {
      rank.trace.stuck = rank.life != Life::kDone;
      rank.trace.clock = rank.clock;
      trace.push_back(rank.trace);
    }
    return trace;
  }

 private:
  RankState& at(int rank) { return ranks_[static_cast<size_t>(rank)]; }
  const std::vector<int>& members(int comm) const { return program_.comms[static_cast<size_t>(comm)]; }
  const std::vector<Step>& steps(int rank) const { return program_.steps[static_cast<size_t>(rank)]; }
  Time due(int rank) { return at(rank).clock + at(rank).tick; }

  // The first instant from `from` on at which anything can happen.
  Time next_instant(Time from) {
    Time next = kNever;
    const auto consider = [&](Time time) {
      if (time >= from && time != kNever) next = std::min(next, time);
    };
    for (const Letter& letter : letters_) {
      if (!letter.delivered) consider(letter.arrival);
      if (letter.matched != kNever) consider(letter.matched + letter.latency);
    }
    for (const int r : order_) {
      if (at(r).life == Life::kActive) consider(due(r));
    }
    for (const auto& [name, time] : entries_) consider(time + program_.lookahead);
    return next;
  }

  // --- matching ---

  static bool accepts(const Request& receive, const Letter& letter) {
    return receive.comm == letter.comm && (receive.source == kAny || receive.source == letter.from) &&
           (receive.tag == kAny || receive.tag == letter.tag);
  }

  void deliver(Time now) {
    std::vector<size_t> due_now;
    for (size_t i = 0; i < letters_.size(); ++i) {
      if (!letters_[i].delivered && letters_[i].arrival == now) due_now.push_back(i);
    }
    std::ranges::sort(due_now, [&](size_t a, size_t b) { return letters_[a].before(letters_[b]); });
    for (const size_t i : due_now) {
      letters_[i].delivered = true;
      RankState& rank = at(letters_[i].to);
      if (rank.life == Life::kDone) continue;
      const auto slot =
          std::ranges::find_if(rank.posted, [&](size_t s) { return accepts(rank.requests[s], letters_[i]); });
      if (slot == rank.posted.end()) continue;
      match(rank, *slot, i, now);
      rank.posted.erase(slot);
    }
  }

  void match(RankState& rank, size_t slot, size_t letter, Time now) {
    rank.requests[slot].letter = letter;
    letters_[letter].taken = true;
    letters_[letter].matched = now;
  }

  // The first unexpected message that the receive would take.
  std::optional<size_t> unexpected(int to, const Request& receive) const {
    std::optional<size_t> first;
    for (size_t i = 0; i < letters_.size(); ++i) {
      const Letter& letter = letters_[i];
      if (letter.to != to || !letter.delivered || letter.taken || !accepts(receive, letter)) continue;
      if (!first || letter.before(letters_[*first])) first = i;
    }
    return first;
  }

  Time completion(const Request& request) const {
    switch (request.kind) {
      case Request::Kind::kSend: return request.post;
      case Request::Kind::kSynchronous: {
        const Letter& letter = letters_[request.letter];
        return letter.matched == kNever ? kNever : letter.matched + letter.latency;
      }
      case Request::Kind::kReceive:
        return request.letter == ~size_t{0} ? kNever : std::max(request.post, letters_[request.letter].arrival);
      case Request::Kind::kNone: break;
    }
    return kNever;
  }

  // --- calls ---

  void call(int r, Time now) {
    RankState& rank = at(r);
    rank.clock = now;
    rank.tick = 1;
    if (rank.step == steps(r).size()) {
      rank.life = Life::kDone;
      return;
    }
    const Step& step = steps(r)[rank.step];
    switch (step.op) {
      case Op::kIsend:
      case Op::kIssend: send(r, step); break;
      case Op::kIrecv: receive(r, step); break;
      case Op::kCancel: cancel(r, step); break;
      case Op::kBarrier:
      case Op::kBcast:
        entries_[{step.comm, rank.collectives[step.comm]++, r}] = now;
        rank.life = Life::kBlocked;
        try_return(r, now);
        break;
      case Op::kWaitall:
      case Op::kWaitany:
      case Op::kWaitsome:
      case Op::kProbe:
        rank.life = Life::kBlocked;
        try_return(r, now);
        break;
      case Op::kTestall:
      case Op::kTestany:
      case Op::kTestsome:
      case Op::kIprobe: poll(r, step, now); break;
      case Op::kWork: break;
    }
  }

  Request pattern(int comm, const Step& step, Time now) const {
    Request request;
    request.kind = Request::Kind::kReceive;
    request.post = now;
    request.comm = comm;
    request.source = step.peer == kAny ? kAny : members(comm)[static_cast<size_t>(step.peer)];
    request.tag = step.tag;
    return request;
  }

  void send(int r, const Step& step) {
    RankState& rank = at(r);
    Letter letter;
    letter.from = r;
    letter.to = members(step.comm)[static_cast<size_t>(step.peer)];
    letter.comm = step.comm;
    letter.tag = step.tag;
    Time floor = 0;
    for (const Letter& other : letters_) {
      if (other.from != r || other.to != letter.to || other.comm != step.comm) continue;
      floor = std::max(floor, other.arrival);
      ++letter.number;
    }
    letter.latency = latency(program_, r, letter.to, step.comm, letter.number);
    letter.arrival = std::max(floor, rank.clock + letter.latency);
    Request& request = rank.requests[static_cast<size_t>(step.slot)];
    request = {};
    request.kind = step.op == Op::kIssend ? Request::Kind::kSynchronous : Request::Kind::kSend;
    request.post = rank.clock;
    request.letter = letters_.size();
    letters_.push_back(letter);
    finish_step(r, true, {});
  }

  void receive(int r, const Step& step) {
    RankState& rank = at(r);
    const auto slot = static_cast<size_t>(step.slot);
    rank.requests[slot] = pattern(step.comm, step, rank.clock);
    if (const auto letter = unexpected(r, rank.requests[slot])) match(rank, slot, *letter, rank.clock);
    else rank.posted.push_back(slot);
    finish_step(r, true, {});
  }

  void cancel(int r, const Step& step) {
    RankState& rank = at(r);
    Request& request = rank.requests[static_cast<size_t>(step.slot)];
    const auto pending = std::ranges::find(rank.posted, static_cast<size_t>(step.slot));
    if (request.kind != Request::Kind::kReceive || pending == rank.posted.end()) {
      finish_step(r, request.kind != Request::Kind::kReceive, {});
      return;
    }
    rank.posted.erase(pending);
    request = {};
    finish_step(r, true, {{step.slot, -1, 0, 0, true}});
  }

  // The slots of a call that hold requests, in its order, with their times.
  std::vector<std::pair<int, Time>> requests(int r, const Step& step) {
    std::vector<std::pair<int, Time>> all;
    for (const int slot : step.slots) {
      const Request& request = at(r).requests[static_cast<size_t>(slot)];
      if (request.kind != Request::Kind::kNone) all.emplace_back(slot, completion(request));
    }
    return all;
  }

  Event::Completion complete(int r, int slot) {
    Request& request = at(r).requests[static_cast<size_t>(slot)];
    Event::Completion done;
    done.slot = slot;
    if (request.kind == Request::Kind::kReceive) fill(done, letters_[request.letter]);
    request = {};
    return done;
  }
  void fill(Event::Completion& done, const Letter& letter) const {
    const auto& all = members(letter.comm);
    done.source = static_cast<int>(std::ranges::find(all, letter.from) - all.begin());
    done.tag = letter.tag;
    done.message = letter.number;
  }

  // What a wait or test of this kind completes at `now`; nothing if it is not satisfied.
  std::optional<std::vector<int>> satisfied(int r, const Step& step, Time now) {
    const auto all = requests(r, step);
    std::vector<int> by_now;
    const std::pair<int, Time>* first = nullptr;
    for (const auto& request : all) {
      if (request.second > now) continue;
      by_now.push_back(request.first);
      if (first == nullptr || request.second < first->second) first = &request;
    }
    if (all.empty()) return by_now;
    const bool every = step.op == Op::kWaitall || step.op == Op::kTestall;
    if (by_now.empty() || (every && by_now.size() < all.size())) return {};
    if (step.op == Op::kWaitany || step.op == Op::kTestany) return std::vector<int>{first->first};
    std::ranges::sort(by_now);
    return by_now;
  }

  void try_return(int r, Time now) {
    const Step& step = steps(r)[at(r).step];
    std::vector<Event::Completion> done;
    if (step.op == Op::kBarrier || step.op == Op::kBcast) {
      if (!all_entered(r, step, now)) return;
    } else if (step.op == Op::kProbe) {
      const auto letter = unexpected(r, pattern(step.comm, step, now));
      if (!letter) return;
      done.push_back({-1, 0, 0, 0, false});
      fill(done.back(), letters_[*letter]);
    } else {
      const auto slots = satisfied(r, step, now);
      if (!slots) return;
      for (const int slot : *slots) done.push_back(complete(r, slot));
    }
    at(r).life = Life::kActive;
    at(r).clock = now;
    finish_step(r, true, done);
  }

  bool all_entered(int r, const Step& step, Time now) {
    const size_t sequence = at(r).collectives[step.comm] - 1;
    const int root = members(step.comm)[static_cast<size_t>(step.op == Op::kBcast ? step.peer : 0)];
    for (const int member : members(step.comm)) {
      if (member == r || (step.op == Op::kBcast && (r == root || member != root))) continue;
      const auto entry = entries_.find({step.comm, sequence, member});
      if (entry == entries_.end() || entry->second + program_.lookahead > now) return false;
    }
    return true;
  }

  void poll(int r, const Step& step, Time now) {
    RankState& rank = at(r);
    std::vector<Event::Completion> done;
    bool flag = false;
    if (step.op == Op::kIprobe) {
      const auto letter = unexpected(r, pattern(step.comm, step, now));
      flag = letter.has_value();
      if (flag) {
        done.push_back({-1, 0, 0, 0, false});
        fill(done.back(), letters_[*letter]);
      }
    } else if (const auto slots = satisfied(r, step, now)) {
      flag = true;
      for (const int slot : *slots) done.push_back(complete(r, slot));
    }
    if (flag || !step.until_true) {
      finish_step(r, flag, done);
    } else {
      note(r, flag, done);
      if (++rank.polls == max_polls_) rank.life = Life::kCutOff;
    }
    if (flag) return;
    // Whoever polls in vain comes again later and later.
    const Time most = std::max<Time>(1, program_.lookahead / 16);
    ++rank.failed_polls;
    rank.tick = rank.failed_polls < 40 ? std::min(Time{1} << rank.failed_polls, most) : most;
  }

  void note(int r, bool flag, std::vector<Event::Completion> done) {
    RankState& rank = at(r);
    Event event;
    event.step = static_cast<int>(rank.step);
    event.flag = flag;
    event.clock = rank.clock;
    event.done = std::move(done);
    rank.trace.events.push_back(std::move(event));
  }

  void finish_step(int r, bool flag, std::vector<Event::Completion> done) {
    RankState& rank = at(r);
    const Op op = steps(r)[rank.step].op;
    const bool polls = op == Op::kTestall || op == Op::kTestany || op == Op::kTestsome || op == Op::kIprobe;
    if (!polls || flag) rank.failed_polls = 0;
    note(r, flag, std::move(done));
    rank.step += 1;
    rank.polls = 0;
    skip_work(r);
  }

  void skip_work(int r) {
    RankState& rank = at(r);
    for (; rank.step < steps(r).size() && steps(r)[rank.step].op == Op::kWork; ++rank.step) {
      rank.clock += steps(r)[rank.step].work;
    }
  }

  const Program& program_;
  unsigned max_polls_;
  std::vector<RankState> ranks_;
  std::vector<int> order_;
  std::vector<Letter> letters_;
  std::map<std::tuple<int, size_t, int>, Time> entries_;
};

}  // namespace

Trace run_reference(const Program& program, unsigned max_polls) { return Simulation(program, max_polls, false).run(); }
Trace run_reference_backwards(const Program& program, unsigned max_polls) {
  return Simulation(program, max_polls, true).run();
}

}  // namespace match_test
