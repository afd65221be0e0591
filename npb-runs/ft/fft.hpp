// The discrete Fourier transform of several lines side by side.
#pragma once

#include <vector>

namespace npb::ft {

// Transforms kLines lines of a power of two of points at once. Real and imaginary parts are apart, and the lines
// vary fastest: element k of line l is at index k * kLines + l. So every operation is the same for neighbouring
// numbers, which makes it a vector operation.
class LineFft {
 public:
  static constexpr int kLines = 8;

  explicit LineFft(int size);

  int size() const { return static_cast<int>(slot_.size()); }

  // Unnormalised, with the exponent -2 pi i j k / size, in place. Coefficient k comes to lie at slot(k). With the
  // arguments exchanged it is the inverse transform (times size).
  void transform(double* re, double* im) const;

  int slot(int k) const { return slot_[static_cast<std::size_t>(k)]; }

 private:
  // Powers 1 to 3 of a root of unity.
  struct Twiddle {
    double re[3];
    double im[3];
  };

  std::vector<int> slot_;
  // For each radix-4 step, one element per butterfly of a span; the spans shrink by 4 from step to step. Each is
  // from a sine and cosine of its own, as the verification needs all digits.
  std::vector<std::vector<Twiddle>> steps_;
};

}  // namespace npb::ft
