// The boards that this rank has made, as member 0 of a communicator. A freed communicator's board is used again once
// every member has left it; which boards are at hand then depends on timing, and nothing a program can see does.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include <chan/board.hpp>

#include "../object/comm.hpp"

namespace detmpi {

class BoardStore {
 public:
  // First frame of a blank board. Fails the rank when the segment has no frames left.
  spmc::EPageIndex take(uint32_t members, size_t area);
  // The communicator is gone for this member; others may still be in its last round. Takes its transport, and what
  // there is to say of it.
  void retire(Comm& comm);
  // Of those that have not been used again. Boards whose members have begun different operations never are.
  void each_retired(const std::function<void(Comm&)>& visit);

 private:
  struct Retired;
  struct Deleter {
    void operator()(Retired* retired) const;
  };
  std::vector<std::unique_ptr<Retired, Deleter>> retired_;
};

// For the log of one of this rank's boards; fails the rank as above.
spmc::EPageIndex take_log_frame();

}  // namespace detmpi
