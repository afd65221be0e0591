// The boards that this rank has made, as member 0 of a communicator. A freed communicator's board is used again once
// every member has left it; which boards are at hand then depends on timing, and nothing a program can see does.
#pragma once

#include <list>

#include "rounds.hpp"

namespace detmpi {

class BoardStore {
 public:
  // First frame of a blank board. Fails the rank when the segment has no frames left.
  spmc::EPageIndex take(uint32_t members, chan::BoardAreas areas);
  // The communicator is gone for this member; others may still be in its last round. Takes its transport, and what
  // there is to say of it.
  void retire(Comm& comm);
  // Communicators whose boards have not been used again. Where members have begun different operations none ever is.
  template <typename Visit>
  void each_retired(Visit&& visit) {
    for (Retired& old : retired_) visit(old.comm);
  }

 private:
  struct Retired {
    CommTransport transport;
    Comm comm;  // no handle, no error handler; its transport is this one
  };
  std::list<Retired> retired_;
};

inline chan::BoardAreas board_areas(uint32_t members) { return chan::Board::areas_for(members, g_job->board_room); }

// For the log of one of this rank's boards; fails the rank as above.
spmc::EPageIndex take_log_frame();

}  // namespace detmpi
