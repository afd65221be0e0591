// What the test and the player share: which program a number stands for, and one event of a rank as a line of text, as
// which they are compared.
#pragma once

#include <string>

#include "../../match/program.hpp"

namespace model_test {

using match_test::Event;
using match_test::Op;
using match_test::Program;
using match_test::Step;
using match_test::Time;

// Before anything else each rank gets messages of every tag, of each from one rank alone, and receives them from any
// source: so it has habits.
inline void train(Program& program, uint64_t number) {
  constexpr int kTags = 3;
  const int each = 8 + static_cast<int>(number / 4 % 4);
  std::vector<std::vector<Step>> before(program.steps.size());
  std::vector<int> slots;
  for (const auto& steps : program.steps) slots.push_back(static_cast<int>(match_test::number_of_slots(steps)));
  const auto usual = [&](int rank, int tag) { return static_cast<int>(number + 2 * rank + tag) % program.ranks; };
  const auto add = [&](int rank, Op op, int peer, int tag) {
    Step step;
    step.op = op;
    step.peer = peer;
    step.tag = tag;
    step.slot = slots[static_cast<size_t>(rank)]++;
    before[static_cast<size_t>(rank)].push_back(step);
  };
  const auto for_all = [&](auto&& what) {
    for (int rank = 0; rank < program.ranks; ++rank) {
      for (int tag = 0; tag < kTags; ++tag) {
        for (int i = 0; i < each; ++i) what(rank, tag);
      }
    }
  };
  for_all([&](int rank, int tag) { add(usual(rank, tag), Op::kIsend, rank, tag); });
  for_all([&](int rank, int tag) { add(rank, Op::kRecv, match_test::kAny, tag); });
  for (size_t rank = 0; rank < before.size(); ++rank) {
    program.steps[rank].insert(program.steps[rank].begin(), before[rank].begin(), before[rank].end());
  }
  program.habits = true;
}

// The programs of the second million and from the fourth on have 6 to 16 ranks, the others 2 to 5. Those of the third
// have ranks that send more at once than there may be room for.
inline constexpr uint64_t kFirstOfMany = 1'000'000, kFirstWithFloods = 2'000'000;
inline bool has_floods(uint64_t number) { return number / kFirstOfMany == kFirstWithFloods / kFirstOfMany; }
inline bool has_many_ranks(uint64_t number) { return number >= kFirstOfMany && !has_floods(number); }

// A random program as a real job can play it: without seeds, as the hash that gives messages their times is another one
// there; preferring as ranks in a job do, every second program; and without collective operations, which take a tick
// more where they are made of messages. With those a job is to be compared with itself alone, in
// other orders, too: so no call is made again until it is true, which in another order may be never.
inline Program playable(uint64_t number, bool collectives = false) {
  match_test::Shape shape;
  shape.ranks = has_many_ranks(number) ? 6 + static_cast<int>(number % 11) : 2 + static_cast<int>(number % 4);
  shape.floods = has_floods(number);
  shape.steps = (shape.floods ? 12 : 4) + static_cast<int>(number % 9);
  shape.collectives = collectives;
  Program program = match_test::random_program(number, shape);
  program.seed = 0;
  for (auto& steps : program.steps) {
    for (Step& step : steps) {
      step.usual = match_test::kAny;
      step.grace = 0;
      step.until_true = step.until_true && !collectives;
    }
  }
  if (number % 2 == 0) train(program, number);
  return program;
}

// Without what a program cannot see: whether a cancel has succeeded, before it asks for the request, and the number of
// a message that it has probed for; and without the time of a poll that failed, as the next call's depends on it.
inline std::string trace_line(size_t rank, const Step& step, const Event& event) {
  const bool hidden = step.op == Op::kCancel;
  std::string line = std::to_string(rank) + ": step " + std::to_string(event.step);
  line += hidden || event.flag ? " at " + std::to_string(event.clock) : " false";
  for (const auto& done : event.done) {
    line += "; " + std::to_string(done.slot);
    if (done.cancelled) line += " cancelled";
    else if (done.source >= 0) line += " from " + std::to_string(done.source) + " tag " + std::to_string(done.tag);
    if (!done.cancelled && done.source >= 0 && done.slot >= 0) line += " #" + std::to_string(done.message);
  }
  return line + "\n";
}

}  // namespace model_test
