// The polls of a rank that found nothing, without another call in between, and what the next call takes for them.
#pragma once

#include <algorithm>

#include <chan/match/poll.hpp>

#include "program.hpp"

namespace match_test {

class FailedPolls {
 public:
  explicit FailedPolls(int rank) : rank_(rank) {}
  void add(const Step& step) {
    if (first_ == nullptr) {
      first_ = &step;
      ++rows_;
      alone_ = true;
      return;
    }
    alone_ = false;
    rounds_ += polls_for_same(*first_, step);
  }
  void forget() {
    first_ = nullptr;
    rounds_ = 0;
    alone_ = false;
  }
  // Of the call that follows.
  Time tick(Time lookahead) const {
    const Time most = std::max<Time>(1, lookahead / 4);
    const Time stumble = alone_ ? chan::match::stumble(rank_, rows_, lookahead) : 0;
    return stumble + (rounds_ < 40 ? std::min(Time{1} << rounds_, most) : most);
  }

 private:
  int rank_;
  uint64_t rows_ = 0;
  bool alone_ = false;  // one poll so far
  const Step* first_ = nullptr;
  unsigned rounds_ = 0;  // how often it was polled for the same again
};

}  // namespace match_test
