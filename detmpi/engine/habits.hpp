// From whom a program gets what it receives from MPI_ANY_SOURCE, by context and tag.
//
// Many a program receives a tag from any source that only one rank ever sends: a neighbour's halo. Without more, each
// such message would have to wait until all ranks have come as far. Here the one that has always sent it is preferred
// to others by a grace in logical time, the longer the longer the habit is (chan::match::Receive::usual): so what is
// known of the others from long ago is enough. A message of another rank comes late by the grace, and ends the habit.
//
// Some change, but seldom: on the coarse levels of a multigrid method neighbours are further away. Who was a habit for
// long is followed by another one at once.
//
// What is remembered is what the program was told, so it is the same in every run.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include <chan/match/matcher.hpp>

namespace detmpi {

class Habits {
 public:
  // Sets what the receive prefers.
  void apply(chan::match::Receive& receive, uint64_t lookahead) const {
    const Habit& habit = habits_[place_of(receive.context, receive.tag)];
    if (given_up_ || !habit.is_about(receive) || habit.trust < kTrusted) return;
    receive.usual = habit.source;
    receive.grace = std::min(habit.times, kMostLookaheads) * lookahead;
  }
  // The receive has got its message from that rank.
  void note(const chan::match::Receive& receive, int source) {
    Habit& habit = habits_[place_of(receive.context, receive.tag)];
    if (!habit.is_about(receive)) habit = {receive.context, receive.tag, source, 0, 0};
    if (habit.source != source) {
      habit.source = source;
      habit.times = 0;
      habit.trust -= std::min(habit.trust, kTrusted);
    }
    ++habit.times;
    habit.trust = std::min(habit.trust + 1, kMostTrust);
  }
  // The program probes: then receives must choose as probes do, which prefer nobody, because it may act between two.
  void give_up() { given_up_ = true; }

 private:
  static constexpr uint64_t kTrusted = 8;  // so much trust makes a habit; a change takes as much
  static constexpr uint64_t kMostTrust = 64;
  static constexpr uint64_t kMostLookaheads = 64;  // of grace
  static constexpr size_t kHabits = 64;            // a later one takes the place of an earlier one

  struct Habit {
    uint32_t context = 0;
    int tag = 0;
    int source = chan::match::kAny;  // rank in the job
    uint64_t times = 0;              // in succession
    uint64_t trust = 0;              // grows with every message of the source that sent the one before
    bool is_about(const chan::match::Receive& r) const { return times > 0 && context == r.context && tag == r.tag; }
  };
  static size_t place_of(uint32_t context, int tag) { return (context * 7 + static_cast<uint32_t>(tag)) % kHabits; }

  bool given_up_ = false;
  std::array<Habit, kHabits> habits_;
};

}  // namespace detmpi
