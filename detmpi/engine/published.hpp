// The writer's end of what a rank publishes of itself for logical time (job_view.hpp).
#pragma once

#include <span>
#include <vector>

#include <spmc/frames.hpp>

#include "job_view.hpp"

namespace detmpi {

// The writer's end; one per rank.
class Publisher {
 public:
  Publisher() = default;
  Publisher(int rank, spmc::FramePool& frames) : rank_(rank), line_(&clock_line(rank)), frames_(&frames) {}

  // `clock`: everything stamped up to it is visible.
  void wait(uint64_t clock, bool any, const std::vector<chan::match::Need>& needs);
  void run();  // what was published of a wait does not hold any longer
  void done();

  // Somebody watches this rank.
  bool watched() const { return line_->wake_at.load(std::memory_order_relaxed) != 0; }

 private:
  void begin_change(space::ClockKind kind);
  void end_change();
  void store(const std::vector<uint64_t>& words);

  int rank_ = 0;
  space::ClockLine* line_ = nullptr;
  spmc::FramePool* frames_ = nullptr;
  bool waits_ = false;
  uint32_t version_ = 0;
  uint32_t room_ = kRecordInSlot;  // first frame
  size_t room_words_ = kSlotRecordWords;
  std::vector<uint64_t> words_;
};

// A word of shared memory, as Need::Source::place names it.
uint64_t place_of(const std::atomic<uint64_t>& word);

}  // namespace detmpi
