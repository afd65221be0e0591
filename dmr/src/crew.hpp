// How many mappers there are: as many as keep the cores busy.
//
// Each mapper finds nearly all keys of its input, and each of those is one to hand out: so many mappers make more work
// than few. They are there for maps that wait, for a disk or for a command. So there is one to a core at first, and one
// more is started whenever they have left cores idle for a while, as long as that is possible. Who maps what does not
// show in the output.
#pragma once

#include <base/cores.hpp>
#include <base/sys.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "board.hpp"

namespace dmr {

class Crew {
 public:
  // False if it cannot be started: then those that are there do the work. Throws if it is the only one.
  using Start = std::function<bool(uint32_t mapper)>;
  // The processor time that it has taken so far, if that is known.
  using ProcessorTime = std::function<std::optional<uint64_t>(uint32_t mapper)>;
  Crew(Board& board, uint32_t most, Start start, ProcessorTime processor_ns)
      : board_(board),
        most_(most),
        cores_(spmc::base::usable_cores()),
        start_(std::move(start)),
        processor_ns_(std::move(processor_ns)) {}

  void start_first() {
    for (uint32_t left = std::min(most_, cores_); left > 0; --left) start_next();
  }

  // To be called often. `now_ns`: of a clock that only grows, not 0.
  void look(uint64_t now_ns) {
    const uint32_t mappers = board_.mappers();
    if (mappers == most_ || now_ns - looked_ns_ < kWindowNs) return;
    const std::optional<uint64_t> used = used_ns(mappers);
    const uint64_t available = (now_ns - looked_ns_) * std::min(cores_, mappers);
    const bool idle = !used || (looked_ns_ != 0 && (*used - used_before_) * 4 < available * 3);
    idle_windows_ = idle ? idle_windows_ + 1 : 0;
    if (idle_windows_ >= kIdleWindows) start_next();
    looked_ns_ = now_ns;
    used_before_ = used.value_or(0);  // who was started now has taken none
  }

 private:
  static constexpr uint64_t kWindowNs = 10'000'000;
  static constexpr uint32_t kIdleWindows = 2;  // one may be a start, or a moment's wait

  void start_next() {
    const uint32_t next = board_.mappers();  // nobody else adds one
    if (next == most_) return;
    if (!start_(next) || !board_.add_mapper()) most_ = next;
  }

  std::optional<uint64_t> used_ns(uint32_t mappers) const {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < mappers; ++i) {
      const auto used = processor_ns_(i);
      if (!used) return {};
      sum += *used;
    }
    return sum;
  }

  Board& board_;
  uint32_t most_;
  const uint32_t cores_;
  Start start_;
  ProcessorTime processor_ns_;
  uint64_t looked_ns_ = 0;  // 0: not yet
  uint64_t used_before_ = 0;
  uint32_t idle_windows_ = 0;
};

}  // namespace dmr
