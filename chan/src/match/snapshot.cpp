#include <chan/match/snapshot.hpp>

#include <algorithm>

namespace chan::match {

const std::vector<RankState>& Snapshot::take() {
  const int ranks = shared_.ranks();
  readings_.resize(static_cast<size_t>(ranks));
  states_.resize(static_cast<size_t>(ranks));
  for (int rank = 0; rank < ranks; ++rank) {
    Reading& reading = readings_[static_cast<size_t>(rank)];
    shared_.read_record(rank, reading.record, &reading.version);
  }
  for (int rank = 0; rank < ranks; ++rank) look_again(rank, states_[static_cast<size_t>(rank)]);
  return states_;
}

void Snapshot::look_again(int rank, RankState& state) {
  const Record& record = readings_[static_cast<size_t>(rank)].record;
  state.kind = record.kind;
  state.any = record.any;
  state.clock = record.clock;
  state.nodes.clear();
  if (record.kind != RankState::Kind::kWait) return;
  // The needs first: what they have seen is then covered by the look at the version.
  for (const Need& need : record.needs) state.nodes.push_back(node(rank, need));
  if (!has_moved(rank)) return;
  state.kind = RankState::Kind::kRun;
  state.nodes.clear();
}

bool Snapshot::has_moved(int rank) {
  const Reading& reading = readings_[static_cast<size_t>(rank)];
  return std::ranges::any_of(reading.record.needs, [&](const Need& need) { return has_come(rank, need); }) ||
         shared_.version(rank) != reading.version;
}

bool Snapshot::has_come(int rank, const Need& need) {
  switch (need.kind) {
    case Need::Kind::kReceive:
      return std::ranges::any_of(need.sources, [&](const auto& s) { return shared_.unexamined(s.rank, rank); });
    case Need::Kind::kAck: return shared_.acknowledged(rank, need.peer, need.position);
    case Need::Kind::kMarks: return std::ranges::any_of(need.sources, [&](const auto& s) { return shared_.marked(s); });
    case Need::Kind::kFixed: break;
  }
  return false;
}

Node Snapshot::node(int rank, const Need& need) {
  Node node = Node::fixed(need.time);
  switch (need.kind) {
    case Need::Kind::kReceive:
      node.candidate = need.candidate;
      node.any = true;
      break;
    case Need::Kind::kAck: {
      // Matched when a receive that the destination has posted can take the message, or at a later post of it.
      if (!shared_.examined(rank, need.peer, need.position)) {
        const bool done = readings_[static_cast<size_t>(need.peer)].record.kind == RankState::Kind::kDone;
        return Node::fixed(done ? kNever : later(need.time, need.latency));
      }
      node.candidate = shared_.next_match(need.peer);
      node.any = true;
      node.edges.push_back({need.peer, 0});
      node.add = need.latency;
      return node;
    }
    case Need::Kind::kMarks:
    case Need::Kind::kFixed: break;
  }
  for (const Need::Source& source : need.sources) node.edges.push_back({source.rank, lookahead_});
  return node;
}

}  // namespace chan::match
