// The same bytes whatever the scheduler does: spaces are stopped and continued at odd moments and run at
// other priorities, and the job's output does not change.
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <csignal>
#include <cstdio>

#include <space/space.h>
#include <base/sys.hpp>

#include "job.hpp"

using namespace chan_job;

namespace {

constexpr int kWorkers = 3;
constexpr uint32_t kRounds = 60;

// A ring of workers passes growing messages on; each also multicasts what it saw, and the root folds all of
// it.
struct Ring {
  chan_id next[kWorkers], seen[kWorkers], pids = make_channel();

  int work(int me, int priority) {
    EXPECT(nice(priority) != -1 || errno == 0 || errno == EPERM);
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

// Stops and continues the workers in turn until told that it is enough.
int disturb(chan_id pids, unsigned seed) {
  int32_t workers[kWorkers];
  EXPECT(chan_recv(pids, workers, sizeof(workers)) == sizeof(workers));
  while (chan_test(pids) == 0) {
    const int victim = workers[rand_r(&seed) % kWorkers];
    if (!spmc::base::send_signal(victim, SIGSTOP)) break;
    spmc::base::sleep_ns(static_cast<uint64_t>(rand_r(&seed) % 1500) * 1000);
    if (!spmc::base::send_signal(victim, SIGCONT)) break;
    spmc::base::sleep_ns(static_cast<uint64_t>(rand_r(&seed) % 1000) * 1000);
  }
  return 0;
}

void run_ring(bool disturbed, unsigned seed) {
  Ring ring;
  for (int i = 0; i < kWorkers; ++i) {
    ring.next[i] = make_channel(32768);
    ring.seen[i] = make_channel(32768);
  }
  chan_id hello[kWorkers];
  std::vector<Child> workers(kWorkers);
  for (int i = 0; i < kWorkers; ++i) {
    hello[i] = make_channel(8192);
    const chan_id mine = hello[i];
    workers[static_cast<size_t>(i)].body([=]() mutable {
      const int32_t pid = spmc::base::process_id();
      EXPECT(chan_send(mine, &pid, sizeof(pid)) == 0);
      return ring.work(i, disturbed ? i * 7 : 0);
    });
  }
  for (int i = 0; i < kWorkers; ++i) {
    const int me = workers[static_cast<size_t>(i)].number();
    EXPECT(chan_setprod(ring.next[i], me, 0) == 0);
    EXPECT(chan_setcons(ring.next[i], workers[static_cast<size_t>((i + 1) % kWorkers)].number()) == 0);
    EXPECT(chan_setprod(ring.seen[i], me, 1) == 0);
    EXPECT(chan_setprod(hello[i], me, 1) == 0);
  }
  Child disturber([=] { return disturb(ring.pids, seed); });
  EXPECT(chan_setcons(ring.pids, disturber.number()) == 0);
  for (Child& worker : workers) worker.start();
  int32_t pids[kWorkers];
  for (int i = 0; i < kWorkers; ++i) EXPECT(chan_recv(hello[i], &pids[i], sizeof(pids[i])) == sizeof(pids[i]));
  if (disturbed) {
    disturber.start();
    EXPECT(chan_send(ring.pids, pids, sizeof(pids)) == 0);
  }
  for (uint32_t round = 0; round < kRounds; ++round) {
    for (int i = 0; i < kWorkers; ++i) {
      const std::string message = receive(ring.seen[i]);
      std::printf("%u %d %zu %lx\n", round, i, message.size(), static_cast<unsigned long>(hash(message)));
    }
  }
  if (disturbed) {
    send(ring.pids, "enough");
    disturber.join_well();
  }
  for (Child& worker : workers) worker.join_well();
}

}  // namespace

TEST_CASE("stopping, continuing and priorities change no byte") {
  std::string expected;
  for (const Mode mode : kModes) {
    const auto calm = run_job(mode, [] { run_ring(false, 0); });
    const auto disturbed = run_job(mode, [] { run_ring(true, 3); });
    CHECK(!calm.out.empty());
    CHECK(calm.out == disturbed.out);
    if (expected.empty()) expected = calm.out;
    CHECK(calm.out == expected);
  }
}
