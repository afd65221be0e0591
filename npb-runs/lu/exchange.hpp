// What a rank tells its neighbours during a time step: two layers of the flow before a residual, and the front of a
// sweep after every plane.
#pragma once

#include <vector>

#include "flow.hpp"
#include "messages.hpp"

namespace npb::lu {

class Exchange {
 public:
  Exchange(const Messages& messages, const Extent& extent);

  // Takes the layers of plane k that the neighbours need: best while the plane is in the cache.
  void pack_halo(const Flow& u, int k);

  // Sends what was taken last of every plane, and fills the two ghost layers of u on every side that has a neighbour,
  // not their corners; of the first one also what is derived. First x, then y; in each first what travels in positive
  // direction, then the other way.
  void halo(Flow& u);

  // Before plane k of a sweep: receives the neighbours' corrections into the first ghost layer. The lower sweep comes
  // from north and west, the upper one from south and east.
  void receive_front(Vectors& v, int k, bool is_lower);

  // After plane k: sends the own corrections on.
  void send_front(const Vectors& v, int k, bool is_lower);

 private:
  int halo_line(Side side) const;
  void shift(Flow& u, Side to);
  const double* unpack_halo(Flow& u, Side side, int k, const double* from);
  void receive_front_from(Side side, Vectors& v, int k);
  void send_front_to(Side side, const Vectors& v, int k);

  Messages messages_;
  Extent extent_;
  std::vector<double> halo_[4];  // by side: what goes there, plane by plane, where there is a neighbour
  std::vector<double> outgoing_;
  std::vector<double> incoming_;
  std::vector<double> line_;  // of a ghost layer, with what is derived
};

}  // namespace npb::lu
