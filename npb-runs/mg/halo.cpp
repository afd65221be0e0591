#include "halo.hpp"

#include <algorithm>

namespace npb::mg {
namespace {

int tag_of(Axis axis, int direction) { return 100 * (direction + 2 + 10 * (axis + 1)); }

// How far a layer goes along the other two axes.
enum class Reach { kExchange, kWhole };

// Calls visit(first, length) for the contiguous runs of the layer `index` across an axis. A whole layer includes
// the ghosts of both other axes. An exchange leaves out those of the axes that are exchanged later, whose turn
// fills the edges and corners.
template <class AnyField, class Visit>
void for_each_run(AnyField& field, Axis axis, int index, Reach reach, const Visit& visit) {
  const int margin = reach == Reach::kWhole ? 0 : 1;
  switch (axis) {
    case kX:
      for (int k = margin; k <= field.extent(kZ) + 1 - margin; ++k)
        for (int j = margin; j <= field.extent(kY) + 1 - margin; ++j) visit(field.row(j, k) + index, std::size_t{1});
      break;
    case kY:
      for (int k = margin; k <= field.extent(kZ) + 1 - margin; ++k) visit(field.row(index, k), field.row_length());
      break;
    case kZ: visit(field.row(0, index), field.plane_length()); break;
  }
}

std::size_t layer_length(const Field& field, Axis axis, Reach reach) {
  std::size_t length = 0;
  for_each_run(field, axis, 0, reach, [&](const double*, std::size_t run) { length += run; });
  return length;
}

// From a point to the next one along an axis.
std::ptrdiff_t stride_of(const Field& field, Axis axis) {
  return axis == kX ? 1 : static_cast<std::ptrdiff_t>(axis == kY ? field.row_length() : field.plane_length());
}

// Both return where they stopped in the buffer.
double* pack(const Field& field, Axis axis, int index, double* to) {
  for_each_run(field, axis, index, Reach::kWhole,
               [&](const double* run, std::size_t length) { to = std::copy_n(run, length, to); });
  return to;
}

const double* unpack(const double* from, Field& field, Axis axis, int index) {
  for_each_run(field, axis, index, Reach::kWhole, [&](double* run, std::size_t length) {
    std::copy_n(from, length, run);
    from += length;
  });
  return from;
}

// An exchange handles the layers of both ends together: in memory, the end of a row is next to the start of another.
void pack_ends(const Field& field, Axis axis, double* first, double* last) {
  const std::ptrdiff_t across = (field.extent(axis) - 1) * stride_of(field, axis);
  for_each_run(field, axis, 1, Reach::kExchange, [&](const double* run, std::size_t length) {
    first = std::copy_n(run, length, first);
    last = std::copy_n(run + across, length, last);
  });
}

void unpack_ghosts(const double* before, const double* after, Field& field, Axis axis) {
  const std::ptrdiff_t across = (field.extent(axis) + 1) * stride_of(field, axis);
  for_each_run(field, axis, 0, Reach::kExchange, [&](double* run, std::size_t length) {
    std::copy_n(before, length, run);
    std::copy_n(after, length, run + across);
    before += length;
    after += length;
  });
}

// What an exchange does where a rank is alone.
void wrap_around(Field& field, Axis axis) {
  const std::ptrdiff_t stride = stride_of(field, axis);
  const std::ptrdiff_t length = field.extent(axis) * stride;
  for_each_run(field, axis, 0, Reach::kExchange, [&](double* run, std::size_t count) {
    std::copy_n(run + length, count, run);
    std::copy_n(run + stride, count, run + length + stride);
  });
}

}  // namespace

Halo::Halo(const ProcessGrid& grid, const LevelPart& finest, bool wildcard) : grid_(grid), wildcard_(wildcard) {
  if (grid_.ranks() == 1) return;
  const auto extent = finest.extent();
  const auto side = static_cast<std::size_t>(*std::max_element(extent.begin(), extent.end())) + 2;
  // Room for two layers of any level: the suite posts its receives with this length.
  for (auto* buffer : {&from_after_.values, &from_before_.values, &to_after_, &to_before_})
    buffer->assign(2 * side * side, 0.0);
}

// Axis by axis, each with the ghosts of those before, so that edges and corners travel too.
void Halo::exchange(const LevelPart& level, Field& field) {
  for (const Axis axis : kAxes) {
    if (grid_.ranks() == 1) wrap_around(field, axis);
    else exchange_axis(level, axis, field);
  }
}

void Halo::exchange_axis(const LevelPart& level, Axis axis, Field& field) {
  const std::size_t length = layer_length(field, axis, Reach::kExchange);
  post_receives(level, axis);
  pack_ends(field, axis, to_before_.data(), to_after_.data());
  send(axis, kUp, level.after[axis], to_after_, length);
  send(axis, kDown, level.before[axis], to_before_, length);
  finish(from_after_, length);
  finish(from_before_, length);
  unpack_ghosts(from_before_.values.data(), from_after_.values.data(), field, axis);
}

void Halo::expand(const LevelPart& coarse, const LevelPart& fine, Field& field) {
  for (const Axis axis : kAxes) {
    if (coarse.points >= grid_.processes(axis)) continue;  // every rank owns a point
    if (coarse.owns_along(axis)) give(fine, axis, field);
    else take(fine, axis, field);
  }
}

// Every rank has one fine point along the axis. The neighbour after needs its lower ghost and its point, the
// neighbour before its upper ghost.
void Halo::give(const LevelPart& level, Axis axis, const Field& field) {
  const std::size_t length = layer_length(field, axis, Reach::kWhole);
  pack(field, axis, 2, pack(field, axis, 1, to_after_.data()));
  pack(field, axis, 1, to_before_.data());
  send(axis, kUp, level.after[axis], to_after_, 2 * length);
  send(axis, kDown, level.before[axis], to_before_, length);
}

void Halo::take(const LevelPart& level, Axis axis, Field& field) {
  const std::size_t length = layer_length(field, axis, Reach::kWhole);
  post_receives(level, axis);
  finish(from_after_, length);
  finish(from_before_, 2 * length);
  unpack(from_after_.values.data(), field, axis, 2);
  unpack(unpack(from_before_.values.data(), field, axis, 0), field, axis, 1);
}

void Halo::post_receives(const LevelPart& level, Axis axis) {
  const auto post = [&](Incoming& incoming, Direction direction, int source) {
    MPI_Irecv(incoming.values.data(), static_cast<int>(incoming.values.size()), MPI_DOUBLE,
              wildcard_ ? MPI_ANY_SOURCE : source, tag_of(axis, direction), MPI_COMM_WORLD, &incoming.request);
  };
  post(from_after_, kDown, level.after[axis]);
  post(from_before_, kUp, level.before[axis]);
}

// Waits for a message. One of another level, which a wildcard may have caught, can be shorter than expected: zeros
// follow it, so that nothing left from earlier messages is used.
void Halo::finish(Incoming& incoming, std::size_t expected) {
  MPI_Status status;
  MPI_Wait(&incoming.request, &status);
  int received = 0;
  MPI_Get_count(&status, MPI_DOUBLE, &received);
  const auto length = static_cast<std::size_t>(received);
  if (length < expected) std::fill_n(incoming.values.begin() + received, expected - length, 0.0);
}

void Halo::send(Axis axis, Direction direction, int destination, const std::vector<double>& values,
                std::size_t count) const {
  MPI_Send(values.data(), static_cast<int>(count), MPI_DOUBLE, destination, tag_of(axis, direction), MPI_COMM_WORLD);
}

}  // namespace npb::mg
