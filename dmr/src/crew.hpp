// Which mappers are at work: as many as keep the cores busy.
//
// Each mapper finds nearly all keys of its input, and each of those is one to hand out: so many mappers make more work
// than few. They are there for maps that wait, for a disk or for a command. So there is one to a core at first, and one
// more whenever those that are at work have left cores idle for a while. Who maps what does not show in the output.
#pragma once

#include <base/sys.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>

#include "board.hpp"

namespace dmr {

class Crew {
 public:
  // `processor_ns(mapper)`: the processor time that it has taken so far, if that is known.
  using ProcessorTime = std::function<std::optional<uint64_t>(uint32_t mapper)>;
  Crew(Board& board, uint32_t mappers, ProcessorTime processor_ns)
      : board_(board), mappers_(mappers), cores_(spmc::base::usable_cores()), processor_ns_(std::move(processor_ns)) {
    board_.put_to_work(std::min(mappers, cores_));
  }

  // To be called often. `now_ns`: of a clock that only grows, not 0.
  void look(uint64_t now_ns) {
    const uint32_t at_work = board_.at_work();
    if (at_work == mappers_ || now_ns - looked_ns_ < kWindowNs) return;
    const std::optional<uint64_t> used = used_ns(at_work);
    const uint64_t most = (now_ns - looked_ns_) * std::min(cores_, at_work);
    const bool idle = !used || (looked_ns_ != 0 && (*used - used_before_) * 4 < most * 3);
    idle_windows_ = idle ? idle_windows_ + 1 : 0;
    if (idle_windows_ >= kIdleWindows) board_.put_to_work(at_work + 1);
    looked_ns_ = now_ns;
    used_before_ = used.value_or(0);  // who comes to work now has taken little so far
  }

 private:
  static constexpr uint64_t kWindowNs = 10'000'000;
  static constexpr uint32_t kIdleWindows = 2;  // one may be a start, or a moment's wait

  std::optional<uint64_t> used_ns(uint32_t at_work) const {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < at_work; ++i) {
      const auto used = processor_ns_(i);
      if (!used) return {};
      sum += *used;
    }
    return sum;
  }

  Board& board_;
  const uint32_t mappers_;
  const uint32_t cores_;
  ProcessorTime processor_ns_;
  uint64_t looked_ns_ = 0;  // 0: not yet
  uint64_t used_before_ = 0;
  uint32_t idle_windows_ = 0;
};

}  // namespace dmr
