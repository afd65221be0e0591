#include "fft.hpp"

#include <cmath>
#include <cstddef>
#include <numbers>

namespace npb::ft {
namespace {

constexpr std::size_t kLines = LineFft::kLines;

struct Factor {
  double re;
  double im;
};

// A transform of length 2 over elements 0 and 1 of all lines.
inline void butterfly2(double* __restrict re0, double* __restrict im0, double* __restrict re1, double* __restrict im1) {
  for (std::size_t l = 0; l < kLines; ++l) {
    const double re = re0[l] - re1[l], im = im0[l] - im1[l];
    re0[l] += re1[l];
    im0[l] += im1[l];
    re1[l] = re;
    im1[l] = im;
  }
}

// A transform of length 4 over elements 0 to 3 of all lines. Results 1 to 3 are multiplied by w1 to w3.
inline void butterfly4(double* __restrict re0, double* __restrict im0, double* __restrict re1, double* __restrict im1,
                       double* __restrict re2, double* __restrict im2, double* __restrict re3, double* __restrict im3,
                       Factor w1, Factor w2, Factor w3) {
  for (std::size_t l = 0; l < kLines; ++l) {
    const double even_sum_re = re0[l] + re2[l], even_sum_im = im0[l] + im2[l];
    const double even_difference_re = re0[l] - re2[l], even_difference_im = im0[l] - im2[l];
    const double odd_sum_re = re1[l] + re3[l], odd_sum_im = im1[l] + im3[l];
    const double odd_difference_re = re1[l] - re3[l], odd_difference_im = im1[l] - im3[l];
    const double re_1 = even_difference_re + odd_difference_im, im_1 = even_difference_im - odd_difference_re;
    const double re_2 = even_sum_re - odd_sum_re, im_2 = even_sum_im - odd_sum_im;
    const double re_3 = even_difference_re - odd_difference_im, im_3 = even_difference_im + odd_difference_re;
    re0[l] = even_sum_re + odd_sum_re;
    im0[l] = even_sum_im + odd_sum_im;
    re1[l] = re_1 * w1.re - im_1 * w1.im;
    im1[l] = re_1 * w1.im + im_1 * w1.re;
    re2[l] = re_2 * w2.re - im_2 * w2.im;
    im2[l] = re_2 * w2.im + im_2 * w2.re;
    re3[l] = re_3 * w3.re - im_3 * w3.im;
    im3[l] = re_3 * w3.im + im_3 * w3.re;
  }
}

// Where decimation in frequency leaves coefficient k of a span: the results of its first step, k mod 4 (or 2), are
// spans of their own.
int slot_of(int k, int span) {
  if (span == 1) return 0;
  const int radix = span % 4 == 0 ? 4 : 2;
  return k % radix * (span / radix) + slot_of(k / radix, span / radix);
}

}  // namespace

LineFft::LineFft(int size) {
  for (int k = 0; k < size; ++k) slot_.push_back(slot_of(k, size));
  for (int span = size; span % 4 == 0; span /= 4) {
    auto& step = steps_.emplace_back(static_cast<std::size_t>(span / 4));
    for (int j = 0; j < span / 4; ++j)
      for (int power = 1; power <= 3; ++power) {
        const double angle = -2.0 * std::numbers::pi * (power * j) / span;
        step[static_cast<std::size_t>(j)].re[power - 1] = std::cos(angle);
        step[static_cast<std::size_t>(j)].im[power - 1] = std::sin(angle);
      }
  }
}

void LineFft::transform(double* re, double* im) const {
  const std::size_t end = slot_.size() * kLines;
  std::size_t distance = end;  // between the elements of a butterfly
  for (const auto& step : steps_) {
    const std::size_t span = distance;
    distance /= 4;
    for (std::size_t begin = 0; begin < end; begin += span)
      for (std::size_t j = 0; j < step.size(); ++j) {
        const Twiddle& w = step[j];
        double* r = re + begin + j * kLines;
        double* i = im + begin + j * kLines;
        butterfly4(r, i, r + distance, i + distance, r + 2 * distance, i + 2 * distance, r + 3 * distance,
                   i + 3 * distance, {w.re[0], w.im[0]}, {w.re[1], w.im[1]}, {w.re[2], w.im[2]});
      }
  }
  if (distance == 2 * kLines)
    for (std::size_t begin = 0; begin < end; begin += 2 * kLines)
      butterfly2(re + begin, im + begin, re + begin + kLines, im + begin + kLines);
}

}  // namespace npb::ft
