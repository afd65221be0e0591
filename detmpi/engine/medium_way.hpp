// By which way messages of medium length go to a rank: from buffer to buffer (offer.hpp), or through the window.
//
// What the sender has copied into the other's memory lies in its own cache, and the other must fetch each line from
// there when it reads what it got. So the first way is the slower one for programs that write what they send and read
// what they receive, by up to half; for those that do not, as most benchmarks, it takes half as long as the window. The
// copies do not show that, so both ways are tried now and then, by turns, and the one by which as many messages have
// left sooner is taken until the next trial. What the program does between them counts as well, above all that it
// reads what came; if it does other things most of the time, it makes no difference which way is taken.
//
// Which way bytes go is no matter of logical time, and no result depends on it.
#pragma once

#include <algorithm>
#include <cstdint>

namespace detmpi {

class MediumWay {
 public:
  // Is the message that is to be sent now to go from buffer to buffer? `now()`: the time in ns, asked for rarely.
  template <typename Now>
  bool is_direct(Now&& now) {
    if (pause_ > 0) {
      --pause_;
      return votes_ >= 0;
    }
    const uint32_t phase = tried_ / kPhase, at = tried_ % kPhase;
    ++tried_;
    if (at == 0 && phase > 0) note(phase - 1, now() - began_);
    if (phase == kPhases) return end_trial();
    if (at == kSettled) began_ = now();
    return phase % 2 == 0;
  }

 private:
  void note(uint32_t phase, uint64_t ns) { least_[phase % 2] = std::min(least_[phase % 2], ns); }
  bool end_trial() {
    votes_ = std::clamp(least_[0] <= least_[1] ? votes_ + 1 : votes_ - 1, -kMostVotes, kMostVotes);
    tried_ = 0;
    least_[0] = least_[1] = ~uint64_t{0};
    pause_ = next_pause_;
    next_pause_ = std::min(2 * next_pause_, kMostPause);
    return votes_ >= 0;
  }

  // Messages of a phase: those that find the lines where the other way has left them, and those that count; a multiple
  // of most numbers of messages that a program sends to a neighbour in a step.
  static constexpr uint32_t kSettled = 2, kPhase = kSettled + 6;
  // Direct, window, direct, window: what has taken long by chance does not count.
  static constexpr uint32_t kPhases = 4;
  static constexpr uint32_t kFirstPause = 256, kMostPause = 4096;
  static constexpr int kMostVotes = 2;

  int votes_ = 0;
  uint32_t pause_ = 0;  // messages until the next trial
  uint32_t next_pause_ = kFirstPause;
  uint32_t tried_ = 0;                                // messages of the trial
  uint64_t began_ = 0;                                // counting in this phase
  uint64_t least_[2] = {~uint64_t{0}, ~uint64_t{0}};  // ns of a phase, direct and through the window
};

}  // namespace detmpi
