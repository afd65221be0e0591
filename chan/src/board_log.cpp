#include <chan/board_log.hpp>

#include <spmc/frames.hpp>

namespace chan {
namespace {

BoardNote& note_at(spmc::EPageIndex chunk, uint64_t number) {
  return reinterpret_cast<BoardNote*>(spmc::segment::frame(chunk))[number % kChunkNotes];
}

}  // namespace

std::optional<BoardNote> note_in(const BoardLog& log, uint64_t number) {
  const uint64_t begun = log.begun.load(std::memory_order_acquire);
  const auto is_kept = [&] { return log.kept_from.load(std::memory_order_relaxed) <= number; };
  if ((begun & ~kQuit) <= number || !is_kept()) return {};
  BoardNote note;
  copy_note(note, note_at({log.chunks[number / kChunkNotes % kLogChunks].load(std::memory_order_relaxed)}, number));
  std::atomic_thread_fence(std::memory_order_acquire);
  return is_kept() ? std::optional(note) : std::nullopt;
}

// The chunk is gone for who sees what is written into it, or into the frame's next use.
spmc::EPageIndex LogWriter::take_oldest(BoardLog& log) {
  std::atomic<uint32_t>& slot = log.chunks[oldest_ % kLogChunks];
  const spmc::EPageIndex frame{slot.load(std::memory_order_relaxed)};
  log.kept_from.store(++oldest_ * kChunkNotes, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  slot.store(0, std::memory_order_relaxed);
  return frame;
}

void LogWriter::start_chunk(BoardLog& log, uint64_t number, uint64_t asked) {
  const uint64_t chunk = number / kChunkNotes;
  const auto is_old = [&] { return oldest_ < std::min(chunk, asked / kChunkNotes); };
  const bool is_full = chunk - oldest_ == kLogChunks;
  const spmc::EPageIndex frame = is_old() || is_full ? take_oldest(log) : take_frame_();
  while (is_old()) spmc::FramePool::free(take_oldest(log));
  log.chunks[chunk % kLogChunks].store(frame.value, std::memory_order_relaxed);
  next_ = &note_at(frame, 0);
  left_ = kChunkNotes;
}

void asks_for_nothing(BoardLog& log) { log.under_way.store(kAsksForNothing, std::memory_order_release); }

void hide(BoardLog& log) {
  asks_for_nothing(log);
  log.kept_from.store(kLogHidden, std::memory_order_relaxed);
  log.begun.store(kLogHidden, std::memory_order_release);
}

void free_chunks(BoardLog& log) {
  for (std::atomic<uint32_t>& slot : log.chunks) {
    const spmc::EPageIndex frame{slot.exchange(0, std::memory_order_relaxed)};
    if (!frame.none()) spmc::FramePool::free(frame);
  }
}

}  // namespace chan
