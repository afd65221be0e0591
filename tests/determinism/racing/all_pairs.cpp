// All pairs of ranks exchange windows of messages at the same time, small and large ones, and ask with
// MPI_Testall whether a window is complete, with a little work each time.
// Races: the order in which the windows are complete, and how often was asked before.
// Ends: all receives name their source and are posted before anything is asked; MPI_Testall must answer true
// in the end.
#include "racing.hpp"

using namespace racing;

namespace {

struct Step {
  size_t bytes;
  size_t window;  // messages each way
};
constexpr Step kSteps[] = {{8, 16}, {1000, 8}, {8, 4}, {30000, 2}, {1, 12}, {9000, 4}};

struct Peer {
  int rank;
  std::vector<std::vector<unsigned char>> in;
  std::vector<MPI_Request> requests;
};

uint64_t seed_of(int from, int to, size_t i) { return draw(static_cast<uint64_t>(from), static_cast<uint64_t>(to), i); }

void exchange(const Step& step, Account& account) {
  std::vector<Peer> peers;
  for (int k = 1; k < g_size; ++k) {
    peers.push_back({(g_rank + k) % g_size, {step.window, std::vector<unsigned char>(step.bytes)}, {}});
  }
  const auto bytes = static_cast<int>(step.bytes);
  for (Peer& peer : peers) {
    for (auto& in : peer.in) {
      MPI_Irecv(in.data(), bytes, MPI_BYTE, peer.rank, 0, MPI_COMM_WORLD, &peer.requests.emplace_back());
    }
  }
  std::deque<std::vector<unsigned char>> out;
  for (size_t i = 0; i < step.window; ++i) {
    for (Peer& peer : peers) {
      work(seed_of(g_rank, peer.rank, i), 2000);
      const auto& data = out.emplace_back(message(step.bytes, seed_of(g_rank, peer.rank, i)));
      MPI_Isend(data.data(), bytes, MPI_BYTE, peer.rank, 0, MPI_COMM_WORLD, &peer.requests.emplace_back());
    }
  }
  uint64_t asked = 0;
  while (!peers.empty()) {
    for (auto peer = peers.begin(); peer != peers.end();) {
      int complete = 0;
      MPI_Testall(static_cast<int>(peer->requests.size()), peer->requests.data(), &complete, MPI_STATUSES_IGNORE);
      work(++asked, 500);
      if (!complete) {
        ++peer;
        continue;
      }
      for (size_t i = 0; i < step.window; ++i) {
        EXPECT(holds(peer->in[i].data(), step.bytes, seed_of(peer->rank, g_rank, i)));
      }
      account.add(peer->rank, asked);
      peer = peers.erase(peer);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  Job job(argc, argv);
  Account account;
  Report report;
  for (uint64_t i = 0; i < g_length; ++i) {
    for (const Step& step : kSteps) {
      exchange(step, account);
      report.line("%zu bytes: %016lx", step.bytes, static_cast<unsigned long>(account.hash()));
    }
  }
  print(report, account);
}
