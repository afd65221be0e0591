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

// A random program as a real job can play it: without seeds, as the hash that gives messages their times is another one
// there; without preferred sources, which the engine chooses by itself; and without collective operations, which take a
// tick more where they are made of messages.
inline Program playable(uint64_t number) {
  match_test::Shape shape;
  shape.ranks = 2 + static_cast<int>(number % 4);
  shape.steps = 4 + static_cast<int>(number % 9);
  shape.collectives = false;
  Program program = match_test::random_program(number, shape);
  program.seed = 0;
  for (auto& steps : program.steps) {
    for (Step& step : steps) {
      step.usual = match_test::kAny;
      step.grace = 0;
    }
  }
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
