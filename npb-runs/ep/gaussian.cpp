#include "gaussian.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include "../common/random.hpp"

namespace npb::ep {
namespace {

// A batch is worked off in blocks of pairs, each in steps over arrays that stay in the cache.
constexpr int kBlock = 1024;

// Partial sums that do not wait for each other. Their number fixes the order of summation, hence the bits.
constexpr int kLanes = 16;

struct Workspace {
  double numbers[2 * kBlock];
  double x[kBlock];  // of the accepted pairs: first the uniform numbers, then the deviates
  double y[kBlock];
  double t[kBlock];  // x^2 + y^2, then the factor of both
};

struct LaneTally {
  double sum_x[kLanes] = {};
  double sum_y[kLanes] = {};
  double absolute_x[kLanes] = {};
  double absolute_y[kLanes] = {};
  std::int64_t counts[kLanes][Problem::kAnnuli] = {};
};

// Keeps the pairs inside the unit circle. Every pair is written, so that there is no branch to mispredict.
int accept(Workspace& work) {
  int accepted = 0;
  for (int i = 0; i < kBlock; ++i) {
    const double x = 2.0 * work.numbers[2 * i] - 1.0;
    const double y = 2.0 * work.numbers[2 * i + 1] - 1.0;
    const double t = x * x + y * y;
    work.x[accepted] = x;
    work.y[accepted] = y;
    work.t[accepted] = t;
    accepted += t <= 1.0;
  }
  return accepted;
}

void stretch(Workspace& work, int accepted) {
  for (int i = 0; i < accepted; ++i) work.t[i] = std::sqrt(-2.0 * std::log(work.t[i]) / work.t[i]);
  for (int i = 0; i < accepted; ++i) work.x[i] *= work.t[i];
  for (int i = 0; i < accepted; ++i) work.y[i] *= work.t[i];
}

// Adds pairs [begin, begin + Count) of the workspace, one to a lane.
template <int Count>
void add_up(const Workspace& work, int begin, LaneTally& tally) {
  const double* __restrict x = work.x + begin;
  const double* __restrict y = work.y + begin;
  double largest[Count];
  for (int l = 0; l < Count; ++l) {
    const double absolute_x = std::fabs(x[l]);
    const double absolute_y = std::fabs(y[l]);
    tally.sum_x[l] += x[l];
    tally.sum_y[l] += y[l];
    tally.absolute_x[l] += absolute_x;
    tally.absolute_y[l] += absolute_y;
    largest[l] = absolute_x > absolute_y ? absolute_x : absolute_y;
  }
  constexpr int kLast = Problem::kAnnuli - 1;  // takes what lies beyond it, too; in no class there is any
  for (int l = 0; l < Count; ++l) ++tally.counts[l][std::min(static_cast<int>(largest[l]), kLast)];
}

void tabulate_batch(int batch, Workspace& work, LaneTally& tally) {
  constexpr int kPairs = 1 << Problem::kLogBatch;
  Random random(Problem::kSeed);
  random.skip(std::uint64_t{2} * kPairs * static_cast<std::uint64_t>(batch));
  for (int block = 0; block < kPairs / kBlock; ++block) {
    random.fill(work.numbers, 2 * kBlock);
    const int accepted = accept(work);
    stretch(work, accepted);
    int i = 0;
    for (; i + kLanes <= accepted; i += kLanes) add_up<kLanes>(work, i, tally);
    for (; i < accepted; ++i) add_up<1>(work, i, tally);
  }
}

double total(const double (&lanes)[kLanes]) { return std::accumulate(lanes, lanes + kLanes, 0.0); }

}  // namespace

std::int64_t Tally::accepted() const { return std::accumulate(counts.begin(), counts.end(), std::int64_t{0}); }

Tally tabulate(Range batches) {
  const auto work = std::make_unique<Workspace>();
  LaneTally lanes;
  for (int batch = batches.begin; batch < batches.end; ++batch) tabulate_batch(batch, *work, lanes);

  Tally tally;
  tally.sum_x = total(lanes.sum_x);
  tally.sum_y = total(lanes.sum_y);
  tally.absolute_x = total(lanes.absolute_x);
  tally.absolute_y = total(lanes.absolute_y);
  for (const auto& counts : lanes.counts)
    for (int annulus = 0; annulus < Problem::kAnnuli; ++annulus) tally.counts[annulus] += counts[annulus];
  return tally;
}

}  // namespace npb::ep
