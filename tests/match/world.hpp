// What the ranks of the model share: lanes, acknowledgements, entries into collectives, published records. Every look
// at it gives the others a turn.
#pragma once

#include <chan/match/matcher.hpp>
#include <chan/match/snapshot.hpp>
#include <deque>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "program.hpp"
#include "scheduler.hpp"

namespace match_test {

namespace match = chan::match;

struct Sent {
  match::Message message;
  uint64_t position = 0;  // among all from its sender to its receiver
  bool synchronous = false;
  bool acknowledged = false;
};

struct World final : match::Shared {
  World(const Program& p, uint64_t schedule) : program(p), scheduler(schedule) {
    records.resize(static_cast<size_t>(p.ranks));
    versions.resize(static_cast<size_t>(p.ranks));
    next_matches.resize(static_cast<size_t>(p.ranks), match::kNever);
    told.resize(static_cast<size_t>(p.ranks), 0);
  }
  int ranks() const override { return program.ranks; }
  void read_record(int rank, match::Record& record, uint64_t* version) override {
    scheduler.yield();
    *version = versions[static_cast<size_t>(rank)];
    record = records[static_cast<size_t>(rank)];
  }
  uint64_t version(int rank) override {
    scheduler.yield();
    return versions[static_cast<size_t>(rank)];
  }
  bool done(int rank) override {
    scheduler.yield();
    return records[static_cast<size_t>(rank)].kind == match::RankState::Kind::kDone;
  }
  bool unexamined(int from, int to) override {
    scheduler.yield();
    return lanes[{from, to}].size() != taken_in[{from, to}];
  }
  bool examined(int from, int to, uint64_t position) override {
    scheduler.yield();
    return taken_in[{from, to}] > position;
  }
  Time next_match(int rank) override {
    scheduler.yield();
    return next_matches[static_cast<size_t>(rank)];
  }
  bool acknowledged(int from, int to, uint64_t position) override {
    return acknowledgement(from, to, position).has_value();
  }
  bool marked(const match::Need::Source& source) override {
    return entered(static_cast<uint32_t>(source.place), source.value, source.rank).has_value();
  }
  Time told_of(size_t rank) {
    scheduler.yield();
    return told[rank];
  }
  void tell(size_t rank, Time bound) {
    if (told[rank] >= bound) return;
    scheduler.yield();
    told[rank] = std::max(told[rank], bound);
  }
  std::optional<Time> acknowledgement(int from, int to, uint64_t position) {
    scheduler.yield();
    const auto at = acks.find({from, to, position});
    return at == acks.end() ? std::nullopt : std::optional(at->second);
  }
  std::optional<Time> entered(uint32_t context, uint64_t sequence, int rank) {
    scheduler.yield();
    const auto at = entries.find({context, sequence, rank});
    return at == entries.end() ? std::nullopt : std::optional(at->second);
  }
  // A record that says nothing new is left alone, so that readers do not think its rank has moved.
  void publish(int rank, match::Record record) {
    if (records[static_cast<size_t>(rank)] == record) return;
    scheduler.yield();
    records[static_cast<size_t>(rank)] = std::move(record);
    versions[static_cast<size_t>(rank)] += 1;
  }

  const Program& program;
  Scheduler scheduler;
  std::vector<match::Record> records;
  std::vector<uint64_t> versions;
  std::vector<Time> next_matches;
  std::vector<Time> told;  // no earlier than this a rank acts, as others have found out
  std::map<std::pair<int, int>, std::deque<Sent>> lanes;
  std::map<std::pair<int, int>, uint64_t> taken_in;  // of each lane
  std::map<std::tuple<int, int, uint64_t>, Time> acks;
  std::map<std::tuple<uint32_t, uint64_t, int>, Time> entries;
};

}  // namespace match_test
