// Random programs. A program is made of scenes, each a small piece of sensible communication whose steps are appended
// to the ranks that play in it; so most of it ends well, but for wildcards that take another scene's message and for
// blocking steps in a bad order. Then a part of the programs is damaged in one or two places.
//
// Only the generator's own numbers are used, not the distributions of the standard library, which differ between
// libraries: the same seed is the same program everywhere.
#include <algorithm>
#include <random>
#include <stdexcept>

#include "program.hpp"

namespace match_test {
namespace {

class Generator {
 public:
  Generator(uint64_t seed, const Shape& shape) : random_(seed), shape_(shape) {
    if (shape.ranks < 2 || shape.ranks > 16) throw std::invalid_argument("2 to 16 ranks");
  }

  Program make() {
    set_up();
    const int total = shape_.ranks * shape_.steps;
    while (count_steps() < total) scene();
    for (int rank = 0; rank < shape_.ranks; ++rank) {
      if (chance(80)) finish(rank);
    }
    if (chance(40)) damage();
    if (chance(15)) damage();
    return program_;
  }

 private:
  struct Open {
    int slot = 0;
    bool cancellable = false;  // a receive, not yet cancelled
  };

  // --- Chance ---

  int below(int n) { return static_cast<int>(random_() % static_cast<uint64_t>(n)); }
  bool chance(int percent) { return below(100) < percent; }

  template <class T>
  const T& one_of(const std::vector<T>& values) {
    return values[static_cast<size_t>(below(static_cast<int>(values.size())))];
  }

  // A member, as its number in the communicator; rather one of those with few steps so far.
  int some_member(int comm) {
    const int n = static_cast<int>(members(comm).size());
    const int a = below(n), b = below(n);
    return steps_of(rank_of(comm, a)).size() <= steps_of(rank_of(comm, b)).size() ? a : b;
  }

  // --- The job ---

  void set_up() {
    program_.ranks = shape_.ranks;
    program_.lookahead = one_of<Time>({1, 2, 3, 8, 50, 64, 100, 1000});
    program_.seed = chance(50) ? 0 : random_();
    program_.steps.resize(static_cast<size_t>(shape_.ranks));
    open_.resize(program_.steps.size());
    slots_.resize(program_.steps.size());
    std::vector<int> all;
    for (int rank = 0; rank < shape_.ranks; ++rank) all.push_back(rank);
    program_.comms.push_back(all);
    // The others have their members in any order, at least two of them.
    for (int more = shape_.comms ? below(3) : 0; more > 0; --more) {
      for (size_t i = all.size(); i > 1; --i)
        std::swap(all[i - 1], all[static_cast<size_t>(below(static_cast<int>(i)))]);
      const int size = 2 + below(shape_.ranks - 1);
      program_.comms.emplace_back(all.begin(), all.begin() + size);
    }
  }

  const std::vector<int>& members(int comm) const { return program_.comms[static_cast<size_t>(comm)]; }
  int rank_of(int comm, int member) const { return members(comm)[static_cast<size_t>(member)]; }
  std::vector<Step>& steps_of(int rank) { return program_.steps[static_cast<size_t>(rank)]; }
  std::vector<Open>& open_of(int rank) { return open_[static_cast<size_t>(rank)]; }

  int some_comm() { return chance(60) ? 0 : below(static_cast<int>(program_.comms.size())); }

  int count_steps() const {
    size_t count = 0;
    for (const auto& steps : program_.steps) count += steps.size();
    return static_cast<int>(count);
  }

  // --- Scenes ---

  void scene() {
    if (shape_.floods && chance(20)) return flood(some_comm());
    const int dice = below(100);
    if (dice < 34) return message(some_comm());
    if (dice < 42) return chance(50) ? race(some_comm()) : halo(some_comm());
    if (dice < 46) return ring(some_comm());
    if (dice < 56) return wait(some_member(0));
    if (dice < 72) return test(some_member(0));
    if (dice < 78) return look(some_member(0));
    if (dice < 85) return shape_.cancels ? cancel(some_member(0)) : wait(some_member(0));
    if (dice < 92) return shape_.collectives ? collective(some_comm()) : message(some_comm());
    work(some_member(0));
  }

  void message(int comm) {
    const int from = some_member(comm), to = some_member(comm);
    const int tag = below(3);
    send(comm, from, to, tag);
    if (chance(12)) look_for(comm, to, from, tag);
    receive(comm, to, from, tag);
  }

  // Several senders, and as many receives, most of them from any source.
  void race(int comm) {
    const int to = some_member(comm);
    const int tag = below(3);
    for (int n = 2 + below(2); n > 0; --n) {
      const int from = some_member(comm);
      send(comm, from, to, tag);
      receive(comm, to, chance(75) ? kAny : from, tag);
    }
  }

  // More messages than there is room for, maybe, until the receiver looks; and a question about the last ones.
  void flood(int comm) {
    const int from = some_member(comm), to = some_member(comm), rank = rank_of(comm, from);
    std::vector<int> last;
    for (int left = 5 + below(8); left > 0; --left) {
      const int tag = below(3);
      const int slot = post(rank, shape_.acks && chance(30) ? Op::kIssend : Op::kIsend, comm, to, tag);
      if (left < 4) last.push_back(slot);
      receive(comm, to, chance(80) ? from : kAny, tag);
    }
    if (chance(30)) work(rank);
    if (chance(80))
      complete(rank, one_of<Op>({Op::kTestall, Op::kTestany, Op::kTestsome, Op::kWaitany}), last, chance(50));
  }

  // Everybody sends to the next and receives from the one before, one after the other: a total deadlock where all wait
  // for each other first.
  void ring(int comm) {
    const int size = static_cast<int>(members(comm).size());
    const Op op = shape_.acks && chance(25) ? Op::kIssend : Op::kIsend;
    const bool receive_first = chance(8);
    for (int member = 0; member < size; ++member) {
      const int rank = rank_of(comm, member), next = (member + 1) % size, previous = (member + size - 1) % size;
      if (!receive_first) complete(rank, Op::kWaitall, {post(rank, op, comm, next, 0)});
      complete(rank, Op::kWaitall, {post(rank, Op::kIrecv, comm, chance(20) ? kAny : previous, 0)});
      if (receive_first) complete(rank, Op::kWaitall, {post(rank, op, comm, next, 0)});
    }
  }

  void send(int comm, int from, int to, int tag) {
    const int rank = rank_of(comm, from);
    const Op op = shape_.acks && chance(30) ? Op::kIssend : Op::kIsend;
    const int slot = post(rank, op, comm, to, tag);
    if (chance(from == to ? 5 : 35)) complete(rank, Op::kWaitall, {slot});
  }

  void receive(int comm, int to, int from, int tag) {
    const int rank = rank_of(comm, to);
    if (chance(25)) return receive_now(rank, comm, chance(75) ? kAny : from, from, tag);
    const int slot = post(rank, Op::kIrecv, comm, chance(25) ? kAny : from, chance(20) ? kAny : tag);
    if (steps_of(rank).back().peer == kAny && chance(50)) prefer(steps_of(rank).back(), from);
    if (chance(25)) complete(rank, Op::kWaitall, {slot});
  }

  // `peer`: kAny, or `from`, who will send.
  void receive_now(int rank, int comm, int peer, int from, int tag) {
    Step step;
    step.op = Op::kRecv;
    step.comm = comm;
    step.peer = peer;
    step.tag = chance(20) ? kAny : tag;
    step.slot = slots_[static_cast<size_t>(rank)]++;
    if (step.peer == kAny && chance(75)) prefer(step, from);
    steps_of(rank).push_back(step);
  }

  void prefer(Step& step, int from) {
    step.usual = from != kAny && chance(60) ? from : below(static_cast<int>(members(step.comm).size()));
    step.grace = program_.lookahead * one_of<Time>({1, 2, 5, 40}) + static_cast<Time>(below(3));
  }

  // Receives of several tags from any source, sends, and waits: as in an exchange of halos.
  void halo(int comm) {
    const int to = some_member(comm), rank = rank_of(comm, to);
    std::vector<int> slots;
    for (const int tag : {0, 1, 2}) {
      const int from = some_member(comm);
      if (chance(70)) send(comm, from, to, tag);
      if (chance(15)) continue;
      slots.push_back(post(rank, Op::kIrecv, comm, kAny, chance(10) ? kAny : tag));
      prefer(steps_of(rank).back(), from);
      if (chance(30)) slots.push_back(post(rank, Op::kIsend, comm, some_member(comm), below(3)));
      if (chance(10)) work(rank);
      if (chance(70)) send(comm, from, to, tag);
    }
    if (slots.size() > 1 && chance(60)) {
      const auto first = slots.begin() + below(static_cast<int>(slots.size()));
      complete(rank, Op::kWaitall, {*first});
      slots.erase(first);
      while (chance(60)) meddle(comm, to);
    }
    if (chance(30) && !slots.empty()) slots.pop_back();
    if (!slots.empty()) complete(rank, chance(75) ? Op::kWaitall : Op::kWaitany, slots);
  }

  // What may compete with receives that are still pending, or looks at the same messages.
  void meddle(int comm, int member) {
    const int from = some_member(comm), tag = below(3);
    if (chance(80)) send(comm, from, member, tag);
    switch (below(5)) {
      case 0: return receive(comm, member, chance(50) ? kAny : from, tag);
      case 1: return receive_now(rank_of(comm, member), comm, kAny, from, tag);
      case 2: return receive_now(rank_of(comm, member), comm, from, from, tag);
      case 3: return look_for(comm, member, from, tag);
      default: return shape_.cancels ? cancel(rank_of(comm, member)) : test(rank_of(comm, member));
    }
  }

  // A probe that will see a message, if nothing else takes it.
  void look_for(int comm, int member, int from, int tag) {
    Step step;
    step.op = chance(50) ? Op::kProbe : Op::kIprobe;
    step.comm = comm;
    step.peer = chance(50) ? kAny : from;
    step.tag = chance(50) ? kAny : tag;
    step.until_true = step.op == Op::kIprobe && chance(60);
    steps_of(rank_of(comm, member)).push_back(step);
  }

  // An Iprobe that sees a message or not.
  void look(int rank) {
    Step step;
    step.op = Op::kIprobe;
    step.peer = chance(50) ? kAny : below(shape_.ranks);
    step.tag = chance(60) ? kAny : below(3);
    steps_of(rank).push_back(step);
  }

  void wait(int rank) {
    const Op op = one_of<Op>({Op::kWaitall, Op::kWaitany, Op::kWaitany, Op::kWaitsome});
    complete(rank, op, some_slots(rank));
  }

  void test(int rank) {
    const Op op = one_of<Op>({Op::kTestall, Op::kTestany, Op::kTestsome});
    complete(rank, op, some_slots(rank), chance(25));
  }

  void cancel(int rank) {
    std::vector<Open*> candidates;
    for (Open& open : open_of(rank)) {
      if (open.cancellable) candidates.push_back(&open);
    }
    if (candidates.empty()) return cancel_new(rank);
    Open& open = *one_of(candidates);
    open.cancellable = false;
    add_cancel(rank, open.slot);
  }

  // A receive that nobody needs, with something before its cancel.
  void cancel_new(int rank) {
    const int slot = post(rank, Op::kIrecv, 0, chance(50) ? kAny : below(shape_.ranks), chance(50) ? kAny : below(3));
    if (chance(50)) work(rank);
    open_of(rank).back().cancellable = false;
    add_cancel(rank, slot);
  }

  void add_cancel(int rank, int slot) {
    Step step;
    step.op = Op::kCancel;
    step.slot = slot;
    steps_of(rank).push_back(step);
    if (chance(50)) complete(rank, Op::kWaitall, {slot});
  }

  void collective(int comm) {
    Step step;
    step.op = chance(50) ? Op::kBarrier : Op::kBcast;
    step.comm = comm;
    if (step.op == Op::kBcast) step.peer = some_member(comm);
    for (int rank : members(comm)) {
      if (!chance(2)) steps_of(rank).push_back(step);
    }
  }

  // Some of it short, some as long as many messages.
  void work(int rank) {
    Step step;
    step.op = Op::kWork;
    const int most = static_cast<int>(program_.lookahead) * one_of<int>({1, 3, 10});
    step.work = static_cast<Time>(1 + below(most));
    steps_of(rank).push_back(step);
  }

  void finish(int rank) {
    std::vector<int> slots;
    for (const Open& open : open_of(rank)) slots.push_back(open.slot);
    if (slots.empty()) return;
    if (chance(70)) return complete(rank, Op::kWaitall, slots);
    complete(rank, Op::kTestall, slots, true);
  }

  // --- Steps ---

  // Slots are never used again: a request that may still be there is not overwritten.
  int post(int rank, Op op, int comm, int peer, int tag) {
    Step step;
    step.op = op;
    step.comm = comm;
    step.peer = peer;
    step.tag = tag;
    step.slot = slots_[static_cast<size_t>(rank)]++;
    steps_of(rank).push_back(step);
    open_of(rank).push_back({step.slot, op == Op::kIrecv});
    return step.slot;
  }

  // One to four of the slots that may hold a request, in any order; none if there is none.
  std::vector<int> some_slots(int rank) {
    std::vector<int> slots;
    for (const Open& open : open_of(rank)) {
      slots.insert(slots.begin() + below(static_cast<int>(slots.size()) + 1), open.slot);
    }
    slots.resize(std::min(slots.size(), static_cast<size_t>(1 + below(4))));
    return slots;
  }

  void complete(int rank, Op op, const std::vector<int>& slots, bool until_true = false) {
    Step step;
    step.op = op;
    step.slots = slots;
    step.until_true = until_true;
    steps_of(rank).push_back(step);
    if (op != Op::kWaitall) return;
    auto& open = open_of(rank);
    const auto completed = [&](const Open& o) { return std::count(slots.begin(), slots.end(), o.slot) != 0; };
    open.erase(std::remove_if(open.begin(), open.end(), completed), open.end());
  }

  // --- Damage ---

  void damage() {
    auto& steps = steps_of(below(shape_.ranks));
    if (steps.size() < 2) return;
    const size_t place = static_cast<size_t>(below(static_cast<int>(steps.size()) - 1));
    switch (below(3)) {
      case 0: steps.erase(steps.begin() + static_cast<ptrdiff_t>(place)); break;
      case 1: std::swap(steps[place], steps[place + 1]); break;
      default: steps[place].tag = below(3); break;
    }
  }

  std::mt19937_64 random_;
  const Shape shape_;
  Program program_;
  std::vector<std::vector<Open>> open_;  // by rank: requests that no Waitall has completed
  std::vector<int> slots_;               // by rank: the next free slot
};

}  // namespace

Program random_program(uint64_t seed, const Shape& shape) { return Generator(seed, shape).make(); }

}  // namespace match_test
