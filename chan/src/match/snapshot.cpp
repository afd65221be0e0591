#include <chan/match/snapshot.hpp>

#include <algorithm>

namespace chan::match {

bool Shared::unexamined_but(const std::vector<Need::Source>& excluded, int to) {
  for (int from = 0; from < ranks(); ++from) {
    if (std::ranges::find(excluded, from, &Need::Source::rank) == excluded.end() && unexamined(from, to)) return true;
  }
  return false;
}

Node node_of_ack(Shared& shared, int rank, const Need& need) {
  const bool done = shared.done(need.peer);
  if (!shared.examined(rank, need.peer, need.position)) {
    return Node::fixed(done ? kNever : later(need.time, kAckLatency));
  }
  Node node = Node::fixed(need.time);
  node.candidate = shared.next_match(need.peer);
  node.any = true;
  node.edges.push_back({need.peer, 0});
  node.add = kAckLatency;
  return node;
}

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
  if (record.kind != RankState::Kind::kWait) return;
  // The needs first: what they have seen is then covered by the look at the version.
  size_t nodes = 0;
  for (const Need& need : record.needs) {
    if (need.kind == Need::Kind::kRepeat) continue;
    if (nodes == state.nodes.size()) state.nodes.emplace_back();
    add_node(rank, need, state.nodes[nodes++]);
  }
  state.nodes.resize(nodes);
  if (has_moved(rank)) state.kind = RankState::Kind::kRun;
}

bool Snapshot::has_moved(int rank) {
  const Reading& reading = readings_[static_cast<size_t>(rank)];
  return std::ranges::any_of(reading.record.needs, [&](const Need& need) { return has_come(rank, need); }) ||
         shared_.version(rank) != reading.version;
}

bool Snapshot::has_come(int rank, const Need& need) {
  switch (need.kind) {
    case Need::Kind::kReceive:
      if (need.all_but) return shared_.unexamined_but(need.sources, rank);
      return std::ranges::any_of(need.sources, [&](const auto& s) { return shared_.unexamined(s.rank, rank); });
    case Need::Kind::kMessages:
      return std::ranges::any_of(need.sources, [&](const auto& s) { return shared_.unexamined(s.rank, rank); });
    case Need::Kind::kAck: return shared_.acknowledged(rank, need.peer, need.position);
    case Need::Kind::kMarks: return std::ranges::any_of(need.sources, [&](const auto& s) { return shared_.marked(s); });
    case Need::Kind::kFixed:
    case Need::Kind::kRepeat: break;
  }
  return false;
}

// The request as the solver takes it.
void Snapshot::add_node(int rank, const Need& need, Node& node) {
  if (need.kind == Need::Kind::kAck) {
    node = node_of_ack(shared_, rank, need);
    return;
  }
  node.least = need.time;
  node.add = 0;
  node.any = need.kind == Need::Kind::kReceive;
  node.candidate = node.any ? need.candidate : kNever;
  node.all_but = need.all_but;
  node.add_for_all = lookahead_;
  node.edges.clear();
  for (const Need::Source& source : need.sources) node.edges.push_back({source.rank, lookahead_});
}

}  // namespace chan::match
