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

  // Fills the two ghost layers of u on every side that has a neighbour, not their corners. First x, then y; in each
  // first what travels in positive direction, then the other way.
  void halo(Flow& u);

  // Before plane k of a sweep: receives the neighbours' corrections into the first ghost layer. The lower sweep comes
  // from north and west, the upper one from south and east.
  void receive_front(Vectors& v, int k, bool is_lower);

  // After plane k: sends the own corrections on.
  void send_front(const Vectors& v, int k, bool is_lower);

 private:
  void shift(Flow& u, Side to);
  void receive_front_from(Side side, Vectors& v, int k);
  void send_front_to(Side side, const Vectors& v, int k);

  Messages messages_;
  Extent extent_;
  std::vector<double> outgoing_;
  std::vector<double> incoming_;
};

}  // namespace npb::lu
