// Never ends by itself: does over and over what its argument names, until a rank of it is killed. Ranks tell their
// process numbers first.
#include <unistd.h>

#include "colls.hpp"

using namespace mpi_test;

namespace {

// Made, used and freed.
void between_groups() {
  MPI_Comm half, inter, merged;
  const int color = g_rank % 2;
  MPI_Comm_split(MPI_COMM_WORLD, color, g_rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - color, 1, &inter);
  std::vector<int> in(3000), out(3000, g_rank);
  MPI_Allreduce(out.data(), in.data(), 3000, MPI_INT, MPI_SUM, inter);
  MPI_Request request;
  MPI_Isend(out.data(), 3000, MPI_INT, 0, 2, inter, &request);
  int peers = 0;
  MPI_Comm_remote_size(inter, &peers);
  for (int i = 0; g_rank < 2 && i < peers; ++i) {
    MPI_Recv(in.data(), 3000, MPI_INT, MPI_ANY_SOURCE, 2, inter, MPI_STATUS_IGNORE);
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Intercomm_merge(inter, color, &merged);
  MPI_Barrier(merged);
  for (MPI_Comm* comm : {&merged, &inter, &half}) MPI_Comm_free(comm);
}

// Copies whose parent is freed before the wait, of which some are never waited for.
void copies() {
  constexpr int kCopies = 4;
  static int left_alone = 50;
  MPI_Comm parent, copy[kCopies];
  MPI_Request requests[kCopies];
  MPI_Comm_dup(MPI_COMM_WORLD, &parent);
  for (int i = 0; i < kCopies; ++i) MPI_Comm_idup(parent, &copy[i], &requests[i]);
  MPI_Comm_free(&parent);
  const int waited_for = left_alone-- > 0 ? kCopies - 1 : kCopies;
  for (int i = waited_for - 1; i >= 0; --i) {
    MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
    MPI_Barrier(copy[i]);
    MPI_Comm_free(&copy[i]);
  }
}

// Small and large ones, completed in the opposite order.
void collectives() {
  constexpr int kOperations = 6;
  std::vector<int> in[kOperations], out[kOperations];
  MPI_Request requests[kOperations];
  for (int i = 0; i < kOperations; ++i) {
    const int n = i % 2 == 0 ? 20000 : 3;
    in[i].resize(static_cast<size_t>(n * g_size));
    out[i].assign(static_cast<size_t>(n * g_size), g_rank);
    if (i % 3 == 0) MPI_Iallreduce(out[i].data(), in[i].data(), n, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[i]);
    if (i % 3 == 1) MPI_Ialltoall(out[i].data(), n, MPI_INT, in[i].data(), n, MPI_INT, MPI_COMM_WORLD, &requests[i]);
    if (i % 3 == 2) MPI_Ibcast(out[i].data(), n, MPI_INT, i % g_size, MPI_COMM_WORLD, &requests[i]);
  }
  for (int i = kOperations - 1; i >= 0; --i) MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
}

void partitions() {
  constexpr int kPartitions = 5, kElements = 20000;
  std::vector<int> in(kPartitions * kElements), out(kPartitions * kElements, g_rank);
  MPI_Request requests[2];
  MPI_Precv_init(in.data(), kPartitions, kElements, MPI_INT, left(), 3, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
  MPI_Psend_init(out.data(), kPartitions, kElements, MPI_INT, right(), 3, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
  MPI_Startall(2, requests);
  for (int i = 0; i < kPartitions; ++i) {
    MPI_Pready(i, requests[1]);
    for (int flag = 0; !flag;) MPI_Parrived(requests[0], i, &flag);
  }
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  for (MPI_Request& request : requests) MPI_Request_free(&request);
}

// Large blocks, read from where they lie: nobody goes on with what it could not read.
void exposed() {
  constexpr int kElements = 30000;
  const auto n = static_cast<size_t>(kElements * g_size);
  std::vector<int> in(n, -1), out(n, g_rank);
  MPI_Alltoall(out.data(), kElements, MPI_INT, in.data(), kElements, MPI_INT, MPI_COMM_WORLD);
  for (size_t i = 0; i < n; ++i) EXPECT(in[i] == static_cast<int>(i / kElements));
}

// One for all, and both for each other, who write in what was read.
void exposed_whole() {
  static MPI_Comm pair = MPI_COMM_NULL;
  if (pair == MPI_COMM_NULL) MPI_Comm_split(MPI_COMM_WORLD, g_rank / 2, g_rank, &pair);
  constexpr int kElements = 600'000;
  std::vector<int> data(kElements, g_rank == 0 ? 3 : -1);
  MPI_Bcast(data.data(), kElements, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, data.data(), kElements, MPI_INT, MPI_SUM, pair);
  if (g_rank % 2 == 0) MPI_Reduce(MPI_IN_PLACE, data.data(), kElements, MPI_INT, MPI_SUM, 0, pair);
  else MPI_Reduce(data.data(), nullptr, kElements, MPI_INT, MPI_SUM, 0, pair);
  const int wanted = g_rank % 2 == 0 ? 12 : 6;
  EXPECT(std::all_of(data.begin(), data.end(), [=](int i) { return i == wanted; }));
}

// The same between two, in other lengths each way; the own data are written again at once.
void exposed_parts() {
  static MPI_Comm pair = MPI_COMM_NULL;
  if (pair == MPI_COMM_NULL) MPI_Comm_split(MPI_COMM_WORLD, g_rank / 2, g_rank, &pair);
  const auto amount = [](int from, int to) { return (1 + from + 2 * to) * 20000; };
  const int me = g_rank % 2, other = 1 - me;
  const int send_counts[] = {amount(me, 0), amount(me, 1)}, send_starts[] = {0, send_counts[0]};
  const int counts[] = {amount(0, me), amount(1, me)}, starts[] = {0, counts[0]};
  std::vector<int> out(static_cast<size_t>(send_counts[0] + send_counts[1]), g_rank);
  std::vector<int> in(static_cast<size_t>(counts[0] + counts[1]), -1);
  MPI_Alltoallv(out.data(), send_counts, send_starts, MPI_INT, in.data(), counts, starts, MPI_INT, pair);
  std::fill(out.begin(), out.end(), -1);
  const int* theirs = in.data() + starts[other];
  EXPECT(std::all_of(theirs, theirs + counts[other], [](int i) { return i == (g_rank ^ 1); }));
}

constexpr Case kCases[] = {{"between_groups", between_groups}, {"copies", copies},   {"collectives", collectives},
                           {"partitions", partitions},         {"exposed", exposed}, {"exposed_whole", exposed_whole},
                           {"exposed_parts", exposed_parts}};

}  // namespace

int main(int argc, char** argv) {
  Mpi mpi(argc, argv);
  std::printf("%d\n", getpid());
  std::fflush(stdout);
  while (true) run_case(kCases, argc > 1 ? argv[1] : "none");
}
