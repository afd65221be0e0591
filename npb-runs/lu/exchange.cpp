#include "exchange.hpp"

#include <algorithm>

namespace npb::lu {
namespace {

using cfd::kComponents;

bool is_across_x(Side side) { return side == Side::kNorth || side == Side::kSouth; }

// Own points or interior points along a side.
Range own_along(const Extent& extent, Side side) { return {0, is_across_x(side) ? extent.ny : extent.nx}; }
Range interior_along(const Extent& extent, Side side) { return is_across_x(side) ? extent.y : extent.x; }

// The point at position `along` of the layer at depth `depth` behind a side; -1 is the first ghost layer.
template <typename Values>
auto* point(Values& field, const Extent& extent, Side side, int depth, int along, int k) {
  switch (side) {
    case Side::kNorth: return field.at(depth, along, k);
    case Side::kSouth: return field.at(extent.nx - 1 - depth, along, k);
    case Side::kWest: return field.at(along, depth, k);
    default: return field.at(along, extent.ny - 1 - depth, k);
  }
}

// One line of a layer to a buffer, component by component. Returns the end of what was written.
template <typename Values>
double* pack(const Values& field, const Extent& extent, Side side, int depth, Range along, int k, double* to) {
  const double* first = point(field, extent, side, depth, along.begin, k);
  const std::ptrdiff_t step = field.step(is_across_x(side) ? 1 : 0);
  for (int m = 0; m < kComponents; ++m, first += field.component())
    for (int p = 0; p < along.size(); ++p) *to++ = first[p * step];
  return to;
}

// The reverse of pack. Returns the end of what was read.
template <typename Values>
const double* unpack(Values& field, const Extent& extent, Side side, int depth, Range along, int k,
                     const double* from) {
  double* first = point(field, extent, side, depth, along.begin, k);
  const std::ptrdiff_t step = field.step(is_across_x(side) ? 1 : 0);
  for (int m = 0; m < kComponents; ++m, first += field.component())
    for (int p = 0; p < along.size(); ++p) first[p * step] = *from++;
  return from;
}

}  // namespace

Exchange::Exchange(const Messages& messages, const Extent& extent) : messages_(messages), extent_(extent) {
  const int longest = Extent::kGhosts * kComponents * std::max(extent.nx, extent.ny) * extent.nz;
  outgoing_.resize(longest);
  incoming_.resize(longest);
}

void Exchange::halo(Flow& u) {
  shift(u, Side::kSouth);
  shift(u, Side::kNorth);
  shift(u, Side::kEast);
  shift(u, Side::kWest);
}

// Sends the layers next to side `to` there, and receives those that come from the opposite side.
void Exchange::shift(Flow& u, Side to) {
  const Side from = opposite(to);
  const bool receives = messages_.grid().has_neighbour(from);
  const bool sends = messages_.grid().has_neighbour(to);
  const Range along = own_along(extent_, to);
  const int count = Extent::kGhosts * kComponents * along.size() * extent_.nz;
  MPI_Request request = MPI_REQUEST_NULL;
  if (receives) request = messages_.start_receive(from, incoming_.data(), count);
  if (sends) {
    double* end = outgoing_.data();
    for (int k = 0; k < extent_.nz; ++k)
      for (int depth = 0; depth < Extent::kGhosts; ++depth) end = pack(u, extent_, to, depth, along, k, end);
    messages_.send(to, outgoing_.data(), count);
  }
  if (!receives) return;
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  const double* end = incoming_.data();
  for (int k = 0; k < extent_.nz; ++k)
    for (int depth = 0; depth < Extent::kGhosts; ++depth) end = unpack(u, extent_, from, -1 - depth, along, k, end);
}

void Exchange::receive_front(Vectors& v, int k, bool is_lower) {
  receive_front_from(is_lower ? Side::kNorth : Side::kSouth, v, k);
  receive_front_from(is_lower ? Side::kWest : Side::kEast, v, k);
}

void Exchange::send_front(const Vectors& v, int k, bool is_lower) {
  send_front_to(is_lower ? Side::kSouth : Side::kNorth, v, k);
  send_front_to(is_lower ? Side::kEast : Side::kWest, v, k);
}

void Exchange::receive_front_from(Side side, Vectors& v, int k) {
  if (!messages_.grid().has_neighbour(side)) return;
  const Range along = interior_along(extent_, side);
  messages_.receive(side, incoming_.data(), kComponents * along.size());
  unpack(v, extent_, side, -1, along, k, incoming_.data());
}

void Exchange::send_front_to(Side side, const Vectors& v, int k) {
  if (!messages_.grid().has_neighbour(side)) return;
  const Range along = interior_along(extent_, side);
  pack(v, extent_, side, 0, along, k, outgoing_.data());
  messages_.send(side, outgoing_.data(), kComponents * along.size());
}

}  // namespace npb::lu
