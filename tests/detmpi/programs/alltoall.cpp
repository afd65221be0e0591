// MPI_Alltoall, MPI_Alltoallv and MPI_Alltoallw, in place too.
#include "colls.hpp"

using namespace mpi_test;

namespace {

size_t at(int64_t i) { return static_cast<size_t>(i); }

void equal(const Group& g, int count, bool in_place) {
  std::vector<int> out, in(at(int64_t{count} * g.size + 1), kUntouched);
  for (int to = 0; to < g.size; ++to) {
    const auto part = elements(g.rank, to, count);
    out.insert(out.end(), part.begin(), part.end());
  }
  if (in_place) std::copy(out.begin(), out.end(), in.begin());
  MPI_Alltoall(in_place ? MPI_IN_PLACE : out.data(), count, MPI_INT, in.data(), count, MPI_INT, g.comm);
  for (int from = 0; from < g.size; ++from) expect_elements(&in[at(int64_t{count} * from)], count, from, g.rank);
  expect_untouched(&in.back(), 1);
}

// Sent with gaps, received without; and the other way round.
void with_gaps(const Group& g, int count) {
  MPI_Datatype pairs;
  MPI_Type_vector(count, 2, 3, MPI_INT, &pairs);
  MPI_Type_commit(&pairs);
  const auto place = [count](int member, int i) { return at((3 * int64_t{count} - 1) * member + i / 2 * 3 + i % 2); };
  const size_t room = place(g.size, 0);
  std::vector<int> wide(room, kUntouched), flat(at(2 * int64_t{count} * g.size)), in(flat.size());
  for (int to = 0; to < g.size; ++to) {
    for (int i = 0; i < 2 * count; ++i) {
      wide[place(to, i)] = flat[at(2 * int64_t{count} * to + i)] = element(g.rank, to, i);
    }
  }
  MPI_Alltoall(wide.data(), 1, pairs, in.data(), 2 * count, MPI_INT, g.comm);
  for (int from = 0; from < g.size; ++from)
    expect_elements(&in[at(2 * int64_t{count} * from)], 2 * count, from, g.rank);
  std::fill(wide.begin(), wide.end(), kUntouched);
  MPI_Alltoall(flat.data(), 2 * count, MPI_INT, wide.data(), 1, pairs, g.comm);
  for (int from = 0; from < g.size; ++from) {
    for (int i = 0; i < 2 * count; ++i) {
      EXPECT(wide[place(from, i)] == element(from, g.rank, i));
      if (i % 2 == 1 && i + 1 < 2 * count) expect_untouched(&wide[place(from, i) + 1], 1);
    }
  }
  MPI_Type_free(&pairs);
}

// What member a gives to member b; the same both ways, as in place needs. Of all lengths up to the limit and a bit.
int amount(int a, int b, int limit) { return (limit >> (a + b + a * b) % 16) + (a * b + 3 * (a + b)) % limit; }

struct Layout {
  std::vector<int> counts, starts;
  int total = 0;
  Layout(const Group& g, int limit, int gap) : counts(at(g.size)), starts(at(g.size)) {
    for (int i = g.size - 1; i >= 0; --i) {
      counts[at(i)] = amount(g.rank, i, limit);
      starts[at(i)] = total;
      total += counts[at(i)] + gap;
    }
  }
};

// What was sent is the program's again afterwards.
void uneven(const Group& g, int limit, bool in_place) {
  const Layout send(g, limit, in_place ? 2 : 0), receive(g, limit, 2);
  std::vector<int> out(at(send.total), kUntouched), in(at(receive.total), kUntouched);
  for (int to = 0; to < g.size; ++to) {
    const auto part = elements(g.rank, to, send.counts[at(to)]);
    std::copy(part.begin(), part.end(), (in_place ? in : out).begin() + send.starts[at(to)]);
  }
  MPI_Alltoallv(in_place ? MPI_IN_PLACE : out.data(), send.counts.data(), send.starts.data(), MPI_INT, in.data(),
                receive.counts.data(), receive.starts.data(), MPI_INT, g.comm);
  std::fill(out.begin(), out.end(), kUntouched);
  for (int from = 0; from < g.size; ++from) {
    expect_elements(&in[at(receive.starts[at(from)])], receive.counts[at(from)], from, g.rank);
    expect_untouched(&in[at(receive.starts[at(from)] + receive.counts[at(from)])], 2);
  }
}

// Between two members, that many ints there and back: each kind of length with each other, which go different ways.
void one_to_one(const Group& g, int there, int back) {
  const int other = 1 - g.rank, sent = g.rank == 0 ? there : back, received = g.rank == 0 ? back : there;
  const int send_counts[] = {other == 0 ? sent : 0, other == 1 ? sent : 0};
  const int counts[] = {other == 0 ? received : 0, other == 1 ? received : 0}, starts[] = {0, 0};
  auto out = elements(g.rank, other, sent);
  std::vector<int> in(at(received) + 2, kUntouched);
  MPI_Alltoallv(out.data(), send_counts, starts, MPI_INT, in.data(), counts, starts, MPI_INT, g.comm);
  std::fill(out.begin(), out.end(), kUntouched);
  expect_elements(in.data(), received, other, g.rank);
  expect_untouched(&in[at(received)], 2);
}

// To even members as ints, to odd ones as pairs with a gap.
void types(const Group& g, int pairs) {
  MPI_Datatype wide;
  MPI_Type_vector(pairs, 2, 3, MPI_INT, &wide);
  MPI_Type_commit(&wide);
  std::vector<MPI_Datatype> send_types(at(g.size)), receive_types(at(g.size));
  std::vector<int> send_counts(at(g.size)), receive_counts(at(g.size)), places(at(g.size));
  const int span = 3 * pairs;
  std::vector<int> out(at(span * g.size), kUntouched), in(at(span * g.size), kUntouched);
  for (int i = 0; i < g.size; ++i) {
    const bool odd = i % 2 == 1;
    send_types[at(i)] = odd ? wide : MPI_INT;
    send_counts[at(i)] = odd ? 1 : 2 * pairs;
    receive_types[at(i)] = g.rank % 2 == 1 ? MPI_INT : wide;
    receive_counts[at(i)] = g.rank % 2 == 1 ? 2 * pairs : 1;
    places[at(i)] = span * i * static_cast<int>(sizeof(int));
    for (int k = 0; k < 2 * pairs; ++k) out[at(span * i + (odd ? k / 2 * 3 + k % 2 : k))] = element(g.rank, i, k);
  }
  MPI_Alltoallw(out.data(), send_counts.data(), places.data(), send_types.data(), in.data(), receive_counts.data(),
                places.data(), receive_types.data(), g.comm);
  for (int from = 0; from < g.size; ++from) {
    for (int k = 0; k < 2 * pairs; ++k) {
      const int place = g.rank % 2 == 1 ? k : k / 2 * 3 + k % 2;
      EXPECT(in[at(span * from + place)] == element(from, g.rank, k));
    }
  }
  MPI_Type_free(&wide);
}

}  // namespace

int main(int argc, char** argv) {
  Mpi mpi(argc, argv);
  on_communicators([](const Group& g) {
    auto counts = counts_for(g);
    const int most = 8192 / g.size;  // in the area of a member of a small group
    counts.insert(counts.end(), {257, most, most + 1, 4097});
    for (const int count : counts) {
      if (count > (g.size > kManyRanks ? 257 : 4097) && g.size > 8) continue;
      equal(g, count, false);
      equal(g, count, true);
      if (count > 0) with_gaps(g, count);
    }
    for (const int limit : {1, 4, 100, 2000, 9000, 60000, 700000}) {
      if (limit > (g.size > kManyRanks ? 100 : g.size > 8 ? 9000 : g.size > 4 ? 60000 : 700000)) continue;
      uneven(g, limit, false);
      uneven(g, limit, true);
    }
    if (g.size == 2) {
      constexpr int kLengths[] = {0, 1, 6, 7, 10, 11, 1024, 1025, 8191, 8192, 262144, 262145};
      for (const int there : kLengths) {
        for (const int back : kLengths) one_to_one(g, there, back);
      }
    }
    for (const int pairs : {1, 30, 6000}) {
      if (pairs <= 30 || g.size <= kManyRanks) types(g, pairs);
    }
  });
  if (g_rank == 0) std::puts("all to all");
}
