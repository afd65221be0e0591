#include "eigen.hpp"

#include <algorithm>
#include <cmath>

namespace dmr::command {

namespace {

struct Rotation {
  double cosine, sine;
  void turn(double& a, double& b) const {
    const double before = a;
    a = cosine * before - sine * b;
    b = sine * before + cosine * b;
  }
};

// That which makes the numbers at (p, q) and (q, p) zero.
Rotation rotation_for(const std::vector<double>& m, size_t n, size_t p, size_t q) {
  const double half = (m[q * n + q] - m[p * n + p]) / (2 * m[p * n + q]);
  const double tangent = std::copysign(1.0, half) / (std::fabs(half) + std::sqrt(half * half + 1));
  const double cosine = 1 / std::sqrt(tangent * tangent + 1);
  return {cosine, tangent * cosine};
}

// One rotation for each pair; false: there was nothing left to do.
bool sweep(std::vector<double>& m, std::vector<double>& vectors, size_t n) {
  bool rotated = false;
  for (size_t p = 0; p + 1 < n; ++p) {
    for (size_t q = p + 1; q < n; ++q) {
      // Too small to change the numbers on the diagonal.
      constexpr double kNothing = 1e-17;
      const double beside = std::fabs(m[p * n + q]);
      if (beside == 0 || beside <= kNothing * std::sqrt(std::fabs(m[p * n + p] * m[q * n + q]))) continue;
      rotated = true;
      const Rotation rotation = rotation_for(m, n, p, q);
      for (size_t k = 0; k < n; ++k) rotation.turn(m[k * n + p], m[k * n + q]);
      for (size_t k = 0; k < n; ++k) rotation.turn(m[p * n + k], m[q * n + k]);
      for (size_t k = 0; k < n; ++k) rotation.turn(vectors[p * n + k], vectors[q * n + k]);
      m[p * n + q] = m[q * n + p] = 0;
    }
  }
  return rotated;
}

void make_farthest_positive(std::vector<double>& vector) {
  const auto farthest =
      std::max_element(vector.begin(), vector.end(), [](double a, double b) { return std::fabs(a) < std::fabs(b); });
  if (*farthest >= 0) return;
  for (double& number : vector) number = -number;
}

}  // namespace

std::vector<Component> components_of(std::vector<double> matrix, size_t n) {
  constexpr int kMostSweeps = 100;  // a dozen are enough; the last bits might go on changing
  std::vector<double> vectors(n * n);
  for (size_t i = 0; i < n; ++i) vectors[i * n + i] = 1;
  for (int i = 0; i < kMostSweeps && sweep(matrix, vectors, n); ++i) {
  }
  std::vector<Component> components(n);
  for (size_t i = 0; i < n; ++i) {
    components[i].value = matrix[i * n + i];
    components[i].vector.assign(vectors.data() + i * n, vectors.data() + (i + 1) * n);
    make_farthest_positive(components[i].vector);
  }
  std::stable_sort(components.begin(), components.end(),
                   [](const Component& a, const Component& b) { return a.value > b.value; });
  return components;
}

}  // namespace dmr::command
