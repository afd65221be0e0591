#include "job.hpp"

namespace spmc_test {
namespace {

// In the part of a space's slot that belongs to the layers above: 1 once the space has ended.
std::atomic<uint32_t>& ended_word(spmc::SpaceId id) {
  return *reinterpret_cast<std::atomic<uint32_t>*>(spmc::segment::space_slot(id).upper);
}
bool alive(spmc::SpaceId id) { return ended_word(id).load(std::memory_order_acquire) == 0; }

}  // namespace

Job::Job(const char* mode, uint64_t frame_bytes, uint64_t window_bytes) {
  const spmc::SegmentConfig config{.max_spaces = 64, .max_regions = 256, .vpages = 1 << 14, .frame_bytes = frame_bytes};
  const auto made = spmc::try_init(config, spmc_parse_mode(mode), window_bytes);
  if (!made) std::fprintf(stderr, "%s\n", made.error().message().c_str());
  NEED(made.ok());
  spmc::set_alive_hook(alive);
  spmc::base::g_wait_policy = spmc::base::wait_policy_for(4);
}

Ended Job::join(uint32_t id) {
  const auto report = spmc::base::wait_child(pid(id), spmc::base::WaitMode::kBlock);
  NEED(report.ok());
  ended_word({id}).store(1, std::memory_order_release);
  spmc::announce_end({id});
  spmc::reap({id}, spmc::current_space());
  ended_word({id}).store(0, std::memory_order_release);  // the number may be used again
  pids_.erase(id);
  const auto& end = const_cast<spmc::base::Result<spmc::base::ExitReport>&>(report).value();
  return end.signalled ? Ended{-1, end.status} : Ended{end.status, 0};
}

void Job::check(size_t frames_expected) {
  const char* problem = spmc_check_all_invariants();
  if (problem != nullptr) std::fprintf(stderr, "%s\n", problem);
  NEED(problem == nullptr);
  const size_t used = spmc::frames_in_use();
  if (used != frames_expected) std::fprintf(stderr, "%zu frames in use, not %zu\n", used, frames_expected);
  NEED(used == frames_expected);
}

std::vector<std::byte> pattern(size_t bytes, uint32_t seed) {
  std::vector<std::byte> out(bytes);
  for (size_t i = 0; i < bytes; ++i) out[i] = static_cast<std::byte>((i * 2654435761u + seed * 40503u) >> 16);
  return out;
}

bool is_pattern(const std::byte* bytes, size_t size, uint32_t seed) {
  const auto expected = pattern(size, seed);
  return std::memcmp(expected.data(), bytes, size) == 0;
}

}  // namespace spmc_test
