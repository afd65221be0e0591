// By which way messages of medium length go: from buffer to buffer (offer.hpp), or through the window.
//
// What a rank has copied into another's memory lies in its own cache, and the other must fetch each line from there
// when it reads what it got. So the first way is the slower one, by a quarter to a half, for programs that write what
// they send and read what they receive; for those that do not, as most benchmarks, it takes half as long as the window.
// Which kind a program is shows in the copies themselves: they take twice as long where the receiver has had the lines
// of its buffer in its cache.
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
    if (score_ >= 0) return true;
    turn_ = (turn_ + 1) % kTrialEvery;
    return turn_ < kTrial;
  }
  // This rank has copied so much of such a message into another's memory, in one piece.
  void note(size_t bytes, uint64_t ns) {
    const bool fast = ns <= kCallNs + bytes * kFastNsPerKiB / 1024;
    score_ = std::clamp(fast ? score_ + kGain : score_ - 1, kLeast, kMost);
  }

 private:
  // Emerald Rapids: pieces of 8 to 64 KiB take 0.7 us and 50 ns per KiB, or 1.1 us and 118 ns.
  static constexpr uint64_t kCallNs = 900, kFastNsPerKiB = 75;
  // Fast copies count more: in a trial the first ones are slow in any case, as the lines lie where the window had them.
  static constexpr int kGain = 2, kLeast = -3, kMost = 3;
  static constexpr uint32_t kTrialEvery = 128, kTrial = 4;

  int score_ = 0;  // below 0: lately they were slow
  uint32_t turn_ = kTrial - 1;  // a trial is over
};

}  // namespace detmpi
