#include "collector.hpp"

#include <cerrno>

#include <base/children.hpp>
#include <base/sys.hpp>
#include <spmc/hooks.hpp>

#include "identity.hpp"
#include "slots.hpp"

namespace space::collector {
namespace {

namespace base = spmc::base;
using spmc::SpaceId;

constexpr uint32_t kNobody = ~0u, kEverybody = ~0u - 1;

std::atomic<uint32_t> g_requests{0};        // passes asked for; 0: no pass runs
std::atomic<uint32_t> g_poll_for{kNobody};  // a slot that the next pass is to look at, or kEverybody
std::atomic<uint32_t> g_signals{0};
uint32_t g_signals_at_look = 0;  // when a long wait has looked at everybody
bool g_watching = false;
bool g_no_zombies = false;  // this space had told the system that nobody waits for its children: see wants_no_zombies

bool is_my_child(const Life& life) {
  const bool may_have_process = life.state != LifeState::kFree && life.state != LifeState::kReserved;
  return may_have_process && life.state != LifeState::kEnded && life.parent == g_me.slot.value;
}

// Wakes those who wait for `dead` or one of its descendants: they are dying with it.
void announce(SpaceId dead) {
  spmc::announce_end(dead);
  if (lines(dead).life.ever_parent.load(std::memory_order_relaxed) == 0) return;
  for (uint32_t i = 1; i < slots_seen(); ++i)
    if (load_life(SpaceId{i}).live() && !alive(SpaceId{i})) spmc::announce_end(SpaceId{i});
}

void look_at(SpaceId child) {
  const Life life = load_life(child);
  if (!is_my_child(life) || life.pid == 0) return;
  auto report = base::wait_child(static_cast<pid_t>(life.pid), base::WaitMode::kPoll);
  if (report.ok() && report.value().pid == 0) return;
  if (!report.ok() && report.error().code != ECHILD) return;
  mark_ended(child, report.ok() ? &report.value() : nullptr);
  announce(child);
}

void look_at_everybody() {
  for (uint32_t i = 1; i < slots_seen(); ++i) look_at(SpaceId{i});
}

bool find(pid_t pid, SpaceId* child) {
  for (uint32_t i = 1; i < slots_seen(); ++i) {
    const Life life = load_life(SpaceId{i});
    if (!is_my_child(life) || life.pid != static_cast<uint32_t>(pid)) continue;
    *child = SpaceId{i};
    return true;
  }
  return false;
}

// A child of this space is being started, and its process is not known yet.
bool start_is_under_way() {
  for (uint32_t i = 1; i < slots_seen(); ++i) {
    const Life life = load_life(SpaceId{i});
    if (life.state == LifeState::kStarting && life.pid == 0 && is_my_child(life)) return true;
  }
  return false;
}

// An ended process that is no space, where the system would have collected it.
bool is_to_be_forgotten(pid_t pid) { return g_no_zombies && !is_process_of_space(pid) && !start_is_under_way(); }

void pass() {
  const uint32_t asked = g_poll_for.exchange(kNobody, std::memory_order_acq_rel);
  if (asked == kEverybody) look_at_everybody();
  else if (asked != kNobody) look_at(SpaceId{asked});
  while (const pid_t pid = base::peek_ended_child()) {
    SpaceId child;
    if (find(pid, &child)) {
      look_at(child);
      continue;
    }
    // Not a space of ours: a child of the program, or an orphan.
    if (is_to_be_forgotten(pid)) {
      (void)base::wait_child(pid, base::WaitMode::kPoll);
      continue;
    }
    return look_at_everybody();  // it stays first in line
  }
}

// Passes until no request is left. The caller has made the first one.
void serve() {
  uint32_t served = 0;
  do {
    served = g_requests.load(std::memory_order_acquire);
    pass();
  } while (!g_requests.compare_exchange_strong(served, 0, std::memory_order_acq_rel));
}

void collect() {
  if (g_requests.fetch_add(1, std::memory_order_acq_rel) == 0) serve();
}

void on_child_end() {
  // A process that a plain fork made has inherited this handler, but the children are not its own.
  if (!initialised()) return;
  g_signals.fetch_add(1, std::memory_order_seq_cst);
  collect();
  std::atomic_thread_fence(std::memory_order_seq_cst);
  base::wake_sleeper(lines(g_me.slot).wait);
}

// Takes the signal if it is not ours. A child begins with the handler, and with nothing said of its own children.
bool watch() {
  const bool was_away = base::watch_children(on_child_end);
  if (was_away) g_no_zombies = base::wants_no_zombies();
  return was_away;
}

// Before a wait that lasts, for a child perhaps. If the handler was not there, or the program has waited for children
// after it ran, some may have ended unnoticed.
void notice_ends() {
  if (!initialised()) return;
  const bool was_away = watch();
  const uint32_t signals = signals_seen();
  if (!was_away && signals == g_signals_at_look) return;
  g_signals_at_look = signals;
  g_poll_for.store(kEverybody, std::memory_order_release);
  collect();
}

}  // namespace

void start() {
  g_requests.store(0, std::memory_order_relaxed);
  g_poll_for.store(kNobody, std::memory_order_relaxed);
  g_watching = false;
  g_no_zombies = false;
  spmc::set_long_wait_hook(nullptr);
}

base::Status ensure_watching() {
  if (g_watching) return {};
  DL_TRY_STATUS(base::adopt_orphans());
  watch();
  spmc::set_long_wait_hook(notice_ends);
  g_watching = true;
  return {};
}

bool is_process_of_space(pid_t pid) {
  for (uint32_t i = 0; i < slots_seen(); ++i) {
    const Life life = load_life(SpaceId{i});
    if (life.live() && life.pid == static_cast<uint32_t>(pid)) return true;
  }
  return false;
}

void keep_watching() { watch(); }

void poll(SpaceId child) {
  g_poll_for.store(child.value, std::memory_order_release);
  collect();
}

void poll_all() { collect(); }

void reap_strangers() {
  // A space first in line, our child or one that a dead child has left, is for the family to collect: the number of its
  // process may go to another one after that. Its own SIGCHLD, or the child's, is still to come.
  for (pid_t pid; (pid = base::peek_ended_child()) != 0 && !is_process_of_space(pid);) {
    (void)base::wait_child(pid, base::WaitMode::kPoll);
  }
}

void kill(SpaceId child) {
  // While the request stands, the handler does not wait for the process.
  const bool alone = g_requests.fetch_add(1, std::memory_order_acq_rel) == 0;
  const Life life = load_life(child);
  if (life.live() && life.pid != 0) (void)base::send_signal(static_cast<pid_t>(life.pid), SIGKILL);
  if (alone) serve();
}

uint32_t signals_seen() { return g_signals.load(std::memory_order_seq_cst); }

}  // namespace space::collector
