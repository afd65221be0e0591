// What one solution of the bounds costs (chan/match/bounds.hpp), by the number of ranks, without any of them running:
//
//   halo       every rank waits for all of four receives that name their sources; one rank runs
//   servers    an eighth of the ranks run, the others wait for a message from any of eight
//   wildcards  half of the ranks run, the others wait for a message from anybody
//
// JSON lines, medians.
#include <chan/match/bounds.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>

namespace {

using namespace chan::match;

constexpr int kSamples = 9;

RankState running(Time clock) { return {RankState::Kind::kRun, false, clock, {}}; }

Node receive(Time post, const std::vector<int>& sources) {
  Node node;
  node.least = post;
  node.any = true;
  for (const int source : sources) node.edges.push_back({source, 64});
  return node;
}

std::vector<RankState> halo(int ranks, std::minstd_rand& random) {
  std::vector<RankState> states = {running(100)};
  for (int r = 1; r < ranks; ++r) {
    RankState state{RankState::Kind::kWait, false, random() % 1000, {}};
    for (const int distance : {1, 2, 3, 4}) state.nodes.push_back(receive(state.clock, {std::max(0, r - distance)}));
    states.push_back(state);
  }
  return states;
}

std::vector<RankState> wildcards(int ranks, int sources, int running_part, std::minstd_rand& random) {
  std::vector<RankState> states;
  for (int r = 0; r < ranks; ++r) {
    if (r % running_part == 0) {
      states.push_back(running(random() % 1000));
      continue;
    }
    std::vector<int> from;
    for (int i = 0; i < sources; ++i)
      from.push_back(sources == ranks ? i : static_cast<int>(random() % static_cast<unsigned>(ranks)));
    states.push_back({RankState::Kind::kWait, false, random() % 1000, {receive(0, from)}});
  }
  return states;
}

void measure(const char* name, int ranks, const std::vector<RankState>& states) {
  size_t edges = 0;
  for (const RankState& state : states) {
    for (const Node& node : state.nodes) edges += node.edges.size();
  }
  const int rounds = std::max(1, static_cast<int>(200'000 / (edges + static_cast<size_t>(ranks))));
  std::vector<double> samples;
  for (int s = 0; s < kSamples; ++s) {
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < rounds; ++i) {
      if (solve_bounds(states).size() != states.size()) std::abort();
    }
    const std::chrono::duration<double, std::micro> t = std::chrono::steady_clock::now() - begin;
    samples.push_back(t.count() / rounds);
  }
  std::sort(samples.begin(), samples.end());
  std::printf("{\"bench\":\"bounds\",\"case\":\"%s\",\"ranks\":%d,\"edges\":%zu,\"us\":%.1f}\n", name, ranks, edges,
              samples[samples.size() / 2]);
}

}  // namespace

int main() {
  for (const int ranks : {16, 64, 256, 1024}) {
    std::minstd_rand random(7);
    measure("halo", ranks, halo(ranks, random));
    measure("servers", ranks, wildcards(ranks, 8, 8, random));
    measure("wildcards", ranks, wildcards(ranks, ranks, 2, random));
  }
  return 0;
}
