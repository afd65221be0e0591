#include "job_view.hpp"

#include <algorithm>
#include <atomic>

namespace detmpi {
namespace {

using chan::match::Need;
using Kind = chan::match::RankState::Kind;

constexpr auto relaxed = std::memory_order_relaxed;
constexpr auto acquire = std::memory_order_acquire;

// Reads what may be torn: every count is checked, and ranks too. The version tells afterwards whether it was.
class Decoder {
 public:
  explicit Decoder(const std::vector<uint64_t>& words) : words_(words) {}

  bool decode(std::vector<Need>& needs) {
    size_t n = 0;
    while (at_ < words_.size()) {
      if (n == needs.size()) needs.emplace_back();
      if (!decode_one(needs[n++])) return false;
    }
    needs.resize(n);
    return true;
  }

 private:
  uint64_t next() { return at_ < words_.size() ? words_[at_++] : (whole_ = false, 0); }
  int next_rank() {
    const uint64_t rank = next();
    if (rank >= g_job->ranks) whole_ = false;
    return whole_ ? static_cast<int>(rank) : 0;
  }
  bool decode_one(Need& need) {
    const uint64_t head = next();
    need.kind = static_cast<Need::Kind>(head & (kAllBut - 1));
    need.all_but = (head & kAllBut) != 0;
    need.time = next();
    need.sources.clear();
    if (need.kind == Need::Kind::kRepeat) {
      need.repeats = next();
      return whole_;
    }
    if (need.kind == Need::Kind::kAck) {
      need.peer = next_rank();
      need.position = next();
      return whole_;
    }
    need.candidate = next();
    for (uint64_t left = head >> 8; left > 0 && whole_; --left) {
      Need::Source& source = need.sources.emplace_back();
      source.rank = next_rank();
      if (need.kind != Need::Kind::kMarks) continue;
      source.place = next();
      source.value = next();
    }
    return whole_;
  }

  const std::vector<uint64_t>& words_;
  size_t at_ = 0;
  bool whole_ = true;
};

}  // namespace

void JobView::read_record(int rank, chan::match::Record& record, uint64_t* version) {
  const space::ClockLine& line = clock_line(rank);
  const uint32_t before = line.version.load(acquire);
  *version = before;
  record.clock = line.clock.load(acquire);
  const auto kind = static_cast<space::ClockKind>(line.kind.load(acquire));
  record.kind = kind == space::ClockKind::kDone ? Kind::kDone : Kind::kRun;
  record.any = kind == space::ClockKind::kWaitAny;
  if (kind != space::ClockKind::kWaitAll && kind != space::ClockKind::kWaitAny) return;
  const uint32_t frame = line.record_frame.load(relaxed);
  const uint32_t count = line.record_words.load(relaxed);
  std::atomic_thread_fence(acquire);
  if ((before & 1) != 0 || line.version.load(relaxed) != before || count > kMostRecordWords) return;  // it moves
  words_.resize(count);
  uint64_t* room = record_words(rank, frame);
  for (size_t i = 0; i < count; ++i) words_[i] = std::atomic_ref(room[i]).load(relaxed);
  std::atomic_thread_fence(acquire);
  if (line.version.load(relaxed) != before) return;
  if (Decoder(words_).decode(record.needs)) record.kind = Kind::kWait;
}

uint64_t JobView::version(int rank) {
  std::atomic_thread_fence(acquire);
  return clock_line(rank).version.load(acquire);
}

bool JobView::unexamined(int from, int to) {
  return from != to && chan::LaneIn::unread(lane_line(to, from), sent_word(from, to));
}

// Only those who have opened a lane can have sent anything. A stale bit does no harm: it is set before the first record
// is published, so it is seen by whoever has seen that sender's clock or record after its send.
bool JobView::unexamined_but(const std::vector<Need::Source>& excluded, int to) {
  for (size_t word = 0; word < g_job->inbox_words; ++word) {
    for (uint64_t bits = inbox_word(to, word).load(acquire); bits != 0; bits &= bits - 1) {
      const int from = static_cast<int>(word * 64) + __builtin_ctzll(bits);
      if (std::ranges::find(excluded, from, &Need::Source::rank) == excluded.end() && unexamined(from, to)) return true;
    }
  }
  return false;
}

bool JobView::examined(int from, int to, uint64_t position) {
  return from == to || lane_line(to, from).consumed.load(acquire) > position;
}

chan::match::Time JobView::next_match(int rank) { return clock_line(rank).next_match.load(acquire); }

bool JobView::marked(const Need::Source& source) {
  const auto* word =
      reinterpret_cast<const std::atomic<uint64_t>*>(spmc::segment::frame(spmc::EPageIndex{0}) + source.place);
  return word->load(acquire) >= source.value;
}

}  // namespace detmpi
