#include "start.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>

#include <base/check.hpp>
#include <base/children.hpp>
#include <base/cores.hpp>
#include <base/files.hpp>
#include <base/program.hpp>
#include <base/sys.hpp>
#include <spmc/hooks.hpp>
#include <spmc/self.hpp>

#include <space/heap.hpp>
#include "collector.hpp"
#include "identity.hpp"

namespace space {

namespace base = spmc::base;

namespace {

constexpr unsigned kSharesBelowRoot = 48;
constexpr const char* kExecutedAgain = "DLINUX_EXECUTED_AGAIN";

void (*g_before_start)(SpaceId) = nullptr;
void (*g_after_start)(SpaceId) = nullptr;

// Signal handlers call this: no stdio.
size_t describe_space(char* text, size_t size) {
  size_t used = 0;
  const auto put = [&](const char* part) {
    while (*part != 0 && used < size) text[used++] = *part++;
  };
  if (!initialised()) return 0;
  put("space ");
  put(g_me.path.c_str());
  const uint64_t time = lines(g_me.slot).clock.clock.load(std::memory_order_relaxed);
  if (time == 0) return used;
  char digits[21] = {};
  char* at = digits + 20;
  for (uint64_t left = time; left != 0; left /= 10) *--at = static_cast<char>('0' + left % 10);
  put(", time ");
  put(at);
  return used;
}

int resolve_child(int number, SpaceId* id) {
  if (!check_is_space()) return EPERM;
  const Child* child = family().find(number);
  if (child == nullptr || child->state == SPACE_ENDED) return ESRCH;
  if (child->state == SPACE_STARTED) return EBUSY;
  *id = child->slot;
  return 0;
}

void set_hooks() {
  spmc::set_alive_hook(alive);
  spmc::set_child_hook(resolve_child);
  base::set_context_hook(describe_space);
}

void kill_children_of_root() {
  if (check_is_space() && g_me.slot == SpaceId{0}) family().kill_all();
}

// Executes the program again when its addresses would differ from run to run. A refusal is no error: the program works
// as well, only its pointers differ.
void ensure_addresses_repeat() {
  const bool second = std::getenv(kExecutedAgain) != nullptr;
  if (second) ::unsetenv(kExecutedAgain);
  if (second || std::getenv("DLINUX_NO_REEXEC") != nullptr) return;
  if (base::addresses_repeat() || base::runs_privileged()) return;
  if (!base::make_addresses_repeat()) return;
  const base::Error error = base::execute_again(kExecutedAgain);
  base::complain("%s: error %d; addresses will differ from run to run", error.what, error.code);
}

// A space is busy, or waits for one of its descendants: the ancestors of a child do not count as busy.
void set_wait_policy(unsigned idle) {
  const unsigned used = slots_in_use();
  const unsigned busy = used > idle ? used - idle : 1;
  base::set_wait_policy(base::wait_policy_for(busy));
  // Two busy spaces on one core while another core is idle would hand over at each message.
  base::g_home_core = busy <= base::usable_cores() ? static_cast<int>(g_me.slot.value) : -1;
}

// In the child, first of all; nothing shared is touched before the slot is claimed.
void become(const Child& child) noexcept {
  if (!claim(child.slot, base::process_id())) base::die(128 + SIGKILL);
  forget_failures();
  const LifeLine& life = lines(child.slot).life;
  g_me.process = base::process_id();
  g_me.slot = child.slot;
  g_me.gid = life.gid;
  g_me.depth += 1;
  g_me.path = child_path(g_me.path, life.child_number);
  g_me.path_hash = life.path_hash;
  collector::start();
  start_family();
  start_heap(child.heap, kSharesBelowRoot);
  base::register_for_fences();
  base::g_wait_counters = {};
  spmc::set_current_space(child.slot);
  spmc::on_space_start(child.slot);
}

// An exception must not unwind into the copy of the parent's stack.
[[noreturn]] void run_child(int (*fn)(void*), void* arg) noexcept {
  base::allow_child_signals();  // that they are held back was a wish of the parent's
  set_wait_policy(g_me.depth);
  if (base::g_home_core >= 0) base::move_to_core(g_me.slot.value);
  end_space(fn(arg));
}

// This one; or the next one above it, if the space has executed a script that has started this process.
pid_t process_of_own_space() {
  pid_t at = base::process_id();
  while (at > 1 && !collector::is_process_of_space(at)) at = base::parent_of(at);
  return at;
}

void make_root(unsigned spaces) {
  claim_root(base::process_id());
  base::learn_cores();
  g_me.path_hash = hash_path(g_me.path);
  lines(g_me.slot).life.path_hash = g_me.path_hash;
  start_family();
  start_heap({kHeapsAddress, kHeapsBytes}, spaces);
  set_hooks();
  std::atexit(kill_children_of_root);
  g_me.process = base::process_id();
}

}  // namespace

void set_start_hooks(void (*before)(SpaceId child), void (*after)(SpaceId child)) {
  g_before_start = before;
  g_after_start = after;
}

void flush_output() {
  std::cout.flush();
  std::clog.flush();
  base::flush_stdio();
}

base::Status try_become_root(int nspaces) {
  if (nspaces < 1 || nspaces > static_cast<int>(Life::kMaxParent)) {
    return base::Error{EINVAL, "space_init: the number of spaces is 1 to 2^20"};
  }
  if (initialised()) {
    if (g_me.slot.value != 0 || static_cast<uint32_t>(nspaces) <= slot_count()) return {};
    return base::Error{EINVAL, "space_init: there is room for fewer spaces since the first call"};
  }
  if (g_me.process != 0) return check_is_space();
  ensure_addresses_repeat();
  if (!spmc::segment::attached()) {
    spmc::SegmentConfig config;
    config.max_spaces = static_cast<uint32_t>(nspaces);
    DL_TRY_STATUS(spmc::try_init(config));
  } else if (static_cast<uint32_t>(nspaces) > slot_count()) {
    return base::Error{EINVAL, "space_init: spmc_init was called for fewer spaces"};
  }
  make_root(static_cast<unsigned>(nspaces));
  base::allow_child_signals();  // whoever started the program may have held them back
  set_wait_policy(0);
  return {};
}

base::Status try_take_root() {
  if (g_me.process != 0) return base::Error{EEXIST, "this process is a space already"};
  make_root(slot_count());
  return {};
}

base::Result<pid_t> try_fork(Child& child) {
  if (child.state == SPACE_ENDED) return base::Error{EINVAL, "space_start: the child has ended, or was given up"};
  if (child.state != SPACE_ALLOCATED) return base::Error{EINVAL, "space_start: the child was started before"};
  if (g_before_start != nullptr) g_before_start(child.slot);
  flush_output();
  CHECK(step(child.slot, LifeState::kReserved, LifeState::kStarting), "slot %u", child.slot.value);
  auto process = base::fork_tied();
  if (!process) {
    CHECK(step(child.slot, LifeState::kStarting, LifeState::kReserved), "slot %u", child.slot.value);
    return process.error();
  }
  if (process.value() == 0) {
    become(child);
    return 0;
  }
  note_process(child.slot, process.value());
  child.state = SPACE_STARTED;
  collector::poll(child.slot);  // it may have ended before its process was known
  if (g_after_start != nullptr) g_after_start(child.slot);
  return process.value();
}

base::Status try_start(Child& child, int (*fn)(void*), void* arg) {
  if (fn == nullptr) return base::Error{EINVAL, "space_start: no function"};
  DL_TRY_STATUS(collector::ensure_watching());
  if (DL_TRY(try_fork(child)) == 0) run_child(fn, arg);
  set_wait_policy(g_me.depth);
  return {};
}

void end_space(int status) {
  family().kill_all();
  flush_output();
  lines(g_me.slot).life.own_exit_code.store(status & 0xff, std::memory_order_relaxed);
  base::die(status & 0xff);
}

base::Status try_resume_after_exec(int fd, SpaceId slot) {
  if (g_me.process != 0) return base::Error{EEXIST, "this process is a space already"};
  const pid_t parent = base::parent_process_id();  // first: where it dies from here on, this process dies, too
  DL_TRY_STATUS(spmc::segment::try_attach(base::UniqueFd(fd)));
  const Life life = slot.value < slot_count() ? load_life(slot) : Life{};
  const pid_t process = process_of_own_space();
  if (life.state != LifeState::kRunning || life.pid != static_cast<uint32_t>(process)) {
    spmc::segment::detach();
    return base::Error{EINVAL, "resuming after exec: this process is not that space"};
  }
  if (process != base::process_id()) base::tie_to_parent(parent);
  g_me.process = base::process_id();
  g_me.slot = slot;
  const LifeLine& mine = lines(slot).life;
  g_me.gid = mine.gid;
  g_me.path_hash = mine.path_hash;
  g_me.path.clear();
  for (SpaceId at = slot; at.value != 0; at = SpaceId{load_life(at).parent}) {
    g_me.path.insert(0, "/" + std::to_string(lines(at).life.child_number));
    g_me.depth += 1;
  }
  start_family();
  start_heap({mine.heap_base, mine.heap_bytes}, kSharesBelowRoot);
  set_wait_policy(g_me.depth);
  set_hooks();
  return spmc::try_join(slot);
}

}  // namespace space
