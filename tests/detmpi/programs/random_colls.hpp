// The data of random collective operations: elements of several kinds, types in which they lie in memory, and buffers
// that know what is to be in them afterwards, byte by byte. All follows from numbers that every rank knows.
#pragma once

#include <algorithm>
#include <functional>
#include <numeric>

#include "testing.hpp"

namespace random_colls {

using mpi_test::mix_all;

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t next() { return mix_all({state_, ++drawn_}); }
  size_t below(size_t n) { return next() % n; }
  bool one_in(size_t n) { return below(n) == 0; }
  template <typename List>
  void shuffle(List& list) {
    for (size_t i = list.size(); i > 1; --i) std::swap(list[i - 1], list[below(i)]);
  }

 private:
  uint64_t state_, drawn_ = 0;
};

enum class Kind { kByte, kInt, kInt64, kWrapping, kDouble, kPair, kMatrix };
inline constexpr size_t kKinds = 7;
struct Pair {
  double value;
  int index;
};
struct Matrix {
  uint32_t a, b, c, d;
};
struct KindInfo {
  const char* name;
  MPI_Datatype type;
  size_t bytes;  // of data, at the beginning
  MPI_Aint extent;
  size_t alignment;
};
inline MPI_Datatype g_matrix = MPI_DATATYPE_NULL;

inline KindInfo info_of(Kind kind) {
  switch (kind) {
    case Kind::kByte: return {"unsigned char", MPI_UNSIGNED_CHAR, 1, 1, 1};
    case Kind::kInt: return {"int", MPI_INT, 4, 4, 4};
    case Kind::kInt64: return {"int64_t", MPI_INT64_T, 8, 8, 8};
    case Kind::kWrapping: return {"uint64_t", MPI_UINT64_T, 8, 8, 8};
    case Kind::kDouble: return {"double", MPI_DOUBLE, 8, 8, 8};
    case Kind::kPair: return {"double and int", MPI_DOUBLE_INT, 12, 16, 8};
    default: return {"matrix", g_matrix, 16, 16, 4};
  }
}

struct Element {
  unsigned char bytes[16];
};
template <typename T>
Element element_of(T value) {
  Element element{};
  std::memcpy(element.bytes, &value, sizeof value);
  return element;
}

// Element i of the contribution with this seed. Sums do not overflow, but where that is defined; those of doubles
// depend on the order.
inline Element element(Kind kind, uint64_t seed, size_t i) {
  uint64_t x = (seed + i * 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 31) * 0x94d049bb133111ebu;
  x ^= x >> 29;
  const auto low = static_cast<uint32_t>(x), high = static_cast<uint32_t>(x >> 32);
  switch (kind) {
    case Kind::kByte: return element_of(static_cast<unsigned char>(x));
    case Kind::kInt: return element_of(static_cast<int>(low & 0xffffff) - 0x800000);
    case Kind::kInt64: return element_of(static_cast<int64_t>(x >> 12) - (int64_t{1} << 51));
    case Kind::kWrapping: return element_of(x | 1);
    case Kind::kDouble: return element_of((static_cast<double>(low) - 0x1p31) * static_cast<double>(1u << high % 32));
    case Kind::kPair: return element_of(Pair{static_cast<double>(low % 5), static_cast<int>(high % 100)});
    default: return element_of(Matrix{low, high, low ^ high, low + high});
  }
}

struct Reduction {
  const char* name;
  Kind kind;
  MPI_Op op;
  void (*fold)(Element& left, const Element& right);
  MPI_User_function* function = nullptr;  // of an operation of the program's own
  bool commutes = false;
  MPI_Aint extent = 0;  // of an element, if it is not that of its kind
  size_t many = 1;      // elements of the kind in one of the type
};

template <typename T, typename Operation>
void fold_as(Element& left, const Element& right) {
  T a, b;
  std::memcpy(&a, left.bytes, sizeof a);
  std::memcpy(&b, right.bytes, sizeof b);
  left = element_of(static_cast<T>(Operation()(a, b)));
}
// The value that is before the other one by `Before`; of pairs with the same value the lesser index.
template <typename Before>
struct Foremost {
  template <typename T>
  T operator()(const T& a, const T& b) const {
    return Before()(b, a) ? b : a;
  }
  Pair operator()(const Pair& a, const Pair& b) const {
    if (a.value == b.value) return {a.value, std::min(a.index, b.index)};
    return Before()(b.value, a.value) ? b : a;
  }
};
using Least = Foremost<std::less<>>;
using Greatest = Foremost<std::greater<>>;
struct Times {
  Matrix operator()(const Matrix& x, const Matrix& y) const {
    return {x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d, x.c * y.a + x.d * y.c, x.c * y.b + x.d * y.d};
  }
};

// As MPI calls it, for elements of `kMany` values, of which the next one begins `kExtent` bytes behind.
template <typename T, typename Operation, size_t kExtent, size_t kMany>
void fold_many(void* left, void* right, int* count, MPI_Datatype*) {
  for (size_t i = 0; i < static_cast<size_t>(*count) * kMany; ++i) {
    const size_t at = i / kMany * kExtent + i % kMany * sizeof(T);
    T a, b;
    std::memcpy(&a, static_cast<char*>(left) + at, sizeof a);
    std::memcpy(&b, static_cast<char*>(right) + at, sizeof b);
    b = Operation()(a, b);
    std::memcpy(static_cast<char*>(right) + at, &b, sizeof b);
  }
}

inline const std::vector<Reduction>& reductions() {
  constexpr size_t kHuge = 2100;  // matrices in an element that is larger than a round
  constexpr auto kTimes = fold_as<Matrix, Times>;
  static const std::vector<Reduction> all = {
      {"MPI_BXOR", Kind::kByte, MPI_BXOR, fold_as<unsigned char, std::bit_xor<>>},
      {"MPI_MAX", Kind::kByte, MPI_MAX, fold_as<unsigned char, Greatest>},
      {"MPI_SUM", Kind::kInt, MPI_SUM, fold_as<int, std::plus<>>},
      {"MPI_BAND", Kind::kInt, MPI_BAND, fold_as<int, std::bit_and<>>},
      {"MPI_MIN", Kind::kInt64, MPI_MIN, fold_as<int64_t, Least>},
      {"MPI_SUM", Kind::kInt64, MPI_SUM, fold_as<int64_t, std::plus<>>},
      {"MPI_PROD", Kind::kWrapping, MPI_PROD, fold_as<uint64_t, std::multiplies<>>},
      {"MPI_SUM", Kind::kDouble, MPI_SUM, fold_as<double, std::plus<>>},
      {"MPI_MAX", Kind::kDouble, MPI_MAX, fold_as<double, Greatest>},
      {"MPI_MINLOC", Kind::kPair, MPI_MINLOC, fold_as<Pair, Least>},
      {"MPI_MAXLOC", Kind::kPair, MPI_MAXLOC, fold_as<Pair, Greatest>},
      {"own sum", Kind::kDouble, MPI_OP_NULL, fold_as<double, std::plus<>>, fold_many<double, std::plus<>, 8, 1>, true},
      {"product", Kind::kMatrix, MPI_OP_NULL, kTimes, fold_many<Matrix, Times, 16, 1>},
      {"product with gaps", Kind::kMatrix, MPI_OP_NULL, kTimes, fold_many<Matrix, Times, 24, 1>, false, 24},
      {"huge product", Kind::kMatrix, MPI_OP_NULL, kTimes, fold_many<Matrix, Times, 16 * kHuge, kHuge>, false, 0,
       kHuge},
  };
  return all;
}

// How the elements of a unit lie: one type for all of them, or one element of a predefined type for each.
enum class Way { kPlain, kPacked, kSpread, kReversed, kBefore, kBackwards };
inline constexpr size_t kWays = 6;
struct Layout {
  MPI_Datatype type = MPI_BYTE;
  size_t per_unit = 1;       // elements of `type`
  MPI_Aint extent = 1;       // of a unit
  std::vector<MPI_Aint> at;  // of the elements of a unit
  bool made = false;
  MPI_Aint low(size_t units) const {
    return *std::min_element(at.begin(), at.end()) + std::min<MPI_Aint>(0, extent * (static_cast<MPI_Aint>(units) - 1));
  }
  MPI_Aint last(size_t units) const {  // begin of the last element
    return *std::max_element(at.begin(), at.end()) + std::max<MPI_Aint>(0, extent * (static_cast<MPI_Aint>(units) - 1));
  }
};

// `extent`: of a unit; 0: some that leaves gaps, but with kPacked.
inline Layout make_layout(const KindInfo& kind, size_t unit, Way way, MPI_Aint extent = 0) {
  const auto n = static_cast<MPI_Aint>(unit);
  const MPI_Aint e = kind.extent;
  Layout layout{kind.type, unit, n * e, {}};
  for (MPI_Aint i = 0; i < n; ++i) {
    const MPI_Aint position = way == Way::kSpread ? 2 * i : way == Way::kReversed ? n - 1 - i : i;
    layout.at.push_back((position - (way == Way::kBefore ? 3 : 0)) * e);
  }
  if (way == Way::kPlain) return layout;
  if (extent == 0) extent = way == Way::kPacked ? n * e : way == Way::kBackwards ? -(n + 1) * e : (2 * n + 1) * e;
  MPI_Datatype inner;
  if (way == Way::kPacked) MPI_Type_contiguous(static_cast<int>(n), kind.type, &inner);
  else if (way == Way::kSpread) MPI_Type_create_hvector(static_cast<int>(n), 1, 2 * e, kind.type, &inner);
  else MPI_Type_create_hindexed_block(static_cast<int>(n), 1, layout.at.data(), kind.type, &inner);
  MPI_Type_create_resized(inner, layout.low(1), extent, &layout.type);
  MPI_Type_commit(&layout.type);
  MPI_Type_free(&inner);
  layout.per_unit = 1;
  layout.extent = extent;
  layout.made = true;
  return layout;
}

// What a rank sends or receives in one operation: blocks of units of some elements, and the arguments that say where.
class Side {
 public:
  Side() = default;
  // One layout for all blocks, which lie in a row or `anywhere`; or, with byte displacements, one for each.
  Side(Kind kind, size_t unit, std::vector<size_t> units, std::vector<Layout> layouts, bool typed, bool anywhere,
       Random& random)
      : bytes_(info_of(kind).bytes),
        unit_(unit),
        units_(std::move(units)),
        layouts_(std::move(layouts)),
        typed_(typed) {
    place(random, anywhere);
    MPI_Aint low = 0, end = 0;
    for (size_t k = 0; k < units_.size(); ++k) {
      if (units_[k] == 0) continue;
      low = std::min(low, at_[k] + layout(k).low(units_[k]));
      end = std::max(end, at_[k] + layout(k).last(units_[k]) + info_of(kind).extent);
    }
    const size_t step = info_of(kind).alignment;
    origin_ = kGuard + static_cast<MPI_Aint>(step * random.below(16 / step)) - low;
    memory_.resize(static_cast<size_t>(origin_ + end + kGuard));
    const uint64_t seed = random.next();
    for (size_t i = 0; i < memory_.size(); ++i) memory_[i] = mpi_test::byte_of(seed, i);
    expected_ = memory_;
  }

  // Of block k, or of as many units of it.
  template <typename ValueOf>
  void expect(size_t k, size_t units, ValueOf&& value_of) {
    const Layout& l = layout(k);
    for (size_t i = 0; i < units * unit_; ++i) {
      const MPI_Aint at = origin_ + at_[k] + static_cast<MPI_Aint>(i / unit_) * l.extent + l.at[i % unit_];
      std::memcpy(&expected_[static_cast<size_t>(at)], value_of(i).bytes, bytes_);
    }
  }
  void put_expected() { memory_ = expected_; }
  // Where it is not what is expected; the size: nowhere.
  size_t first_mistake() const {
    const auto at = std::mismatch(memory_.begin(), memory_.end(), expected_.begin());
    return static_cast<size_t>(at.first - memory_.begin());
  }
  const std::vector<unsigned char>& memory() const { return memory_; }
  const std::vector<unsigned char>& expected() const { return expected_; }

  bool exists() const { return !memory_.empty(); }
  size_t units(size_t k) const { return units_[k]; }
  void* base() { return exists() ? memory_.data() + origin_ : nullptr; }
  int count() const { return counts_.empty() ? 0 : counts_[0]; }
  MPI_Datatype type() const { return layouts_.empty() ? MPI_BYTE : layouts_[0].type; }
  const int* counts() const { return counts_.data(); }
  const int* displs() const { return displs_.data(); }
  const MPI_Aint* byte_displs() const { return at_.data(); }
  const MPI_Datatype* types() const { return types_.data(); }
  void free_types() {
    for (Layout& l : layouts_) {
      if (l.made) MPI_Type_free(&l.type);
      l.made = false;
    }
  }

 private:
  static constexpr MPI_Aint kGuard = 64;
  const Layout& layout(size_t k) const { return layouts_[typed_ ? k : 0]; }

  void place(Random& random, bool anywhere) {
    const size_t n = units_.size();
    counts_.resize(n + 1), displs_.resize(n + 1), at_.resize(n + 1), types_.resize(n + 1, MPI_BYTE);  // never null
    std::vector<size_t> order(n);
    std::iota(order.begin(), order.end(), 0);
    if (anywhere) random.shuffle(order);
    MPI_Aint cursor =
        anywhere ? -static_cast<MPI_Aint>(random.below(4)) : 0;  // in units; of blocks with types, in 16 B
    for (const size_t k : order) {
      const Layout& l = layout(k);
      if (anywhere) cursor += static_cast<MPI_Aint>(random.below(3));
      at_[k] = typed_ ? 16 * cursor - l.low(units_[k]) : cursor * l.extent;
      displs_[k] = static_cast<int>(typed_ ? at_[k] : cursor * static_cast<MPI_Aint>(l.per_unit));
      counts_[k] = static_cast<int>(units_[k] * l.per_unit);
      types_[k] = l.type;
      cursor += typed_ ? (l.last(units_[k]) - l.low(units_[k])) / 16 + 1 : static_cast<MPI_Aint>(units_[k]);
    }
  }

  size_t bytes_ = 0, unit_ = 1;
  std::vector<size_t> units_;
  std::vector<Layout> layouts_;
  bool typed_ = false;
  MPI_Aint origin_ = 0;
  std::vector<MPI_Aint> at_;
  std::vector<int> counts_, displs_;
  std::vector<MPI_Datatype> types_;
  std::vector<unsigned char> memory_, expected_;
};

}  // namespace random_colls
