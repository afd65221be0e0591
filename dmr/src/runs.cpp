#include "runs.hpp"

#include <cstring>
#include <string>

#include <base/files.hpp>

namespace dmr {

namespace {

uint32_t reducer_of(const Plan& plan, std::string_view key) {
  const uint32_t reducer = plan.reducers == 1 ? 0 : plan.job.partition(key, plan.reducers);
  if (reducer < plan.reducers) return reducer;
  throw JobError("the partition of a key is " + std::to_string(reducer) + " of " + std::to_string(plan.reducers));
}

}  // namespace

Runs::Runs(const Plan& plan, uint32_t mapper) : plan_(plan), mapper_(mapper), segments_(plan.reducers) {
  for (uint32_t i = 0; i < plan.reducers; ++i) of_reducer_.emplace_back(plan.job.less());
}

void Runs::add(std::string_view key, std::string_view value) {
  const PairView pair{key, value, piece_};
  check_size(pair);
  if (held_ > 0 && held_ + key.size() + value.size() > plan_.memory_of_mapper()) outside_turn([this] { spill(); });
  Sorter& sorter = of_reducer_[reducer_of(plan_, key)];
  held_ -= sorter.bytes_held();
  outside_turn_if_it_fails([&] { sorter.add(pair); });
  held_ += sorter.bytes_held();
  ++pairs_;
}

void Runs::sort() {
  for (Sorter& sorter : of_reducer_) sorter.sort();
}

void Runs::spill() {
  const int file = plan_.spill_files[mapper_].get();
  if (file < 0) throw JobError("the pairs do not fit in memory; " + plan_.why_no_spill_files);
  sort();
  for (uint32_t reducer = 0; reducer < of_reducer_.size(); ++reducer) {
    Segment segment{mapper_, 0, spilled_, 0};
    of_reducer_[reducer].each_block([&](std::string_view block) {
      const auto wrote = spmc::base::write_all(file, block.data(), block.size());
      if (!wrote) throw JobError(std::string("writing a temporary file: ") + std::strerror(wrote.error().code));
      spilled_ += block.size();
    });
    segment.bytes = spilled_ - segment.offset;
    if (segment.bytes > 0) segments_[reducer].push_back(segment);
    of_reducer_[reducer].clear();
  }
  held_ = 0;
}

}  // namespace dmr
