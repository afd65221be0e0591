// Which channels this space has. A table is never shared: after a fork the child makes its own from its
// parent's copy.
#include <algorithm>

#include <space/space.h>
#include <space/hooks.hpp>
#include <spmc/self.hpp>

#include "channel_state.hpp"

namespace chan {
namespace {

bool has_ended(int child) {
  space_exit_info info;
  return space_status(child, &info) != 0 || info.state == SPACE_ENDED;
}

}  // namespace

Table& Table::mine() {
  static Table table;
  const spmc::SpaceId self = spmc::current_space();
  if (!table.adopted_ || table.owner_ != self) [[unlikely]]
    table.adopt(self);
  return table;
}

// A parent's slot is in use as long as its child runs, so a child never takes its parent's table for its own.
void Table::adopt(spmc::SpaceId self) {
  for (auto& [id, channel] : channels_) channel.role = Role::kForeign;
  for (const Handover& handover : handed_) {
    if (handover.slot == self) channels_[handover.end.id] = handover.end;
  }
  handed_.clear();
  last_number_ = 0;
  owner_ = self;
  adopted_ = true;
  space::set_start_hooks([](spmc::SpaceId slot) { mine().before_start(slot); },
                         [](spmc::SpaceId slot) { mine().after_start(slot); });
}

Channel* Table::find(chan_id id) {
  const auto found = channels_.find(id);
  return found == channels_.end() ? nullptr : &found->second;
}

// The root counts 1, 2, 3. The others spread over all 63 bits, each from a start of its own: a hash of its
// path.
chan_id Table::next_id() const {
  const uint32_t number = last_number_ + 1;
  if (owner_.value == 0) return number;
  const uint64_t mixed = space::path_hash() + number * 0x9e37'79b9'7f4a'7c15u;
  return static_cast<chan_id>(mixed >> 1);
}

chan_id Table::add(const Channel& channel) {
  const chan_id id = next_id();
  const auto [at, fresh] = channels_.insert_or_assign(id, channel);
  at->second.id = id;
  last_number_ += 1;
  return id;
}

bool Table::has_handed(int child, chan_id id) const {
  return std::any_of(handed_.begin(), handed_.end(),
                     [&](const Handover& handover) { return handover.child == child && handover.end.id == id; });
}

// The parent is about to fork the child in `slot`. What was handed to an earlier child in that slot is no
// longer of use to anybody, and must not reach this one.
void Table::before_start(spmc::SpaceId slot) {
  std::erase_if(handed_, [&](const Handover& handover) { return handover.slot == slot && has_ended(handover.child); });
}

// It runs. Had the start failed, the parent could still hand out ends.
void Table::after_start(spmc::SpaceId slot) {
  for (auto& [id, channel] : channels_) {
    if (channel.role != Role::kSetup || has_ended(channel.producer_child)) continue;
    auto child = space::child_slot(channel.producer_child);
    if (child && child.value() == slot) give_away(channel);
  }
}

}  // namespace chan
