// Spaces for C++: handles that join, functions of any kind, memory resources. See space.h for the meaning of each step.
#pragma once

#include <cerrno>
#include <memory_resource>
#include <optional>
#include <type_traits>
#include <utility>

#include <space/space.h>
#include <base/result.hpp>
#include <space/hooks.hpp>

namespace space {

// The heap of this space as a memory resource: throws std::bad_alloc when it is used up. space_init must have been
// called.
std::pmr::memory_resource* heap();

inline spmc::base::Error last_error(const char* what) { return {errno, what}; }

struct SpaceOptions {
  uint64_t heap_bytes = 0;  // 0: a default share
  bool confined = false;
};

// A child of this space. Its destructor joins, and so blocks, unless that has been done.
class Space {
 public:
  // Errors as space_alloc.
  static spmc::base::Result<Space> try_alloc(int gid, const SpaceOptions& options = {}) {
    const space_options wanted{sizeof(space_options), options.confined ? SPACE_CONFINED : 0, 0, options.heap_bytes};
    const int sid = space_alloc_with(gid, &wanted);
    if (sid < 0) return last_error("allocating a space");
    return Space(sid);
  }

  Space(Space&& other) noexcept : sid_(std::exchange(other.sid_, -1)) {}
  Space& operator=(Space&& other) noexcept {
    if (this != &other) {
      join_now();
      sid_ = std::exchange(other.sid_, -1);
    }
    return *this;
  }
  ~Space() { join_now(); }

  int sid() const { return sid_; }

  // Starts it with body(), which returns its exit status, or nothing for 0. The body runs on a copy of this space's
  // memory; an exception that leaves it ends the child by SIGABRT.
  template <typename Body>
  spmc::base::Status start(Body&& body) {
    using Plain = std::remove_reference_t<Body>;
    const auto run = [](void* arg) noexcept -> int {
      Plain& call = *static_cast<Plain*>(arg);
      if constexpr (std::is_void_v<std::invoke_result_t<Plain&>>) {
        call();
        return 0;
      } else {
        return static_cast<int>(call());
      }
    };
    void* const arg = const_cast<void*>(static_cast<const void*>(&body));
    if (space_start(sid_, run, arg) != 0) return last_error("starting a space");
    return {};
  }

  enum class Rest { kStopped, kEnded };
  // Waits until it stops in space_ret or ends; a stopped one goes on.
  spmc::base::Result<Rest> resume() { return rest_of(space_sync(sid_, 1)); }
  // The same, but leaves it stopped.
  spmc::base::Result<Rest> wait() { return rest_of(space_wait(sid_)); }
  // Waits for its end; a stopped one is told to end.
  spmc::base::Result<space_exit_info> join() {
    if (space_join(sid_) != 0) return last_error("joining a space");
    return status();
  }
  spmc::base::Result<space_exit_info> kill() {
    if (space_kill(sid_) != 0) return last_error("killing a space");
    return status();
  }
  spmc::base::Result<space_exit_info> status() const {
    space_exit_info info;
    if (space_status(sid_, &info) != 0) return last_error("the status of a space");
    return info;
  }

 private:
  explicit Space(int sid) : sid_(sid) {}
  static spmc::base::Result<Rest> rest_of(int answer) {
    if (answer < 0) return last_error("waiting for a space");
    return answer == 1 ? Rest::kStopped : Rest::kEnded;
  }
  void join_now() {
    if (sid_ >= 0) space_join(sid_);
  }

  int sid_ = -1;
};

}  // namespace space
