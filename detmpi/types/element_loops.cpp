#include "element_loops.hpp"

#include <algorithm>
#include <utility>

#include "moves.hpp"

namespace detmpi {
namespace {

constexpr size_t kLengths[] = {16, 8, 4};

template <class Way, size_t... kLength>
void copy_elements(const ptrdiff_t* offsets, char* typed, ptrdiff_t stride, size_t count, char* packed) {
  std::array<ptrdiff_t, sizeof...(kLength)> at;  // of its own, so that it stays in registers
  std::copy_n(offsets, at.size(), at.begin());
  for (size_t i = 0; i < count; ++i) {
    size_t move = 0, start = 0;
    ((move_block<Way, kLength>(place(typed, at[move++]), packed + start), start += kLength), ...);
    packed += start;
    typed = place(typed, stride);
  }
}

// The loops of so many moves, by their lengths: kLengths are the digits of the index, the first move's the lowest.
constexpr size_t weight(size_t move) { return move == 0 ? 1 : std::size(kLengths) * weight(move - 1); }

template <class Way, size_t kIndex, size_t... kMove>
constexpr ElementMoves::Loop loop_of(std::index_sequence<kMove...>) {
  return copy_elements<Way, kLengths[kIndex / weight(kMove) % std::size(kLengths)]...>;
}

template <class Way, size_t kMoves, size_t... kIndex>
constexpr auto loops_of(std::index_sequence<kIndex...>) {
  return std::array{loop_of<Way, kIndex>(std::make_index_sequence<kMoves>())...};
}

template <class Way, size_t kMoves>
constexpr auto kLoops = loops_of<Way, kMoves>(std::make_index_sequence<weight(kMoves)>());

template <class Way>
ElementMoves::Loop loop(size_t moves, size_t index) {
  switch (moves) {
    case 1: return kLoops<Way, 1>[index];
    case 2: return kLoops<Way, 2>[index];
    case 3: return kLoops<Way, 3>[index];
    default: return kLoops<Way, 4>[index];
  }
}

}  // namespace

bool ElementMoves::add(ptrdiff_t offset, size_t length) {
  for (size_t digit = 0; digit < std::size(kLengths); ++digit) {
    for (; length >= kLengths[digit]; length -= kLengths[digit]) {
      if (moves_ == kMost) return false;
      index_ += digit * weight(moves_);
      offsets_[moves_++] = offset;
      offset += static_cast<ptrdiff_t>(kLengths[digit]);
    }
  }
  return length == 0;
}

void ElementMoves::choose_loops() {
  if (moves_ == 0) return;
  loops_ = {loop<Packing>(moves_, index_), loop<Unpacking>(moves_, index_)};
}

}  // namespace detmpi
