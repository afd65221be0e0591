// The C names of the primitives: Results become -1, errno and a sentence.
#include "local.hpp"
#include "transfer.hpp"

#include <spmc/self.hpp>

#include <base/wait.hpp>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace spmc {
namespace {

int fail(const char* call, const base::Error& error) {
  std::snprintf(g_local.last_error, sizeof g_local.last_error, "%s: %s (%s)", call, error.what,
                std::strerror(error.code));
  errno = error.code;
  return -1;
}

int answer(const char* call, const base::Status& status) { return status.ok() ? 0 : fail(call, status.error()); }

void* answer(const char* call, const base::Result<void*>& result) {
  if (result.ok()) return const_cast<base::Result<void*>&>(result).value();
  fail(call, result.error());
  return nullptr;
}

constexpr const char* kModeNames[] = {"b.nwr", "b.wr", "b.wr2", nullptr, "nb.nwr", "nb.wr", "nb.wr2"};
constexpr int kModeCount = static_cast<int>(std::size(kModeNames));

bool is_mode(int mode) { return mode >= 0 && mode < kModeCount && kModeNames[mode] != nullptr; }

}  // namespace
}  // namespace spmc

using namespace spmc;

extern "C" {

int spmc_init(int nspaces) {
  spmc_config config{};
  config.mode = -1;
  if (nspaces < 0) return fail("spmc_init", {EINVAL, "the number of spaces is negative"});
  config.spaces = static_cast<uint32_t>(nspaces);
  return spmc_init_with(&config);
}

int spmc_init_with(const struct spmc_config* config) {
  SegmentConfig segment;
  if (config->spaces != 0) segment.max_spaces = config->spaces;
  if (config->regions != 0) segment.max_regions = config->regions;
  if (config->pages != 0) segment.vpages = config->pages;
  segment.frame_bytes = config->frame_bytes;
  if (config->busy != 0) segment.busy_spaces = config->busy;
  return answer("spmc_init", try_init(segment, config->mode, config->window_bytes));
}

void* spmcR_alloc(size_t size) { return answer("spmcR_alloc", region_alloc(size)); }
void* spmcR_place(int child, size_t size) { return answer("spmcR_place", region_place(child, size)); }

int spmcR_transown(int child, void* sva, void* dva, size_t size) {
  return answer("spmcR_transown", region_transown(child, sva, dva, size));
}
int spmcR_copycons(int child, void* sva, void* dva, size_t size) {
  return answer("spmcR_copycons", region_copycons(child, sva, dva, size));
}
int spmcR_clear(void* va, size_t size) { return answer("spmcR_clear", region_clear(va, size)); }

int spmcR_write(void* va, const void* buf, size_t size) { return answer("spmcR_write", region_write(va, buf, size)); }
int spmcR_read(const void* va, void* buf, size_t size) { return answer("spmcR_read", region_read(va, buf, size)); }
int spmcR_setfix(void* va, size_t size) { return answer("spmcR_setfix", region_setfix(va, size)); }
int spmcR_publish(void* va, size_t len) { return answer("spmcR_publish", region_publish(va, len)); }
int spmcR_extend(void* extva, void* va, size_t size) { return answer("spmcR_extend", region_extend(extva, va, size)); }
int spmcR_wait(const void* va) { return answer("spmcR_wait", region_wait(va)); }

int spmcR_test(const void* va) {
  auto published = region_test(va);
  if (!published) return fail("spmcR_test", published.error());
  return published.value() ? 1 : 0;
}

int spmc_set_mode(int mode) {
  if (!is_mode(mode)) return fail("spmc_set_mode", {EINVAL, "there is no such mode"});
  g_local.mode = mode;
  return 0;
}
int spmc_get_mode(void) { return g_local.mode; }

int spmc_parse_mode(const char* name) {
  for (int mode = 0; mode < kModeCount; ++mode) {
    if (is_mode(mode) && std::strcmp(kModeNames[mode], name) == 0) return mode;
  }
  return fail("spmc_parse_mode", {EINVAL, "none of b.nwr b.wr b.wr2 nb.nwr nb.wr nb.wr2"});
}
const char* spmc_mode_name(int mode) { return is_mode(mode) ? kModeNames[mode] : "?"; }

const char* spmc_last_error(void) { return g_local.last_error; }

void spmc_get_counters(struct spmc_counters* out) {
  *out = g_local.counters;
  out->waits = base::g_wait_counters.waits - g_local.waits_before;
  out->sleeps = base::g_wait_counters.sleeps - g_local.sleeps_before;
  out->suspended_ns = base::g_wait_counters.sleep_ns - g_local.sleep_ns_before;
}

}  // extern "C"
