// Copies between typed memory and consecutive bytes. Every position in the data can be the start: where it
// lies is found by division and binary search, so that nothing needs to be kept between pieces.
#include <algorithm>
#include <cstdlib>

#include "layout.hpp"
#include "moves.hpp"

namespace detmpi {
namespace {

constexpr ptrdiff_t kLine = 64;  // bytes of a cache line

// Rows that reach over more memory than kFar, block by block in another line, are not in the caches.
template <class Way>
void copy_rows(const Rows& rows, const BlockLoops& loops, char* typed, char* packed) {
  const auto n = static_cast<ptrdiff_t>(rows.rows);
  const ptrdiff_t reach = n > 1 ? n * rows.row_stride : static_cast<ptrdiff_t>(rows.blocks) * rows.stride;
  const bool far = std::abs(reach) >= Way::kFar && std::abs(rows.stride) >= kLine;
  const RowsLoops& ways = loops.of<Way>();
  const RowsLoop loop = rows.step != rows.block ? ways.spread : far ? ways.far : ways.near;
  loop(rows, typed, packed);
}

using Part = Layout::Part;

template <class Way, size_t kBlock>
void parts_of(const Part* part, size_t count, char* typed, char* packed) {
  for (size_t i = 0; i < count; ++i) move_block<Way>(place(typed, part[i].offset), packed + i * kBlock, kBlock);
}

template <class Way>
void whole_parts(const Layout& layout, char* typed, char* packed) {
  const Part* part = layout.parts.data();
  const size_t count = layout.parts.size();
  switch (layout.block) {
    case 4: return parts_of<Way, 4>(part, count, typed, packed);
    case 8: return parts_of<Way, 8>(part, count, typed, packed);
    case 16: return parts_of<Way, 16>(part, count, typed, packed);
    default:
      for (size_t i = 0; i < count; ++i) {
        move_block<Way>(place(typed, part[i].offset), packed, part[i].length);
        packed += part[i].length;
      }
  }
}

template <class Way>
void copy(const Layout& layout, char* typed, size_t position, char* packed, size_t n);

// `unit` bytes of data repeat: calls part(index, position in it, packed, n) for a cut one, whole(index, how
// many, packed) for whole ones.
template <class PartFn, class WholeFn>
void split(size_t unit, size_t position, char* packed, size_t n, PartFn part, WholeFn whole) {
  size_t index = position < unit ? 0 : position / unit;  // divisions take as long as short copies
  const size_t inside = position - index * unit;
  if (inside > 0) {
    const size_t m = std::min(unit - inside, n);
    part(index, inside, packed, m);
    packed += m;
    n -= m;
    ++index;
  }
  if (n >= unit) {
    const size_t count = n == unit ? 1 : n / unit;
    whole(index, count, packed);
    packed += count * unit;
    n -= count * unit;
    index += count;
  }
  if (n > 0) part(index, size_t{0}, packed, n);
}

template <class Way>
void copy_run(const Layout& layout, char* typed, size_t position, char* packed, size_t n) {
  const auto at = [&](size_t index) { return place(typed, static_cast<ptrdiff_t>(index) * layout.stride); };
  split(
      layout.block, position, packed, n,
      [&](size_t index, size_t inside, char* to, size_t m) { move_block<Way>(at(index) + inside, to, m); },
      [&](size_t index, size_t count, char* to) {
        copy_rows<Way>({1, 0, count, layout.stride, layout.block, layout.block}, *layout.loops, at(index), to);
      });
}

// Many small elements of more blocks, or of others, than there are element loops for: block by block over a group of
// elements, so that the loops are tight, in groups that stay in the first-level cache.
constexpr size_t kGroup = 64;
constexpr size_t kFewElements = 8;
constexpr size_t kSmallElement = 256;

// Elements that overlap are left to be copied in order, so that the last one wins.
bool is_structure_array(const Layout& layout, ptrdiff_t stride, size_t count) {
  return layout.kind == Layout::Kind::kBlocks && count >= kFewElements && layout.bytes <= kSmallElement &&
         layout.span <= static_cast<size_t>(std::abs(stride));
}

template <class Way>
void copy_structures(const Layout& layout, ptrdiff_t stride, char* typed, char* packed, size_t count) {
  typed = place(typed, layout.offset);
  while (count > 0) {
    const size_t n = std::min(count, kGroup);
    for (const Part& part : layout.parts) {
      copy_rows<Way>({1, 0, n, stride, part.length, layout.bytes}, *part.loops, place(typed, part.offset),
                     packed + part.start);
    }
    typed = place(typed, static_cast<ptrdiff_t>(n) * stride);
    packed += n * layout.bytes;
    count -= n;
  }
}

template <class Way>
void copy_whole(const Layout& layout, char* typed, char* packed);

// `count` whole elements: no position is looked for.
template <class Way>
void whole_elements(const Layout& element, ptrdiff_t stride, char* typed, char* packed, size_t count) {
  if (element.one_block()) {
    copy_rows<Way>({1, 0, count, stride, element.block, element.block}, *element.loops, place(typed, element.offset),
                   packed);
  } else if (element.moves && count > 1) {
    element.moves.copy<Way>(place(typed, element.offset), stride, count, packed);
  } else if (element.kind == Layout::Kind::kRun) {
    copy_rows<Way>({count, stride, element.count, element.stride, element.block, element.block}, *element.loops,
                   place(typed, element.offset), packed);
  } else if (is_structure_array(element, stride, count)) {
    copy_structures<Way>(element, stride, typed, packed, count);
  } else {
    for (size_t i = 0; i < count; ++i) {
      copy_whole<Way>(element, place(typed, static_cast<ptrdiff_t>(i) * stride), packed + i * element.bytes);
    }
  }
}

template <class Way>
void copy_whole(const Layout& layout, char* typed, char* packed) {
  switch (layout.kind) {
    case Layout::Kind::kRun: return whole_elements<Way>(layout, 0, typed, packed, 1);
    case Layout::Kind::kLoop:
      return whole_elements<Way>(*layout.child, layout.stride, place(typed, layout.offset), packed, layout.count);
    case Layout::Kind::kBlocks: return whole_parts<Way>(layout, place(typed, layout.offset), packed);
    case Layout::Kind::kSequence:
      typed = place(typed, layout.offset);
      for (const Part& part : layout.parts) {
        copy_whole<Way>(*part.child, place(typed, part.offset), packed + part.start);
      }
  }
}

template <class Way>
void copy_loop(const Layout& child, ptrdiff_t stride, char* typed, size_t position, char* packed, size_t n) {
  const auto at = [&](size_t index) { return place(typed, static_cast<ptrdiff_t>(index) * stride); };
  split(
      child.bytes, position, packed, n,
      [&](size_t index, size_t inside, char* to, size_t m) { copy<Way>(child, at(index), inside, to, m); },
      [&](size_t index, size_t count, char* to) { whole_elements<Way>(child, stride, at(index), to, count); });
}

// The part that holds a position.
size_t find_part(const Layout& layout, size_t position) {
  const auto after = std::upper_bound(layout.parts.begin(), layout.parts.end(), position,
                                      [](size_t at, const Part& part) { return at < part.start; });
  return static_cast<size_t>(after - layout.parts.begin()) - 1;
}

template <class Way>
void copy_part(const Part& part, char* typed, size_t inside, char* packed, size_t n) {
  if (part.child) {
    copy<Way>(*part.child, place(typed, part.offset), inside, packed, n);
  } else {
    move_block<Way>(place(typed, part.offset) + inside, packed, n);
  }
}

template <class Way>
void copy_parts(const Layout& layout, char* typed, size_t position, char* packed, size_t n) {
  for (size_t i = find_part(layout, position); n > 0; ++i) {
    const Part& part = layout.parts[i];
    const size_t inside = position - part.start;
    const size_t m = std::min(part.length - inside, n);
    copy_part<Way>(part, typed, inside, packed, m);
    position += m;
    packed += m;
    n -= m;
  }
}

template <class Way>
void copy(const Layout& layout, char* typed, size_t position, char* packed, size_t n) {
  if (n == 0) return;
  if (n == layout.bytes) return copy_whole<Way>(layout, typed, packed);
  typed = place(typed, layout.offset);
  switch (layout.kind) {
    case Layout::Kind::kRun: return copy_run<Way>(layout, typed, position, packed, n);
    case Layout::Kind::kLoop: return copy_loop<Way>(*layout.child, layout.stride, typed, position, packed, n);
    default: return copy_parts<Way>(layout, typed, position, packed, n);
  }
}

}  // namespace

void layout_pack_all(const Layout& layout, ptrdiff_t extent, size_t count, const char* base, char* packed) {
  whole_elements<Packing>(layout, extent, const_cast<char*>(base), packed, count);
}

void layout_unpack_all(const Layout& layout, ptrdiff_t extent, size_t count, char* base, const char* packed) {
  whole_elements<Unpacking>(layout, extent, base, const_cast<char*>(packed), count);
}

void layout_pack(const Layout& layout, ptrdiff_t extent, const char* base, size_t position, char* packed, size_t n) {
  if (n > 0) copy_loop<Packing>(layout, extent, const_cast<char*>(base), position, packed, n);
}

void layout_unpack(const Layout& layout, ptrdiff_t extent, char* base, size_t position, const char* packed, size_t n) {
  if (n > 0) copy_loop<Unpacking>(layout, extent, base, position, const_cast<char*>(packed), n);
}

}  // namespace detmpi
