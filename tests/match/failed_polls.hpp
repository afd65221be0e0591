// The polls of a rank that found nothing, without another call in between, and what the next call takes for them.
#pragma once

#include <algorithm>

#include "program.hpp"

namespace match_test {

class FailedPolls {
 public:
  void add(const Step& step) {
    if (first_ == nullptr) first_ = &step;
    else rounds_ += polls_for_same(*first_, step);
  }
  void forget() { *this = FailedPolls(); }
  // Of the call that follows.
  Time tick(Time lookahead) const {
    const Time most = std::max<Time>(1, lookahead / 4);
    return rounds_ < 40 ? std::min(Time{1} << rounds_, most) : most;
  }

 private:
  const Step* first_ = nullptr;
  unsigned rounds_ = 0;  // how often it was polled for the same again
};

}  // namespace match_test
