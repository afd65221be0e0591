#include "family.hpp"

#include <cerrno>
#include <csignal>
#include <memory>
#include <optional>
#include <utility>

#include <base/check.hpp>
#include <base/children.hpp>
#include <spmc/hooks.hpp>

#include <space/heap.hpp>
#include "collector.hpp"
#include "identity.hpp"

namespace space {

namespace base = spmc::base;

namespace {

std::unique_ptr<Family> g_family;
// Nobody reads it. Leak checkers run when g_family is gone.
[[gnu::used]] const Family* g_left_behind = nullptr;

// Descendants of a dead child have been killed with it and have become children of this process (adopt_orphans): waits
// for each, deepest first takes back what it held, and frees its slot. Killed within, our own parent does the rest.
void take_off_descendants(SpaceId dead);

std::optional<base::ExitReport> wait_for_process(pid_t pid) {
  for (;;) {
    auto report = base::wait_child(pid, base::WaitMode::kBlock);
    if (report) return report.value();
    if (report.error().code != EINTR) return std::nullopt;
  }
}

void take_off_orphan(SpaceId orphan) {
  for (;;) {
    const Life life = load_life(orphan);
    if (life.live() && life.pid == 0) {
      // No process, or one that has not claimed its slot yet and will not: whoever is first wins.
      if (!mark_ended_from(orphan, life)) continue;
    } else if (life.live()) {
      const auto pid = static_cast<pid_t>(life.pid);
      (void)base::send_signal(pid, SIGKILL);
      const auto end = wait_for_process(pid);
      mark_ended(orphan, end ? &*end : nullptr);
    }
    break;
  }
  take_off_descendants(orphan);
  spmc::reap(orphan, g_me.slot);
  release(orphan);
}

void take_off_descendants(SpaceId dead) {
  if (lines(dead).life.ever_parent.load(std::memory_order_relaxed) == 0) return;
  for (uint32_t i = 1; i < slots_seen(); ++i) {
    const Life life = load_life(SpaceId{i});
    if (life.state != LifeState::kFree && life.parent == dead.value) take_off_orphan(SpaceId{i});
  }
}

space_exit_info describe_end(SpaceId id) {
  const LifeLine& life = lines(id).life;
  space_exit_info info = {};
  info.state = SPACE_ENDED;
  info.exit_code = life.exit_code;
  info.unknown = (life.end_flags & kEndUnknown) != 0;
  if (life.end_flags & kEndSignalled) {
    info.exit_code = -1;
    info.signal = life.exit_code;
    info.core_dumped = (life.end_flags & kEndCore) != 0;
  }
  // One that ended by itself has said so: a result may be the same number.
  const bool by_itself = life.own_exit_code.load(std::memory_order_relaxed) != kNoExitCode;
  info.violation = info.exit_code == base::kViolationExit && !by_itself;
  return info;
}

}  // namespace

Family& family() { return *g_family; }

void start_family() {
  g_left_behind = g_family.get();
  g_family = std::make_unique<Family>(g_family.release());
}

base::Result<HeapRange> Family::try_give_range(uint64_t heap_bytes) {
  RangeGiver& ranges = own_heap().range();
  if (heap_bytes == 0) return ranges.give_share(own_heap().mapped_end());
  return ranges.try_give(heap_bytes, own_heap().mapped_end());
}

base::Result<int> Family::try_add(int gid, uint64_t heap_bytes) {
  if (gid < 0) return base::Error{EINVAL, "space_alloc: a global ID is 0 or greater"};
  for (const auto& [number, child] : children_)
    if (child.gid == gid && child.state != SPACE_ENDED) return base::Error{EEXIST, "space_alloc: a child has this gid"};
  lines(g_me.slot).life.ever_parent.store(1, std::memory_order_relaxed);
  // What takes private memory comes first, the range last: whatever throws here has changed nothing.
  const int number = last_number_ + 1;
  const uint64_t path_hash = hash_path(child_path(g_me.path, static_cast<unsigned>(number)));
  std::map<int, Child> added;
  Child& child = added[number];
  child.heap = DL_TRY(try_give_range(heap_bytes));
  auto slot = try_reserve(g_me.slot);
  if (!slot) {
    own_heap().range().take_back(child.heap);
    return slot.error();
  }
  child.number = number;
  child.gid = gid;
  child.slot = slot.value();
  LifeLine& life = lines(child.slot).life;
  life.gid = gid;
  life.child_number = static_cast<uint32_t>(number);
  life.path_hash = path_hash;
  life.heap_base = child.heap.base;
  life.heap_bytes = child.heap.bytes;
  children_.merge(added);
  last_number_ = number;
  return number;
}

Child* Family::find(int number) {
  const auto at = children_.find(number);
  return at == children_.end() ? nullptr : &at->second;
}

void Family::wait_for(Child& child, bool also_stop) {
  uint32_t signals = collector::signals_seen();
  const auto rests = [&] {
    if (const uint32_t now = collector::signals_seen(); now != signals) {
      signals = now;
      collector::poll(child.slot);
    }
    const LifeState state = load_life(child.slot).state;
    return state == LifeState::kEnded || (also_stop && state == LifeState::kReturned);
  };
  if (rests()) return;
  // The program may have taken SIGCHLD or the child's status away from us: put things right before sleeping.
  base::ChildSignalsAllowed allowed;
  collector::keep_watching();
  collector::poll(child.slot);
  base::wait_until(lines(g_me.slot).wait, rests);
}

base::Result<space_state> Family::try_await(Child& child) {
  if (child.state == SPACE_ENDED) return SPACE_ENDED;
  if (child.state == SPACE_ALLOCATED) return base::Error{EINVAL, "waiting for a child that was not started"};
  wait_for(child, true);
  if (load_life(child.slot).state == LifeState::kReturned) {
    child.state = SPACE_STOPPED;
  } else {
    take_off(child);
  }
  return child.state;
}

void Family::await_end(Child& child) {
  if (child.state == SPACE_ENDED) return;
  wait_for(child, false);
  take_off(child);
}

void Family::take_off(Child& child) {
  take_off_descendants(child.slot);
  spmc::reap(child.slot, g_me.slot);
  child.end = describe_end(child.slot);
  release(child.slot);
  remember_end(child);
}

void Family::give_up(Child& child) {
  spmc::reap(child.slot, g_me.slot);
  release(child.slot);
  child.end.state = SPACE_ENDED;
  child.end.exit_code = -1;
  remember_end(child);
}

void Family::remember_end(Child& child) {
  own_heap().range().take_back(child.heap);
  child.state = SPACE_ENDED;
  const int oldest = std::exchange(ended_[ended_count_++ % kRemembered], child.number);
  children_.erase(oldest);
}

int Family::next_ended() const {
  collector::poll_all();
  for (const auto& [number, child] : children_) {
    const bool may_have_ended = child.state == SPACE_STARTED || child.state == SPACE_STOPPED;
    if (may_have_ended && load_life(child.slot).state == LifeState::kEnded) return number;
  }
  return 0;
}

void Family::kill(Child& child) {
  collector::kill(child.slot);
  await_end(child);
}

void Family::kill_all() {
  for (auto& [number, child] : children_)
    if (child.state == SPACE_STARTED || child.state == SPACE_STOPPED) collector::kill(child.slot);
  // Ended ones may be forgotten on the way, so no iterator is kept.
  for (auto at = children_.begin(); at != children_.end();) {
    const int number = at->first;
    if (at->second.state == SPACE_ALLOCATED) give_up(at->second);
    await_end(at->second);
    at = children_.upper_bound(number);
  }
}

}  // namespace space
