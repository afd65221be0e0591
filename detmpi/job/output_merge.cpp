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
constexpr int kStandardError = 2;
constexpr size_t kBlock = 64 * 1024;
constexpr uint64_t kReleaseBytes = 1 << 20;  // memory is given back in pieces of this size
constexpr uint64_t kTurnNs = 20'000'000;     // of write_certain, about
constexpr uint64_t kPage = 4096;
constexpr uint64_t kPageMask = ~(kPage - 1);

}  // namespace

OutputMerge::OutputMerge(OutputFiles files)
    : files_(std::move(files)),
      ranks_(files_.captured() ? g_job->ranks : 0),
      same_file_(spmc::base::same_file(kStandardOutput, kStandardError)),
      block_(kBlock) {}

void OutputMerge::note_end(int rank, bool early) {
  ranks_[static_cast<size_t>(rank)].ended = true;
  ranks_[static_cast<size_t>(rank)].early = early;
}

spmc::base::Result<bool> OutputMerge::write_certain() {
  if (!files_.captured()) return false;
  const uint64_t until = spmc::base::monotonic_ns() + kTurnNs;
  bool learnt = false;
  for (;;) {
    while (text_written_ < text_.size()) {
      DL_TRY_STATUS(write_text());
      if (spmc::base::monotonic_ns() >= until) return true;
    }
    if (stream(piece_.rank, piece_.printed).taken < piece_.end) {
      fill();
    } else if (!next_piece()) {
      if (learnt || !front_is_blocked()) return false;
      learn_of_blocked();
      learnt = true;
    }
  }
}

spmc::base::Status OutputMerge::write_text() {
  const char* rest = text_.data() + text_written_;
  const size_t bytes = text_.size() - text_written_;
  if (piece_.printed == kOutput) {
    text_written_ += DL_TRY(spmc::base::write_ready(kStandardOutput, rest, bytes, kTurnNs));
    return {};
  }
  if (!errors_lost_) {
    auto written = spmc::base::write_ready(kStandardError, rest, bytes, kTurnNs);
    if (written) {
      text_written_ += written.value();
      return {};
    }
    errors_lost_ = true;
  }
  text_written_ = text_.size();
  return {};
}

// Chooses what is written next. False: nothing is certain beyond what was written; true: look again, there may be.
bool OutputMerge::next_piece() {
  if (g_job->order_output == 0) return next_piece_unordered();
  drop_what_is_cut_off();
  // Epochs only grow: what was before an old front is before the present one.
  if (marks_.empty() || !have_front_ || marks_.top().key >= front_) {
    if (!find_front() && !cut_) return false;
    read_marks();  // all that are before the front have been written
    drop_what_is_cut_off();
    if (have_front_ && (marks_.empty() || marks_.top().key >= front_)) return take_front();
  }
  if (marks_.empty()) return take_rest();
  const Mark mark = marks_.top();
  marks_.pop();
  uint64_t& certain = stream(mark.key.rank, mark.printed).certain;
  certain = std::max(certain, mark.size);
  take(mark.key.rank, mark.printed, mark.size, Cut::kLines);
  return true;
}

bool OutputMerge::next_piece_unordered() {
  for (uint32_t i = 0; i < count(); ++i) {
    const uint32_t rank = turn_;
    turn_ = (turn_ + 1) % count();
    const Cut cut = ranks_[rank].ended ? Cut::kNone : Cut::kLines;
    for (const Printed printed : kPrinted) {
      if (take(rank, printed, size_of(rank, printed), cut)) return true;
    }
  }
  return false;
}

// What the front rank has printed in its present epoch.
bool OutputMerge::take_front() {
  Rank& rank = ranks_[front_.rank];
  const bool ended = rank.ended;
  const uint64_t sizes[] = {size_of(front_.rank, kOutput), size_of(front_.rank, kErrors)};
  const auto epoch = rank_record(static_cast<int>(front_.rank)).output_epoch.load(std::memory_order_acquire);
  if (epoch > front_.epoch) return true;             // not all that is in its files belongs here
  if (epoch < front_.epoch && !ended) return false;  // it is blocked, and all of it is marked
  if (!ended && starts_with_zero(front_.rank)) return false;
  for (const Printed printed : kPrinted) {
    if (printed == kErrors && same_file_ && !ended) continue;  // output that is still to come is before them
    if (take(front_.rank, printed, sizes[printed], ended && (!cut_ || rank.early) ? Cut::kNone : Cut::kLines))
      return true;
    if (ended) rank.streams[printed].certain = std::max(rank.streams[printed].certain, sizes[printed]);
  }
  rank.finished = ended;
  return ended;
}

bool OutputMerge::is_cut_off(Key key) const { return cut_ && key.epoch >= cut_->epoch && key.rank != cut_->rank; }

// The rank that has failed may come behind it.
void OutputMerge::drop_what_is_cut_off() {
  while (!marks_.empty() && is_cut_off(marks_.top().key)) marks_.pop();
}

// When all before the cut has been written: ends without a newline.
bool OutputMerge::take_rest() {
  for (uint32_t rank = 0; rank < count(); ++rank) {
    for (const Printed printed : kPrinted) {
      if (take(rank, printed, stream(rank, printed).certain, Cut::kNone)) return true;
    }
  }
  return false;
}

bool OutputMerge::find_front() {
  have_front_ = false;
  for (uint32_t rank = 0; rank < count(); ++rank) {
    if (ranks_[rank].finished) continue;
    const auto epoch = rank_record(static_cast<int>(rank)).output_epoch.load(std::memory_order_acquire);
    const Key key{std::max(epoch, ranks_[rank].settled), rank};
    if (is_cut_off(key)) continue;
    if (!have_front_ || key < front_) front_ = key;
    have_front_ = true;
  }
  return have_front_;
}

bool OutputMerge::front_is_blocked() const {
  if (!have_front_ || g_job->first_come != 0 || ranks_[front_.rank].ended) return false;
  const auto kind = clock_line(static_cast<int>(front_.rank)).kind.load(std::memory_order_relaxed);
  return kind == static_cast<uint32_t>(space::ClockKind::kWaitAll) ||
         kind == static_cast<uint32_t>(space::ClockKind::kWaitAny);
}

void OutputMerge::learn_of_blocked() {
  if (!snapshot_) snapshot_.emplace(view_, g_job->lookahead);
  seen_.clear();
  for (uint32_t rank = 0; rank < count(); ++rank) {
    const int r = static_cast<int>(rank);
    Seen seen{view_.version(r), rank_record(r).output_epoch.load(std::memory_order_acquire), {}};
    for (const Printed printed : kPrinted) seen.size[printed] = size_of(rank, printed);
    seen_.push_back(seen);
  }
  const auto& states = snapshot_->take();
  bounds_ = chan::match::solve_bounds(states, bounds_);
  read_marks();
  for (uint32_t rank = 0; rank < count(); ++rank) {
    if (states[rank].kind == chan::match::RankState::Kind::kWait) learn_of_wait(rank);
  }
}

// A rank that is found in one and the same wait before and after had printed what is in its files in its present epoch,
// as if it had marked it, and its call does not return before the time of its bound.
void OutputMerge::learn_of_wait(uint32_t rank) {
  const Seen& seen = seen_[rank];
  if (view_.version(static_cast<int>(rank)) != seen.version || starts_with_zero(rank)) return;
  // One that never returns holds the others back, since output ends near the time of a deadlock (deadlock.hpp).
  const bool returns = bounds_[rank] != chan::match::kNever;
  const uint64_t clock = returns ? std::max<uint64_t>(bounds_[rank], 1) - 1 : 0;  // at its return
  const uint64_t next = returns ? clock - clock % g_job->lookahead : seen.epoch;
  for (const Printed printed : kPrinted) {
    if (printed == kErrors && same_file_ && next <= seen.epoch) continue;  // output may still come before them
    Stream& of = stream(rank, printed);
    if (seen.size[printed] <= std::max(of.marked, of.waiting)) continue;
    marks_.push({{seen.epoch, rank}, printed, seen.size[printed]});
    of.waiting = seen.size[printed];
  }
  if (returns) ranks_[rank].settled = std::max(ranks_[rank].settled, next);
}

bool OutputMerge::starts_with_zero(uint32_t rank) {
  return starts_with_zero(rank, kOutput) || starts_with_zero(rank, kErrors);
}

// The rank itself does not notice such output at once (rank_output.cpp): it counts when it is marked.
bool OutputMerge::starts_with_zero(uint32_t rank, Printed printed) {
  if (!files_.captured(printed)) return false;
  char first = 1;
  auto got = spmc::base::read_at(files_.file(rank, printed), stream(rank, printed).marked, &first, 1);
  return got && got.value() == 1 && first == 0;
}

void OutputMerge::read_marks() {
  constexpr size_t kMarks = 1024;
  OutputMark marks[kMarks];
  for (;;) {
    auto got = spmc::base::read_at(files_.marks(), marks_read_, marks, sizeof marks);
    const size_t count = got ? got.value() / sizeof(OutputMark) : 0;
    for (size_t i = 0; i < count; ++i) {
      marks_.push({{marks[i].epoch, marks[i].rank}, marks[i].printed, marks[i].size});
      stream(marks[i].rank, marks[i].printed).marked = marks[i].size;
    }
    if (count > 0) (void)spmc::base::punch_hole(files_.marks(), marks_read_, count * sizeof(OutputMark));
    marks_read_ += count * sizeof(OutputMark);
    if (count < kMarks) return;
  }
}

uint64_t OutputMerge::size_of(uint32_t rank, Printed printed) {
  const uint64_t taken = stream(rank, printed).taken;
  if (!files_.captured(printed)) return taken;
  auto size = spmc::base::file_size(files_.file(rank, printed));
  return size ? size.value() : taken;
}

// The piece is what the rank has printed up to `size`, or as much of it as whole lines. False if that is nothing.
bool OutputMerge::take(uint32_t rank, Printed printed, uint64_t size, Cut cut) {
  const uint64_t end = cut == Cut::kNone ? size : end_of_lines(rank, printed, size);
  if (end <= stream(rank, printed).taken) return false;
  piece_ = {rank, printed, end};
  Place& to = place(printed);
  if (to.in_line && (to.rank != rank || to.printed != printed) && g_job->label_output != 0) {  // left without an end
    text_ += '\n';
    to.in_line = false;
  }
  return true;
}

// Behind the last end of a line before `size`; `taken` if there is none.
uint64_t OutputMerge::end_of_lines(uint32_t rank, Printed printed, uint64_t size) {
  Stream& of = stream(rank, printed);
  const uint64_t begin = std::max(of.taken, of.searched);
  for (uint64_t end = size; end > begin;) {
    const size_t bytes = std::min<uint64_t>(kBlock, end - begin);
    auto got = spmc::base::read_at(files_.file(rank, printed), end - bytes, block_.data(), bytes);
    const auto* found = got ? static_cast<const char*>(::memrchr(block_.data(), '\n', got.value())) : nullptr;
    if (found != nullptr) {
      of.searched = size;
      return end - bytes + static_cast<uint64_t>(found - block_.data()) + 1;
    }
    end -= bytes;
  }
  of.searched = std::max(of.searched, size);
  return of.taken;
}

// Takes a block of the piece.
void OutputMerge::fill() {
  Stream& of = stream(piece_.rank, piece_.printed);
  text_.clear();
  text_written_ = 0;
  const size_t wanted = std::min<uint64_t>(kBlock, piece_.end - of.taken);
  auto got = spmc::base::read_at(files_.file(piece_.rank, piece_.printed), of.taken, block_.data(), wanted);
  CHECK(got && got.value() > 0, "reading what rank %u has printed", piece_.rank);
  const size_t bytes = got.value();
  if (g_job->label_output != 0) label(block_.data(), bytes);
  else text_.append(block_.data(), bytes);
  place(piece_.printed) = {piece_.rank, piece_.printed, block_[bytes - 1] != '\n'};
  of.taken += bytes;
  release(piece_.rank, piece_.printed);
}

void OutputMerge::label(const char* text, size_t bytes) {
  const std::string name = "[" + std::to_string(piece_.rank) + "] ";
  bool& in_line = place(piece_.printed).in_line;
  for (const char* end = text + bytes; text < end;) {
    const auto* newline = static_cast<const char*>(std::memchr(text, '\n', static_cast<size_t>(end - text)));
    const char* next = newline == nullptr ? end : newline + 1;
    if (!in_line) text_ += name;
    text_.append(text, next);
    in_line = newline == nullptr;
    text = next;
  }
}

// Gives back the memory of whole pages that have been written, but for the one that the rank looks at.
void OutputMerge::release(uint32_t rank, Printed printed) {
  Stream& of = stream(rank, printed);
  const uint64_t end = of.taken & kPageMask;
  if (end < of.released + kReleaseBytes) return;
  const auto punch = [&](uint64_t from, uint64_t to) {
    if (from < to) (void)spmc::base::punch_hole(files_.file(rank, printed), from, to - from);
  };
  const uint64_t kept = of.marked & kPageMask;
  punch(of.released, std::min(end, kept));
  punch(std::max(of.released, kept + kPage), end);
  of.released = end;
}

}  // namespace detmpi
