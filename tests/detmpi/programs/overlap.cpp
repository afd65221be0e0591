// Collective operations that do not block, many at a time: among messages, completed in another order than started, on
// several communicators, and by members that wait for something else meanwhile.
#include <numeric>

#include "colls.hpp"

using namespace mpi_test;

namespace {

// Nobody waits for the barrier before a message that the other sends only behind it.
void starts_count() {
  const int next = (g_rank + 1) % g_size, before = (g_rank + g_size - 1) % g_size;
  MPI_Request barrier;
  MPI_Ibarrier(MPI_COMM_WORLD, &barrier);
  int token = g_rank;
  if (g_rank == 0) {
    MPI_Wait(&barrier, MPI_STATUS_IGNORE);
    MPI_Send(&token, 1, MPI_INT, next, 0, MPI_COMM_WORLD);
  }
  int got = -1;
  MPI_Recv(&got, 1, MPI_INT, before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  EXPECT(got == before);
  if (g_rank != 0) {
    MPI_Send(&token, 1, MPI_INT, next, 0, MPI_COMM_WORLD);
    MPI_Wait(&barrier, MPI_STATUS_IGNORE);
  }
}

struct Sum {
  std::vector<int64_t> in, out;
  MPI_Request request = MPI_REQUEST_NULL;
};

void start(Sum& sum, int number, int count, MPI_Comm comm) {
  sum.in.resize(static_cast<size_t>(count));
  sum.out.assign(static_cast<size_t>(count), -1);
  for (int i = 0; i < count; ++i) sum.in[static_cast<size_t>(i)] = element(g_rank, number, i);
  MPI_Iallreduce(sum.in.data(), sum.out.data(), count, MPI_INT64_T, MPI_SUM, comm, &sum.request);
}

void check(const Sum& sum, int number) {
  for (size_t i = 0; i < sum.out.size(); ++i) {
    int64_t expected = 0;
    for (int rank = 0; rank < g_size; ++rank) expected += element(rank, number, static_cast<int>(i));
    EXPECT(sum.out[i] == expected);
  }
}

// Small and large ones, with operations that block and messages in between; all at once, or in the opposite order.
void many_at_once(bool backwards) {
  constexpr int kSums = 12;
  std::vector<Sum> sums(kSums);
  MPI_Comm copy;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  for (int i = 0; i < kSums; ++i) {
    start(sums[static_cast<size_t>(i)], i, i % 3 == 0 ? 5000 : i, i % 2 == 0 ? MPI_COMM_WORLD : copy);
    int root = i % g_size, value = g_rank == root ? i : -1;
    MPI_Bcast(&value, 1, MPI_INT, root, MPI_COMM_WORLD);
    EXPECT(value == i);
  }
  std::vector<MPI_Request> requests;
  if (backwards) {
    for (int i = kSums - 1; i >= 0; --i) MPI_Wait(&sums[static_cast<size_t>(i)].request, MPI_STATUS_IGNORE);
  } else {
    for (const Sum& sum : sums) requests.push_back(sum.request);
    MPI_Waitall(kSums, requests.data(), MPI_STATUSES_IGNORE);
  }
  for (int i = 0; i < kSums; ++i) check(sums[static_cast<size_t>(i)], i);
  MPI_Comm_free(&copy);
}

// Which of several completes first is a matter of logical time: the same in every run.
void race() {
  constexpr int kRounds = 20;
  std::string order;
  for (int round = 0; round < kRounds; ++round) {
    MPI_Comm comms[2];
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[0]);
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[1]);
    std::vector<Sum> sums(3);
    // Each rank goes about them in an order of its own.
    const bool swap = (g_rank + round) % 2 == 0;
    start(sums[swap ? 1 : 0], 0, 3, comms[swap ? 1 : 0]);
    for (int i = 0; i < g_rank; ++i) MPI_Comm_rank(MPI_COMM_WORLD, &g_rank);  // its clock moves on
    start(sums[swap ? 0 : 1], 0, 3, comms[swap ? 0 : 1]);
    MPI_Request requests[3] = {sums[0].request, sums[1].request, MPI_REQUEST_NULL};
    MPI_Ibarrier(MPI_COMM_WORLD, &requests[2]);
    for (int left = 3; left > 0;) {
      int index = MPI_UNDEFINED, flag = 0;
      if (round % 2 == 0) MPI_Waitany(3, requests, &index, MPI_STATUS_IGNORE);
      else MPI_Testany(3, requests, &index, &flag, MPI_STATUS_IGNORE);
      if (index == MPI_UNDEFINED) continue;
      order += static_cast<char>('0' + index);
      --left;
    }
    check(sums[0], 0);
    check(sums[1], 0);
    MPI_Comm_free(&comms[0]);
    MPI_Comm_free(&comms[1]);
  }
  std::printf("rank %d: order %s\n", g_rank, order.c_str());
}

// A communicator, a datatype and an operation that are freed while they are in use.
void freed_meanwhile() {
  MPI_Comm copy;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Datatype pair;
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  MPI_Op op;
  MPI_Op_create(
      [](void* in, void* inout, int* count, MPI_Datatype*) {
        for (int i = 0; i < *count * 2; ++i) static_cast<int*>(inout)[i] += static_cast<int*>(in)[i];
      },
      1, &op);
  const int in[2] = {g_rank, 1};
  int out[2] = {};
  MPI_Request request;
  MPI_Iallreduce(in, out, 1, pair, op, copy, &request);
  MPI_Op_free(&op);
  MPI_Type_free(&pair);
  MPI_Comm_free(&copy);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  EXPECT(out[0] == g_size * (g_size - 1) / 2 && out[1] == g_size);
}

}  // namespace

int main(int argc, char** argv) {
  const Mpi mpi(argc, argv);
  starts_count();
  many_at_once(false);
  many_at_once(true);
  race();
  freed_meanwhile();
  return 0;
}
