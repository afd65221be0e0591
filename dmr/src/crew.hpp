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
      : board_(board),
        mappers_(mappers),
        cores_(spmc::base::usable_cores()),
        at_work_(std::min(mappers, cores_)),
        processor_ns_(std::move(processor_ns)) {
    board_.put_to_work(at_work_);
  }

  // To be called often.
  void look() {
    if (at_work_ == mappers_) return;
    const uint64_t now = spmc::base::monotonic_ns();
    if (now - looked_ns_ < kWindowNs) return;
    const std::optional<uint64_t> used = used_ns();
    const uint64_t most = (now - looked_ns_) * std::min(cores_, at_work_);
    const bool idle = !used || (looked_ns_ != 0 && (*used - used_before_) * 4 < most * 3);
    idle_windows_ = idle ? idle_windows_ + 1 : 0;
    if (idle_windows_ >= kIdleWindows) board_.put_to_work(++at_work_);
    looked_ns_ = now;
    used_before_ = used_ns().value_or(0);  // of one more perhaps
  }

 private:
  static constexpr uint64_t kWindowNs = 10'000'000;
  static constexpr uint32_t kIdleWindows = 2;  // one may be a start, or a moment's wait

  std::optional<uint64_t> used_ns() const {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < at_work_; ++i) {
      const auto used = processor_ns_(i);
      if (!used) return {};
      sum += *used;
    }
    return sum;
  }

  Board& board_;
  const uint32_t mappers_;
  const uint32_t cores_;
  uint32_t at_work_;
  ProcessorTime processor_ns_;
  uint64_t looked_ns_ = 0;  // monotonic clock; 0: not yet
  uint64_t used_before_ = 0;
  uint32_t idle_windows_ = 0;
};

}  // namespace dmr
