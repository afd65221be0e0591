// The same bytes whatever the scheduler does to the spaces of a ring of channels.
#include <catch2/catch.hpp>
#include <cstdio>

#include "disturb.hpp"
#include "job.hpp"

using namespace chan_job;

namespace {

constexpr int kWorkers = 3;
constexpr uint32_t kRounds = 120;
constexpr size_t kWindow = 16 << 10;

// A ring of workers passes growing messages on; each also multicasts what it saw, and the root folds all of
// it.
struct Ring {
  chan_id next[kWorkers], seen[kWorkers];

  int work(int me) {
    std::string message = me == 0 ? "start" : "";
    for (uint32_t round = 0; round < kRounds; ++round) {
      if (me != 0 || round != 0) message = receive(next[(me + kWorkers - 1) % kWorkers]);
      message += pattern(round * 13 % 400, round + static_cast<uint32_t>(me));
      if (message.size() > 30000) message.resize(100);
      send(seen[me], message);
      if (me != kWorkers - 1 || round != kRounds - 1) send(next[me], message);
    }
    return 0;
  }
};

void run_ring(bool disturbed) {
  Ring ring;
  Disturbance disturbance(kWorkers, disturbed);
  for (int i = 0; i < kWorkers; ++i) {
    ring.next[i] = make_channel(kWindow);
    ring.seen[i] = make_channel(kWindow);
  }
  std::vector<Child> workers(kWorkers);
  for (int i = 0; i < kWorkers; ++i) {
    workers[static_cast<size_t>(i)].body([&, i] {
      disturbance.enter(i);
      return ring.work(i);
    });
  }
  for (int i = 0; i < kWorkers; ++i) {
    const int me = workers[static_cast<size_t>(i)].number();
    EXPECT(chan_setprod(ring.next[i], me, 0) == 0);
    EXPECT(chan_setcons(ring.next[i], workers[static_cast<size_t>((i + 1) % kWorkers)].number()) == 0);
    EXPECT(chan_setprod(ring.seen[i], me, 1) == 0);
    disturbance.add(i, workers[static_cast<size_t>(i)]);
  }
  for (Child& worker : workers) worker.start();
  disturbance.start();
  size_t seen[kWorkers] = {};
  for (uint32_t round = 0; round < kRounds; ++round) {
    for (int i = 0; i < kWorkers; ++i) {
      const std::string message = receive(ring.seen[i]);
      seen[i] += message.size();
      std::printf("%u %d %zu %lx\n", round, i, message.size(), static_cast<unsigned long>(hash(message)));
    }
  }
  disturbance.stop();
  for (Child& worker : workers) worker.join_well();
  for (const size_t bytes : seen) EXPECT(bytes > most_waiting(kWindow));
}

}  // namespace

TEST_CASE("stopping, continuing and priorities change no byte") { expect_same_bytes(run_ring); }
