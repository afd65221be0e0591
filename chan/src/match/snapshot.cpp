#include <chan/match/snapshot.hpp>

#include <algorithm>

namespace chan::match {
namespace {

struct Reading {
  Record record;
  uint64_t version = 0;
};

class Snapshot {
 public:
  Snapshot(Shared& shared, Time lookahead) : shared_(shared), lookahead_(lookahead) {}

  std::vector<RankState> take() {
    for (int rank = 0; rank < shared_.ranks(); ++rank) {
      Reading& reading = readings_.emplace_back();
      reading.record = shared_.record(rank, &reading.version);
    }
    std::vector<RankState> states;
    for (int rank = 0; rank < shared_.ranks(); ++rank) states.push_back(look_again(rank));
    return states;
  }

 private:
  const Record& of(int rank) const { return readings_[static_cast<size_t>(rank)].record; }

  RankState look_again(int rank) {
    const Record& record = of(rank);
    RankState state{record.kind, record.any, record.clock, {}};
    if (record.kind != RankState::Kind::kWait) return state;
    // The needs first: what they have seen is then covered by the look at the version.
    for (const Need& need : record.needs) state.nodes.push_back(node(rank, need));
    if (has_moved(rank)) return {RankState::Kind::kRun, false, record.clock, {}};
    return state;
  }

  bool has_moved(int rank) {
    const Record& record = of(rank);
    for (int from = 0; from < shared_.ranks(); ++from) {
      if (shared_.sent(from, rank) != record.examined[static_cast<size_t>(from)]) return true;
    }
    return shared_.version(rank) != readings_[static_cast<size_t>(rank)].version;
  }

  Node node(int rank, const Need& need) {
    switch (need.kind) {
      case Need::Kind::kReceive: return receive(need);
      case Need::Kind::kAck: return acknowledgement(rank, need);
      case Need::Kind::kEntries: return entries(need);
      case Need::Kind::kFixed: break;
    }
    return Node::fixed(need.time);
  }

  Node receive(const Need& need) const {
    Node node;
    node.least = need.time;
    node.candidate = need.candidate;
    node.any = true;
    for (const Need::Source& source : need.sources) node.edges.push_back({source.rank, source.floor, lookahead_});
    return node;
  }

  // Matched when a receive that the destination has posted can take the message, or at a later post of it.
  Node acknowledgement(int rank, const Need& need) {
    if (const auto time = shared_.acknowledged(rank, need.peer, need.position)) return Node::fixed(*time);
    const Record& peer = of(need.peer);
    const bool examined = peer.examined[static_cast<size_t>(rank)] > need.position;
    if (!examined) {
      return Node::fixed(peer.kind == RankState::Kind::kDone ? kNever : later(need.time, need.latency));
    }
    Node node;
    node.least = need.time;
    node.candidate = peer.next_match;
    node.any = true;
    node.edges.push_back({need.peer, 0, 0});
    node.add = need.latency;
    return node;
  }

  Node entries(const Need& need) {
    Node node;
    node.least = need.time;
    for (const int member : need.members) {
      if (const auto time = shared_.entered(need.context, need.sequence, member)) {
        node.least = std::max(node.least, later(*time, lookahead_));
      } else {
        node.edges.push_back({member, 0, lookahead_});
      }
    }
    return node;
  }

  Shared& shared_;
  Time lookahead_;
  std::vector<Reading> readings_;
};

}  // namespace

std::vector<RankState> take_snapshot(Shared& shared, Time lookahead) { return Snapshot(shared, lookahead).take(); }

}  // namespace chan::match
