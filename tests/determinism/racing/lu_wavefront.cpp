// Wavefronts over a 2-D grid of ranks, plane after plane: a rank waits for its two predecessors, computes, and
// sends to its two successors, all blocking and with MPI_ANY_SOURCE. The lower sweep has a tag per direction, so
// each receive has one possible sender; the upper sweep has one tag for both.
// Races: the order of the two predecessors in the upper sweep; one that is ahead may even be taken twice before
// the other. What comes first counts more, so the bits of the sums depend on it.
// Ends: in each sweep a rank receives as many messages of a tag as it is sent, and those who wait for each other
// form no circle: in the lower sweep each rank serves its messages in one order, in the upper it takes any.
// With the argument `ssend` a send waits for its receive, as rendezvous messages do. That is where papers 000 and 001
// count most deadlocks of their own in LU: the wildcard receive of one rank waits for the clock of another, which
// waits, by way of others, for a send to that rank to return (Fig. 4 of paper 000). No circle of MPI's own comes about:
// sends go down the wavefront, and whoever is waited for takes all that its predecessors send. Without a rank that has
// two predecessors (two ranks, or a prime number of them) nothing races.
#include "racing.hpp"

using namespace racing;

namespace {

int iterations() { return 6 * static_cast<int>(g_length); }
constexpr int kPlanes = 16;
constexpr size_t kPoints = 40;  // of an edge
enum Tag { kFromNorth, kFromWest, kUpper };

class Grid {
 public:
  Grid(Account& account, bool synchronous) : account_(account), synchronous_(synchronous), u_(kPoints, 1.0 + g_rank) {
    for (int rows = 1; rows * rows <= g_size; ++rows) {
      if (g_size % rows == 0) columns_ = g_size / rows;
    }
    const int row = g_rank / columns_, column = g_rank % columns_;
    north_ = row > 0 ? g_rank - columns_ : MPI_PROC_NULL;
    south_ = g_rank + columns_ < g_size ? g_rank + columns_ : MPI_PROC_NULL;
    west_ = column > 0 ? g_rank - 1 : MPI_PROC_NULL;
    east_ = column + 1 < columns_ ? g_rank + 1 : MPI_PROC_NULL;
  }

  void lower_plane(int plane) {
    if (north_ != MPI_PROC_NULL) receive(kFromNorth);
    if (west_ != MPI_PROC_NULL) receive(kFromWest);
    compute(plane);
    send(south_, kFromNorth);
    send(east_, kFromWest);
  }
  void upper_plane(int plane) {
    for (const int predecessor : {south_, east_}) {
      if (predecessor != MPI_PROC_NULL) receive(kUpper);
    }
    compute(plane);
    send(north_, kUpper);
    send(west_, kUpper);
  }
  double sum() const {
    double sum = 0;
    for (const double value : u_) sum += value;
    return sum;
  }

 private:
  void receive(Tag tag) {
    double in[kPoints];
    MPI_Status status;
    MPI_Recv(in, kPoints, MPI_DOUBLE, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &status);
    account_.add(status);
    for (size_t i = 0; i < kPoints; ++i) u_[i] = 0.9 * u_[i] + 0.1 * in[kPoints - 1 - i];
  }
  void send(int to, Tag tag) const {
    (synchronous_ ? MPI_Ssend : MPI_Send)(u_.data(), kPoints, MPI_DOUBLE, to, tag, MPI_COMM_WORLD);
  }
  void compute(int plane) {
    work(draw(static_cast<uint64_t>(g_rank), static_cast<uint64_t>(plane)), 12000);
    for (size_t i = 1; i < kPoints; ++i) u_[i] += 0.01 * u_[i - 1];
  }

  Account& account_;
  const bool synchronous_;
  std::vector<double> u_;
  int columns_ = 1;
  int north_, south_, west_, east_;
};

}  // namespace

int main(int argc, char** argv) {
  const bool ssend = argc > 1 && std::strcmp(argv[1], "ssend") == 0;
  Job job(argc - ssend, argv + ssend);
  Account account;
  Report report;
  Grid grid(account, ssend);
  for (int iteration = 0; iteration < iterations(); ++iteration) {
    for (int plane = 0; plane < kPlanes; ++plane) grid.lower_plane(iteration * kPlanes + plane);
    for (int plane = kPlanes; plane > 0; --plane) grid.upper_plane(iteration * kPlanes + plane + 1000);
    report.line("iteration %d: %a", iteration, grid.sum());
  }
  print(report, account);
}
