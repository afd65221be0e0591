#include "waves.hpp"

#include "../multipartition/vectorize.hpp"

namespace npb::sp {
namespace {

using namespace multipartition;

constexpr double kRootHalf = 0.70710678118654752440;

// Calls transform(r0, .., r4) with references, for every lane of every position.
template <class Transform>
void for_each_lane(const Lines& lines, Range rows, Transform transform) {
  const std::ptrdiff_t pitch = lines.r_pitch, lanes = lines.lanes;
  for (int p = rows.begin; p < rows.end; ++p) {
    double* const r = lines.r + p * lines.r_stride;
    NPB_INDEPENDENT
    for (std::ptrdiff_t l = 0; l < lanes; ++l)
      transform(r[l], r[pitch + l], r[2 * pitch + l], r[3 * pitch + l], r[4 * pitch + l]);
  }
}

}  // namespace

void to_x_waves(CellData& cell, int j, int k) {
  const std::ptrdiff_t pitch = cell.box.pitch;
  double* const r = cell.increment.row(j, k);
  const double* const primitives = cell.primitives.row(j, k);
  const int lanes = cell.box.lanes;
  NPB_INDEPENDENT
  for (int i = 0; i < lanes; ++i) {
    const double* const q = primitives + i;
    const double inverse = q[kInverseDensity * pitch], kinetic = q[kKinetic * pitch], sound = q[kSound * pitch];
    const double u = q[velocity(kX) * pitch], v = q[velocity(kY) * pitch], w = q[velocity(kZ) * pitch];
    const double r0 = r[i], r1 = r[pitch + i], r2 = r[2 * pitch + i], r3 = r[3 * pitch + i], r4 = r[4 * pitch + i];
    const double pressure_part = cfd::kC2 / (sound * sound) * (kinetic * r0 - u * r1 - v * r2 - w * r3 + r4);
    const double normal_part = kRootHalf * inverse * (u * r0 - r1);
    const double sound_part = kRootHalf * inverse * sound * pressure_part;
    r[i] = r0 - pressure_part;
    r[pitch + i] = -inverse * (w * r0 - r3);
    r[2 * pitch + i] = inverse * (v * r0 - r2);
    r[3 * pitch + i] = sound_part - normal_part;
    r[4 * pitch + i] = sound_part + normal_part;
  }
}

void x_to_y_waves(const Lines& lines, Range rows) {
  for_each_lane(lines, rows, [](double& r0, double& r1, double& r2, double& r3, double& r4) {
    const double turned = kRootHalf * r2, mean = 0.5 * (r3 + r4), difference = kRootHalf * (r3 - r4), first = r0;
    r0 = -r1;
    r1 = first;
    r2 = difference;
    r3 = mean - turned;
    r4 = mean + turned;
  });
}

void y_to_z_waves(const Lines& lines, Range rows) {
  for_each_lane(lines, rows, [](double& r0, double& r1, double& r2, double& r3, double& r4) {
    const double turned = kRootHalf * r0, mean = 0.5 * (r3 + r4), second = r1;
    r0 = kRootHalf * (r3 - r4);
    r1 = -r2;
    r2 = second;
    r3 = mean - turned;
    r4 = mean + turned;
  });
}

void from_z_waves_and_add(CellData& cell, int j, int k) {
  const std::ptrdiff_t pitch = cell.box.pitch;
  const double* const r = cell.increment.row(j, k);
  double* const solution = cell.solution.row(j, k);
  const double* const primitives = cell.primitives.row(j, k);
  const int lanes = cell.box.lanes;
  NPB_INDEPENDENT
  for (int i = 0; i < lanes; ++i) {
    const double* const q = primitives + i;
    const double kinetic = q[kKinetic * pitch], sound = q[kSound * pitch], density = solution[i];
    const double u = q[velocity(kX) * pitch], v = q[velocity(kY) * pitch], w = q[velocity(kZ) * pitch];
    const double r0 = r[i], r1 = r[pitch + i], r2 = r[2 * pitch + i], r3 = r[3 * pitch + i], r4 = r[4 * pitch + i];
    const double pressure_part = kRootHalf * density / sound * (r3 + r4);
    const double mass = r2 + pressure_part;
    const double normal_part = kRootHalf * density * (r3 - r4);
    solution[i] = density + mass;
    solution[pitch + i] += u * mass - density * r1;
    solution[2 * pitch + i] += v * mass + density * r0;
    solution[3 * pitch + i] += w * mass + normal_part;
    solution[4 * pitch + i] +=
        density * (v * r0 - u * r1) + kinetic * mass + sound * sound / cfd::kC2 * pressure_part + w * normal_part;
  }
}

}  // namespace npb::sp
