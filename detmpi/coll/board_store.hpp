// The boards that this rank has made, as member 0 of a communicator. A freed communicator's board is used again once
// every member has left it; which boards are at hand then depends on timing, and nothing a program can see does.
#pragma once

#include <vector>

#include <chan/board.hpp>

namespace detmpi {

class BoardStore {
 public:
  // First frame of a blank board. Fails the rank when the segment has no frames left.
  spmc::EPageIndex take(uint32_t members, size_t area);
  // The communicator is gone for this member; others may still be in its last round.
  void retire(spmc::EPageIndex first, const chan::Board& board) {
    retired_.push_back({first, board.members(), board.area()});
  }

 private:
  struct Retired {
    spmc::EPageIndex first;
    uint32_t members;
    size_t area;
  };
  std::vector<Retired> retired_;
};

// For the log of one of this rank's boards; fails the rank as above.
spmc::EPageIndex take_log_frame();

}  // namespace detmpi
