// Halo exchange of a multigrid method on a 3-D torus of ranks: receives with MPI_ANY_SOURCE and a tag that
// tells axis and direction are posted first, then both faces are packed and sent, then the receives waited for.
// On each coarser level the neighbour is twice as far away.
// Races: a receive takes a message of the same direction from whoever is first: the neighbour of this level, or
// that of the next one if it is ahead. The field takes up what comes, so its bits depend on it.
// Ends: each rank is sent one message per exchange and direction, and receives as many. Sends are not waited for
// before the end, so whoever is behind gets its messages whatever the others took.
// With two ranks there is one neighbour at most, and nothing races.
#include "torus.hpp"

using namespace racing;

namespace {

int cycles() { return 8 * static_cast<int>(g_length); }
constexpr size_t kLevels = 3;
constexpr size_t kFinest = 8;  // points on a side of a rank's cube

class Multigrid {
 public:
  explicit Multigrid(Account& account) : account_(account) {
    for (size_t level = 0; level < kLevels; ++level) {
      const size_t side = kFinest >> level;
      for (size_t i = 0; i < side * side * side; ++i) u_[level].push_back(1.0 + mix(i + 77 * level) * 1e-9 + g_rank);
    }
  }

  void cycle() {
    for (size_t level = 0; level < kLevels; ++level) exchange(level), smooth(level, level + 1);
    for (size_t level = kLevels - 1; level > 0; --level) smooth(level, level - 1), exchange(level - 1);
  }
  double sum() const {
    double sum = 0;
    for (const auto& u : u_) {
      for (const double value : u) sum += value;
    }
    return sum;
  }
  void finish() { outbox_.wait_all(); }

 private:
  void exchange(size_t level) {
    for (int axis = 0; axis < 3; ++axis) {
      const int distance = (1 << level) % torus_.dims[axis];
      if (distance == 0) continue;  // the rank is its own neighbour
      std::vector<double> in[2];
      MPI_Request requests[2];
      for (int up = 0; up < 2; ++up) {
        in[up].resize(kFinest * kFinest);
        MPI_Irecv(in[up].data(), static_cast<int>(in[up].size()), MPI_DOUBLE, MPI_ANY_SOURCE, 2 * axis + up,
                  MPI_COMM_WORLD, &requests[up]);
      }
      for (int up = 0; up < 2; ++up) {
        // Half of the ranks begin with the upper side.
        const int side = (up + g_rank) % 2;
        work(draw(static_cast<uint64_t>(g_rank), step_++), 20000);
        const double* out = &u_[level][face(level, side)];
        outbox_.send({out, out + points(level)}, torus_.neighbour(axis, side == 1 ? distance : -distance),
                     2 * axis + side);
      }
      for (int up = 0; up < 2; ++up) {
        MPI_Status status;
        MPI_Wait(&requests[up], &status);
        in[up].resize(static_cast<size_t>(count_of(status, MPI_DOUBLE)));
        account_.add(status, in[up].size());
        blend(level, 1 - up, in[up]);
      }
    }
  }

  static size_t points(size_t level) { return (kFinest >> level) * (kFinest >> level); }
  // Where the face of that side begins: the first or last of the cube's planes, whatever the axis.
  size_t face(size_t level, int side) const { return side == 1 ? u_[level].size() - points(level) : 0; }
  // A face of another level has another size: it is repeated or cut.
  void blend(size_t level, int side, const std::vector<double>& in) {
    double* u = &u_[level][face(level, side)];
    for (size_t i = 0; i < points(level); ++i) u[i] = 0.7 * u[i] + 0.3 * in[i % in.size()];
  }
  void smooth(size_t level, size_t to) {
    auto& u = u_[level];
    for (size_t i = 1; i + 1 < u.size(); ++i) u[i] += 0.25 * (u[i - 1] - 2 * u[i] + u[i + 1]);
    if (to >= kLevels) return;
    for (size_t i = 0; i < u_[to].size(); ++i) u_[to][i] = 0.5 * (u_[to][i] + u[i * u.size() / u_[to].size()]);
  }

  Account& account_;
  const Torus torus_;
  std::vector<double> u_[kLevels];
  Outbox<double> outbox_;
  uint64_t step_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  Job job(argc, argv);
  Account account;
  Report report;
  Multigrid grid(account);
  for (int i = 1; i <= cycles(); ++i) {
    grid.cycle();
    if (i % 2 == 0) report.line("cycle %d: %a", i, grid.sum());
  }
  grid.finish();
  print(report, account);
}
