#include <chan/match/bounds.hpp>

#include <algorithm>

namespace chan::match {
namespace {

bool is_excluded(const Node& node, size_t rank) {
  return std::ranges::any_of(node.edges, [&](const Edge& edge) { return static_cast<size_t>(edge.rank) == rank; });
}

}  // namespace

const std::vector<Time>& BoundsSolver::solve(std::span<const RankState> ranks, std::span<const Time> known) {
  ranks_ = ranks.size();
  vertices_.assign(ranks_, {});
  owner_.clear();
  all_but_.clear();
  queue_.clear();
  for (size_t rank = 0; rank < ranks_; ++rank) add_rank(rank, ranks[rank], known.empty() ? 0 : known[rank]);
  link_all(ranks);
  while (!queue_.empty()) {
    std::pop_heap(queue_.begin(), queue_.end(), std::greater<>());
    const auto [value, at] = queue_.back();
    queue_.pop_back();
    if (!vertices_[at].settled) settle(at, value);
  }
  bounds_.resize(ranks_);
  for (size_t rank = 0; rank < ranks_; ++rank) {
    bounds_[rank] = vertices_[rank].settled ? vertices_[rank].value : kNever;
  }
  return bounds_;
}

void BoundsSolver::add_rank(size_t rank, const RankState& state, Time known) {
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

void BoundsSolver::add_node(size_t rank, const Node& node) {
  const size_t at = vertices_.size();
  owner_.push_back(rank);
  Vertex& vertex = vertices_.emplace_back();
  vertex.any = node.any;
  vertex.value = node.least;
  vertex.add = node.add;
  vertex.missing = node.edges.size();
  if (node.all_but) all_but_.push_back({at, &node});
  if (node.any && node.candidate != kNever) push(at, node.candidate);
  if (!node.any && node.edges.empty() && node.least != kNever) push(at, node.least);
}

// The edges, by the rank that they come from: counted first, so that each rank's stand next to each other.
void BoundsSolver::link_all(std::span<const RankState> ranks) {
  const auto each_edge = [&](auto&& visit) {
    size_t at = ranks_;
    for (const RankState& state : ranks) {
      if (state.kind != RankState::Kind::kWait) continue;
      for (const Node& node : state.nodes) {
        if (!node.all_but) {
          for (const Edge& edge : node.edges) visit(at, edge);
        }
        ++at;
      }
    }
  };
  first_link_.assign(ranks_ + 2, 0);
  each_edge([&](size_t, const Edge& edge) { first_link_[static_cast<size_t>(edge.rank) + 2] += 1; });
  for (size_t rank = 2; rank < first_link_.size(); ++rank) first_link_[rank] += first_link_[rank - 1];
  links_.resize(first_link_.back());
  // What was counted for a rank stands behind the next one; filling moves each to its place.
  each_edge([&](size_t at, const Edge& edge) {
    links_[first_link_[static_cast<size_t>(edge.rank) + 1]++] = {at, edge.add};
  });
}

// An argument has reached the vertex, or the last that it needs.
void BoundsSolver::push(size_t at, Time argument) {
  Vertex& vertex = vertices_[at];
  const Time value = later(std::max(vertex.value, argument), vertex.add);
  if (value >= vertex.queued) return;
  vertex.queued = value;
  queue_.push_back({value, at});
  std::push_heap(queue_.begin(), queue_.end(), std::greater<>());
}

void BoundsSolver::reach(size_t at, Time argument) {
  Vertex& vertex = vertices_[at];
  if (vertex.settled) return;
  if (!vertex.any) {
    vertex.value = std::max(vertex.value, argument);
    if (--vertex.missing > 0) return;
  }
  push(at, argument);
}

void BoundsSolver::settle(size_t at, Time value) {
  vertices_[at].settled = true;
  vertices_[at].value = value;
  if (at >= ranks_) {
    reach(owner_[at - ranks_], value);
    return;
  }
  for (size_t i = first_link_[at]; i < first_link_[at + 1]; ++i) reach(links_[i].to, later(value, links_[i].add));
  settle_all_but(at, value);
}

// Ranks are settled in ascending order: the first one that counts is the least.
void BoundsSolver::settle_all_but(size_t rank, Time value) {
  for (size_t i = 0; i < all_but_.size();) {
    const auto [at, node] = all_but_[i];
    if (is_excluded(*node, rank)) {
      ++i;
      continue;
    }
    all_but_[i] = all_but_.back();
    all_but_.pop_back();
    reach(at, later(value, node->add_for_all));
  }
}

std::vector<Time> solve_bounds(std::span<const RankState> ranks, std::span<const Time> known) {
  return BoundsSolver().solve(ranks, known);
}

Time earliest(const Node& node, std::span<const Time> bounds) {
  Time value = node.any ? node.candidate : 0;
  for (size_t rank = 0; node.all_but && rank < bounds.size(); ++rank) {
    if (!is_excluded(node, rank)) value = std::min(value, later(bounds[rank], node.add_for_all));
  }
  for (const Edge& edge : node.edges) {
    if (node.all_but) break;
    const Time reached = later(bounds[static_cast<size_t>(edge.rank)], edge.add);
    value = node.any ? std::min(value, reached) : std::max(value, reached);
  }
  return later(std::max(node.least, value), node.add);
}

}  // namespace chan::match
