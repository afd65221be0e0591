// Every reduction against a fold in rank order, computed from what all members would have contributed:
// predefined operations on several types, every root, in place.
#include <limits>

#include "colls.hpp"

using namespace mpi_test;

namespace {

__extension__ using Quad = __float128;

size_t at(int64_t i) { return static_cast<size_t>(i); }

template <typename T>
struct Case {
  MPI_Datatype type;
  MPI_Op op;
  T (*fold)(T, T);
  T (*input)(int rank, int i);
};

// The fold over members [0, last], element i.
template <typename T>
T folded(const Case<T>& c, int last, int i) {
  T value = c.input(0, i);
  for (int rank = 1; rank <= last; ++rank) value = c.fold(value, c.input(rank, i));
  return value;
}

template <typename T>
std::vector<T> all_folded(const Case<T>& c, int last, int count, int first = 0) {
  std::vector<T> values(at(count));
  for (int i = 0; i < count; ++i) values[at(i)] = folded(c, last, first + i);
  return values;
}

// Bit for bit: signed zeros and all.
template <typename T>
bool same(const std::vector<T>& a, const std::vector<T>& b, int count) {
  return count == 0 || std::memcmp(a.data(), b.data(), at(count) * sizeof(T)) == 0;
}

template <typename T>
std::vector<T> inputs(const Case<T>& c, const Group& g, int count) {
  std::vector<T> data(at(count));
  for (int i = 0; i < count; ++i) data[at(i)] = c.input(g.rank, i);
  return data;
}

template <typename T>
void equal_counts(const Case<T>& c, const Group& g, int count) {
  const auto in = inputs(c, g, count);
  const auto total = all_folded(c, g.size - 1, count);
  const auto up_to_me = all_folded(c, g.rank, count);
  const auto before_me = g.rank > 0 ? all_folded(c, g.rank - 1, count) : in;  // rank 0's result stays as it was
  for (const bool in_place : {false, true}) {
    const void* const from = in_place ? MPI_IN_PLACE : in.data();
    auto out = in;
    for (const int root : roots_for(g)) {
      if (g.rank != root) {
        MPI_Reduce(in.data(), nullptr, count, c.type, c.op, root, g.comm);
        continue;
      }
      out = in;
      MPI_Reduce(from, out.data(), count, c.type, c.op, root, g.comm);
      EXPECT(same(out, total, count));
    }
    out = in;
    MPI_Allreduce(from, out.data(), count, c.type, c.op, g.comm);
    EXPECT(same(out, total, count));
    out = in;
    MPI_Scan(from, out.data(), count, c.type, c.op, g.comm);
    EXPECT(same(out, up_to_me, count));
    out = in;
    MPI_Exscan(from, out.data(), count, c.type, c.op, g.comm);
    EXPECT(same(out, before_me, count));
  }
}

// Member i gets `count` elements, then i * 3 % 7 times as many.
template <typename T>
void scattered(const Case<T>& c, const Group& g, int count) {
  std::vector<int> counts(at(g.size));
  int total = 0, mine = 0;
  for (int i = 0; i < g.size; ++i) {
    counts[at(i)] = i * 3 % 7 * count;
    if (i == g.rank) mine = total;
    total += counts[at(i)];
  }
  const int own = counts[at(g.rank)];
  const auto equal_in = inputs(c, g, count * g.size), uneven_in = inputs(c, g, total + 1);
  const auto equal_wanted = all_folded(c, g.size - 1, count, g.rank * count);
  const auto uneven_wanted = all_folded(c, g.size - 1, own, mine);
  for (const bool in_place : {false, true}) {
    auto out = equal_in;
    MPI_Reduce_scatter_block(in_place ? MPI_IN_PLACE : equal_in.data(), out.data(), count, c.type, c.op, g.comm);
    EXPECT(same(out, equal_wanted, count));
    out = uneven_in;
    MPI_Reduce_scatter(in_place ? MPI_IN_PLACE : uneven_in.data(), out.data(), counts.data(), c.type, c.op, g.comm);
    EXPECT(same(out, uneven_wanted, own));
  }
}

template <typename T>
void try_all(const Case<T>& c, const Group& g, const std::vector<int>& counts) {
  for (const int count : counts) {
    equal_counts(c, g, count);
    if (int64_t{count} * g.size < 10000) scattered(c, g, count);
  }
}

// Sums of numbers of very different size: any other order of adding gives other bits.
double spread(int rank, int i) {
  const double value = static_cast<double>(mix(static_cast<uint64_t>(rank) * 7919 + static_cast<uint64_t>(i)));
  const double scale[] = {1e-12, 1.0, 1e9, -1e17, 3.3e-3};
  return value * scale[(rank + i) % 5];
}

struct Pair {
  double value;
  int place;
  int pad;
};

template <typename T>
T small(int rank, int i) {
  return static_cast<T>(mix(static_cast<uint64_t>(rank) * 31 + static_cast<uint64_t>(i)) % 97);
}

void floats(const Group& g) {
  auto counts = counts_for(g);
  if (g.size > kManyRanks) counts = {1, 13, 300};
  try_all<double>({MPI_DOUBLE, MPI_SUM, [](double a, double b) { return a + b; }, spread}, g, counts);
  try_all<float>({MPI_FLOAT, MPI_SUM, [](float a, float b) { return a + b; },
                  [](int r, int i) { return static_cast<float>(spread(r, i)); }},
                 g, {1, 13, 300});
  try_all<double>({MPI_DOUBLE, MPI_PROD, [](double a, double b) { return a * b; },
                   [](int r, int i) { return 1.0 + 1e-3 * small<double>(r, i); }},
                  g, {1, 300});
  try_all<long double>({MPI_LONG_DOUBLE, MPI_MAX, [](long double a, long double b) { return a > b ? a : b; },
                        [](int r, int i) {
                          // The padding of a long double has to be the same to be compared.
                          long double value;
                          std::memset(&value, 0, sizeof value);
                          value = small<long double>(r, i);
                          return value;
                        }},
                       g, {0});
  try_all<Quad>({MPI_REAL16, MPI_SUM, [](Quad a, Quad b) { return a + b; },
                 [](int r, int i) { return static_cast<Quad>(spread(r, i)); }},
                g, {1, 2, 13, 300});
}

void integers(const Group& g) {
  try_all<int>({MPI_INT, MPI_SUM, [](int a, int b) { return a + b; }, small<int>}, g, {0, 1, 13, 700});
  try_all<int>({MPI_INT, MPI_MAX, [](int a, int b) { return std::max(a, b); }, small<int>}, g, {1, 300});
  try_all<int64_t>({MPI_INT64_T, MPI_MIN, [](int64_t a, int64_t b) { return std::min(a, b); }, small<int64_t>}, g, {7});
  try_all<unsigned char>(
      {MPI_UNSIGNED_CHAR, MPI_BXOR, [](unsigned char a, unsigned char b) { return static_cast<unsigned char>(a ^ b); },
       small<unsigned char>},
      g, {1, 3, 1000});
  try_all<short>({MPI_SHORT, MPI_LAND, [](short a, short b) { return static_cast<short>(a && b); },
                  [](int r, int i) { return static_cast<short>((r + i) % 5); }},
                 g, {1, 50});
  try_all<unsigned>({MPI_UNSIGNED, MPI_BOR, [](unsigned a, unsigned b) { return a | b; }, small<unsigned>}, g, {50});
}

// The place of the largest: of equal values the lowest rank's place.
void places(const Group& g) {
  struct ValuePlace {
    int value;
    int place;
  };
  try_all<ValuePlace>({MPI_2INT, MPI_MAXLOC,
                       [](ValuePlace a, ValuePlace b) {
                         if (a.value == b.value) return ValuePlace{a.value, std::min(a.place, b.place)};
                         return a.value > b.value ? a : b;
                       },
                       [](int r, int i) {
                         return ValuePlace{small<int>(r, i) % 4, r};
                       }},
                      g, {1, 5, 300});
}

// 12 bytes of data in 16: the gap must not matter. Compared by members.
void pairs(const Group& g, int count) {
  const int share = count / g.size;
  std::vector<Pair> in(at(count)), out(at(count));
  for (int i = 0; i < count; ++i) in[at(i)] = {spread(g.rank, i), g.rank, 77};
  const auto expect_least = [&](int n, int first) {
    for (int i = 0; i < n; ++i) {
      int best = 0;
      for (int r = 1; r < g.size; ++r) {
        if (spread(r, first + i) < spread(best, first + i)) best = r;
      }
      EXPECT(out[at(i)].value == spread(best, first + i) && out[at(i)].place == best && out[at(i)].pad == kUntouched);
    }
  };
  for (auto& p : out) p.pad = kUntouched;
  MPI_Allreduce(in.data(), out.data(), count, MPI_DOUBLE_INT, MPI_MINLOC, g.comm);
  expect_least(count, 0);
  MPI_Reduce_scatter_block(in.data(), out.data(), share, MPI_DOUBLE_INT, MPI_MINLOC, g.comm);
  expect_least(share, share * g.rank);
}

// So long that few members go by turns, and many expose them: see coll/reduce_exposed.hpp.
void long_vectors(const Group& g) {
  if (g.size > kManyRanks) return;
  const int times = g.size > 8 ? 4 : 1;
  const Case<double> sum{MPI_DOUBLE, MPI_SUM, [](double a, double b) { return a + b; }, spread};
  equal_counts(sum, g, 33000 * times);
  scattered(sum, g, 66000 / g.size);
  pairs(g, 22500 * times);
  if (g.size == 2) equal_counts(sum, g, 280000);  // in several parts
}

}  // namespace

int main(int argc, char** argv) {
  Mpi mpi(argc, argv);
  on_communicators([](const Group& g) {
    floats(g);
    integers(g);
    places(g);
    pairs(g, 100);
    long_vectors(g);
  });
  // The bits themselves go into the output: they are the same in every run.
  std::vector<double> sums(8), in(8);
  for (int i = 0; i < 8; ++i) in[at(i)] = spread(g_rank, i);
  MPI_Allreduce(in.data(), sums.data(), 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  Report report;
  for (const double sum : sums) report.line("%a", sum);
  report.print();
}
