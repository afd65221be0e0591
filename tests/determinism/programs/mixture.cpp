// Collective operations of all kinds in a random order drawn from one seed, on the whole job and on parts of
// it, with sums of numbers of very different size, and work of different length between them.
#include "testing.hpp"

using namespace mpi_test;

namespace {

constexpr int kSteps = 150;

struct State {
  std::vector<double> values;
  std::vector<double> all;
  void work(int step) {
    const unsigned turns = mix(static_cast<uint64_t>(step * 64 + g_rank)) % 3000;
    for (unsigned i = 0; i < turns; ++i) values[i % values.size()] += 1e-7 * i;
    for (double& v : values) v = v > 1e30 || v < -1e30 ? 1.0 : v * 0.7;
  }
  void communicate(int kind, int count, MPI_Comm comm);
};

void State::communicate(int kind, int count, MPI_Comm comm) {
  int size = 1;
  int rank = 0;
  MPI_Comm_size(comm, &size);
  MPI_Comm_rank(comm, &rank);
  const int root = count % size;
  std::vector<double> out(static_cast<size_t>(count * size) + 1);
  const double* in = values.data();
  switch (kind) {
    case 0: MPI_Barrier(comm); return;
    case 1: MPI_Bcast(values.data(), count, MPI_DOUBLE, root, comm); return;
    case 2: MPI_Allreduce(in, out.data(), count, MPI_DOUBLE, MPI_SUM, comm); break;
    case 3: MPI_Reduce(in, out.data(), count, MPI_DOUBLE, MPI_SUM, root, comm); break;
    case 4: MPI_Scan(in, out.data(), count, MPI_DOUBLE, MPI_SUM, comm); break;
    case 5: MPI_Allgather(in, count, MPI_DOUBLE, out.data(), count, MPI_DOUBLE, comm); break;
    case 6: MPI_Gather(in, count, MPI_DOUBLE, out.data(), count, MPI_DOUBLE, root, comm); break;
    case 7: MPI_Scatter(all.data(), count, MPI_DOUBLE, out.data(), count, MPI_DOUBLE, root, comm); break;
    case 8: MPI_Alltoall(all.data(), count, MPI_DOUBLE, out.data(), count, MPI_DOUBLE, comm); break;
    default: MPI_Reduce_scatter_block(all.data(), out.data(), count, MPI_DOUBLE, MPI_SUM, comm);
  }
  for (size_t i = 0; i < out.size(); ++i) {
    values[i % values.size()] += out[i];
    all[i % all.size()] -= 0.5 * out[i];
  }
}

}  // namespace

int main(int argc, char** argv) {
  Mpi mpi(argc, argv);
  MPI_Comm part;
  MPI_Comm_split(MPI_COMM_WORLD, g_rank % 2, -g_rank, &part);
  constexpr int kShort = 600, kMost = 60 * kShort;  // the longest take several times what the board holds
  State state;
  for (int i = 0; i < kMost; ++i) {
    state.values.push_back(mix(static_cast<uint64_t>(g_rank * kMost + i)) * (i % 3 == 0   ? 1e-13
                                                                             : i % 3 == 1 ? 1.0
                                                                                          : -1e8));
  }
  for (int i = 0; i < kMost * g_size; ++i) state.all.push_back(1.0 / (1 + i + g_rank));
  Report report;
  for (int step = 0; step < kSteps; ++step) {
    const unsigned draw = mix(static_cast<uint64_t>(step) + 12345);
    state.work(step);
    const unsigned count = draw / 16 % kShort * (draw % 11 == 0 ? kMost / kShort : 1);
    state.communicate(static_cast<int>(draw % 10), static_cast<int>(count), draw % 7 == 0 ? part : MPI_COMM_WORLD);
    if (step % 25 == 0) report.line("step %d: %a %a", step, state.values[0], state.all[0]);
  }
  double sum = 0;
  for (const double v : state.values) sum += v;
  report.line("sum %a", sum);
  report.print();
  MPI_Comm_free(&part);
}
