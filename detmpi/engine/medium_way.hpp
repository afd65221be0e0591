// By which way messages of medium length go to a rank: from buffer to buffer (offer.hpp), or through the window.
//
// What the sender has copied into the other's memory lies in its own cache, and the other must fetch each line from
// there when it reads what it got. So the first way is the slower one, by a quarter to a half, for programs that write
// what they send and read what they receive; for those that do not, as most benchmarks, it takes half as long as the
// window.
//
// Which kind a program is shows in the sender's copies. After a message through the window the lines lie in the
// receiver's cache, so that a copy must fetch them; the copies that follow need not, unless the receiver has read what
// came. A trial is such a sequence: a message through the window, and some that are copied, of which the last ones have
// taken much less time than the first, or not.
//
// Which way bytes go is no matter of logical time, and no result depends on it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace detmpi {

class MediumWay {
 public:
  // Is the message that is to be sent now to go from buffer to buffer?
  bool is_direct() {
    if (pause_ > 0) {
      --pause_;
      return votes_ >= 0;
    }
    if (++tried_ > kMostTried) end_trial();  // nobody copies here
    return tried_ != 1;
  }
  // Copies are to be told of.
  bool in_trial() const { return tried_ > 0; }
  // In a trial: so much of such a message has been copied in one piece.
  void note(size_t bytes, uint64_t ns) {
    const uint64_t cost = ns * 1024 / (bytes + kCallBytes);
    ++copies_;
    if (copies_ == 1) first_ = cost;
    if (copies_ >= kCopies - 1) last_ = std::min(last_, cost);
    if (copies_ < kCopies) return;
    votes_ = std::clamp(last_ * 4 < first_ * 3 ? votes_ + 1 : votes_ - 1, -kMostVotes, kMostVotes);
    end_trial();
  }

 private:
  void end_trial() {
    tried_ = copies_ = 0;
    last_ = ~uint64_t{0};
    pause_ = next_pause_;
    next_pause_ = std::min(2 * next_pause_, kMostPause);
  }

  static constexpr size_t kCallBytes = 10 * 1024;  // which take as long as the call of the system
  static constexpr uint32_t kCopies = 4, kMostTried = 16;
  static constexpr uint32_t kFirstPause = 16, kMostPause = 256;
  static constexpr int kMostVotes = 2;

  int votes_ = 0;
  uint32_t pause_ = kFirstPause;  // messages until the next trial
  uint32_t next_pause_ = kFirstPause;
  uint32_t tried_ = 0;  // messages of the trial
  uint32_t copies_ = 0;
  uint64_t first_ = 0, last_ = ~uint64_t{0};  // ns for 1024 bytes
};

}  // namespace detmpi
