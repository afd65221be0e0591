// What collective operations do on a communicator on which some have not matched, and whose errors come back. The first
// argument names what does not match, the second the communicator, the third by how many of the operations that match
// the list of them is turned: those that nobody waits for leave it to the next one to find out. Every rank then goes on
// with operations that match, and with others that do not, and prints the class of each of their errors. Whatever
// succeeds has brought the right data.
#include "testing.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <iterator>

using namespace mpi_test;

namespace {

MPI_Comm g_comm = MPI_COMM_NULL;
bool g_inter = false;
bool g_odd = false;       // this rank differs
bool g_in_first = false;  // of the groups of an inter-communicator
int g_others = 0;         // ranks that contribute to what this one gets
std::vector<int> g_in, g_out;
MPI_Request g_request;

int first_group() { return g_size / 2 + g_size % 2; }

MPI_Comm make_groups() {
  MPI_Comm half, inter;
  MPI_Comm_split(MPI_COMM_WORLD, g_in_first, 0, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, g_in_first ? first_group() : 0, 0, &inter);
  MPI_Comm_free(&half);
  return inter;
}

// Rank 0 of the first group is the root.
int root() { return !g_inter || !g_in_first ? 0 : g_rank == 0 ? MPI_ROOT : MPI_PROC_NULL; }
bool is_root() { return g_rank == 0; }
bool is_leaf() { return g_inter ? !g_in_first : g_rank != 0; }

int finish(int code) { return code != MPI_SUCCESS ? code : MPI_Wait(&g_request, MPI_STATUS_IGNORE); }
int finish_by_tests(int code) {
  for (int flag = 0; code == MPI_SUCCESS && !flag;) code = MPI_Test(&g_request, &flag, MPI_STATUS_IGNORE);
  return code;
}
int finish_by_waitany(int code) {
  int index = -1;
  if (code != MPI_SUCCESS) return code;
  code = MPI_Waitany(1, &g_request, &index, MPI_STATUS_IGNORE);
  EXPECT(index == 0);
  return code;
}
int finish_by_testany(int code) {
  int index = -1;
  for (int flag = 0; code == MPI_SUCCESS && !flag;) code = MPI_Testany(1, &g_request, &index, &flag, MPI_STATUS_IGNORE);
  return code;
}
// Of one request: what its status says.
template <typename Call>
int finish_by_some(int code, Call call) {
  int count = 0, index = -1;
  MPI_Status status;
  status.MPI_ERROR = MPI_SUCCESS;
  while (code == MPI_SUCCESS && count == 0) code = call(1, &g_request, &count, &index, &status);
  if (error_class(code) != MPI_ERR_IN_STATUS) return code;
  EXPECT(count == 1 && index == 0 && status.MPI_ERROR != MPI_SUCCESS);
  return status.MPI_ERROR;
}

void expect_all(int count, int value) {
  for (int i = 0; i < count; ++i) EXPECT(g_out[static_cast<size_t>(i)] == value);
}
// What an operation with blocks of so many elements may touch.
void fill(int value, int count = 10) {
  const auto used = static_cast<ptrdiff_t>(count) * g_size;
  std::fill(g_in.begin(), g_in.begin() + used, value);
  std::fill(g_out.begin(), g_out.begin() + used, -1);
}

int barrier() { return MPI_Barrier(g_comm); }
int bcast() {
  fill(is_root() ? 7 : -1);
  const int code = MPI_Bcast(g_in.data(), 5, MPI_INT, root(), g_comm);
  if (code == MPI_SUCCESS && is_leaf()) EXPECT(g_in[4] == 7);
  return code;
}
template <int kCount>
int allreduce() {
  fill(1, kCount);
  const int code = MPI_Allreduce(g_in.data(), g_out.data(), kCount, MPI_INT, MPI_SUM, g_comm);
  if (code == MPI_SUCCESS) expect_all(kCount, g_others);
  return code;
}
template <int kCount>
int gather() {
  fill(3, kCount);
  const int code = MPI_Gather(g_in.data(), kCount, MPI_INT, g_out.data(), kCount, MPI_INT, root(), g_comm);
  if (code == MPI_SUCCESS && is_root()) expect_all(g_others * kCount, 3);
  return code;
}
template <int kCount>
int scatter() {
  fill(4, kCount);
  const int code = MPI_Scatter(g_in.data(), kCount, MPI_INT, g_out.data(), kCount, MPI_INT, root(), g_comm);
  if (code == MPI_SUCCESS && is_leaf()) expect_all(kCount, 4);
  return code;
}
// Copying it takes a while.
constexpr int kLong = 60000;
void let_clock_go_on() {
  for (int i = 0, flag = 0; i < 2000; ++i) MPI_Iprobe(MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
}

// Rank 1 differs. The last rank does the same as the root, and comes when that has found out; for its clock nobody has
// to wait then.
template <typename Call>
int come_late(Call call) {
  if (const int code = gather<kLong>(); code != MPI_SUCCESS) return code;  // the first one finds out how data are read
  if (g_rank == 1) return barrier();
  if (g_odd) {
    let_clock_go_on();
    usleep(20000);
  }
  return call();
}
template <int kCount>
int alltoall() {
  fill(5, kCount);
  const int code = MPI_Alltoall(g_in.data(), kCount, MPI_INT, g_out.data(), kCount, MPI_INT, g_comm);
  if (code == MPI_SUCCESS) expect_all(g_others * kCount, 5);
  return code;
}
int scan() {
  if (g_inter) return barrier();
  fill(1, 3000);
  const int code = MPI_Scan(g_in.data(), g_out.data(), 3000, MPI_INT, MPI_SUM, g_comm);
  if (code == MPI_SUCCESS) expect_all(3000, g_rank + 1);
  return code;
}
int iallreduce() {
  fill(1);
  const int code = finish(MPI_Iallreduce(g_in.data(), g_out.data(), 10, MPI_INT, MPI_SUM, g_comm, &g_request));
  if (code == MPI_SUCCESS) expect_all(10, g_others);
  return code;
}
int ibarrier_by_tests() { return finish_by_tests(MPI_Ibarrier(g_comm, &g_request)); }
int iallreduce_by_waitany() {
  fill(1);
  int code = MPI_Iallreduce(g_in.data(), g_out.data(), 10, MPI_INT, MPI_SUM, g_comm, &g_request);
  code = finish_by_waitany(code);
  if (code == MPI_SUCCESS) expect_all(10, g_others);
  return code;
}
int ibarrier_by_testany() { return finish_by_testany(MPI_Ibarrier(g_comm, &g_request)); }
int ibcast_by_waitsome() {
  fill(is_root() ? 7 : -1);
  const int code = finish_by_some(MPI_Ibcast(g_in.data(), 5, MPI_INT, root(), g_comm, &g_request), MPI_Waitsome);
  if (code == MPI_SUCCESS && is_leaf()) EXPECT(g_in[4] == 7);
  return code;
}
int ibarrier_by_testsome() { return finish_by_some(MPI_Ibarrier(g_comm, &g_request), MPI_Testsome); }
int persistent_by_waitany() {
  int code = MPI_Barrier_init(g_comm, MPI_INFO_NULL, &g_request);
  if (code != MPI_SUCCESS) return code;
  for (int i = 0; i < 2 && code == MPI_SUCCESS; ++i) code = finish_by_waitany(MPI_Start(&g_request));
  EXPECT(MPI_Request_free(&g_request) == MPI_SUCCESS);
  return code;
}

// A communicator is made where there is no error, and nowhere else.
int made(int code, MPI_Comm comm) {
  EXPECT((comm == MPI_COMM_NULL) == (code != MPI_SUCCESS));
  if (comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
  return code;
}
int dup() {
  MPI_Comm copy = MPI_COMM_NULL;
  const int code = MPI_Comm_dup(g_comm, &copy);
  return made(code, copy);
}
int idup() {
  MPI_Comm copy = MPI_COMM_NULL;
  const int code = finish_by_waitany(MPI_Comm_idup(g_comm, &copy, &g_request));
  return made(code, copy);
}
int split() {
  MPI_Comm part = MPI_COMM_NULL;
  const int code = MPI_Comm_split(g_comm, 0, 0, &part);
  return made(code, part);
}
int create() {
  MPI_Group group;
  MPI_Comm same = MPI_COMM_NULL;
  MPI_Comm_group(g_comm, &group);
  const int code = MPI_Comm_create(g_comm, group, &same);
  MPI_Group_free(&group);
  return made(code, same);
}
int merge() {
  if (!g_inter) return barrier();
  MPI_Comm merged = MPI_COMM_NULL;
  const int code = MPI_Intercomm_merge(g_comm, g_in_first ? 0 : 1, &merged);
  return made(code, merged);
}
// The odd rank does something else than the others.
int by_call() { return g_odd ? barrier() : allreduce<1>(); }
int by_root() {
  fill(0);
  int wrong = g_size - 1;
  if (g_inter) wrong = g_in_first ? root() : 1;
  return MPI_Bcast(g_in.data(), 1, MPI_INT, g_odd ? wrong : root(), g_comm);
}
int by_op() {
  fill(0);
  return MPI_Allreduce(g_in.data(), g_out.data(), 1, MPI_INT, g_odd ? MPI_MAX : MPI_SUM, g_comm);
}
int by_count() { return g_odd ? allreduce<1000>() : allreduce<900>(); }
int by_message() { return g_odd ? scatter<1>() : gather<1>(); }
// The root has what all have sent that take part.
int late_gather() {
  const int code = gather<kLong>();
  if (code != MPI_SUCCESS && is_root() && !g_inter && g_size > 2)
    EXPECT(g_out[size_t{kLong} * static_cast<size_t>(g_size) - 1] == 3);
  return code;
}
int by_late_gather() { return come_late(late_gather); }
int by_late_pieces() { return come_late(gather<9000>); }
int by_late_scatter() { return come_late(scatter<kLong>); }
int by_scan() { return g_odd ? bcast() : scan(); }
int by_length() {
  fill(0);
  return MPI_Bcast(g_in.data(), g_odd ? 2 : 3, MPI_INT, root(), g_comm);
}
int by_start() { return g_odd ? finish(MPI_Ibarrier(g_comm, &g_request)) : allreduce<1>(); }
int by_making() { return g_odd ? barrier() : dup(); }

struct Operation {
  const char* name;
  int (*run)();
};
constexpr Operation kMismatches[] = {
    {"call", by_call},
    {"root", by_root},
    {"op", by_op},
    {"count", by_count},
    {"message", by_message},
    {"scan", by_scan},
    {"length", by_length},
    {"start", by_start},
    {"making", by_making},
    {"late gather", by_late_gather},
    {"late pieces", by_late_pieces},
    {"late scatter", by_late_scatter},
};
constexpr Operation kMatching[] = {
    {"bcast", bcast},
    {"gather", gather<1>},
    {"allreduce", allreduce<1>},
    {"scatter", scatter<1>},
    {"gather in pieces", gather<9000>},
    {"long gather", gather<20000>},
    {"long scatter", scatter<9000>},
    {"alltoall", alltoall<1>},
    {"long alltoall", alltoall<10000>},
    {"scan", scan},
    {"long allreduce", allreduce<20000>},
    {"iallreduce", iallreduce},
    {"ibarrier", ibarrier_by_tests},
    {"waitany", iallreduce_by_waitany},
    {"testany", ibarrier_by_testany},
    {"waitsome", ibcast_by_waitsome},
    {"testsome", ibarrier_by_testsome},
    {"persistent", persistent_by_waitany},
    {"barrier", barrier},
    {"dup", dup},
    {"idup", idup},
    {"split", split},
    {"create", create},
    {"merge", merge},
};

void run(const Operation& operation) {
  const int code = operation.run();
  std::printf("rank %d: %s: class %d\n", g_rank, operation.name, error_class(code));
}

}  // namespace

int main(int argc, char** argv) {
  Mpi mpi(argc, argv);
  EXPECT(argc == 3 || argc == 4);
  g_inter = std::strcmp(argv[2], "inter") == 0;
  g_odd = g_rank == g_size - 1;
  g_in_first = g_rank < first_group();
  g_others = !g_inter ? g_size : g_in_first ? g_size - first_group() : first_group();
  g_in.resize(size_t{kLong} * static_cast<size_t>(g_size));
  g_out.resize(g_in.size());
  if (std::strcmp(argv[2], "world") == 0) g_comm = MPI_COMM_WORLD;
  else if (g_inter) g_comm = make_groups();
  else MPI_Comm_dup(MPI_COMM_WORLD, &g_comm);
  MPI_Comm_set_errhandler(g_comm, MPI_ERRORS_RETURN);
  for (const Operation& first : kMismatches) {
    if (std::strcmp(argv[1], first.name) != 0) continue;
    run(first);
    const int offset = argc > 3 ? std::atoi(argv[3]) : 0;
    const auto matching = [&](size_t i) { return kMatching[(i + static_cast<size_t>(offset)) % std::size(kMatching)]; };
    for (size_t i = 0; i < std::size(kMatching); ++i) run(matching(i));
    for (const Operation& operation : kMismatches) run(operation);
    for (int i = 0; i < 300; ++i) run({"bcast", bcast});  // until nobody can run ahead any more
    run({"allreduce", allreduce<1>});
    if (g_comm == MPI_COMM_WORLD) return 0;
    MPI_Comm_free(&g_comm);
    int sum = 0;  // elsewhere all is well
    EXPECT(MPI_Allreduce(&g_rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD) == MPI_SUCCESS);
    EXPECT(sum == g_size * (g_size - 1) / 2);
    return 0;
  }
  failed("no such case", __FILE__, __LINE__);
}
