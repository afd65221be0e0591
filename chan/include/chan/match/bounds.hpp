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

// A of each rank; kNever is infinity. `known`: what is known to be a lower bound for each; may be empty. It must be
// used where there is any: a rank that has just moved seems to know less than before, and whoever waits for the others'
// sake would not know that it is this one whose news he needs.
std::vector<Time> solve_bounds(std::span<const RankState> ranks, std::span<const Time> known = {});
// When the request completes at the earliest, with A of each rank.
Time earliest(const Node& node, std::span<const Time> bounds);

}  // namespace chan::match
