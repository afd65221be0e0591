#include "block_loops.hpp"

#include <bit>
#include <iterator>

#include "moves.hpp"

namespace detmpi {
namespace {

// With the length known to the compiler a move is a few instructions.
template <size_t kLength>
struct Exactly {
  explicit Exactly(size_t) {}
  static constexpr size_t length() { return kLength; }
  template <class Way>
  [[gnu::always_inline]] void move(char* typed, char* packed) const {
    move_block<Way, kLength>(typed, packed);
  }
};

// More than kHalf bytes and less than twice as many: two moves, which overlap.
template <size_t kHalf>
struct Between {
  explicit Between(size_t length) : second_(length - kHalf) {}
  size_t length() const { return kHalf + second_; }
  template <class Way>
  [[gnu::always_inline]] void move(char* typed, char* packed) const {
    move_block<Way, kHalf>(typed, packed);
    move_block<Way, kHalf>(typed + second_, packed + second_);
  }

 private:
  size_t second_;
};

struct Long {
  explicit Long(size_t length) : length_(length) {}
  size_t length() const { return length_; }
  template <class Way>
  void move(char* typed, char* packed) const {
    move_block<Way>(typed, packed, length_);
  }

 private:
  size_t length_;
};

enum class Mode { kNear, kFar, kSpread };

// How far ahead to fetch: some 64 blocks, or as many rows as hold them.
constexpr size_t kBlocksAhead = 64;

ptrdiff_t ahead(const Rows& rows) {
  const size_t blocks = rows.blocks;
  if (rows.rows == 1 || blocks >= 4 * kBlocksAhead) return static_cast<ptrdiff_t>(kBlocksAhead) * rows.stride;
  return static_cast<ptrdiff_t>((kBlocksAhead + blocks - 1) / blocks) * rows.row_stride;
}

template <class Way, class Length, Mode kMode>
[[gnu::always_inline]] inline void copy_rows(const Rows& rows, char* __restrict typed, char* __restrict packed) {
  const Length length(rows.block);
  const size_t step = kMode == Mode::kSpread ? rows.step : length.length();
  [[maybe_unused]] const ptrdiff_t later = kMode == Mode::kFar ? ahead(rows) : 0;
  const ptrdiff_t stride = rows.stride;
  const size_t blocks = rows.blocks;
  for (size_t row = 0; row < rows.rows; ++row) {
    char* block = typed;
#pragma GCC unroll 4
    for (size_t i = 0; i < blocks; ++i) {
      if constexpr (kMode == Mode::kFar) __builtin_prefetch(place(block, later));
      length.template move<Way>(block, packed);
      block += stride;
      packed += step;
    }
    typed = place(typed, rows.row_stride);
  }
}

template <class Way, class Length, Mode kMode>
void plain(const Rows& rows, char* typed, char* packed) {
  copy_rows<Way, Length, kMode>(rows, typed, packed);
}

template <class Way, class Length, Mode kMode>
[[gnu::target("avx2")]] void wide(const Rows& rows, char* typed, char* packed) {
  copy_rows<Way, Length, kMode>(rows, typed, packed);
}

template <class Way, class Length>
constexpr RowsLoops plain_loops{plain<Way, Length, Mode::kNear>, plain<Way, Length, Mode::kFar>,
                                plain<Way, Length, Mode::kSpread>};
template <class Way, class Length>
constexpr RowsLoops wide_loops{wide<Way, Length, Mode::kNear>, wide<Way, Length, Mode::kFar>,
                               wide<Way, Length, Mode::kSpread>};
template <class Length>
constexpr BlockLoops kPlain{plain_loops<Packing, Length>, plain_loops<Unpacking, Length>};
template <class Length>
constexpr BlockLoops kWide{wide_loops<Packing, Length>, wide_loops<Unpacking, Length>};

// By the width of the length in bits: a power of two, and what lies between it and the next.
constexpr BlockLoops kExact[] = {kPlain<Exactly<1>>,  kPlain<Exactly<2>>,  kPlain<Exactly<4>>, kPlain<Exactly<8>>,
                                 kPlain<Exactly<16>>, kPlain<Exactly<32>>, kPlain<Exactly<64>>};
constexpr BlockLoops kBetween[] = {kPlain<Between<1>>,  kPlain<Between<2>>,  kPlain<Between<4>>, kPlain<Between<8>>,
                                   kPlain<Between<16>>, kPlain<Between<32>>, kPlain<Between<64>>};
constexpr size_t kFirstWide = 5;  // 32 bytes
constexpr BlockLoops kWideExact[] = {kWide<Exactly<32>>, kWide<Exactly<64>>};
constexpr BlockLoops kWideBetween[] = {kWide<Between<32>>, kWide<Between<64>>};

}  // namespace

const BlockLoops& block_loops(size_t length) {
  static const bool has_avx2 = __builtin_cpu_supports("avx2");
  const auto width = static_cast<size_t>(std::bit_width(length)) - 1;
  if (width >= std::size(kExact)) return kPlain<Long>;
  const bool exact = std::has_single_bit(length);
  if (has_avx2 && width >= kFirstWide) return exact ? kWideExact[width - kFirstWide] : kWideBetween[width - kFirstWide];
  return exact ? kExact[width] : kBetween[width];
}

}  // namespace detmpi
