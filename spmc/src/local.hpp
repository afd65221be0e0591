// What a space knows of itself: its views of regions, the access to its pages, counters. Private to the
// process and single threaded; the fault handler runs in the same thread, in the middle of code outside this
// layer.
#pragma once

#include <cerrno>

#include <spmc/spmc.h>
#include <base/check.hpp>
#include <base/mapping.hpp>
#include <spmc/frames.hpp>
#include <spmc/region_layout.hpp>

namespace spmc {

// Access of this process to one vpage, as mprotect has set it:
//   kNoAccess -> kReadable   content copied from the frame (open_readable), or the producer fixed it
//   kNoAccess -> kWritable   producer, not fixed yet (open_writable). The vpage is then the master copy
//   kWritable -> kReadable   fixed
//   any -> kNoAccess         extend, clear, handing over
enum Access : uint8_t { kNoAccess, kReadable, kWritable };

struct PageState {
  uint32_t view = 0;  // index + 1 into the views; 0: not looked up yet
  uint16_t mark = 0;  // bytes of the frame that are defined, if own_frame
  Access access = kNoAccess;
  uint8_t own_frame : 1 = 0;  // this space took the frame from its pool: beyond `mark` there is old content
  uint8_t touched : 1 = 0;    // the vpage's private memory may be other than zero
};
static_assert(sizeof(PageState) == 8);

struct View {
  RegionSlot* slot = nullptr;  // null: unused
  Holder* holder = nullptr;
  RegionId region;
  uint32_t first = 0;  // vpage
  uint32_t pages = 0;
  bool any_open = false;  // some page may have access other than kNoAccess
};

struct Local {
  SpaceId self;
  bool ready = false;     // SPMC-VM reserved, handler installed
  bool is_space = false;  // ready, and not forked_by_itself(): in one word, for one branch
  int mode = SPMC_WR2;
  Pte* row = nullptr;                // own page table
  PageState* page_states = nullptr;  // [vpages]
  View* views = nullptr;             // [max_regions]
  uint32_t views_used = 0;           // views_[views_used..] have never been used
  uint32_t regions_made = 0;
  base::Mapping* vm = nullptr;  // never destroyed: what runs at exit may touch pages
  spmc_counters counters{};
  uint64_t waits_before = 0, sleeps_before = 0, sleep_ns_before = 0;
  bool (*alive)(SpaceId) = nullptr;
  int (*resolve_child)(int, SpaceId*) = nullptr;
  char last_error[256] = "";  // spmc_last_error
};
extern Local g_local;

// Errors EINVAL before spmc_init, EPERM in a process that is no space. Costs one branch.
inline base::Status check_is_space() {
  if (g_local.is_space) [[likely]]
    return {};
  if (!g_local.ready) return base::Error{EINVAL, "SPMC memory is not set up (spmc_init)"};
  return base::Error{EPERM, "this process was forked without space_start: it is no space"};
}

inline std::byte* vpage_address(uint32_t vpage) {
  return reinterpret_cast<std::byte*>(kSpmcVmAddress + (uintptr_t{vpage} << kPageShift));
}
inline uint32_t self_word() { return g_local.self.value + 1; }
inline bool is_alive(SpaceId id) { return g_local.alive == nullptr || g_local.alive(id); }
inline bool nonblocking() { return (g_local.mode & SPMC_NONBLOCKING) != 0; }
inline int transfer_mode() { return g_local.mode & 3; }

inline PageState& state_of(const View& view, uint32_t page) { return g_local.page_states[view.first + page]; }
inline Pte& pte_of(const View& view, uint32_t page) { return g_local.row[view.first + page]; }
inline bool is_producer(const View& view) { return view.slot->producer.load(std::memory_order_relaxed) == self_word(); }

}  // namespace spmc
