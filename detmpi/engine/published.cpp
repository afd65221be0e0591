#include "published.hpp"

#include <atomic>

#include "out_of_memory.hpp"
#include "watchers.hpp"

namespace detmpi {
namespace {

using chan::match::Need;

constexpr auto relaxed = std::memory_order_relaxed;
constexpr auto release = std::memory_order_release;

constexpr size_t kPageWords = spmc::kPageSize / sizeof(uint64_t);

void encode(const Need& need, std::vector<uint64_t>& words) {
  words.push_back(static_cast<uint64_t>(need.kind) | (need.all_but ? kAllBut : 0) |
                  static_cast<uint64_t>(need.sources.size()) << 8);
  words.push_back(need.time);
  if (need.kind == Need::Kind::kRepeat) {
    words.push_back(need.repeats);
    return;
  }
  if (need.kind == Need::Kind::kAck) {
    words.insert(words.end(), {static_cast<uint64_t>(need.peer), need.position});
    return;
  }
  words.push_back(need.candidate);
  for (const Need::Source& source : need.sources) {
    words.push_back(static_cast<uint64_t>(source.rank));
    if (need.kind == Need::Kind::kMarks) words.insert(words.end(), {source.place, source.value});
  }
}

}  // namespace

// The version is odd before anything else changes, and even again after everything has (stores keep their order).
void Publisher::begin_change(space::ClockKind kind) {
  line_->version.store(++version_, relaxed);
  std::atomic_thread_fence(release);
  line_->kind.store(static_cast<uint32_t>(kind), relaxed);
}

void Publisher::end_change() { line_->version.store(++version_, release); }

void Publisher::store(const std::vector<uint64_t>& words) {
  if (words.size() > room_words_) {
    const auto pages = static_cast<uint32_t>((words.size() * 2 + kPageWords - 1) / kPageWords);
    auto run = frames_->try_alloc_run(pages);
    if (!run) end_out_of_memory("the record of what a rank waits for");
    room_ = run.value().value;
    room_words_ = pages * kPageWords;
  }
  uint64_t* room = record_words(rank_, room_);
  for (size_t i = 0; i < words.size(); ++i) std::atomic_ref(room[i]).store(words[i], relaxed);
  line_->record_frame.store(room_, relaxed);
  line_->record_words.store(static_cast<uint32_t>(words.size()), relaxed);
}

void Publisher::wait(uint64_t clock, bool any, const std::vector<Need>& needs) {
  words_.clear();
  for (const Need& need : needs) encode(need, words_);
  if (words_.size() > kMostRecordWords) {
    end_at_limit("it waits for " + std::to_string(needs.size()) + " requests, which takes " +
                 std::to_string(words_.size()) + " words to tell the other ranks, and there is room for " +
                 std::to_string(kMostRecordWords) + ": the program must wait for fewer at once");
  }
  begin_change(any ? space::ClockKind::kWaitAny : space::ClockKind::kWaitAll);
  line_->clock.store(clock, relaxed);
  store(words_);
  end_change();
  waits_ = true;
}

void Publisher::run() {
  if (!waits_) return;
  begin_change(space::ClockKind::kRun);
  end_change();
  waits_ = false;
}

void Publisher::done() {
  begin_change(space::ClockKind::kDone);
  end_change();
  waits_ = false;
  wake_watchers(rank_);
}

uint64_t place_of(const std::atomic<uint64_t>& word) {
  return static_cast<uint64_t>(reinterpret_cast<const std::byte*>(&word) - spmc::segment::frame(spmc::EPageIndex{0}));
}

}  // namespace detmpi
