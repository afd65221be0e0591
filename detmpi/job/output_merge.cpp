#include "output_merge.hpp"

#include <base/check.hpp>
#include <base/sys.hpp>

#include <algorithm>
#include <cstring>

#include "../engine/job_table.hpp"
#include "rank_output.hpp"

namespace detmpi {
namespace {

constexpr int kStandardOutput = 1;
constexpr size_t kBlock = 64 * 1024;
constexpr uint64_t kReleaseBytes = 1 << 20;  // memory is given back in pieces of this size
constexpr uint64_t kTurnNs = 20'000'000;     // of write_certain, about
constexpr uint64_t kPage = 4096;
constexpr uint64_t kPageMask = ~(kPage - 1);

}  // namespace

OutputMerge::OutputMerge(OutputFiles files)
    : files_(std::move(files)), streams_(files_.captured() ? g_job->ranks : 0), block_(kBlock) {}

spmc::base::Result<bool> OutputMerge::write_certain() {
  if (!files_.captured()) return false;
  const uint64_t until = spmc::base::monotonic_ns() + kTurnNs;
  bool learnt = false;
  for (;;) {
    while (text_written_ < text_.size()) {
      text_written_ += DL_TRY(spmc::base::write_ready(kStandardOutput, text_.data() + text_written_,
                                                      text_.size() - text_written_, kTurnNs));
      if (spmc::base::monotonic_ns() >= until) return true;
    }
    if (streams_[piece_rank_].taken < piece_end_) {
      fill();
    } else if (!next_piece()) {
      if (learnt || !front_is_blocked()) return false;
      learn_of_blocked();
      learnt = true;
    }
  }
}

// Chooses what is written next. False: nothing is certain beyond what was written; true: look again, there may be.
bool OutputMerge::next_piece() {
  if (g_job->order_output == 0) return next_piece_unordered();
  // Epochs only grow: what was before an old front is before the present one.
  if (marks_.empty() || !have_front_ || marks_.top().key >= front_) {
    if (!find_front() && !cut_) return false;
    read_marks();  // all that are before the front have been written
    if (have_front_ && (marks_.empty() || marks_.top().key >= front_)) return take_front();
  }
  if (marks_.empty() || is_cut_off(marks_.top().key)) return take_rest();
  const Mark mark = marks_.top();
  marks_.pop();
  Stream& stream = streams_[mark.key.rank];
  stream.certain = std::max(stream.certain, mark.size);
  take(mark.key.rank, mark.size, Cut::kLines);
  return true;
}

bool OutputMerge::next_piece_unordered() {
  for (size_t i = 0; i < streams_.size(); ++i) {
    const uint32_t rank = turn_;
    turn_ = (turn_ + 1) % static_cast<uint32_t>(streams_.size());
    const Cut cut = streams_[rank].ended ? Cut::kNone : Cut::kLines;
    if (take(rank, size_of(rank), cut)) return true;
  }
  return false;
}

// What the front rank has printed in its present epoch.
bool OutputMerge::take_front() {
  Stream& stream = streams_[front_.rank];
  const bool ended = stream.ended;
  const uint64_t size = size_of(front_.rank);
  const auto epoch = rank_record(static_cast<int>(front_.rank)).output_epoch.load(std::memory_order_acquire);
  if (epoch > front_.epoch) return true;             // not all that is in its file belongs here
  if (epoch < front_.epoch && !ended) return false;  // it is blocked, and all of it is marked
  if (!ended && starts_with_zero(front_.rank)) return false;
  if (take(front_.rank, size, ended && !cut_ ? Cut::kNone : Cut::kLines)) return true;
  stream.finished = ended;
  if (ended) stream.certain = std::max(stream.certain, size);
  return ended;
}

bool OutputMerge::is_cut_off(Key key) const { return cut_ && key.epoch > cut_->epoch && key.rank != cut_->rank; }

// When all before the cut has been written: ends without a newline.
bool OutputMerge::take_rest() {
  for (uint32_t rank = 0; rank < streams_.size(); ++rank) {
    if (take(rank, streams_[rank].certain, Cut::kNone)) return true;
  }
  return false;
}

bool OutputMerge::find_front() {
  have_front_ = false;
  for (uint32_t rank = 0; rank < streams_.size(); ++rank) {
    if (streams_[rank].finished) continue;
    const auto epoch = rank_record(static_cast<int>(rank)).output_epoch.load(std::memory_order_acquire);
    const Key key{std::max(epoch, streams_[rank].settled), rank};
    if (is_cut_off(key)) continue;
    if (!have_front_ || key < front_) front_ = key;
    have_front_ = true;
  }
  return have_front_;
}

bool OutputMerge::front_is_blocked() const {
  if (!have_front_ || g_job->first_come != 0 || streams_[front_.rank].ended) return false;
  const auto kind = clock_line(static_cast<int>(front_.rank)).kind.load(std::memory_order_relaxed);
  return kind == static_cast<uint32_t>(space::ClockKind::kWaitAll) ||
         kind == static_cast<uint32_t>(space::ClockKind::kWaitAny);
}

// A rank that is found in one and the same wait before and after had printed what is in its file in its present epoch,
// as if it had marked it, and its call does not return before the time of its bound.
void OutputMerge::learn_of_blocked() {
  if (!snapshot_) snapshot_.emplace(view_, g_job->lookahead);
  seen_.clear();
  for (uint32_t rank = 0; rank < streams_.size(); ++rank) {
    const int r = static_cast<int>(rank);
    Seen seen{view_.version(r), rank_record(r).output_epoch.load(std::memory_order_acquire), 0};
    seen.size = size_of(rank);
    seen_.push_back(seen);
  }
  const auto& states = snapshot_->take();
  bounds_ = chan::match::solve_bounds(states, bounds_);
  read_marks();
  for (uint32_t rank = 0; rank < streams_.size(); ++rank) {
    Stream& stream = streams_[rank];
    const Seen& seen = seen_[rank];
    if (states[rank].kind != chan::match::RankState::Kind::kWait) continue;
    if (view_.version(static_cast<int>(rank)) != seen.version || starts_with_zero(rank)) continue;
    if (seen.size > std::max(stream.marked, stream.waiting)) {
      marks_.push({{seen.epoch, rank}, seen.size});
      stream.waiting = seen.size;
    }
    // One that never returns holds the others back, since output ends near the time of a deadlock (deadlock.hpp).
    if (bounds_[rank] == chan::match::kNever) continue;
    stream.settled = std::max(stream.settled, (std::max<uint64_t>(bounds_[rank], 1) - 1) / g_job->lookahead);
  }
}

// The rank itself does not notice such output at once (rank_output.cpp): it counts when it is marked.
bool OutputMerge::starts_with_zero(uint32_t rank) {
  char first = 1;
  auto got = spmc::base::read_at(files_.output(static_cast<int>(rank)), streams_[rank].marked, &first, 1);
  return got && got.value() == 1 && first == 0;
}

void OutputMerge::read_marks() {
  constexpr size_t kMarks = 1024;
  OutputMark marks[kMarks];
  for (;;) {
    auto got = spmc::base::read_at(files_.marks(), marks_read_, marks, sizeof marks);
    const size_t count = got ? got.value() / sizeof(OutputMark) : 0;
    for (size_t i = 0; i < count; ++i) {
      marks_.push({{marks[i].epoch, marks[i].rank}, marks[i].size});
      streams_[marks[i].rank].marked = marks[i].size;
    }
    if (count > 0) (void)spmc::base::punch_hole(files_.marks(), marks_read_, count * sizeof(OutputMark));
    marks_read_ += count * sizeof(OutputMark);
    if (count < kMarks) return;
  }
}

uint64_t OutputMerge::size_of(uint32_t rank) {
  auto size = spmc::base::file_size(files_.output(static_cast<int>(rank)));
  return size ? size.value() : streams_[rank].taken;
}

// The piece is what the rank has printed up to `size`, or as much of it as whole lines. False if that is nothing.
bool OutputMerge::take(uint32_t rank, uint64_t size, Cut cut) {
  const uint64_t end = cut == Cut::kNone ? size : end_of_lines(rank, size);
  if (end <= streams_[rank].taken) return false;
  if (in_line_ && rank != piece_rank_ && g_job->label_output != 0) {  // what a rank left without an end
    text_ += '\n';
    in_line_ = false;
  }
  piece_rank_ = rank;
  piece_end_ = end;
  return true;
}

// Behind the last end of a line before `size`; `taken` if there is none.
uint64_t OutputMerge::end_of_lines(uint32_t rank, uint64_t size) {
  Stream& stream = streams_[rank];
  const uint64_t begin = std::max(stream.taken, stream.searched);
  for (uint64_t end = size; end > begin;) {
    const size_t bytes = std::min<uint64_t>(kBlock, end - begin);
    auto got = spmc::base::read_at(files_.output(static_cast<int>(rank)), end - bytes, block_.data(), bytes);
    const auto* found = got ? static_cast<const char*>(::memrchr(block_.data(), '\n', got.value())) : nullptr;
    if (found != nullptr) {
      stream.searched = size;
      return end - bytes + static_cast<uint64_t>(found - block_.data()) + 1;
    }
    end -= bytes;
  }
  stream.searched = std::max(stream.searched, size);
  return stream.taken;
}

// Takes a block of the piece.
void OutputMerge::fill() {
  Stream& stream = streams_[piece_rank_];
  text_.clear();
  text_written_ = 0;
  const size_t wanted = std::min<uint64_t>(kBlock, piece_end_ - stream.taken);
  auto got = spmc::base::read_at(files_.output(static_cast<int>(piece_rank_)), stream.taken, block_.data(), wanted);
  CHECK(got && got.value() > 0, "reading what rank %u has printed", piece_rank_);
  const size_t bytes = got.value();
  if (g_job->label_output != 0) label(block_.data(), bytes);
  else text_.append(block_.data(), bytes);
  in_line_ = block_[bytes - 1] != '\n';
  stream.taken += bytes;
  release(piece_rank_);
}

void OutputMerge::label(const char* text, size_t bytes) {
  const std::string name = "[" + std::to_string(piece_rank_) + "] ";
  for (const char* end = text + bytes; text < end;) {
    const auto* newline = static_cast<const char*>(std::memchr(text, '\n', static_cast<size_t>(end - text)));
    const char* next = newline == nullptr ? end : newline + 1;
    if (!in_line_) text_ += name;
    text_.append(text, next);
    in_line_ = newline == nullptr;
    text = next;
  }
}

// Gives back the memory of whole pages that have been written, but for the one that the rank looks at.
void OutputMerge::release(uint32_t rank) {
  Stream& stream = streams_[rank];
  const uint64_t end = stream.taken & kPageMask;
  if (end < stream.released + kReleaseBytes) return;
  const auto punch = [&](uint64_t from, uint64_t to) {
    if (from < to) (void)spmc::base::punch_hole(files_.output(static_cast<int>(rank)), from, to - from);
  };
  const uint64_t kept = stream.marked & kPageMask;
  punch(stream.released, std::min(end, kept));
  punch(std::max(stream.released, kept + kPage), end);
  stream.released = end;
}

}  // namespace detmpi
