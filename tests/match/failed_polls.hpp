// The polls of a rank that found nothing, without another call in between: how long the next one waits, and what the
// next call takes for them.
#pragma once

#include <chan/match/poll.hpp>

#include "program.hpp"

namespace match_test {

class FailedPolls {
 public:
  explicit FailedPolls(int rank) : rank_(rank) {}
  // `step`, here and below, is as_polled().
  void add(const Step& step) {
    if (++polls_ == 1) {
      first_ = step;
      ++rows_;
    } else {
      rounds_ += polls_for_same(first_, step);
    }
  }
  void forget() {
    polls_ = 0;
    rounds_ = 0;
  }
  // Of the call that follows.
  Time tick(Time lookahead) const { return 1 + (polls_ == 1 ? chan::match::stumble(rank_, rows_, lookahead) : 0); }
  Time reach(const Step& step, Time lookahead) const {
    if (polls_ == 0 || !polls_for_same(first_, step)) return 0;
    return chan::match::reach_of_poll(rounds_ + 1, step.op == Op::kIprobe, lookahead);
  }

 private:
  int rank_;
  uint64_t rows_ = 0;  // so far, with this one
  uint64_t polls_ = 0;
  Step first_;           // of them
  uint64_t rounds_ = 0;  // how often it was polled for the same again
};

}  // namespace match_test
