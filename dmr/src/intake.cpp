#include "intake.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <base/mapping.hpp>

#include "runs.hpp"

namespace dmr {

namespace {

std::string receive(chan_id channel) {
  const ssize_t size = chan_next_size(channel);
  if (size < 0) throw MapperGone();
  std::string message;
  message.reserve(static_cast<size_t>(size));
  spmc::base::bring_in(message.data(), static_cast<size_t>(size));
  message.resize(static_cast<size_t>(size));
  if (chan_recv(channel, message.data(), message.size()) < 0) throw MapperGone();
  return message;
}

ShareHead receive_head(chan_id channel) {
  ShareHead head;
  if (chan_recv(channel, &head, sizeof head) < 0) throw MapperGone();
  return head;
}

template <typename Take>
void each_block(chan_id channel, Take&& take) {
  for (std::string block = receive(channel); !block.empty(); block = receive(channel)) take(std::move(block));
}

// Of one mapper.
struct SortedShare {
  std::vector<std::string> blocks;
  std::vector<Segment> segments;
};

SortedShare take_sorted(chan_id channel) {
  SortedShare share;
  each_block(channel, [&](std::string block) { share.blocks.push_back(std::move(block)); });
  const std::string list = receive(channel);
  share.segments.resize(list.size() / sizeof(Segment));
  if (!list.empty()) std::memcpy(share.segments.data(), list.data(), list.size());
  return share;
}

// Puts together the values of pairs that come in no order. Most keys come from every mapper: a table finds the same
// ones with less work than sorting all of them and merging.
class Combining {
 public:
  explicit Combining(const Plan& plan) : plan_(plan), table_(plan.job.start_table()) {}

  void take(uint64_t pairs, chan_id channel) {
    // A mapper that got no piece has none.
    if (!any_) table_->expect(pairs, plan_.memory_of_reducer() / 2);
    any_ = any_ || pairs > 0;
    each_block(channel, [this](const std::string& block) {
      add(block);
      // A sorted run needs less memory.
      if (table_->bytes_held() > plan_.memory_of_reducer()) sort();
    });
  }
  void give(Merger& merger) {
    if (table_ != nullptr) sort();
    for (auto& run : runs_) merger.add(RunReader(bytes_of_blocks(std::move(run))));
  }

 private:
  struct ToSorter : Pairs {
    Sorter sorter;
    explicit ToSorter(ByteJob::Less less) : sorter(less) {}
    void add(std::string_view key, std::string_view value) override { sorter.add({key, value, 0}); }
  };

  void add(std::string_view block) {
    PairView pair;
    while (const size_t bytes = read_pair(block, pair)) {
      table_->add(pair.key, pair.value);
      block.remove_prefix(bytes);
    }
    if (!block.empty()) throw JobError("the last pair of a block is not whole");
  }
  void sort() {
    ToSorter to(plan_.job.less());
    table_->give_all(to);
    to.sorter.sort();
    std::vector<std::string> run;
    to.sorter.each_block([&](std::string_view block) { run.emplace_back(block); });
    runs_.push_back(std::move(run));
  }

  const Plan& plan_;
  std::unique_ptr<Table> table_;
  bool any_ = false;
  std::vector<std::vector<std::string>> runs_;
};

// The order of adding breaks ties: of each mapper what it wrote first.
void add_sorted(const Plan& plan, std::vector<SortedShare> shares, Merger& merger) {
  constexpr uint64_t kLeastBuffer = 4 << 10, kMostBuffer = 1 << 20;
  size_t segments = 1;
  for (const SortedShare& share : shares) segments += share.segments.size();
  const auto buffer =
      static_cast<size_t>(std::clamp(plan.memory_of_reducer() / 2 / segments, kLeastBuffer, kMostBuffer));
  for (SortedShare& share : shares) {
    for (const Segment& s : share.segments) {
      merger.add(RunReader(bytes_of_file(plan.spill_files[s.file].get(), s.offset, s.bytes, buffer)));
    }
    merger.add(RunReader(bytes_of_blocks(std::move(share.blocks))));
  }
}

}  // namespace

void take_in(const Plan& plan, uint32_t reducer, Merger& merger) {
  std::vector<SortedShare> sorted(plan.mappers);
  Combining combining(plan);
  const uint32_t mappers = plan.board.await_crew();
  for (uint32_t step = 0; step < plan.steps(); ++step) {
    const uint32_t mapper = (reducer + step) % plan.steps();
    if (mapper >= mappers) continue;
    const chan_id channel = plan.shuffled(mapper, reducer);
    const ShareHead head = receive_head(channel);
    if (head.is_sorted != 0) sorted[mapper] = take_sorted(channel);
    else combining.take(head.pairs, channel);
    chan_free(channel);
  }
  add_sorted(plan, std::move(sorted), merger);
  combining.give(merger);
}

}  // namespace dmr
