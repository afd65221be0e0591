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

// The reverse of pack, of so many components. Returns the end of what was read.
template <int kCount = kComponents, typename Values>
const double* unpack(Values& field, const Extent& extent, Side side, int depth, Range along, int k,
                     const double* from) {
  double* first = point(field, extent, side, depth, along.begin, k);
  const std::ptrdiff_t step = field.step(is_across_x(side) ? 1 : 0);
  for (int m = 0; m < kCount; ++m, first += field.component())
    for (int p = 0; p < along.size(); ++p) first[p * step] = *from++;
  return from;
}

constexpr Side kSides[] = {Side::kNorth, Side::kSouth, Side::kEast, Side::kWest};

}  // namespace

Exchange::Exchange(const Messages& messages, const Extent& extent) : messages_(messages), extent_(extent) {
  const int longest = std::max(extent.nx, extent.ny);
  outgoing_.resize(kComponents * longest);
  incoming_.resize(Extent::kGhosts * kComponents * longest * extent.nz);
  line_.resize(kFlowComponents * longest);
  for (const Side side : kSides)
    if (messages.grid().has_neighbour(side))
      halo_[static_cast<int>(side)].resize(Extent::kGhosts * halo_line(side) * extent.nz);
}

// Numbers in one line of a layer.
int Exchange::halo_line(Side side) const { return kComponents * own_along(extent_, side).size(); }

void Exchange::pack_halo(const Flow& u, int k) {
  for (const Side side : kSides) {
    if (!messages_.grid().has_neighbour(side)) continue;
    double* to = halo_[static_cast<int>(side)].data() + k * Extent::kGhosts * halo_line(side);
    for (int depth = 0; depth < Extent::kGhosts; ++depth)
      to = pack(u, extent_, side, depth, own_along(extent_, side), k, to);
  }
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
  const int count = Extent::kGhosts * halo_line(to) * extent_.nz;
  const bool receives = messages_.grid().has_neighbour(from);
  MPI_Request request = MPI_REQUEST_NULL;
  if (receives) request = messages_.start_receive(from, incoming_.data(), count);
  if (messages_.grid().has_neighbour(to)) messages_.send(to, halo_[static_cast<int>(to)].data(), count);
  if (!receives) return;
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  const double* next = incoming_.data();
  for (int k = 0; k < extent_.nz; ++k) next = unpack_halo(u, from, k, next);
}

// The ghost layers of a plane. Only of the first one the derived quantities are asked for. Returns the end of what was
// read.
const double* Exchange::unpack_halo(Flow& u, Side side, int k, const double* from) {
  const Range along = own_along(extent_, side);
  std::copy_n(from, halo_line(side), line_.data());
  derive(line_.data(), along.size(), along.size());
  unpack<kFlowComponents>(u, extent_, side, -1, along, k, line_.data());
  return unpack(u, extent_, side, -2, along, k, from + halo_line(side));
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
