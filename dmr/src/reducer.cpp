// A reducer: takes in what every mapper has for it, merges it, reduces key by key, and sends the results to the root.
#include <algorithm>
#include <exception>
#include <string>
#include <vector>

#include <dmr/key_hash.hpp>

#include "intake.hpp"
#include "sender.hpp"

namespace dmr {

namespace {

// The values at the top of the merger that belong to one key.
class Group : public ByteValues {
 public:
  explicit Group(Merger& merger) : merger_(merger), key_(merger.top().key), prefix_(merger.top_prefix()) {}
  std::string_view key() const { return key_; }
  bool next(std::string_view& value) override {
    // Only now: the value that was given lies in the reader.
    if (given_) outside_turn_if_it_fails([this] { merger_.pop(); });
    given_ = !ended_ && !merger_.done() && merger_.top_has(prefix_, key_);
    ended_ = !given_;
    if (given_) value = merger_.top().value;
    return given_;
  }

 private:
  Merger& merger_;
  std::string key_;
  uint64_t prefix_;
  bool given_ = false, ended_ = false;
};

// Results on their way to the root: pairs of key and result.
class Outgoing : public ByteResults {
 public:
  explicit Outgoing(chan_id channel) : channel_(channel), sender_(channel) {}
  void set_key(std::string_view key) { key_ = key; }
  void add(std::string_view result) override {
    const PairView pair{key_, result, 0};
    if (!sender_.has_room(pair)) outside_turn([this] { sender_.flush(); });  // it may have to wait for the root
    sender_.add(pair);
  }
  void finish() {
    sender_.finish();
    chan_free(channel_);
  }

 private:
  chan_id channel_;
  Sender sender_;
  std::string_view key_;
};

void reduce_all(Plan& plan, uint32_t number, Merger& merger) {
  WorkerLine& line = plan.board.reducer(number);
  Outgoing results(plan.results[number]);
  while (!merger.done()) {
    Group group(merger);
    const uint64_t hash = detail::hash_of_key(group.key());
    plan.board.set_key(number, group.key(), hash);
    results.set_key(group.key());
    as_turn(line, [&] {
      if (std::ranges::count(plan.skips.keys, hash) == 0) plan.job.reduce(group.key(), group, results);
    });
    for (std::string_view left; group.next(left);) {
    }
    line.steps.fetch_add(1, std::memory_order_relaxed);
  }
  results.finish();
}

void take_in_and_reduce(Plan& plan, uint32_t number) {
  Merger merger(plan.job.less());
  take_in(plan, number, merger);
  merger.start();
  reduce_all(plan, number, merger);
}

}  // namespace

int run_reducer(Plan& plan, uint32_t number) {
  WorkerLine& line = plan.board.reducer(number);
  g_line = &line;
  try {
    take_in_and_reduce(plan, number);
    line.outcome = Outcome::kDone;
    return 0;
  } catch (const MapperGone&) {
    line.outcome = Outcome::kStopped;
    return 0;
  } catch (...) {
    line.note_failure();
  }
  return kFailedExit;
}

}  // namespace dmr
