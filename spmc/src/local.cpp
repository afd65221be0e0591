// Becoming a space: initialisation, and what the space layer tells us.
#include "local.hpp"

#include "fault.hpp"
#include "view.hpp"

#include <spmc/hooks.hpp>
#include <spmc/self.hpp>

#include <base/sys.hpp>
#include <base/wait.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <memory>
#include <optional>

namespace spmc {

Local g_local;
bool g_forked_by_itself = false;

namespace {

std::optional<FramePool> g_pool;

base::Result<int> mode_from_environment(int otherwise) {
  const char* name = std::getenv("DLINUX_MODE");
  if (name == nullptr || *name == 0) return otherwise;
  const int mode = spmc_parse_mode(name);
  if (mode < 0) return base::Error{EINVAL, "DLINUX_MODE is none of b.nwr b.wr b.wr2 nb.nwr nb.wr nb.wr2"};
  return mode;
}

// "space 3" in messages, until a layer above sets a hook that knows more. Async-signal-safe.
size_t name_space(char* text, size_t size) {
  char digits[12];
  size_t count = 0;
  for (uint32_t n = g_local.self.value; count == 0 || n != 0; n /= 10)
    digits[count++] = static_cast<char>('0' + n % 10);
  constexpr char kWord[] = "space ";
  size_t length = 0;
  for (const char* c = kWord; *c != 0 && length < size; ++c) text[length++] = *c;
  while (count > 0 && length < size) text[length++] = digits[--count];
  return length;
}

struct Free {
  void operator()(void* block) const { std::free(block); }
};

// Reserves this process's memory; the tables of pages and views cost nothing until used. An error leaves nothing
// behind.
base::Status prepare_process() {
  if (g_local.ready) return base::Error{EEXIST, "this process is a space already"};
  const Header& header = segment::header();
  auto vm = base::Mapping::try_reserve_at(reinterpret_cast<void*>(kSpmcVmAddress), size_t{header.vpages} << kPageShift);
  if (!vm) return vm.error();
  std::unique_ptr<PageState, Free> page_states(static_cast<PageState*>(std::calloc(header.vpages, sizeof(PageState))));
  std::unique_ptr<View, Free> views(static_cast<View*>(std::calloc(header.max_regions, sizeof(View))));
  if (page_states == nullptr || views == nullptr) return base::Error{ENOMEM, "tables of a space"};
  DL_TRY_STATUS(base::on_fork([] {
    g_local.is_space = false;
    g_forked_by_itself = true;
  }));
  DL_TRY_STATUS(install_fault_handler());
  g_local.page_states = page_states.release();
  g_local.views = views.release();
  g_local.vm = new base::Mapping(std::move(vm).value());
  base::set_context_hook(name_space);
  g_local.ready = true;
  return {};
}

void restart_counters() {
  g_local.counters = {};
  g_local.waits_before = base::g_wait_counters.waits;
  g_local.sleeps_before = base::g_wait_counters.sleeps;
  g_local.sleep_ns_before = base::g_wait_counters.sleep_ns;
}

// Takes away the access to pages and the content that came with the fork.
void close_all_pages() {
  if (g_local.counters.pages_mapped == 0) return;
  const auto closed = base::protect(g_local.vm->base(), g_local.vm->size(), base::Protection::kNone);
  CHECK(closed.ok(), "%s", closed.error().what);
  const auto emptied = base::discard(g_local.vm->base(), g_local.vm->size());
  CHECK(emptied.ok(), "%s", emptied.error().what);
}

}  // namespace

SpaceId current_space() { return g_local.self; }

FramePool& frame_pool() {
  CHECK(g_pool.has_value(), "no current space");
  return *g_pool;
}

base::Status try_init(const SegmentConfig& config, int mode, uint64_t window_bytes) {
  if (mode > (SPMC_WR2 | SPMC_NONBLOCKING) || (mode >= 0 && (mode & 3) == 3)) {
    return base::Error{EINVAL, "there is no such mode"};
  }
  const int chosen = mode >= 0 ? mode : DL_TRY(mode_from_environment(SPMC_WR2));
  DL_TRY_STATUS(segment::try_create(config));
  if (auto prepared = prepare_process(); !prepared) {
    segment::detach();
    return prepared;
  }
  constexpr uint64_t kDefaultWindow = 4u << 20;
  const uint64_t window = (window_bytes != 0 ? window_bytes : kDefaultWindow) >> kPageShift;
  segment::header().modes = static_cast<uint32_t>(chosen);
  segment::header().window_pages = static_cast<uint32_t>(std::min<uint64_t>(window, ~uint32_t{0}));
  set_current_space({0});
  g_local.mode = chosen;
  return {};
}

base::Status try_join(SpaceId self) {
  if (!segment::attached()) return base::Error{EINVAL, "no segment is attached"};
  if (self.value >= segment::header().max_spaces) return base::Error{ESRCH, "there is no such space"};
  const int mode = DL_TRY(mode_from_environment(static_cast<int>(segment::header().modes)));
  DL_TRY_STATUS(prepare_process());
  set_current_space(self);
  g_local.mode = mode;
  return {};
}

void set_current_space(SpaceId self) {
  g_local.self = self;
  g_local.row = eptab(self);
  g_local.is_space = g_local.ready;
  g_forked_by_itself = false;
  g_pool.emplace(self);
}

void on_space_start(SpaceId self) {
  CHECK(self == g_local.self, "space %u started as %u", g_local.self.value, self.value);
  close_all_pages();
  for (uint32_t i = 0; i < g_local.views_used; ++i) {
    View& view = g_local.views[i];
    if (view.slot == nullptr) continue;
    for (uint32_t page = 0; page < view.pages; ++page) state_of(view, page) = PageState{};
    view = View{};
  }
  g_local.views_used = 0;
  g_local.regions_made = 0;
  g_local.last_error[0] = 0;
  restart_counters();
}

void set_alive_hook(bool (*alive)(SpaceId)) { g_local.alive = alive; }
void set_child_hook(int (*resolve)(int, SpaceId*)) { g_local.resolve_child = resolve; }

}  // namespace spmc
