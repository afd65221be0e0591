// The C entry points of space.h: checks, then the work of family.hpp and start.hpp.
#include <space/space.h>

#include <cerrno>
#include <cstdlib>
#include <new>

#include <base/check.hpp>
#include <base/children.hpp>
#include <base/sys.hpp>

#include "collector.hpp"
#include "family.hpp"
#include "identity.hpp"
#include "start.hpp"

namespace space {
namespace {

namespace base = spmc::base;

// The caller's child `sid`. Errors of check_is_space, ESRCH.
base::Result<Child*> try_child(int sid) {
  DL_TRY_STATUS(check_is_space());
  Child* const child = family().find(sid);
  if (child == nullptr) return base::Error{ESRCH, "no such child of this space"};
  return child;
}

// Tells a stopped child what to do. False: it has ended meanwhile.
bool release_child(const Child& child, LifeState to) {
  if (!step(child.slot, LifeState::kReturned, to)) return false;
  base::notify(lines(child.slot).wait);
  return true;
}

base::Result<int> try_alloc(int gid, const space_options* options) {
  DL_TRY_STATUS(check_is_space());
  if (options == nullptr) return family().try_add(gid, 0);
  if (options->size != sizeof(space_options) || (options->flags & ~SPACE_CONFINED) != 0 || options->unused != 0) {
    return base::Error{EINVAL, "space_alloc: options of another version"};
  }
  if (options->flags & SPACE_CONFINED) return base::Error{ENOTSUP, "space_alloc: spaces cannot be confined yet"};
  return family().try_add(gid, options->heap_bytes);
}

base::Result<int> try_sync(int sid, bool restart) {
  Child& child = *DL_TRY(try_child(sid));
  if (!restart && child.state == SPACE_ALLOCATED) {
    family().give_up(child);
    return 0;
  }
  if (DL_TRY(family().try_await(child)) == SPACE_STOPPED) {
    const bool goes_on = release_child(child, restart ? LifeState::kRunning : LifeState::kStopping);
    if (restart && goes_on) {
      child.state = SPACE_STARTED;
      return 1;
    }
    family().await_end(child);
  }
  return 0;
}

base::Result<int> try_wait(int sid) {
  Child& child = *DL_TRY(try_child(sid));
  return DL_TRY(family().try_await(child)) == SPACE_STOPPED ? 1 : 0;
}

base::Result<int> try_kill(int sid) {
  Child& child = *DL_TRY(try_child(sid));
  if (child.state == SPACE_ALLOCATED) {
    family().give_up(child);
  } else if (child.state != SPACE_ENDED) {
    family().kill(child);
  }
  return 0;
}

base::Result<int> try_return() {
  DL_TRY_STATUS(check_is_space());
  if (g_me.slot.value == 0) return base::Error{EPERM, "space_ret: the root space has no parent"};
  flush_output();
  CHECK(step(g_me.slot, LifeState::kRunning, LifeState::kReturned), "space_ret of %s", space_path());
  base::notify(lines(SpaceId{load_life(g_me.slot).parent}).wait);
  base::wait_until(lines(g_me.slot).wait, [] { return load_life(g_me.slot).state != LifeState::kReturned; });
  if (load_life(g_me.slot).state == LifeState::kStopping) end_space(0);
  return 0;
}

base::Result<int> try_init(int nspaces) {
  DL_TRY_STATUS(try_become_root(nspaces));
  return 0;
}

base::Result<int> try_begin(int sid, int (*fn)(void*), void* arg) {
  DL_TRY_STATUS(try_start(*DL_TRY(try_child(sid)), fn, arg));
  return 0;
}

// For C entry points. What runs out of private memory has changed nothing that a second call does not put right.
template <typename Call>
int answer(const Call& call) {
  try {
    base::Result<int> result = call();
    return result ? result.value() : fail(result.error());
  } catch (const std::bad_alloc&) {
    return fail({ENOMEM, "no private memory is left"});
  }
}

}  // namespace

base::Result<SpaceId> child_slot(int sid) {
  const Child& child = *DL_TRY(try_child(sid));
  if (child.state == SPACE_ENDED) return base::Error{ESRCH, "this child has ended"};
  return child.slot;
}

void look_at_child(int sid) {
  auto slot = child_slot(sid);
  if (!slot) return;
  collector::keep_watching();
  collector::poll(slot.value());
}

base::Result<pid_t> try_fork_child(int sid) {
  DL_TRY_STATUS(base::adopt_orphans());
  return try_fork(*DL_TRY(try_child(sid)));
}

void signal_child(int sid, int signal) {
  const Child* child = initialised() ? family().find(sid) : nullptr;
  if (child == nullptr || child->state != SPACE_STARTED) return;
  const Life life = load_life(child->slot);  // the process was not waited for while this is live
  if (life.live() && life.pid != 0) (void)base::send_signal(static_cast<pid_t>(life.pid), signal);
}

int next_ended_child() { return initialised() ? family().next_ended() : 0; }

void reap_strangers() {
  if (initialised()) collector::reap_strangers();
}

}  // namespace space

using space::answer;
using space::fail;

extern "C" {

int space_init(int nspaces) {
  return answer([=] { return space::try_init(nspaces); });
}

int space_alloc(int gid) {
  return answer([=] { return space::try_alloc(gid, nullptr); });
}
int space_alloc_with(int gid, const struct space_options* options) {
  return answer([=] { return space::try_alloc(gid, options); });
}

int space_start(int sid, int (*fn)(void*), void* arg) {
  return answer([=] { return space::try_begin(sid, fn, arg); });
}
int space_sync(int sid, int restart) {
  return answer([=] { return space::try_sync(sid, restart != 0); });
}
int space_join(int sid) {
  return answer([=] { return space::try_sync(sid, false); });
}
int space_wait(int sid) {
  return answer([=] { return space::try_wait(sid); });
}
int space_kill(int sid) {
  return answer([=] { return space::try_kill(sid); });
}
int space_ret(void) {
  return answer([=] { return space::try_return(); });
}

void space_exit(int status) {
  if (!space::initialised() || space::g_me.slot.value == 0) std::exit(status);
  space::end_space(status);
}

int space_status(int sid, struct space_exit_info* info) {
  auto child = space::try_child(sid);
  if (!child) return fail(child.error());
  if (info == nullptr) return fail({EINVAL, "space_status: nowhere to write"});
  *info = child.value()->end;
  info->state = child.value()->state;
  return 0;
}

}  // extern "C"
