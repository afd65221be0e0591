// A mapper: maps every n-th piece, then hands its sorted pairs to the reducers.
//
// To each reducer it sends blocks of pairs, an empty message, and the list of the segments of its file. At step s
// mapper i serves reducer i - s, and reducer j listens to mapper j + s: all are busy at every step, and nobody waits in
// a circle.
#include <algorithm>
#include <exception>
#include <memory>
#include <string>

#include "runs.hpp"
#include "worker.hpp"

namespace dmr {

namespace {

// Of the mapper that this space is.
WorkerLine* g_line = nullptr;
std::vector<Skips::Range> g_skips;  // of the piece that it maps now

class OtherEndGone {};

void send(chan_id channel, const void* data, size_t bytes) {
  if (chan_send(channel, data, bytes) != 0) throw JobError(chan_last_error());
}

void take_skips(const Skips& skips, uint64_t piece) {
  g_skips.clear();
  for (const Skips::Range& range : skips.ranges) {
    if (range.piece == piece) g_skips.push_back(range);
  }
}

// What maps have held back is of no piece.
void finish(Maps& maps, Runs& runs) {
  runs.set_piece(0);
  maps.finish(runs);
}

void map_pieces(Plan& plan, uint32_t number, Maps& maps, Runs& runs) {
  const std::atomic<uint64_t>& failed = plan.board.header().first_failure;
  for (uint64_t n = number; n < plan.input.pieces(); n += plan.workers) {
    if (n > failed.load(std::memory_order_relaxed)) throw OtherEndGone();
    const Piece piece = plan.input.piece(n);
    take_skips(plan.skips, n);
    g_line->piece.store(n, std::memory_order_relaxed);
    runs.set_piece(n);
    g_line->begin_turn();
    if (working_on(piece.begin, piece.end)) maps.map(piece, runs);
    g_line->end_turn();
    if (maps.bytes_held() + runs.bytes_held() > plan.memory_each) {
      finish(maps, runs);
      runs.spill();
    }
    plan.input.release(piece);
    g_line->steps.fetch_add(1, std::memory_order_relaxed);
  }
  finish(maps, runs);
  g_line->piece.store(WorkerLine::kNothing, std::memory_order_relaxed);
}

void hand_out(const Plan& plan, uint32_t number, Runs& runs) {
  runs.sort();
  for (uint32_t step = 0; step < plan.workers; ++step) {
    const uint32_t reducer = (number + plan.workers - step) % plan.workers;
    const chan_id channel = plan.shuffled(number, reducer);
    runs.each_block(reducer, [&](std::string_view block) { send(channel, block.data(), block.size()); });
    send(channel, nullptr, 0);
    const auto& segments = runs.segments(reducer);
    send(channel, segments.data(), segments.size() * sizeof(Segment));
    chan_free(channel);
  }
}

}  // namespace

bool working_on(uint64_t begin, uint64_t end) {
  if (g_line == nullptr) return true;
  g_line->begin.store(begin, std::memory_order_relaxed);
  g_line->end.store(end, std::memory_order_relaxed);
  return std::none_of(g_skips.begin(), g_skips.end(),
                      [&](const Skips::Range& skip) { return skip.begin == begin && skip.end == end; });
}

int run_mapper(Plan& plan, uint32_t number) {
  g_line = &plan.board.mapper(number);
  try {
    Runs runs(plan.job, plan.workers, plan.memory_each, number, plan.spill_files[number].get());
    const std::unique_ptr<Maps> maps = plan.job.start_maps();
    map_pieces(plan, number, *maps, runs);
    g_line->pairs = runs.pairs();
    g_line->bytes_spilled = runs.bytes_spilled();
    hand_out(plan, number, runs);
    return 0;
  } catch (const OtherEndGone&) {
    return kStoppedExit;
  } catch (const std::exception& error) {
    g_line->set_message(error.what());
  } catch (...) {
    g_line->set_message("an exception that is no std::exception");
  }
  const uint64_t piece = g_line->piece.load();
  plan.board.fail_at(piece);
  return kFailedExit;
}

}  // namespace dmr
