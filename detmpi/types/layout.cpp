// Construction of layouts.
#include "layout.hpp"

#include <algorithm>
#include <utility>

namespace detmpi {
namespace {

constexpr size_t kExpand = 16;  // a part of at most so many blocks is written out in a list of blocks

template <class Block>
ElementMoves moves_of(size_t count, Block&& block) {
  ElementMoves moves;
  for (size_t i = 0; i < count; ++i) {
    const auto [offset, length] = block(i);
    if (!moves.add(offset, length)) return {};
  }
  moves.choose_loops();
  return moves;
}

std::shared_ptr<Layout> run(size_t count, size_t block, ptrdiff_t stride, ptrdiff_t offset) {
  auto layout = std::make_shared<Layout>();
  layout->kind = Layout::Kind::kRun;
  layout->count = count;
  layout->block = block;
  layout->stride = stride;
  layout->offset = offset;
  layout->bytes = count * block;
  layout->loops = &block_loops(block);
  layout->moves = moves_of(count, [&](size_t i) { return std::pair(static_cast<ptrdiff_t>(i) * stride, block); });
  return layout;
}

// Appends a block, joined to the one before it where they touch.
void add_block(std::vector<Layout::Part>& blocks, ptrdiff_t offset, size_t length) {
  if (length == 0) return;
  if (!blocks.empty()) {
    Layout::Part& last = blocks.back();
    if (last.offset + static_cast<ptrdiff_t>(last.length) == offset) {
      last.length += length;
      return;
    }
  }
  const size_t start = blocks.empty() ? 0 : blocks.back().start + blocks.back().length;
  blocks.push_back({offset, start, length, nullptr, nullptr});
}

size_t span_of(const std::vector<Layout::Part>& blocks) {
  ptrdiff_t low = blocks[0].offset, high = low;
  for (const auto& b : blocks) {
    low = std::min(low, b.offset);
    high = std::max(high, b.offset + static_cast<ptrdiff_t>(b.length));
  }
  return static_cast<size_t>(high - low);
}

// A list of blocks in its simplest form.
LayoutPtr from_blocks(std::vector<Layout::Part> blocks) {
  if (blocks.empty()) return layout_block(0);
  const size_t length = blocks[0].length;
  const bool same = std::all_of(blocks.begin(), blocks.end(), [&](const auto& b) { return b.length == length; });
  if (same) {
    const ptrdiff_t stride = blocks.size() > 1 ? blocks[1].offset - blocks[0].offset : 0;
    bool even = true;
    for (size_t i = 1; i < blocks.size(); ++i) even = even && blocks[i].offset - blocks[i - 1].offset == stride;
    if (even) return run(blocks.size(), length, stride, blocks[0].offset);
  }
  auto layout = std::make_shared<Layout>();
  layout->kind = Layout::Kind::kBlocks;
  layout->block = same ? length : 0;
  layout->bytes = blocks.back().start + blocks.back().length;
  layout->span = span_of(blocks);
  layout->moves = moves_of(blocks.size(), [&](size_t i) { return std::pair(blocks[i].offset, blocks[i].length); });
  for (auto& b : blocks) b.loops = &block_loops(b.length);
  layout->parts = std::move(blocks);
  return layout;
}

size_t blocks_in(const Layout& layout) {
  switch (layout.kind) {
    case Layout::Kind::kRun: return layout.count;
    case Layout::Kind::kBlocks: return layout.parts.size();
    default: return kExpand + 1;
  }
}

void append_blocks(std::vector<Layout::Part>& blocks, const Layout& layout, ptrdiff_t offset) {
  offset += layout.offset;
  if (layout.kind == Layout::Kind::kRun) {
    for (size_t i = 0; i < layout.count; ++i) {
      add_block(blocks, offset + static_cast<ptrdiff_t>(i) * layout.stride, layout.block);
    }
  } else {
    for (const auto& part : layout.parts) add_block(blocks, offset + part.offset, part.length);
  }
}

}  // namespace

LayoutPtr layout_block(size_t bytes) { return run(bytes == 0 ? 0 : 1, bytes, 0, 0); }

LayoutPtr layout_shift(const LayoutPtr& layout, ptrdiff_t offset) {
  if (offset == 0) return layout;
  auto shifted = std::make_shared<Layout>(*layout);
  shifted->offset += offset;
  return shifted;
}

LayoutPtr layout_repeat(const LayoutPtr& layout, size_t count, ptrdiff_t stride) {
  if (count == 0 || layout->bytes == 0) return layout_block(0);
  if (count == 1) return layout;
  if (layout->one_block()) {
    if (stride == static_cast<ptrdiff_t>(layout->block)) return run(1, count * layout->block, 0, layout->offset);
    return run(count, layout->block, stride, layout->offset);
  }
  if (layout->kind == Layout::Kind::kRun && stride == static_cast<ptrdiff_t>(layout->count) * layout->stride) {
    return run(count * layout->count, layout->block, layout->stride, layout->offset);
  }
  auto loop = std::make_shared<Layout>();
  loop->kind = Layout::Kind::kLoop;
  loop->count = count;
  loop->stride = stride;
  loop->child = layout;
  loop->bytes = count * layout->bytes;
  return loop;
}

LayoutPtr layout_sequence(const std::vector<Placed>& parts) {
  bool simple = true;
  for (const auto& part : parts) {
    simple = simple && (part.layout->bytes == 0 || blocks_in(*part.layout) <= kExpand);
  }
  if (simple) {
    std::vector<Layout::Part> blocks;
    for (const auto& part : parts) {
      if (part.layout->bytes > 0) append_blocks(blocks, *part.layout, part.offset);
    }
    return from_blocks(std::move(blocks));
  }
  auto sequence = std::make_shared<Layout>();
  sequence->kind = Layout::Kind::kSequence;
  for (const auto& part : parts) {
    if (part.layout->bytes == 0) continue;
    sequence->parts.push_back({part.offset, sequence->bytes, part.layout->bytes, part.layout, nullptr});
    sequence->bytes += part.layout->bytes;
  }
  if (sequence->parts.size() == 1) return layout_shift(sequence->parts[0].child, sequence->parts[0].offset);
  return sequence;
}

}  // namespace detmpi
