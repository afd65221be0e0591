// A mapper: maps pieces as long as there are any, then hands its pairs to the reducers.
//
// To each reducer it sends its share: a ShareHead, blocks of pairs, and an empty message; and if they are sorted, the
// list of the segments of its file. At step s mapper i serves reducer i - s, and reducer j listens to mapper j + s, if
// there is one: with equally many of both, all are busy at every step; and nobody waits in a circle, since a pair of
// the least step that is not done has nothing else to do.
#include <algorithm>
#include <exception>
#include <memory>
#include <string>

#include "runs.hpp"
#include "sender.hpp"
#include "worker.hpp"

namespace dmr {

namespace {

std::vector<Skips::Range> g_skips;  // of the piece that it maps now

// Another mapper has failed, with an earlier piece.
class Stopped {};

void send_head(chan_id channel, bool is_sorted, uint64_t pairs) {
  const ShareHead head{is_sorted, pairs};
  send(channel, {reinterpret_cast<const char*>(&head), sizeof head});
}

void tell_counts(uint64_t pairs, uint64_t bytes_spilled) {
  g_line->pairs = pairs;
  g_line->bytes_spilled = bytes_spilled;
}

void take_skips(const Skips& skips, uint64_t piece) {
  g_skips.clear();
  for (const Skips::Range& range : skips.ranges) {
    if (range.piece == piece) g_skips.push_back(range);
  }
}

// What maps have held back is of no piece.
void spill(Maps& maps, Runs& runs) {
  runs.set_piece(0);
  maps.finish(runs);
  runs.spill();
}

void map_pieces(Plan& plan, Maps& maps, Runs& runs) {
  const std::atomic<uint64_t>& failed = plan.board.header().first_failure;
  for (uint64_t n; (n = plan.board.take_piece()) < plan.input.pieces();) {
    if (n > failed.load(std::memory_order_relaxed)) throw Stopped();
    g_line->piece.store(n, std::memory_order_relaxed);
    const Piece piece = plan.input.piece(n);
    g_line->file.store(piece.file, std::memory_order_relaxed);
    take_skips(plan.skips, n);
    runs.set_piece(n);
    as_turn(*g_line, [&] {
      if (working_on(piece.begin, piece.end)) maps.map(piece, runs);
    });
    if (maps.bytes_held() + runs.bytes_held() > plan.memory_of_mapper()) spill(maps, runs);
    plan.input.release(piece);
    g_line->steps.fetch_add(1, std::memory_order_relaxed);
  }
  g_line->piece.store(WorkerLine::kNothing, std::memory_order_relaxed);
  plan.board.close_crew();
}

// Sends each reducer its share, by share(reducer, channel).
template <typename Share>
void hand_out(const Plan& plan, uint32_t number, Share&& share) {
  const uint32_t steps = plan.steps();
  for (uint32_t step = 0; step < steps; ++step) {
    const uint32_t reducer = (number + steps - step) % steps;
    if (reducer >= plan.reducers) continue;
    const chan_id channel = plan.shuffled(number, reducer);
    share(reducer, channel);
    chan_free(channel);
  }
}

void hand_out_sorted(const Plan& plan, uint32_t number, std::unique_ptr<Maps> maps, Runs& runs) {
  runs.set_piece(0);
  maps->finish(runs);
  maps.reset();
  tell_counts(runs.pairs(), runs.bytes_spilled());
  runs.sort();
  hand_out(plan, number, [&](uint32_t reducer, chan_id channel) {
    send_head(channel, true, runs.sorted(reducer).pairs());
    runs.sorted(reducer).each_block([&](std::string_view block) { send(channel, block); });
    send(channel, {});
    const auto& segments = runs.segments(reducer);
    send(channel, {reinterpret_cast<const char*>(segments.data()), segments.size() * sizeof(Segment)});
  });
}

class ToSender : public Pairs {
 public:
  explicit ToSender(Sender& sender) : sender_(sender) {}
  void add(std::string_view key, std::string_view value) override {
    const PairView pair{key, value, 0};
    check_size(pair);
    sender_.add(pair);
  }

 private:
  Sender& sender_;
};

// What is still in the maps' own table, without a detour.
void hand_out_held(const Plan& plan, uint32_t number, Maps& maps) {
  tell_counts(maps.keys_held(), 0);
  hand_out(plan, number, [&](uint32_t reducer, chan_id channel) {
    send_head(channel, false, maps.keys_held() / plan.reducers);
    Sender sender(channel);
    ToSender to(sender);
    maps.give_part(reducer, plan.reducers, to);
    sender.finish();
  });
}

void map_and_hand_out(Plan& plan, uint32_t number) {
  Runs runs(plan, number);
  std::unique_ptr<Maps> maps = plan.job.start_maps();
  map_pieces(plan, *maps, runs);
  // All is still in the maps' own table, and a reducer can put it in one like it.
  const bool held = runs.pairs() == 0 && plan.job.start_table() != nullptr;
  if (held) hand_out_held(plan, number, *maps);
  else hand_out_sorted(plan, number, std::move(maps), runs);
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
    if (plan.board.await_place(number)) map_and_hand_out(plan, number);
    g_line->outcome = Outcome::kDone;
    return 0;
  } catch (const Stopped&) {
    g_line->outcome = Outcome::kStopped;
    return 0;
  } catch (...) {
    g_line->note_failure();
  }
  plan.board.fail_at(g_line->piece);
  return kFailedExit;
}

}  // namespace dmr
