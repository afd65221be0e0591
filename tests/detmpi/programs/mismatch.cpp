// Members of a communicator that call different collective operations, or the same with different arguments, by the
// name that is given. The last rank differs from the others. With `return` errors come back, and every rank prints what
// it was told: the class, and who differs.
#include "testing.hpp"

using namespace mpi_test;

namespace {

MPI_Comm g_comm = MPI_COMM_WORLD;
bool g_odd = false;  // this rank differs
int g_in[60000];
int g_out[60000];

int allreduce(int count, MPI_Datatype type, MPI_Op op) { return MPI_Allreduce(g_in, g_out, count, type, op, g_comm); }

int call() { return g_odd ? MPI_Barrier(g_comm) : allreduce(1, MPI_INT, MPI_SUM); }
int bcast_root() { return MPI_Bcast(g_in, 1, MPI_INT, g_odd ? g_size - 1 : 0, g_comm); }
int bcast_long() { return MPI_Bcast(g_in, g_odd ? 5 : 3, MPI_INT, 0, g_comm); }
int bcast_exposed() {  // in three parts, or in two
  constexpr int kMost = 10'000'000;
  static std::vector<int> data(kMost);
  return MPI_Bcast(data.data(), g_odd ? kMost / 2 : kMost, MPI_INT, 0, g_comm);
}
int bcast_exposed_or_not() {
  static std::vector<int> data(1'000'000);
  return MPI_Bcast(data.data(), g_odd ? 3 : 1'000'000, MPI_INT, 0, g_comm);
}
int bcast_short() { return MPI_Bcast(g_in, g_odd ? 2 : 3, MPI_INT, 0, g_comm); }
int allreduce_op() { return allreduce(1, MPI_INT, g_odd ? MPI_MAX : MPI_SUM); }
int allreduce_type() { return allreduce(1, g_odd ? MPI_FLOAT : MPI_INT, MPI_SUM); }
int allreduce_count() { return allreduce(g_odd ? 4 : 1, MPI_INT, MPI_SUM); }
int allreduce_long() { return allreduce(g_odd ? 1000 : 900, MPI_INT, MPI_SUM); }
int allreduce_nothing() { return allreduce(g_odd ? 0 : 1, MPI_INT, MPI_SUM); }
int reduce_root() { return MPI_Reduce(g_in, g_out, 1, MPI_INT, MPI_SUM, g_odd ? g_size - 1 : 0, g_comm); }
int scan_count() { return MPI_Scan(g_in, g_out, g_odd ? 1 : 2, MPI_INT, MPI_SUM, g_comm); }
int allgather_count() { return MPI_Allgather(g_in, g_odd ? 2 : 1, MPI_INT, g_out, g_odd ? 2 : 1, MPI_INT, g_comm); }
int alltoall_count() { return MPI_Alltoall(g_in, g_odd ? 2 : 1, MPI_INT, g_out, g_odd ? 2 : 1, MPI_INT, g_comm); }
int alltoall_long() {
  const int count = g_odd ? 10000 : 9000;
  return MPI_Alltoall(g_in, count, MPI_INT, g_out, count, MPI_INT, g_comm);
}
// The odd rank expects another number of elements from itself than the others do.
int allgatherv_counts() {
  std::vector<int> counts(static_cast<size_t>(g_size), 1), places(counts.size(), 0);
  for (int i = 0; i < g_size; ++i) places[static_cast<size_t>(i)] = 2 * i;
  if (g_odd) counts.back() = 2;
  return MPI_Allgatherv(g_in, counts[static_cast<size_t>(g_rank)], MPI_INT, g_out, counts.data(), places.data(),
                        MPI_INT, g_comm);
}
int reduce_scatter_counts() {
  std::vector<int> counts(static_cast<size_t>(g_size), 1);
  if (g_odd) counts.back() = 2;
  return MPI_Reduce_scatter(g_in, g_out, counts.data(), MPI_INT, MPI_SUM, g_comm);
}
// The odd rank sends each other than it receives from each.
int allgather_uneven() { return MPI_Allgather(g_in, g_odd ? 1 : 10, MPI_INT, g_out, 10, MPI_INT, g_comm); }
int alltoall_uneven() { return MPI_Alltoall(g_in, g_odd ? 2 : 1, MPI_INT, g_out, 1, MPI_INT, g_comm); }
int alltoall_uneven_long() { return MPI_Alltoall(g_in, g_odd ? 8000 : 9000, MPI_INT, g_out, 9000, MPI_INT, g_comm); }
// What the odd rank sends to each, where the others expect `count`.
int alltoallv(int count, int odd_count, MPI_Comm comm) {
  int sends[3], receives[3], starts[3];
  for (int i = 0; i < 3; ++i) {
    sends[i] = g_odd ? odd_count : count;
    receives[i] = count;
    starts[i] = count * i;
  }
  return MPI_Alltoallv(g_in, sends, starts, MPI_INT, g_out, receives, starts, MPI_INT, comm);
}
// The last two ranks; the first one is alone.
MPI_Comm pair() {
  MPI_Comm comm;
  MPI_Comm_split(g_comm, g_rank == 0 ? 0 : 1, 0, &comm);
  return comm;
}
int alltoallv_long() { return alltoallv(1, 2, g_comm); }
int alltoallv_short() { return alltoallv(2, 1, g_comm); }
int alltoallv_long_pair() { return alltoallv(1, 2, pair()); }
int alltoallv_longer_pair() { return alltoallv(5000, 9500, pair()); }
int alltoallv_longish_pair() { return alltoallv(1500, 2500, pair()); }
int alltoallv_shorter_pair() { return alltoallv(9500, 1, pair()); }
int alltoallv_or_barrier() {
  const MPI_Comm comm = pair();
  return g_odd ? MPI_Barrier(comm) : alltoallv(9500, 9500, comm);
}
// Of two groups that make an inter-communicator the second is the pair. The first must not wait for it.
int connect() {
  MPI_Comm group = pair(), inter = MPI_COMM_NULL;
  const int code =
      g_odd ? MPI_Barrier(group) : MPI_Intercomm_create(group, 0, MPI_COMM_WORLD, g_rank == 0 ? 1 : 0, 5, &inter);
  EXPECT(inter == MPI_COMM_NULL);
  // Once more, where everything matches.
  MPI_Comm_free(&group);
  group = pair();
  EXPECT(MPI_Intercomm_create(group, 0, MPI_COMM_WORLD, g_rank == 0 ? 1 : 0, 5, &inter) == MPI_SUCCESS);
  EXPECT(MPI_Barrier(inter) == MPI_SUCCESS);
  return code;
}
int gather_root() { return MPI_Gather(g_in, 1, MPI_INT, g_out, 1, MPI_INT, g_odd ? g_size - 1 : 0, g_comm); }
int gather_long() { return MPI_Gather(g_in, g_odd ? 2 : 1, MPI_INT, g_out, 1, MPI_INT, 0, g_comm); }
int gather_short() { return MPI_Gather(g_in, g_odd ? 1 : 2, MPI_INT, g_out, 2, MPI_INT, 0, g_comm); }
int gather_of_messages() { return MPI_Gather(g_in, g_odd ? 500 : 250, MPI_INT, g_out, 250, MPI_INT, 0, g_comm); }
int gather_round_or_messages() { return MPI_Gather(g_in, g_odd ? 500 : 1, MPI_INT, g_out, 1, MPI_INT, 0, g_comm); }
int scatter_long() { return MPI_Scatter(g_in, 1, MPI_INT, g_out, g_odd ? 2 : 1, MPI_INT, 0, g_comm); }
int scatter_short() { return MPI_Scatter(g_in, 20, MPI_INT, g_out, g_odd ? 1 : 20, MPI_INT, 0, g_comm); }
int scatter_round_or_messages() { return MPI_Scatter(g_in, 1, MPI_INT, g_out, g_odd ? 2000 : 1, MPI_INT, 0, g_comm); }
int gather_pieces() { return MPI_Gather(g_in, g_odd ? 10000 : 9000, MPI_INT, g_out, 9000, MPI_INT, 0, g_comm); }
int gather_fewer_pieces() { return MPI_Gather(g_in, g_odd ? 5000 : 9000, MPI_INT, g_out, 9000, MPI_INT, 0, g_comm); }
int gather_pieces_or_messages() {
  return MPI_Gather(g_in, g_odd ? 500 : 9000, MPI_INT, g_out, 9000, MPI_INT, 0, g_comm);
}
int gather_exposed() { return MPI_Gather(g_in, g_odd ? 25000 : 20000, MPI_INT, g_out, 20000, MPI_INT, 0, g_comm); }
int gather_exposed_or_messages() {
  return MPI_Gather(g_in, g_odd ? 500 : 20000, MPI_INT, g_out, 20000, MPI_INT, 0, g_comm);
}
int scatter_exposed() { return MPI_Scatter(g_in, 9000, MPI_INT, g_out, g_odd ? 10000 : 9000, MPI_INT, 0, g_comm); }
int scatter_messages_or_exposed() {
  return MPI_Scatter(g_in, 5000, MPI_INT, g_out, g_odd ? 9000 : 5000, MPI_INT, 0, g_comm);
}
int gather_or_scatter() {
  return g_odd ? MPI_Scatter(g_in, 1, MPI_INT, g_out, 1, MPI_INT, 0, g_comm)
               : MPI_Gather(g_in, 1, MPI_INT, g_out, 1, MPI_INT, 0, g_comm);
}

int wait(int started, MPI_Request& request) {
  return started != MPI_SUCCESS ? started : MPI_Wait(&request, MPI_STATUS_IGNORE);
}
int ibcast_root() {
  MPI_Request request;
  const int code = MPI_Ibcast(g_in, 1, MPI_INT, g_odd ? g_size - 1 : 0, g_comm, &request);
  return wait(code, request);
}
int iallreduce_op() {
  MPI_Request request;
  const int code = MPI_Iallreduce(g_in, g_out, 1, MPI_INT, g_odd ? MPI_MAX : MPI_SUM, g_comm, &request);
  return wait(code, request);
}
int iallreduce_long() {
  MPI_Request request;
  const int code = MPI_Iallreduce(g_in, g_out, g_odd ? 2 : 1, MPI_INT, MPI_SUM, g_comm, &request);
  return wait(code, request);
}
int persistent_root() {
  MPI_Request request;
  MPI_Bcast_init(g_in, 1, MPI_INT, g_odd ? g_size - 1 : 0, g_comm, MPI_INFO_NULL, &request);
  const int code = wait(MPI_Start(&request), request);
  MPI_Request_free(&request);
  return code;
}
int blocking_or_not() {
  MPI_Request request;
  return g_odd ? MPI_Barrier(g_comm) : wait(MPI_Ibarrier(g_comm, &request), request);
}
// Rank 0 looks when the odd rank has begun many more, which others do not wait for.
int gather_ahead() {
  constexpr int kMore = 300;
  int done = 0, code = MPI_SUCCESS;
  if (g_rank == 0) MPI_Recv(&done, 1, MPI_INT, g_size - 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i <= kMore && code == MPI_SUCCESS; ++i) {
    code = MPI_Gather(g_in, 1, MPI_INT, g_out, 1, MPI_INT, g_odd && i == 0 ? 1 : 0, g_comm);
  }
  if (g_odd) MPI_Send(&done, 1, MPI_INT, 0, 7, MPI_COMM_WORLD);
  return code;
}
// All are under way before one is waited for.
int ibcast_many() {
  constexpr int kMany = 300;
  MPI_Request requests[kMany];
  for (int i = 0; i < kMany; ++i) {
    const int code = MPI_Ibcast(g_in + i, 1, MPI_INT, g_odd && i == 0 ? g_size - 1 : 0, g_comm, &requests[i]);
    if (code != MPI_SUCCESS) return code;
  }
  int first = MPI_SUCCESS;
  for (MPI_Request& request : requests) {
    const int code = MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (first == MPI_SUCCESS) first = code;
  }
  return first;
}
int neighbours() {
  MPI_Comm ring;
  const int periodic = 1;
  MPI_Cart_create(g_comm, 1, &g_size, &periodic, 0, &ring);
  MPI_Comm_set_errhandler(ring, g_comm == MPI_COMM_WORLD ? MPI_ERRORS_ARE_FATAL : MPI_ERRORS_RETURN);
  return MPI_Neighbor_allgather(g_in, g_odd ? 2 : 1, MPI_INT, g_out, 1, MPI_INT, ring);
}
// Nobody reads what the odd root publishes, and it reads nothing: the writers find out.
int bcast_never_read() {
  for (int i = 0; i < 300; ++i) {
    if (const int code = bcast_root(); code != MPI_SUCCESS) return code;
  }
  MPI_Abort(g_comm, 3);
  return MPI_SUCCESS;
}
int split() {
  MPI_Comm comm;
  return g_odd ? MPI_Comm_dup(g_comm, &comm) : MPI_Comm_split(g_comm, 0, 0, &comm);
}

// Between two groups, the second of which is the odd rank alone where there are few.
MPI_Comm make_groups() {
  const int first = g_size / 2 + g_size % 2;
  const bool is_first = g_rank < first;
  MPI_Comm half, inter;
  MPI_Comm_split(MPI_COMM_WORLD, is_first, 0, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, is_first ? first : 0, 0, &inter);
  MPI_Comm_free(&half);
  return inter;
}
int inter_call() { return call(); }
int inter_op() { return allreduce_op(); }
// The root is rank 0; the odd rank means another one, or has less room.
int bcast_from_first_group(int root, int count) {
  const bool is_first = g_rank < g_size / 2 + g_size % 2;
  if (is_first) root = g_rank == 0 ? MPI_ROOT : MPI_PROC_NULL;
  return MPI_Bcast(g_in, count, MPI_INT, root, g_comm);
}
int inter_root() { return bcast_from_first_group(g_odd ? 1 : 0, 1); }
int inter_long() { return bcast_from_first_group(0, g_odd ? 2 : 3); }

struct Mismatch {
  const char* name;
  int (*run)();
};
constexpr Mismatch kMismatches[] = {
    {"call", call},
    {"bcast_root", bcast_root},
    {"bcast_long", bcast_long},
    {"bcast_short", bcast_short},
    {"bcast_exposed", bcast_exposed},
    {"bcast_exposed_or_not", bcast_exposed_or_not},
    {"allreduce_op", allreduce_op},
    {"allreduce_type", allreduce_type},
    {"allreduce_count", allreduce_count},
    {"allreduce_long", allreduce_long},
    {"allreduce_nothing", allreduce_nothing},
    {"reduce_root", reduce_root},
    {"scan_count", scan_count},
    {"allgather_count", allgather_count},
    {"alltoall_count", alltoall_count},
    {"allgatherv_counts", allgatherv_counts},
    {"reduce_scatter_counts", reduce_scatter_counts},
    {"alltoall_long", alltoall_long},
    {"allgather_uneven", allgather_uneven},
    {"alltoall_uneven", alltoall_uneven},
    {"alltoall_uneven_long", alltoall_uneven_long},
    {"alltoallv_long", alltoallv_long},
    {"alltoallv_short", alltoallv_short},
    {"alltoallv_long_pair", alltoallv_long_pair},
    {"alltoallv_longer_pair", alltoallv_longer_pair},
    {"alltoallv_longish_pair", alltoallv_longish_pair},
    {"alltoallv_shorter_pair", alltoallv_shorter_pair},
    {"alltoallv_or_barrier", alltoallv_or_barrier},
    {"connect", connect},
    {"gather_root", gather_root},
    {"gather_long", gather_long},
    {"gather_short", gather_short},
    {"gather_of_messages", gather_of_messages},
    {"gather_round_or_messages", gather_round_or_messages},
    {"scatter_long", scatter_long},
    {"scatter_short", scatter_short},
    {"scatter_round_or_messages", scatter_round_or_messages},
    {"gather_pieces", gather_pieces},
    {"gather_fewer_pieces", gather_fewer_pieces},
    {"gather_pieces_or_messages", gather_pieces_or_messages},
    {"gather_exposed", gather_exposed},
    {"gather_exposed_or_messages", gather_exposed_or_messages},
    {"scatter_exposed", scatter_exposed},
    {"scatter_messages_or_exposed", scatter_messages_or_exposed},
    {"gather_or_scatter", gather_or_scatter},
    {"ibcast_root", ibcast_root},
    {"iallreduce_op", iallreduce_op},
    {"iallreduce_long", iallreduce_long},
    {"persistent_root", persistent_root},
    {"gather_ahead", gather_ahead},
    {"ibcast_many", ibcast_many},
    {"blocking_or_not", blocking_or_not},
    {"neighbours", neighbours},
    {"bcast_never_read", bcast_never_read},
    {"split", split},
    {"inter_call", inter_call},
    {"inter_op", inter_op},
    {"inter_root", inter_root},
    {"inter_long", inter_long},
};

void print_error(int code) {
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  if (code != MPI_SUCCESS) MPI_Error_string(code, text, &length);
  std::printf("rank %d: class %d: %s\n", g_rank, error_class(code), text);
}

}  // namespace

int main(int argc, char** argv) {
  Mpi mpi(argc, argv);
  g_odd = g_rank == g_size - 1;
  const bool returns = argc > 2 && std::strcmp(argv[2], "return") == 0;
  const bool between_groups = argc > 1 && std::strncmp(argv[1], "inter_", 6) == 0;
  if (between_groups) g_comm = make_groups();
  else if (returns) MPI_Comm_dup(MPI_COMM_WORLD, &g_comm);
  if (returns) MPI_Comm_set_errhandler(g_comm, MPI_ERRORS_RETURN);
  for (const Mismatch& m : kMismatches) {
    if (argc < 2 || std::strcmp(argv[1], m.name) != 0) continue;
    const int code = m.run();
    if (!returns) return 0;
    print_error(code);
    // What comes after it is in order where the length alone was wrong, or another communicator is concerned.
    const auto begins = [&](const char* how) { return std::strncmp(m.name, how, std::strlen(how)) == 0; };
    const bool in_order = begins("bcast_") || begins("alltoallv_") || begins("connect");
    int sum = 0;
    const int next = MPI_Allreduce(&g_rank, &sum, 1, MPI_INT, MPI_SUM, g_comm);
    EXPECT(error_class(next) == (in_order ? MPI_SUCCESS : error_class(code)));
    EXPECT(!in_order || sum == g_size * (g_size - 1) / 2);
    return 0;
  }
  failed("no such case", __FILE__, __LINE__);
}
