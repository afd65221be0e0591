// Messages do not overtake each other: per sender and tag they come in the order sent, whatever their sizes;
// tags and wildcards pick the first that fits.
#include "testing.hpp"

using namespace mpi_test;

namespace {

constexpr int kMessages = 300;

int size_of(int i) {
  return 4 + static_cast<int>(mix(static_cast<uint64_t>(i)) % 5 == 0 ? 40000 : mix(static_cast<uint64_t>(i) + 9) % 200);
}

std::vector<unsigned char> numbered(int i) {
  auto data = message(static_cast<size_t>(size_of(i)), static_cast<uint64_t>(i));
  std::memcpy(data.data(), &i, sizeof i);
  return data;
}

// Everybody to everybody, one tag: the sizes mix the ways messages take.
void same_tag() {
  std::vector<MPI_Request> sends;
  std::vector<std::vector<unsigned char>> kept;
  for (int i = 0; i < kMessages; ++i) kept.push_back(numbered(i));
  for (int i = 0; i < kMessages; ++i) {
    sends.emplace_back();
    MPI_Isend(kept[static_cast<size_t>(i)].data(), size_of(i), MPI_BYTE, right(), 1, MPI_COMM_WORLD, &sends.back());
  }
  std::vector<unsigned char> in(50000);
  for (int i = 0; i < kMessages; ++i) {
    MPI_Status status;
    MPI_Recv(in.data(), 50000, MPI_BYTE, left(), 1, MPI_COMM_WORLD, &status);
    int number = -1;
    std::memcpy(&number, in.data(), sizeof number);
    EXPECT(number == i && count_of(status, MPI_BYTE) == size_of(i));
    EXPECT(std::memcmp(in.data(), numbered(i).data(), static_cast<size_t>(size_of(i))) == 0);
  }
  MPI_Waitall(kMessages, sends.data(), MPI_STATUSES_IGNORE);
}

// Tags taken in the opposite order, then what is left by wildcard: in the order sent.
void tags() {
  constexpr int kTags = 40;
  if (g_size == 1) return;
  for (int round = 0; round < 2; ++round) {
    for (int tag = 0; tag < kTags; ++tag) {
      const int value = tag * 10 + round;
      MPI_Send(&value, 1, MPI_INT, right(), tag, MPI_COMM_WORLD);
    }
  }
  for (int tag = kTags - 1; tag >= 0; --tag) {
    int value = -1;
    MPI_Recv(&value, 1, MPI_INT, left(), tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    EXPECT(value == tag * 10);
  }
  for (int tag = 0; tag < kTags; ++tag) {
    int value = -1;
    MPI_Status status;
    MPI_Recv(&value, 1, MPI_INT, left(), MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    EXPECT(value == tag * 10 + 1 && status.MPI_TAG == tag && status.MPI_SOURCE == left());
  }
}

// From any source: each sender's messages come in order.
void any_source() {
  constexpr int kEach = 50;
  if (g_rank != 0) {
    for (int i = 0; i < kEach; ++i) MPI_Send(&i, 1, MPI_INT, 0, g_rank, MPI_COMM_WORLD);
    return;
  }
  std::vector<int> next(static_cast<size_t>(g_size), 0);
  for (int i = 0; i < kEach * (g_size - 1); ++i) {
    int value = -1;
    MPI_Status status;
    MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    EXPECT(status.MPI_TAG == status.MPI_SOURCE && status.MPI_SOURCE > 0);
    EXPECT(value == next[static_cast<size_t>(status.MPI_SOURCE)]++);
  }
  for (int from = 1; from < g_size; ++from) EXPECT(next[static_cast<size_t>(from)] == kEach);
}

// Posted receives are matched in the order posted, wildcards among them; 4 of them may match the first
// message.
void posted_order() {
  if (g_size < 2) return;
  constexpr int kPosts = 6;
  if (g_rank == 1) {
    int go = 0;
    MPI_Recv(&go, 1, MPI_INT, 0, 90, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < kPosts; ++i) {
      const int tag = i % 2;
      MPI_Send(&i, 1, MPI_INT, 0, tag, MPI_COMM_WORLD);
    }
  } else if (g_rank == 0) {
    int got[kPosts] = {-1, -1, -1, -1, -1, -1};
    MPI_Request r[kPosts];
    MPI_Irecv(&got[0], 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &r[0]);                         // 1
    MPI_Irecv(&got[1], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &r[1]);  // 0
    MPI_Irecv(&got[2], 1, MPI_INT, 1, MPI_ANY_TAG, MPI_COMM_WORLD, &r[2]);               // 2
    MPI_Irecv(&got[3], 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &r[3]);            // 4
    MPI_Irecv(&got[4], 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &r[4]);                         // 3
    MPI_Irecv(&got[5], 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &r[5]);            // 5
    const int go = 1;
    MPI_Send(&go, 1, MPI_INT, 1, 90, MPI_COMM_WORLD);
    MPI_Waitall(kPosts, r, MPI_STATUSES_IGNORE);
    const int wanted[kPosts] = {1, 0, 2, 4, 3, 5};
    for (int i = 0; i < kPosts; ++i) EXPECT(got[i] == wanted[i]);
  }
}

}  // namespace

int main(int argc, char** argv) {
  Mpi mpi(argc, argv);
  same_tag();
  MPI_Barrier(MPI_COMM_WORLD);
  tags();
  MPI_Barrier(MPI_COMM_WORLD);
  any_source();
  MPI_Barrier(MPI_COMM_WORLD);
  posted_order();
  if (g_rank == 0) std::puts("in order");
}
