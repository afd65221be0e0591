// A part of a vector that is folded by all members, each a share of it.
//
// Every member publishes all of the stretch but its own share, in as many rounds as the board has areas, before it
// reads any: so all fold at the same time, and wait for each other once a stretch and not once a round.
#pragma once

#include <vector>

#include "reduce_rounds.hpp"
#include "share.hpp"

namespace detmpi {

class Stretch {
 public:
  // Elements that one can have.
  static int64_t most(const CutVector& v) { return v.block * chan::kAreaDepth; }
  // The elements [begin, begin + n), in shares of about the same size.
  static std::vector<Share> shared_out(const Rounds& rounds, int64_t begin, int64_t n);

  // The shares lie one behind the other in the stretch, wherever they are in the vector. No more than most() in all; the
  // vector is not empty.
  Stretch(Rounds& rounds, CutVector& v, const std::vector<Share>& shares);

  // All rounds of the stretch; this member's share of the fold is there.
  void fold_to(char* own);
  // Member `to`, or everybody, gets the other shares: `out` is the whole vector there. `own` as above.
  void collect(const char* own, char* out, int to = Rounds::kEverybody);

 private:
  int64_t length(int64_t at) const;
  Share within(uint32_t member, int64_t at) const;
  const char* lies(uint32_t member, int64_t in_stretch) const;
  void publish(int64_t at);
  void fold_own(int64_t at, Share own, char* result);

  Rounds& rounds_;
  CutVector& v_;
  const std::vector<Share>& shares_;
  std::vector<int64_t> starts_;  // of each share
  int64_t size_ = 0;
  int64_t longest_ = 0;
};

}  // namespace detmpi
