#include "job.hpp"

#include <sys/wait.h>

#include <csignal>

namespace spmc_test {
namespace {

// What the space layer would know of a space; in the part of its slot that belongs to the layers above.
struct Life {
  std::atomic<uint32_t> ended;   // 1 from the end of its process until it is joined
  std::atomic<uint32_t> parent;  // space + 1; 0: none
};
Life& life_of(spmc::SpaceId id) { return *reinterpret_cast<Life*>(spmc::segment::space_slot(id).upper); }

// A space ends with its parent.
bool alive(spmc::SpaceId id) {
  for (uint32_t at = id.value + 1; at != 0; at = life_of({at - 1}).parent.load(std::memory_order_acquire)) {
    if (life_of({at - 1}).ended.load(std::memory_order_acquire) != 0) return false;
  }
  return true;
}

pid_t g_children[64];  // of this process, by space; 0: none

void announce(uint32_t id) {
  life_of({id}).ended.store(1, std::memory_order_release);
  // Its descendants ended with it.
  for (uint32_t space = 0; space < std::size(g_children); ++space) {
    if (!alive({space})) spmc::announce_end({space});
  }
}

void on_child_end(int) {
  const int saved_errno = errno;
  for (uint32_t id = 0; id < std::size(g_children); ++id) {
    siginfo_t info{};
    if (g_children[id] == 0 || life_of({id}).ended.load(std::memory_order_relaxed) != 0) continue;
    if (waitid(P_PID, static_cast<id_t>(g_children[id]), &info, WEXITED | WNOHANG | WNOWAIT) != 0) continue;
    if (info.si_pid != 0) announce(id);
  }
  errno = saved_errno;
}

}  // namespace

Job::Job(const char* mode, uint64_t frame_bytes, uint64_t window_bytes) {
  const spmc::SegmentConfig config{.max_spaces = 64, .max_regions = 256, .vpages = 1 << 14, .frame_bytes = frame_bytes};
  const auto made = spmc::try_init(config, spmc_parse_mode(mode), window_bytes);
  if (!made) std::fprintf(stderr, "%s\n", made.error().message().c_str());
  NEED(made.ok());
  spmc::set_alive_hook(alive);
  struct sigaction action {};
  action.sa_handler = on_child_end;
  action.sa_flags = SA_RESTART;
  sigaction(SIGCHLD, &action, nullptr);
  spmc::base::g_wait_policy = spmc::base::wait_policy_for(4);
}

void Job::begin_child(uint32_t id, uint32_t parent) {
  std::fill(std::begin(g_children), std::end(g_children), 0);
  pids_.clear();
  spmc::base::register_for_fences();
  spmc::set_current_space({id});
  spmc::on_space_start({id});
  life_of({id}).parent.store(parent + 1, std::memory_order_release);
}

void Job::note_child(uint32_t id, pid_t pid) {
  pids_[id] = pid;
  g_children[id] = pid;
  on_child_end(SIGCHLD);  // it may have ended already
}

Ended Job::join(uint32_t id) {
  const pid_t child = pid(id);
  siginfo_t info{};
  NEED(waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT) == 0);
  if (life_of({id}).ended.load(std::memory_order_acquire) == 0) announce(id);
  g_children[id] = 0;
  NEED(waitpid(child, nullptr, 0) == child);
  spmc::reap({id}, spmc::current_space());
  life_of({id}).ended.store(0, std::memory_order_release);  // the number may be used again
  pids_.erase(id);
  return info.si_code == CLD_EXITED ? Ended{info.si_status, 0} : Ended{-1, info.si_status};
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
