#include "charges.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>

#include "../common/random.hpp"

namespace npb::mg {
namespace {

// Keeps the best candidates in order; `better` is a strict order of numbers.
template <class Better>
class Ranking {
 public:
  Ranking() { list_.reserve(kCharges + 1); }

  bool wants(double number) const {
    return list_.size() < static_cast<std::size_t>(kCharges) || Better()(number, list_.back().number);
  }

  void insert(const Candidate& candidate) {
    const auto place = std::find_if(list_.begin(), list_.end(),
                                    [&](const Candidate& other) { return Better()(candidate.number, other.number); });
    list_.insert(place, candidate);
    if (list_.size() > static_cast<std::size_t>(kCharges)) list_.pop_back();
  }

  std::vector<Candidate> take() { return std::move(list_); }

 private:
  std::vector<Candidate> list_;
};

}  // namespace

Extremes find_extremes(int points, const std::array<Range, 3>& block) {
  Ranking<std::greater<>> largest;
  Ranking<std::less<>> smallest;
  const auto& [xs, ys, zs] = block;
  for (int z = zs.begin; z < zs.end; ++z)
    for (int y = ys.begin; y < ys.end; ++y) {
      Random random;
      random.skip((static_cast<std::uint64_t>(z) * points + y) * points + xs.begin);
      for (int x = xs.begin; x < xs.end; ++x) {
        const double number = random.next();
        if (largest.wants(number)) largest.insert({number, {x, y, z}});
        if (smallest.wants(number)) smallest.insert({number, {x, y, z}});
      }
    }
  return {largest.take(), smallest.take()};
}

}  // namespace npb::mg
