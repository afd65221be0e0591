// Choices that MPI leaves open, made by a seed: another legal order of racing messages for each, the same every time.
//
// Three kinds: how long a message takes, how much time a call takes, which of several complete requests MPI_Waitany
// names. Each is a hash of the seed and of where in the program it is made. Latencies and ticks have heavy tails, so
// that messages can overtake others that were sent much earlier. LOGICAL-TIME section 6.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

namespace detmpi {

class Choices {
 public:
  void start(uint64_t seed, int rank, uint64_t lookahead);
  bool plain() const { return seed_ == 0; }

  // When a message that is sent now arrives; messages of one pair and context do not overtake each other.
  uint64_t arrival(int to, uint32_t context, uint64_t now);
  // What a call takes beyond one tick.
  uint64_t tick();
  // One of `count` > 0.
  size_t among(size_t count);

 private:
  struct Pair {
    uint64_t number = 0;  // of the next message
    uint64_t floor = 0;   // arrival of the one before
  };
  uint64_t draw(uint64_t kind, uint64_t a, uint64_t b, uint64_t c) const;

  uint64_t seed_ = 0;
  uint64_t rank_ = 0;
  uint64_t lookahead_ = 1;
  uint64_t ticks_ = 0;
  uint64_t picks_ = 0;
  std::map<std::pair<int, uint32_t>, Pair> pairs_;
};

extern Choices g_choices;

}  // namespace detmpi
