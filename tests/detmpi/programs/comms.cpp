// Making communicators: dup, split, create, create_group, of each other, many at a time; messages and
// collective operations of one never meet those of another.
#include <algorithm>
#include <numeric>

#include "colls.hpp"

using namespace mpi_test;

namespace {

int sum_over(MPI_Comm comm) {
  int sum = 0;
  MPI_Allreduce(&g_rank, &sum, 1, MPI_INT, MPI_SUM, comm);
  return sum;
}

void split() {
  // By colour, ordered by key with ties in the old order.
  MPI_Comm part;
  MPI_Comm_split(MPI_COMM_WORLD, g_rank % 3, g_rank / 6, &part);
  const Group g(part);
  EXPECT(g.size == (g_size - g_rank % 3 + 2) / 3 && g.rank == g_rank / 3);
  int sum = 0;
  for (int r = g_rank % 3; r < g_size; r += 3) sum += r;
  EXPECT(sum_over(part) == sum);
  // A split of the part, in the opposite order.
  MPI_Comm inner;
  MPI_Comm_split(part, g.rank % 2, -g.rank, &inner);
  const Group h(inner);
  int top = -1;
  int mine = g.rank;
  MPI_Allreduce(&mine, &top, 1, MPI_INT, MPI_MAX, inner);
  EXPECT(h.rank == (top - g.rank) / 2);
  MPI_Comm_free(&inner);
  MPI_Comm_free(&part);
  EXPECT(part == MPI_COMM_NULL);
}

void create() {
  MPI_Group world, evens, odds;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  std::vector<int> even_ranks, odd_ranks;
  for (int r = g_size - 1; r >= 0; --r) (r % 2 == 0 ? even_ranks : odd_ranks).push_back(r);
  MPI_Group_incl(world, static_cast<int>(even_ranks.size()), even_ranks.data(), &evens);
  MPI_Group_incl(world, static_cast<int>(odd_ranks.size()), odd_ranks.data(), &odds);
  // Only the even ones.
  MPI_Comm comm;
  MPI_Comm_create(MPI_COMM_WORLD, evens, &comm);
  EXPECT((comm == MPI_COMM_NULL) == (g_rank % 2 == 1));
  if (comm != MPI_COMM_NULL) {
    const Group g(comm);
    EXPECT(g.size == static_cast<int>(even_ranks.size()) && even_ranks[static_cast<size_t>(g.rank)] == g_rank);
    int sum = 0;
    for (const int r : even_ranks) sum += r;
    EXPECT(sum_over(comm) == sum);
    MPI_Comm_free(&comm);
  }
  // Two at once, by the same call.
  MPI_Comm_create(MPI_COMM_WORLD, g_rank % 2 == 0 ? evens : odds, &comm);
  int sum = 0;
  for (const int r : g_rank % 2 == 0 ? even_ranks : odd_ranks) sum += r;
  EXPECT(sum_over(comm) == sum);
  MPI_Comm_free(&comm);
  // Without the others taking part.
  if (g_rank % 2 == 1) {
    MPI_Comm_create_group(MPI_COMM_WORLD, odds, 5, &comm);
    EXPECT(sum_over(comm) == sum);
    MPI_Comm again;
    MPI_Comm_create_group(comm, odds, 5, &again);
    EXPECT(sum_over(again) == sum);
    MPI_Comm_free(&again);
    MPI_Comm_free(&comm);
  }
  MPI_Group_free(&world);
  MPI_Group_free(&evens);
  MPI_Group_free(&odds);
}

// The same tag on several communicators, received in another order than sent; wildcards stay inside.
void apart() {
  if (g_size < 2) return;
  constexpr int kCopies = 5;
  MPI_Comm comms[kCopies];
  for (MPI_Comm& comm : comms) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  if (g_rank == 0) {
    for (int i = 0; i < kCopies; ++i) MPI_Send(&i, 1, MPI_INT, 1, 3, comms[i]);
  } else if (g_rank == 1) {
    for (int i = kCopies - 1; i >= 0; --i) {
      int value = -1;
      MPI_Recv(&value, 1, MPI_INT, i % 2 == 0 ? 0 : MPI_ANY_SOURCE, MPI_ANY_TAG, comms[i], MPI_STATUS_IGNORE);
      EXPECT(value == i);
    }
  }
  // A message that is pending while collective operations run.
  int value = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  if (g_rank == 0) MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comms[0], &request);
  for (int i = 0; i < kCopies; ++i) {
    MPI_Barrier(comms[i]);
    (void)sum_over(comms[kCopies - 1 - i]);
    std::vector<int> all(static_cast<size_t>(g_size));
    MPI_Gather(&g_rank, 1, MPI_INT, all.data(), 1, MPI_INT, 0, comms[0]);
  }
  const int sent = 88;
  if (g_rank == 1) MPI_Send(&sent, 1, MPI_INT, 0, 9, comms[0]);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  EXPECT(g_rank != 0 || value == 88);
  for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
}

// Freed communicators go on serving what is pending.
void freed_early() {
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  const auto out = message(200000, static_cast<uint64_t>(g_rank));
  std::vector<unsigned char> in(out.size());
  MPI_Request requests[2];
  MPI_Irecv(in.data(), 200000, MPI_BYTE, left(), 0, comm, &requests[0]);
  MPI_Isend(out.data(), 200000, MPI_BYTE, right(), 0, comm, &requests[1]);
  MPI_Comm_free(&comm);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  EXPECT(holds(in.data(), in.size(), static_cast<uint64_t>(left())));
}

void compare() {
  MPI_Comm copy, turned;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -g_rank, &turned);
  int result = -1;
  MPI_Comm_compare(MPI_COMM_WORLD, copy, &result);
  EXPECT(result == MPI_CONGRUENT);
  MPI_Comm_compare(MPI_COMM_WORLD, turned, &result);
  EXPECT(result == (g_size == 1 ? MPI_CONGRUENT : MPI_SIMILAR));
  const Group g(turned);
  EXPECT(g.rank == g_size - 1 - g_rank);
  MPI_Comm_free(&copy);
  MPI_Comm_free(&turned);
}

// Hints, of which none is known, are ignored.
void hints() {
  MPI_Info info, used;
  MPI_Info_create(&info);
  MPI_Info_set(info, "k", "v");
  MPI_Comm comm;
  MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm);
  MPI_Comm_set_info(comm, info);
  MPI_Comm_get_info(comm, &used);
  int keys = -1;
  MPI_Info_get_nkeys(used, &keys);
  EXPECT(keys == 0);
  MPI_Info_free(&used);
  MPI_Info_free(&info);
  MPI_Comm_free(&comm);
}

// What MPI_Comm_split_type makes of a kind and a hint; nullptr for no hint.
MPI_Comm part(int kind, const char* resource) {
  MPI_Info info = MPI_INFO_NULL;
  if (resource != nullptr) {
    MPI_Info_create(&info);
    MPI_Info_set(info, "mpi_hw_resource_type", resource);
  }
  MPI_Comm made = MPI_COMM_WORLD;
  MPI_Comm_split_type(MPI_COMM_WORLD, kind, -g_rank, info, &made);
  if (info != MPI_INFO_NULL) MPI_Info_free(&info);
  return made;
}

// All ranks share memory, and nothing smaller is told apart: a loop that splits until nothing is left comes to its end.
void split_by_resource() {
  const MPI_Comm shared[] = {part(MPI_COMM_TYPE_SHARED, nullptr), part(MPI_COMM_TYPE_SHARED, "anything"),
                             part(MPI_COMM_TYPE_HW_GUIDED, "mpi_shared_memory")};
  for (MPI_Comm comm : shared) {
    EXPECT(comm != MPI_COMM_NULL);
    const Group g(comm);
    EXPECT(g.size == g_size && g.rank == g_size - 1 - g_rank);
    MPI_Comm_free(&comm);
  }
  EXPECT(part(MPI_COMM_TYPE_HW_GUIDED, nullptr) == MPI_COMM_NULL);
  EXPECT(part(MPI_COMM_TYPE_HW_GUIDED, "no such thing") == MPI_COMM_NULL);
  EXPECT(part(MPI_COMM_TYPE_HW_UNGUIDED, nullptr) == MPI_COMM_NULL);
  EXPECT(part(MPI_UNDEFINED, nullptr) == MPI_COMM_NULL);
}

void refused() {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Comm made;
  EXPECT(error_class(MPI_Comm_split(MPI_COMM_WORLD, -1, 0, &made)) == MPI_ERR_ARG);
  EXPECT(error_class(MPI_Comm_split_type(MPI_COMM_WORLD, 77, 0, MPI_INFO_NULL, &made)) == MPI_ERR_ARG);
  MPI_Group all;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  if (g_size > 1) {
    EXPECT(error_class(MPI_Comm_create(MPI_COMM_SELF, all, &made)) == MPI_ERR_GROUP);
    EXPECT(error_class(MPI_Comm_create_group(MPI_COMM_SELF, all, 0, &made)) == MPI_ERR_GROUP);
  }
  MPI_Group_free(&all);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

// Each gives a group that it is in, but not the same one; nothing is made of it.
void groups_that_differ() {
  std::vector<int> ranks(static_cast<size_t>(g_size));
  std::iota(ranks.begin(), ranks.end(), 0);
  if (g_rank % 2 == 1) std::reverse(ranks.begin(), ranks.end());
  MPI_Group all, own;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_incl(all, g_size, ranks.data(), &own);
  MPI_Comm made = MPI_COMM_WORLD;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const int code = MPI_Comm_create(MPI_COMM_WORLD, own, &made);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  if (g_size > 1) EXPECT(error_class(code) == MPI_ERR_GROUP && made == MPI_COMM_NULL);
  else MPI_Comm_free(&made);
  MPI_Group_free(&own);
  MPI_Group_free(&all);
}

int g_answer = MPI_ERR_OTHER;

int answer(MPI_Comm, int, void*, void*) { return g_answer; }

// What keeps a communicator from being freed is told to its own error handler.
void refused_free() {
  MPI_Comm comm;
  int key = MPI_KEYVAL_INVALID;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, answer, &key, nullptr);
  MPI_Comm_set_attr(comm, key, nullptr);
  EXPECT(MPI_Comm_free(&comm) == MPI_ERR_OTHER && comm != MPI_COMM_NULL);
  EXPECT(MPI_Comm_disconnect(&comm) == MPI_ERR_OTHER && comm != MPI_COMM_NULL);
  g_answer = MPI_SUCCESS;
  EXPECT(MPI_Comm_free(&comm) == MPI_SUCCESS && comm == MPI_COMM_NULL);
  MPI_Comm_free_keyval(&key);
}

}  // namespace

int main(int argc, char** argv) {
  Mpi mpi(argc, argv);
  split();
  create();
  apart();
  freed_early();
  compare();
  hints();
  split_by_resource();
  refused();
  groups_that_differ();
  refused_free();
  // Again and again: contexts and memory must not run out.
  for (int i = 0; i < 300; ++i) {
    MPI_Comm comm;
    MPI_Comm_split(MPI_COMM_WORLD, (g_rank + i) % 2, 0, &comm);
    if (i % 50 == 0) (void)sum_over(comm);
    MPI_Comm_free(&comm);
  }
  Report report;
  report.line("world %d of %d", g_rank, g_size);
  report.print();
}
