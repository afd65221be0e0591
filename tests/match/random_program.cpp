// Random programs. Each begins as one that ends well: in every phase messages are planned, each with its send and its
// receive; every rank's share is shuffled, and what completes the requests is put behind. Then some steps are lost.
#include <algorithm>
#include <cstddef>
#include <iterator>
#include <random>

#include "program.hpp"

namespace match_test {
namespace {

class Generator {
 public:
  Generator(uint64_t seed, const Shape& shape) : random_(seed), shape_(shape) {}

  Program make() {
    program_.ranks = shape_.ranks;
    program_.lookahead = Time{1} << below(8);
    program_.seed = below(2) == 0 ? 0 : 1 + below(1000);
    program_.steps.resize(static_cast<size_t>(shape_.ranks));
    slots_.resize(static_cast<size_t>(shape_.ranks));
    make_comms();
    const int phases = 1 + static_cast<int>(below(3));
    for (int phase = 0; phase < phases; ++phase) {
      add_messages(std::max(1, shape_.ranks * shape_.steps / (4 * phases)));
      if (shape_.collectives && below(3) == 0) add_collective();
    }
    lose_steps();
    return program_;
  }

 private:
  uint64_t below(uint64_t limit) { return random_() % limit; }
  bool once_in(uint64_t n) { return below(n) == 0; }
  int rank() { return static_cast<int>(below(static_cast<uint64_t>(shape_.ranks))); }
  std::vector<Step>& steps(int r) { return program_.steps[static_cast<size_t>(r)]; }
  int new_slot(int r) { return slots_[static_cast<size_t>(r)]++; }

  void make_comms() {
    std::vector<int> all;
    for (int r = 0; r < shape_.ranks; ++r) all.push_back(r);
    program_.comms.push_back(all);
    if (!shape_.comms || !once_in(2)) return;
    std::shuffle(all.begin(), all.end(), random_);
    all.resize(2 + below(static_cast<uint64_t>(shape_.ranks - 1)));
    program_.comms.push_back(all);
  }

  void add_messages(int count) {
    std::vector<std::vector<Step>> posts(static_cast<size_t>(shape_.ranks));
    for (int i = 0; i < count; ++i) add_message(posts);
    const bool orderly = !once_in(3);  // everything is posted before anybody waits
    for (int r = 0; r < shape_.ranks; ++r) {
      auto& mine = posts[static_cast<size_t>(r)];
      std::shuffle(mine.begin(), mine.end(), random_);
      std::vector<int> open;
      for (const Step& post : mine) {
        if (once_in(4)) steps(r).push_back(work());
        if (once_in(8)) steps(r).push_back(probe(orderly));
        steps(r).push_back(post);
        open.push_back(post.slot);
        if (!orderly && once_in(3)) complete_some(r, open);
      }
      while (!open.empty() && !once_in(10)) complete_some(r, open);
    }
  }

  void add_message(std::vector<std::vector<Step>>& posts) {
    const int comm = static_cast<int>(below(program_.comms.size()));
    const auto& members = program_.comms[static_cast<size_t>(comm)];
    Step send, receive;
    send.comm = receive.comm = comm;
    const int from = static_cast<int>(below(members.size()));
    const int to = static_cast<int>(below(members.size()));
    send.op = shape_.acks && once_in(3) ? Op::kIssend : Op::kIsend;
    send.peer = to;
    send.tag = static_cast<int>(below(2));
    receive.op = Op::kIrecv;
    receive.peer = once_in(2) ? kAny : from;
    receive.tag = once_in(3) ? kAny : send.tag;
    const int sender = members[static_cast<size_t>(from)], receiver = members[static_cast<size_t>(to)];
    send.slot = new_slot(sender);
    receive.slot = new_slot(receiver);
    posts[static_cast<size_t>(sender)].push_back(send);
    posts[static_cast<size_t>(receiver)].push_back(receive);
  }

  static Step call(Op op) {
    Step step;
    step.op = op;
    return step;
  }
  Step work() {
    Step step = call(Op::kWork);
    step.work = below(4) == 0 ? below(600) : below(20);
    return step;
  }
  Step probe(bool orderly) {
    Step step = call(!orderly && once_in(3) ? Op::kProbe : Op::kIprobe);
    step.peer = kAny;
    step.tag = once_in(2) ? kAny : 0;
    return step;
  }

  // A wait, test or cancel of some of the open requests; those that a blocking call has completed are open no more.
  void complete_some(int r, std::vector<int>& open) {
    if (shape_.cancels && once_in(12)) {
      Step step = call(Op::kCancel);
      step.slot = open[below(open.size())];
      steps(r).push_back(step);
      return;
    }
    constexpr Op kOps[] = {Op::kWaitall, Op::kWaitall, Op::kWaitany, Op::kWaitsome,
                           Op::kTestall, Op::kTestany, Op::kTestsome};
    Step step = call(kOps[below(std::size(kOps))]);
    std::vector<int> some = open;
    std::shuffle(some.begin(), some.end(), random_);
    some.resize(1 + below(some.size()));
    step.slots = some;
    const bool tests = step.op >= Op::kTestall;
    step.until_true = tests && once_in(2);
    steps(r).push_back(step);
    if (tests && !step.until_true) return;
    // Waitany and the like may have left any of them: they may be named again.
    if (step.op == Op::kWaitall || step.op == Op::kTestall || once_in(3)) {
      std::erase_if(open, [&](int slot) { return std::ranges::find(some, slot) != some.end(); });
    }
  }

  void add_collective() {
    const int comm = static_cast<int>(below(program_.comms.size()));
    const auto& members = program_.comms[static_cast<size_t>(comm)];
    Step step = call(once_in(2) ? Op::kBarrier : Op::kBcast);
    step.comm = comm;
    step.peer = static_cast<int>(below(members.size()));
    for (const int member : members) steps(member).push_back(step);
  }

  void lose_steps() {
    for (int lost = static_cast<int>(below(5)) - 2; lost > 0; --lost) {
      auto& mine = steps(rank());
      if (!mine.empty()) mine.erase(mine.begin() + static_cast<std::ptrdiff_t>(below(mine.size())));
    }
  }

  std::mt19937_64 random_;
  Shape shape_;
  Program program_;
  std::vector<int> slots_;
};

}  // namespace

Program random_program(uint64_t seed, const Shape& shape) { return Generator(seed, shape).make(); }

}  // namespace match_test
