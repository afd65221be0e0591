#include "right_hand_side.hpp"

#include <mpi.h>

#include <algorithm>

#include "charges.hpp"

namespace npb::mg {
namespace {

// One end of the order of all random numbers.
struct End {
  MPI_Op best;
  double none;  // of a rank that has no candidate left: worse than any number
  double charge;
};

// The candidates of this rank at one end that no earlier round took.
class Remaining {
 public:
  Remaining(const std::vector<Candidate>& candidates, const End& end) : candidates_(candidates), end_(end) {}

  // Takes the best candidate of all ranks. Collective. The message after the first is the rank that had it, and
  // its point; the other ranks contribute zeros.
  Point take_best() {
    const bool has_one = used_ < candidates_.size();
    const double mine = has_one ? candidates_[used_].number : end_.none;
    double best = 0;
    MPI_Allreduce(&mine, &best, 1, MPI_DOUBLE, end_.best, MPI_COMM_WORLD);
    int where[4] = {};
    if (has_one && mine == best) {
      const Point& point = candidates_[used_++].point;
      MPI_Comm_rank(MPI_COMM_WORLD, &where[0]);
      std::copy(point.begin(), point.end(), where + 1);
    }
    int agreed[4] = {};
    MPI_Allreduce(where, agreed, 4, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return {agreed[1], agreed[2], agreed[3]};
  }

 private:
  const std::vector<Candidate>& candidates_;
  End end_;
  std::size_t used_ = 0;
};

void set_point(const LevelPart& level, const Point& point, double value, Field& v) {
  const auto& owned = level.owned;
  for (const Axis axis : kAxes)
    if (!owned[axis].contains(point[axis])) return;
  v.row(point[kY] - owned[kY].begin + 1, point[kZ] - owned[kZ].begin + 1)[point[kX] - owned[kX].begin + 1] = value;
}

}  // namespace

void set_charges(const LevelPart& level, Field& v) {
  const Extremes extremes = find_extremes(level.points, level.owned);
  const End top{MPI_MAX, 0.0, 1.0};
  const End bottom{MPI_MIN, 1.0, -1.0};
  Remaining largest(extremes.largest, top);
  Remaining smallest(extremes.smallest, bottom);
  v.clear();
  for (int round = 0; round < kCharges; ++round) {
    set_point(level, largest.take_best(), top.charge, v);
    set_point(level, smallest.take_best(), bottom.charge, v);
  }
}

}  // namespace npb::mg
