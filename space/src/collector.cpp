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

constexpr uint32_t kNobody = ~0u;

std::atomic<uint32_t> g_requests{0};        // passes asked for; 0: no pass runs
std::atomic<uint32_t> g_poll_for{kNobody};  // a slot that the next pass is to look at
std::atomic<uint32_t> g_signals{0};
bool g_watching = false;

bool is_my_child(const Life& life) {
  const bool may_have_process = life.state != LifeState::kFree && life.state != LifeState::kReserved;
  return may_have_process && life.state != LifeState::kEnded && life.parent == g_me.slot.value;
}

// Wakes those who wait for `dead` or one of its descendants: they are dying with it.
void announce(SpaceId dead) {
  spmc::announce_end(dead);
  if (lines(dead).life.ever_parent.load(std::memory_order_relaxed) == 0) return;
  for (uint32_t i = 1; i < slot_count(); ++i)
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

bool find(pid_t pid, SpaceId* child) {
  for (uint32_t i = 1; i < slot_count(); ++i) {
    const Life life = load_life(SpaceId{i});
    if (!is_my_child(life) || life.pid != static_cast<uint32_t>(pid)) continue;
    *child = SpaceId{i};
    return true;
  }
  return false;
}

void pass() {
  const uint32_t asked = g_poll_for.exchange(kNobody, std::memory_order_acq_rel);
  if (asked != kNobody) look_at(SpaceId{asked});
  while (const pid_t pid = base::peek_ended_child()) {
    SpaceId child;
    if (find(pid, &child)) {
      look_at(child);
      continue;
    }
    // Not a space of ours: a child of the program, or an orphan. It stays first in line, so look at each of ours.
    for (uint32_t i = 1; i < slot_count(); ++i) look_at(SpaceId{i});
    return;
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

}  // namespace

void start() {
  g_requests.store(0, std::memory_order_relaxed);
  g_poll_for.store(kNobody, std::memory_order_relaxed);
  g_watching = false;
}

base::Status ensure_watching() {
  if (g_watching) return {};
  DL_TRY_STATUS(base::adopt_orphans());
  base::watch_children(on_child_end);
  g_watching = true;
  return {};
}

bool is_process_of_space(pid_t pid) {
  for (uint32_t i = 0; i < slot_count(); ++i) {
    const Life life = load_life(SpaceId{i});
    if (life.live() && life.pid == static_cast<uint32_t>(pid)) return true;
  }
  return false;
}

void keep_watching() { base::watch_children(on_child_end); }

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
