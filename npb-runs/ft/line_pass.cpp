#include "line_pass.hpp"

#include <algorithm>
#include <utility>

namespace npb::ft {
namespace {

constexpr int kLines = LineFft::kLines;

// Complex numbers of a cache line. Gathering takes so many from a line of the grid before it turns to the next one.
constexpr std::size_t kTile = 4;

}  // namespace

LinePass::LinePass(LineMap forward_from, LineMap forward_to)
    : from_(std::move(forward_from)),
      to_(std::move(forward_to)),
      wide_(is_wide(from_) && is_wide(to_)),
      fft_(static_cast<int>(from_.element.size())),
      block_size_(from_.element.size() * kLines),
      re_(kBlocks * block_size_),
      im_(re_.size()) {}

// Whether all groups of kWide lines, counted from the first line, consist of neighbours in memory.
bool LinePass::is_wide(const LineMap& map) {
  if (map.line.size() % kWide != 0) return false;
  for (std::size_t line = 0; line < map.line.size(); ++line)
    if (line % kWide != 0 && map.line[line] != map.line[line - 1] + 1) return false;
  return true;
}

int LinePass::group_size(Range lines) const {
  return wide_ && lines.begin % kWide == 0 && lines.size() % kWide == 0 ? kWide : kLines;
}

void LinePass::forward(const Complex* from, Complex* to, Range lines) {
  const int group = group_size(lines);
  for (int line = lines.begin; line < lines.end; line += group) {
    const int count = std::min(group, lines.end - line);
    read(from, from_, line, count);
    for (int block = 0; block * kLines < count; ++block) fft_.transform(re(block), im(block));
    write(to, to_, line, count);
  }
}

void LinePass::inverse(const Complex* from, Complex* to, Range lines, const Damping* damping) {
  const int group = group_size(lines);
  for (int line = lines.begin; line < lines.end; line += group) {
    const int count = std::min(group, lines.end - line);
    read(from, to_, line, count);
    for (int block = 0; block * kLines < count; ++block) {
      if (damping != nullptr) damp(*damping, block, line + block * kLines, std::min(kLines, count - block * kLines));
      fft_.transform(im(block), re(block));
    }
    write(to, from_, line, count);
  }
}

void LinePass::read(const Complex* from, const LineMap& map, int line, int count) {
  if (count == kWide) load(from, map, line);
  else gather(from, map, line, count);
}

void LinePass::write(Complex* to, const LineMap& map, int line, int count) const {
  if (count == kWide) store(to, map, line);
  else scatter(to, map, line, count);
}

// Reads kWide neighbouring lines.
void LinePass::load(const Complex* from, const LineMap& map, int line) {
  const double* numbers = reinterpret_cast<const double*>(from + map.line[line]);
  for (std::size_t k = 0; k < map.element.size(); ++k)
    for (int block = 0; block < kBlocks; ++block) {
      const double* __restrict source = numbers + 2 * (map.element[k] + block * kLines);
      double* __restrict re = re_.data() + block * block_size_ + k * kLines;
      double* __restrict im = im_.data() + block * block_size_ + k * kLines;
      for (int l = 0; l < kLines; ++l) {
        re[l] = source[2 * l];
        im[l] = source[2 * l + 1];
      }
    }
}

// Writes the transforms of kWide neighbouring lines.
void LinePass::store(Complex* to, const LineMap& map, int line) const {
  double* numbers = reinterpret_cast<double*>(to + map.line[line]);
  for (std::size_t k = 0; k < map.element.size(); ++k)
    for (int block = 0; block < kBlocks; ++block) {
      double* __restrict target = numbers + 2 * (map.element[k] + block * kLines);
      const double* __restrict re = re_.data() + block * block_size_ + fft_.slot(k) * kLines;
      const double* __restrict im = im_.data() + block * block_size_ + fft_.slot(k) * kLines;
      for (int l = 0; l < kLines; ++l) {
        target[2 * l] = re[l];
        target[2 * l + 1] = im[l];
      }
    }
}

// Reads up to kLines lines from wherever they are.
void LinePass::gather(const Complex* from, const LineMap& map, int line, int count) {
  const std::size_t size = map.element.size();
  for (std::size_t tile = 0; tile < size; tile += kTile)
    for (int l = 0; l < count; ++l) {
      const Complex* source = from + map.line[line + l];
      for (std::size_t k = tile; k < std::min(tile + kTile, size); ++k) {
        re_[k * kLines + l] = source[map.element[k]].real();
        im_[k * kLines + l] = source[map.element[k]].imag();
      }
    }
}

// Writes the transforms of up to kLines lines to wherever they belong.
void LinePass::scatter(Complex* to, const LineMap& map, int line, int count) const {
  const std::size_t size = map.element.size();
  for (std::size_t tile = 0; tile < size; tile += kTile)
    for (int l = 0; l < count; ++l) {
      Complex* target = to + map.line[line + l];
      for (std::size_t k = tile; k < std::min(tile + kTile, size); ++k) {
        const int place = fft_.slot(k) * kLines + l;
        target[map.element[k]] = {re_[place], im_[place]};
      }
    }
}

// Damps the lines of a block, the first of which is `line`.
void LinePass::damp(const Damping& damping, int block, int line, int count) {
  double line_factor[kLines] = {};
  std::copy_n(damping.line.data() + line, count, line_factor);
  double* __restrict real = re(block);
  double* __restrict imaginary = im(block);
  for (std::size_t k = 0; k < damping.element.size(); ++k)
    for (int l = 0; l < kLines; ++l) {
      const double factor = damping.element[k] * line_factor[l];
      real[k * kLines + l] *= factor;
      imaginary[k * kLines + l] *= factor;
    }
}

}  // namespace npb::ft
