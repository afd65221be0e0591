// A sweep over all lines of a box along one axis: read, transform, write, a group of lines at a time.
#pragma once

#include <vector>

#include "../common/range.hpp"
#include "aligned.hpp"
#include "fft.hpp"
#include "layout.hpp"
#include "problem.hpp"

namespace npb::ft {

// Real factors on what is read: element k of line l is multiplied by element[k] * line[l].
struct Damping {
  std::vector<double> element;
  std::vector<double> line;
};

class LinePass {
 public:
  // `forward_from` and `forward_to` say where the lines lie on the two sides of the forward transform; the inverse
  // goes the other way.
  LinePass(LineMap forward_from, LineMap forward_to);

  // Transforms the given lines. `from` and `to` may be the same array if both sides' maps are the same.
  void forward(const Complex* from, Complex* to, Range lines);
  void inverse(const Complex* from, Complex* to, Range lines, const Damping* damping = nullptr);

  Range all_lines() const { return {0, static_cast<int>(from_.line.size())}; }

 private:
  // Lines in a group, if they lie next to each other on both sides: so many that every access moves several cache
  // lines, and so few that the group stays in the second-level cache.
  static constexpr int kBlocks = 4;
  static constexpr int kWide = kBlocks * LineFft::kLines;

  static bool is_wide(const LineMap& map);
  int group_size(Range lines) const;

  void read(const Complex* from, const LineMap& map, int line, int count);
  void write(Complex* to, const LineMap& map, int line, int count) const;
  void load(const Complex* from, const LineMap& map, int line);
  void store(Complex* to, const LineMap& map, int line) const;
  void gather(const Complex* from, const LineMap& map, int line, int count);
  void scatter(Complex* to, const LineMap& map, int line, int count) const;
  void damp(const Damping& damping, int block, int line, int count);

  double* re(int block) { return re_.data() + block * block_size_; }
  double* im(int block) { return im_.data() + block * block_size_; }

  LineMap from_;
  LineMap to_;
  bool wide_;  // whether groups of kWide lines can be worked on
  LineFft fft_;
  std::size_t block_size_;
  AlignedVector<double> re_;  // the group at work: kBlocks blocks as LineFft takes them
  AlignedVector<double> im_;
};

}  // namespace npb::ft
