#include "slots.hpp"

#include <cerrno>
#include <cstring>

#include <base/check.hpp>

namespace space {
namespace {

namespace base = spmc::base;

std::atomic<uint64_t>& word(SpaceId id) { return lines(id).life.word; }

bool replace(SpaceId id, const Life& from, const Life& to) {
  uint64_t expected = from.pack();
  return word(id).compare_exchange_strong(expected, to.pack(), std::memory_order_acq_rel);
}

// Before the slot is reserved, so that whoever looks for what a dead space had finds it.
void see(SpaceId id) {
  std::atomic<uint32_t>& seen = spmc::segment::header().slots_seen;
  uint32_t now = seen.load(std::memory_order_relaxed);
  while (now <= id.value && !seen.compare_exchange_weak(now, id.value + 1, std::memory_order_acq_rel)) {
  }
}

// What a former user of the slot left. Nobody else looks at a reserved slot's lines.
void clear_lines(SpaceId id) {
  SpaceLines& slot = lines(id);
  slot.wait.sleeping.store(0, std::memory_order_relaxed);
  slot.life.own_exit_code.store(kNoExitCode, std::memory_order_relaxed);
  slot.life.exit_code = kNoExitCode;
  slot.life.end_flags = 0;
  slot.life.ever_parent.store(0, std::memory_order_relaxed);
  std::memset(static_cast<void*>(&slot.clock), 0, sizeof slot.clock);
  std::memset(slot.upper, 0, sizeof slot.upper);
}

}  // namespace

base::Result<SpaceId> try_reserve(SpaceId parent) {
  for (uint32_t i = 1; i < slot_count(); ++i) {
    const SpaceId id{i};
    const Life seen = load_life(id);
    if (seen.state != LifeState::kFree) continue;
    see(id);
    const Life mine{.state = LifeState::kReserved, .parent = parent.value, .generation = seen.generation};
    if (!replace(id, seen, mine)) continue;
    clear_lines(id);
    return id;
  }
  return base::Error{EAGAIN, "space_alloc: all spaces are in use (see space_init)"};
}

bool step(SpaceId id, LifeState from, LifeState to) {
  const Life seen = load_life(id);
  if (seen.state != from) return false;
  Life next = seen;
  next.state = to;
  return replace(id, seen, next);
}

bool claim(SpaceId id, pid_t pid) {
  for (;;) {
    const Life seen = load_life(id);
    const bool mine = seen.pid == 0 || seen.pid == static_cast<uint32_t>(pid);
    if (seen.state != LifeState::kStarting || !mine) return false;
    Life next = seen;
    next.state = LifeState::kRunning;
    next.pid = static_cast<uint32_t>(pid);
    if (replace(id, seen, next)) return true;
  }
}

void note_process(SpaceId id, pid_t pid) {
  CHECK(static_cast<uint32_t>(pid) < Life::kMaxPid, "process number %d", pid);
  const Life seen = load_life(id);
  Life next = seen;
  next.pid = static_cast<uint32_t>(pid);
  if (seen.state == LifeState::kStarting) replace(id, seen, next);  // if it fails, the child has just claimed it
}

void claim_root(pid_t pid) {
  see(SpaceId{0});
  clear_lines(SpaceId{0});
  const Life root{.state = LifeState::kRunning, .pid = static_cast<uint32_t>(pid)};
  word(SpaceId{0}).store(root.pack(), std::memory_order_release);
}

void mark_ended(SpaceId id, const base::ExitReport* report) {
  LifeLine& life = lines(id).life;
  if (report != nullptr) {
    life.exit_code = report->status;
    life.end_flags = (report->signalled ? kEndSignalled : 0u) | (report->core_dumped ? kEndCore : 0u);
  } else {
    life.exit_code = life.own_exit_code.load(std::memory_order_relaxed);
    life.end_flags = life.exit_code == kNoExitCode ? kEndUnknown : 0u;
  }
  // Its process is gone, so nothing but this changes the word.
  while (!mark_ended_from(id, load_life(id))) {
  }
}

bool mark_ended_from(SpaceId id, const Life& seen) {
  CHECK(seen.state != LifeState::kFree, "slot %u", id.value);
  Life next = seen;
  next.state = LifeState::kEnded;
  return replace(id, seen, next);
}

void release(SpaceId id) {
  const Life seen = load_life(id);
  CHECK(seen.state == LifeState::kReserved || seen.state == LifeState::kEnded, "slot %u, state %u", id.value,
        static_cast<unsigned>(seen.state));
  const Life next{.generation = (seen.generation + 1) % Life::kGenerations};
  CHECK(replace(id, seen, next), "slot %u", id.value);
}

bool alive(SpaceId id) {
  // At most as many steps as there are slots: the words are read one by one while others change.
  for (uint32_t steps = 0; steps < slot_count(); ++steps) {
    const Life life = load_life(id);
    if (!life.live()) return false;
    if (id.value == 0) return true;
    id = SpaceId{life.parent};
  }
  return true;
}

unsigned slots_in_use() {
  unsigned used = 0;
  for (uint32_t i = 0; i < slots_seen(); ++i)
    if (load_life(SpaceId{i}).state != LifeState::kFree) ++used;
  return used;
}

}  // namespace space
