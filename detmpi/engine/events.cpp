#include "events.hpp"

#include <base/mapping.hpp>
#include <base/sys.hpp>

#include <bit>
#include <cstring>
#include <utility>

#include "../object/call.hpp"
#include "../object/fold_digest.hpp"
#include "engine.hpp"

namespace detmpi {
namespace {

// Where ranks map the log: in nobody's way, so that the program's own mappings are where they are without it.
void* const kLogAddress = reinterpret_cast<void*>(0x1800'0000'0000);

spmc::base::Mapping g_mapping;

class Writer {
 public:
  void begin(EventLog log, int rank) {
    rank_ = &log.rank(rank);
    next_ = log.records(rank);
    end_ = next_ + log.head().room;
  }

  void write(const EventRecord& record) {
    const bool in_call = call_is_last_ && is_act(record.kind) && record.kind != EventKind::kCall;
    if (!in_call) open_next();
    *last_ = record;
    call_is_last_ = record.kind == EventKind::kCall;
  }

  RankEvents* rank() const { return rank_; }

 private:
  void open_next() {
    if (last_ != nullptr) fold(*last_);
    last_ = next_ < end_ ? next_++ : &beyond_;
    rank_->count.store(rank_->count.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }

  void fold(const EventRecord& r) {
    uint64_t digest = rank_->digest.load(std::memory_order_relaxed);
    const uint64_t words[] = {uint64_t{r.call} << 32 | r.context,
                              static_cast<uint64_t>(r.kind) << 32 | static_cast<uint32_t>(r.peer),
                              static_cast<uint32_t>(r.tag),
                              r.bytes,
                              r.content,
                              g_job->first_come != 0 ? 0 : r.time};
    for (const uint64_t word : words) digest = fold_digest(digest, word);
    rank_->digest.store(digest, std::memory_order_relaxed);
  }

  RankEvents* rank_ = nullptr;
  EventRecord* next_ = nullptr;
  EventRecord* end_ = nullptr;
  EventRecord* last_ = nullptr;  // written, and not folded yet: an act may replace the call that it is in
  EventRecord beyond_;           // stands for all that find no room
  bool call_is_last_ = false;
};

Writer g_writer;

void log_event(const Event& e) {
  EventRecord record;
  record.time = e.time;
  record.bytes = e.bytes;
  record.content = ContentsHidden::any() ? 0 : e.content;
  record.peer = e.peer;
  record.tag = e.tag;
  record.context = e.context;
  record.call = static_cast<uint16_t>(g_call.id);
  record.kind = e.kind;
  g_writer.write(record);
}

}  // namespace

void fold_answer(const Event& e) {
  uint64_t& digest = rank_record(g_engine.rank()).digest;
  const uint64_t what =
      uint64_t{e.context} << 32 | static_cast<uint64_t>(e.kind) << 16 | static_cast<uint16_t>(g_call.id);
  const uint64_t words[] = {what, static_cast<uint64_t>(e.peer), static_cast<uint64_t>(e.tag), e.bytes,
                            g_job->first_come != 0 ? 0 : e.time};
  for (const uint64_t word : words) digest = fold_digest(digest, word);
  if (g_log_events) log_event(e);
}

void log_act(const Event& event) {
  Event now = event;
  now.time = g_clock;
  log_event(now);
}

void log_call() { log_act({.kind = EventKind::kCall}); }

uint64_t hash_bytes(const void* data, size_t bytes, uint64_t seed) {
  constexpr uint64_t kOdd = 0x9fb21c651e98df25u;
  const auto* at = static_cast<const char*>(data);
  uint64_t hash = seed + bytes * kOdd;
  size_t left = bytes;
  for (; left >= sizeof(uint64_t); left -= sizeof(uint64_t), at += sizeof(uint64_t)) {
    uint64_t word;
    std::memcpy(&word, at, sizeof word);
    hash = std::rotl(hash ^ word, 29) * kOdd;
  }
  uint64_t rest = 0;
  if (left > 0) std::memcpy(&rest, at, left);
  return fold_digest(hash, rest);
}

spmc::base::Status map_event_log(spmc::base::UniqueFd file) {
  const size_t size = DL_TRY(spmc::base::file_size(file.get()));
  g_mapping = DL_TRY(spmc::base::Mapping::try_shared_at(kLogAddress, size, file.get()));
  return {};
}

void event_log_begin(int rank) {
  if (g_mapping.base() == nullptr) return;
  g_writer.begin(EventLog(g_mapping.base()), rank);
  g_engine.look_at_sends();
  g_note_events = g_log_events = g_watch_calls = true;
  g_writer.rank()->pid.store(spmc::base::process_id(), std::memory_order_relaxed);
}

void event_log_end(LogEnd how) {
  if (g_log_events) g_writer.rank()->end.store(static_cast<uint32_t>(how), std::memory_order_relaxed);
}

}  // namespace detmpi
