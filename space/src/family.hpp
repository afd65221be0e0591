// What a space knows of its children, and taking back what ended ones held. Private memory, used by the main program
// only; never by the signal handler. What is in here changes only by calls of this space, so it is the same in every
// run.
#pragma once

#include <array>
#include <map>

#include <space/space.h>
#include <base/result.hpp>

#include <space/heap_range.hpp>
#include "slots.hpp"

namespace space {

struct Child {
  int number = 0;
  int gid = 0;
  space_state state = SPACE_ALLOCATED;
  SpaceId slot;  // while not ended
  HeapRange heap;
  space_exit_info end = {};
};

class Family {
 public:
  // `parents`: the record of the space that this one was forked from. It is left as it is, since it may be huge, and
  // its memory is shared until somebody writes; and known, or leak checkers would report it.
  explicit Family(const Family* parents = nullptr) : parents_(parents) {}

  // Numbers and slots as space_alloc_with documents. heap_bytes 0: a default share. std::bad_alloc: nothing has
  // changed.
  spmc::base::Result<int> try_add(int gid, uint64_t heap_bytes);
  Child* find(int number);  // nullptr: never allocated, or forgotten

  // Waits until a started child has stopped or ended; in the second case takes it off. SPACE_STOPPED or SPACE_ENDED.
  spmc::base::Result<space_state> try_await(Child& child);
  // Waits for the end of a started child, which has been told to stop or killed, and takes it off.
  void await_end(Child& child);
  // For a child that was not started.
  void give_up(Child& child);
  int next_ended() const;
  void kill(Child& child);
  void kill_all();

 private:
  static constexpr size_t kRemembered = 1024;

  spmc::base::Result<HeapRange> try_give_range(uint64_t heap_bytes);
  void wait_for(Child& child, bool also_stop);
  void take_off(Child& child);
  void remember_end(Child& child);

  [[maybe_unused]] const Family* parents_;
  std::map<int, Child> children_;
  std::array<int, kRemembered> ended_{};  // their numbers, in a circle; 0: none yet
  size_t ended_count_ = 0;                // that there ever were
  int last_number_ = 0;
};

Family& family();
// In a child: the family of the parent is not its own.
void start_family();

}  // namespace space
