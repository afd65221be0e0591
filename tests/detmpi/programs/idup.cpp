// Copies of communicators that nobody waits for: several at once on communicators with members in common, in different
// orders, on inter-communicators, with attributes.
#include "colls.hpp"

using namespace mpi_test;

namespace {

// Rank 0 sends a message that the others receive before they start the copy.
void nobody_waits() {
  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Request request;
  int token = 7;
  if (g_rank == 0) {
    MPI_Comm_idup(MPI_COMM_WORLD, &copy, &request);
    for (int to = 1; to < g_size; ++to) MPI_Send(&token, 1, MPI_INT, to, 0, MPI_COMM_WORLD);
  } else {
    MPI_Recv(&token, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Comm_idup(MPI_COMM_WORLD, &copy, &request);
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  int result = -1;
  MPI_Comm_compare(MPI_COMM_WORLD, copy, &result);
  EXPECT(result == MPI_CONGRUENT);
  MPI_Comm_free(&copy);
}

// What each communicator is sent arrives on that one, whatever the order in which the receives are posted.
void expect_apart(const std::vector<MPI_Comm>& comms) {
  const int n = static_cast<int>(comms.size());
  for (int i = 0; i < n; ++i) {
    const Group g(comms[static_cast<size_t>(i)]);
    const int value = element(g_rank, 0, i);
    MPI_Send(&value, 1, MPI_INT, (g.rank + 1) % g.size, 1, g.comm);
  }
  for (int i = n - 1; i >= 0; --i) {
    const Group g(comms[static_cast<size_t>(i)]);
    int before = (g.rank + g.size - 1) % g.size, got = -1, world = -1;
    MPI_Group members, all;
    MPI_Comm_group(g.comm, &members);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_translate_ranks(members, 1, &before, all, &world);
    MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 1, g.comm, MPI_STATUS_IGNORE);
    EXPECT(got == element(world, 0, i));
    int sum = 0;
    MPI_Allreduce(&i, &sum, 1, MPI_INT, MPI_SUM, g.comm);
    EXPECT(sum == i * g.size);
    MPI_Group_free(&members);
    MPI_Group_free(&all);
  }
}

void many_at_once() {
  std::vector<MPI_Comm> parents(3), copies(12, MPI_COMM_NULL);
  MPI_Comm_dup(MPI_COMM_WORLD, &parents[0]);
  MPI_Comm_split(MPI_COMM_WORLD, g_rank % 2, g_rank, &parents[1]);
  MPI_Comm_split(MPI_COMM_WORLD, g_rank / 2, -g_rank, &parents[2]);
  std::vector<MPI_Request> requests;
  for (size_t i = 0; i < copies.size(); ++i) {
    // In an order of each rank's own.
    const size_t parent = (i + static_cast<size_t>(g_rank)) % parents.size();
    MPI_Comm_idup(parents[parent], &copies[parent * 4 + i / 3], &requests.emplace_back());
  }
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  std::vector<MPI_Comm> all = parents;
  all.insert(all.end(), copies.begin(), copies.end());
  expect_apart(all);
  for (MPI_Comm& comm : all) MPI_Comm_free(&comm);
}

void attributes_and_topology() {
  int keyval = MPI_KEYVAL_INVALID, kind = MPI_UNDEFINED, flag = 0;
  const int dims = g_size, periods = 1;
  MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &keyval, nullptr);
  MPI_Comm line, copy;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &dims, &periods, 0, &line);
  MPI_Comm_set_attr(line, keyval, &keyval);
  MPI_Request request;
  MPI_Comm_idup(line, &copy, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  void* value = nullptr;
  MPI_Comm_get_attr(copy, keyval, &value, &flag);
  MPI_Topo_test(copy, &kind);
  EXPECT(flag == 1 && value == &keyval && kind == MPI_CART);
  MPI_Comm_free(&copy);
  MPI_Comm_free(&line);
  MPI_Comm_free_keyval(&keyval);
}

int copy_attribute(MPI_Comm, int, void* fails, void* in, void* out, int* flag) {
  *static_cast<void**>(out) = in;
  *flag = 1;
  return *static_cast<bool*>(fails) ? MPI_ERR_OTHER : MPI_SUCCESS;
}

int count_delete(MPI_Comm, int, void* value, void*) {
  ++*static_cast<int*>(value);
  return MPI_SUCCESS;
}

// A copy has what its parent had at the call, whatever becomes of that one before the wait.
void as_at_the_call() {
  bool fails = false;
  int first_deleted = 0, second_deleted = 0, third_deleted = 0;
  int keyval = MPI_KEYVAL_INVALID, flag = 0, kind = MPI_UNDEFINED;
  MPI_Comm_create_keyval(copy_attribute, count_delete, &keyval, &fails);
  const int dims = g_size, periods = 1;
  MPI_Comm line, other, copies[3];
  MPI_Cart_create(MPI_COMM_WORLD, 1, &dims, &periods, 0, &line);
  MPI_Comm_set_errhandler(line, MPI_ERRORS_RETURN);
  MPI_Comm_set_attr(line, keyval, &first_deleted);
  MPI_Request requests[3];
  MPI_Comm_idup(line, &copies[0], &requests[0]);
  MPI_Comm_set_attr(line, keyval, &second_deleted);
  EXPECT(first_deleted == 1);
  MPI_Comm_idup(line, &copies[1], &requests[1]);
  MPI_Comm_set_errhandler(line, MPI_ERRORS_ARE_FATAL);
  MPI_Comm_free(&line);
  EXPECT(second_deleted == 1);
  // Nor does a failure come too late for its handler.
  MPI_Comm_dup(MPI_COMM_WORLD, &other);
  MPI_Comm_set_errhandler(other, MPI_ERRORS_RETURN);
  MPI_Comm_set_attr(other, keyval, &third_deleted);
  fails = true;
  MPI_Comm_idup(other, &copies[2], &requests[2]);
  MPI_Comm_free(&other);
  for (int i = 0; i < 2; ++i) {
    MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
    void* value = nullptr;
    MPI_Comm_get_attr(copies[i], keyval, &value, &flag);
    EXPECT(flag == 1 && value == (i == 0 ? &first_deleted : &second_deleted));
    MPI_Topo_test(copies[i], &kind);
    EXPECT(kind == MPI_CART && error_class(MPI_Send(&i, 1, MPI_INT, g_size, 0, copies[i])) == MPI_ERR_RANK);
    MPI_Comm_free(&copies[i]);
  }
  EXPECT(first_deleted == 2 && second_deleted == 2);
  EXPECT(error_class(MPI_Wait(&requests[2], MPI_STATUS_IGNORE)) == MPI_ERR_OTHER && copies[2] == MPI_COMM_NULL);
  MPI_Comm_free_keyval(&keyval);
}

void between_groups() {
  if (g_size < 2) return;
  const int color = g_rank % 2;
  MPI_Comm half, inter, copy;
  MPI_Comm_split(MPI_COMM_WORLD, color, g_rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - color, 5, &inter);
  MPI_Request requests[2];
  MPI_Comm other;
  MPI_Comm_idup(inter, &copy, &requests[0]);
  MPI_Comm_idup(half, &other, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  int theirs = -1, size = 0, merged_size = 0;
  MPI_Comm_remote_size(copy, &size);
  MPI_Allreduce(&g_rank, &theirs, 1, MPI_INT, MPI_SUM, copy);
  int expected = 0;
  for (int rank = 1 - color; rank < g_size; rank += 2) expected += rank;
  EXPECT(theirs == expected);
  MPI_Comm merged;
  MPI_Intercomm_merge(copy, color, &merged);
  MPI_Comm_size(merged, &merged_size);
  EXPECT(merged_size == g_size);
  for (MPI_Comm* comm : {&merged, &copy, &other, &inter, &half}) MPI_Comm_free(comm);
}

// An inter-communicator, and a communicator of one of its groups that is made after it: their copies are started in
// different orders. What the group agrees on for the one must not be taken for the other.
void beside_a_group() {
  if (g_size < 4) return;
  const int color = g_rank % 2;
  MPI_Comm half, inter, next, copies[2];
  MPI_Comm_split(MPI_COMM_WORLD, color, g_rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - color, 6, &inter);
  MPI_Comm_dup(half, &next);
  MPI_Request requests[2];
  const MPI_Comm parents[2] = {inter, next};
  for (const int i : {g_rank / 2 % 2, 1 - g_rank / 2 % 2}) MPI_Comm_idup(parents[i], &copies[i], &requests[i]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  int sums[2];
  for (int i = 0; i < 2; ++i) MPI_Allreduce(&g_rank, &sums[i], 1, MPI_INT, MPI_SUM, copies[i]);
  EXPECT(sums[0] + sums[1] == g_size * (g_size - 1) / 2);
  expect_apart({half, next, copies[1]});
  for (MPI_Comm* comm : {&copies[0], &copies[1], &next, &inter, &half}) MPI_Comm_free(comm);
}

// More than a rank has numbers for in the largest job.
void very_many() {
  for (int i = 0; i < 140000; ++i) {
    MPI_Comm copy;
    MPI_Request request;
    MPI_Comm_idup(MPI_COMM_SELF, &copy, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_free(&copy);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const Mpi mpi(argc, argv);
  nobody_waits();
  many_at_once();
  many_at_once();
  attributes_and_topology();
  as_at_the_call();
  between_groups();
  beside_a_group();
  very_many();
  std::printf("rank %d: copied\n", g_rank);
  return 0;
}
