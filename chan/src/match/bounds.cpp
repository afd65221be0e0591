#include <chan/match/bounds.hpp>

#include <algorithm>
#include <queue>

namespace chan::match {
namespace {

// One vertex for each rank, one for each request of a waiting rank. A vertex is settled at its value once: in ascending
// order of values, so the first argument that reaches an OR is its least, the last that reaches an AND its greatest.
struct Vertex {
  bool settled = false;
  bool any = false;
  Time value = 0;  // so far: the greatest argument, and what bounds it from below
  Time add = 0;
  size_t missing = 0;  // AND: arguments that have not come
};

struct Link {  // from a rank to a request that waits for it
  size_t to;
  Time add;
};

class Solver {
 public:
  Solver(std::span<const RankState> ranks, std::span<const Time> known) : ranks_(ranks), links_(ranks.size()) {
    vertices_.resize(ranks.size());
    for (size_t rank = 0; rank < ranks.size(); ++rank) add_rank(rank, known.empty() ? 0 : known[rank]);
  }

  std::vector<Time> run() {
    while (!queue_.empty()) {
      const auto [value, at] = queue_.top();
      queue_.pop();
      if (!vertices_[at].settled) settle(at, value);
    }
    std::vector<Time> bounds;
    for (size_t rank = 0; rank < ranks_.size(); ++rank) {
      bounds.push_back(vertices_[rank].settled ? vertices_[rank].value : kNever);
    }
    return bounds;
  }

 private:
  void add_rank(size_t rank, Time known) {
    const RankState& state = ranks_[rank];
    if (state.kind == RankState::Kind::kDone) return;
    vertices_[rank].value = std::max(state.clock, known == 0 ? 0 : known - 1);
    vertices_[rank].add = 1;
    if (state.kind == RankState::Kind::kRun) {
      push(rank, 0);
      return;
    }
    vertices_[rank].any = state.any;
    vertices_[rank].missing = state.nodes.size();
    if (state.nodes.empty() && !state.any) push(rank, 0);
    for (const Node& node : state.nodes) add_node(rank, node);
  }

  void add_node(size_t rank, const Node& node) {
    const size_t at = vertices_.size();
    owner_.push_back(rank);
    Vertex& vertex = vertices_.emplace_back();
    vertex.any = node.any;
    vertex.value = node.least;
    vertex.add = node.add;
    vertex.missing = node.edges.size();
    for (const Edge& edge : node.edges) links_[static_cast<size_t>(edge.rank)].push_back({at, edge.add});
    if (node.any && node.candidate != kNever) push(at, node.candidate);
    if (!node.any && node.edges.empty() && node.least != kNever) push(at, node.least);
  }

  // An argument has reached the vertex, or the last that it needs.
  void push(size_t at, Time argument) {
    const Time value = later(std::max(vertices_[at].value, argument), vertices_[at].add);
    if (value != kNever) queue_.push({value, at});
  }

  void reach(size_t at, Time argument) {
    Vertex& vertex = vertices_[at];
    if (vertex.settled) return;
    if (!vertex.any) {
      vertex.value = std::max(vertex.value, argument);
      if (--vertex.missing > 0) return;
    }
    push(at, argument);
  }

  void settle(size_t at, Time value) {
    vertices_[at].settled = true;
    vertices_[at].value = value;
    if (at >= ranks_.size()) {
      reach(owner_[at - ranks_.size()], value);
      return;
    }
    for (const Link& link : links_[at]) reach(link.to, later(value, link.add));
  }

  using Entry = std::pair<Time, size_t>;
  std::span<const RankState> ranks_;
  std::vector<Vertex> vertices_;          // ranks, then requests
  std::vector<size_t> owner_;             // of each request
  std::vector<std::vector<Link>> links_;  // of each rank
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue_;
};

}  // namespace

std::vector<Time> solve_bounds(std::span<const RankState> ranks, std::span<const Time> known) {
  return Solver(ranks, known).run();
}

Time earliest(const Node& node, std::span<const Time> bounds) {
  Time value = node.any ? node.candidate : 0;
  for (const Edge& edge : node.edges) {
    const Time reached = later(bounds[static_cast<size_t>(edge.rank)], edge.add);
    value = node.any ? std::min(value, reached) : std::max(value, reached);
  }
  return later(std::max(node.least, value), node.add);
}

}  // namespace chan::match
