// Bounds: for each rank the earliest time at which it can act next, from what the ranks have published.
//
//   A(q) = C + 1                                         if q runs
//        = infinity                                      if q is done
//        = 1 + max(C, the time its call returns)         if q waits
//
// The call returns when all, or the first, of its requests complete; a request completes when a message, an
// acknowledgement or an entry into a collective comes from some, or all, of other ranks, which is not before they can
// act. That is an AND-OR graph whose functions are monotone and never give less than their arguments, so Knuth's
// generalisation of Dijkstra's algorithm solves it, in O((n + e) log n). What it never reaches never happens: a rank
// with A = infinity that is not done is in a deadlock.
// D. E. Knuth, A Generalization of Dijkstra's Algorithm, 1977; LOGICAL-TIME section 2.
#pragma once

#include <span>
#include <vector>

#include <chan/match/types.hpp>

namespace chan::match {

struct Edge {
  int rank = 0;
  Time add = 0;
  // Contributes A(rank) + add.
};

// A request: completes not before
//   max(least, any ? min(candidate, least of the edges) : greatest of the edges) + add
struct Node {
  Time least = 0;
  Time candidate = kNever;
  Time add = 0;
  bool any = false;
  std::vector<Edge> edges;
  // any: the edges are those from all ranks but the ones that `edges` names, and add `add_for_all`. So wildcards of n
  // ranks do not need n * n edges.
  bool all_but = false;
  Time add_for_all = 0;

  static Node fixed(Time time) {
    Node node;
    node.least = time;
    return node;
  }
};

struct RankState {
  enum class Kind : uint8_t { kRun, kWait, kDone };
  Kind kind = Kind::kRun;
  bool any = false;  // waits for the first of its requests, not for all
  Time clock = 0;
  std::vector<Node> nodes;  // kWait
};

// Keeps its memory for the next solution.
class BoundsSolver {
 public:
  // A of each rank; kNever is infinity. Valid until the next call. `known`: what is known to be a lower bound for each;
  // may be empty. It must be used where there is any: a rank that has just moved seems to know less than before, and
  // whoever waits for the others' sake would not know that it is this one whose news he needs.
  const std::vector<Time>& solve(std::span<const RankState> ranks, std::span<const Time> known = {});

 private:
  // One vertex for each rank, then one for each request of a waiting rank. A vertex is settled at its value once: in
  // ascending order of values, so the first argument that reaches an OR is its least, the last that reaches an AND its
  // greatest.
  struct Vertex {
    bool settled = false;
    bool any = false;
    Time value = 0;  // so far: the greatest argument, and what bounds it from below
    Time add = 0;
    size_t missing = 0;    // AND: arguments that have not come
    Time queued = kNever;  // the least value with which it stands in the queue
  };
  struct Link {  // from a rank to a request that waits for it
    size_t to;
    Time add;
  };
  struct Entry {
    Time value;
    size_t at;
    bool operator>(const Entry& other) const { return value > other.value; }
  };

  void add_rank(size_t rank, const RankState& state, Time known);
  void add_node(size_t rank, const Node& node);
  void settle_all_but(size_t rank, Time value);
  void link_all(std::span<const RankState> ranks);
  void push(size_t at, Time argument);
  void reach(size_t at, Time argument);
  void settle(size_t at, Time value);

  size_t ranks_ = 0;
  std::vector<Vertex> vertices_;
  std::vector<size_t> owner_;       // of each request
  std::vector<size_t> first_link_;  // of each rank, and behind the last one's
  std::vector<Link> links_;         // by rank
  struct Open {
    size_t at;
    const Node* node;
  };
  std::vector<Open> all_but_;  // requests with all_but that nothing has reached yet
  std::vector<Entry> queue_;   // a heap
  std::vector<Time> bounds_;
};

std::vector<Time> solve_bounds(std::span<const RankState> ranks, std::span<const Time> known = {});
// When the request completes at the earliest, with A of each rank.
Time earliest(const Node& node, std::span<const Time> bounds);

}  // namespace chan::match
