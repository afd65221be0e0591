// Gaussian deviates by the polar method: pairs of uniform numbers that fall into the unit circle are accepted
// and stretched; the deviates are summed and counted by the square annulus l <= max(|X|, |Y|) < l + 1.
#pragma once

#include <array>
#include <cstdint>

#include "../common/range.hpp"
#include "problem.hpp"

namespace npb::ep {

struct Tally {
  double sum_x = 0;
  double sum_y = 0;
  double absolute_x = 0;  // sum of |X|
  double absolute_y = 0;
  std::array<std::int64_t, Problem::kAnnuli> counts{};  // pairs by annulus

  std::int64_t accepted() const;
};

// The tally of a range of batches. The same bits for the same range; other ranges of the same pairs differ in
// the rounding of the sums.
Tally tabulate(Range batches);

}  // namespace npb::ep
