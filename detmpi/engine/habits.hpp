// From whom a program gets what it receives from MPI_ANY_SOURCE, by context and tag.
//
// Many a program receives a tag from any source that only one rank ever sends: a neighbour's halo. Without more, each
// such message would have to wait until all ranks have come as far. Here the one that is expected is preferred to
// others by a grace in logical time, the longer the better expectations were met (chan::match::Receive::usual): so what
// is known of the others from long ago is enough. A message of another rank comes late by the grace.
//
// Expected is who has sent the message before. Some sources change, but regularly: on the coarse levels of a multigrid
// method neighbours are further away, in each cycle after as many messages. So it is remembered of a source how many
// messages came from it in succession, and from whom the next one was; after as many that one is expected.
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
    receive.usual = habit.expected();
    receive.grace = habit.trust * lookahead;
  }
  // The receive has got its message from that rank.
  void note(const chan::match::Receive& receive, int source) {
    Habit& habit = habits_[place_of(receive.context, receive.tag)];
    if (!habit.is_about(receive)) habit = {receive.context, receive.tag, source};
    if (habit.expected() == source) habit.trust = std::min(habit.trust + 1, kMostTrust);
    else habit.trust -= std::min(habit.trust, kTrusted);
    if (habit.source != source) habit.turn_to(source);
    ++habit.times;
  }
  // The program probes: then receives must choose as probes do, which prefer nobody, because it may act between two.
  void give_up() { given_up_ = true; }

 private:
  static constexpr uint32_t kTrusted = 8;     // so much trust makes a habit; what was not expected takes as much
  static constexpr uint32_t kMostTrust = 64;  // grace is trust in lookaheads
  static constexpr size_t kHabits = 64;       // a later one takes the place of an earlier one
  static constexpr size_t kTurns = 3;         // so many sources may take turns

  // After so many messages of one source came one of another.
  struct Turn {
    int from = chan::match::kAny;
    uint32_t times = 0;
    int to = chan::match::kAny;
  };

  // One cache line: ranks that share a core push each other's habits out of the caches.
  struct alignas(64) Habit {
    uint32_t context = 0;
    int tag = 0;
    int source = chan::match::kAny;  // of the message before; rank in the job
    uint32_t times = 0;              // in succession, modulo 2^32
    uint32_t trust = 0;              // grows with every message that was expected
    uint32_t next_turn = 0;          // which one to forget
    std::array<Turn, kTurns> turns = {};

    bool is_about(const chan::match::Receive& r) const {
      return source != chan::match::kAny && context == r.context && tag == r.tag;
    }
    int expected() const {
      const auto turn = std::ranges::find(turns, source, &Turn::from);
      return turn != turns.end() && turn->times == times ? turn->to : source;
    }
    void turn_to(int to) {
      auto turn = std::ranges::find(turns, source, &Turn::from);
      if (turn == turns.end()) turn = turns.begin() + next_turn++ % kTurns;
      *turn = {source, times, to};
      source = to;
      times = 0;
    }
  };
  static_assert(sizeof(Habit) == 64);
  static size_t place_of(uint32_t context, int tag) { return (context * 7 + static_cast<uint32_t>(tag)) % kHabits; }

  bool given_up_ = false;
  std::array<Habit, kHabits> habits_;
};

}  // namespace detmpi
