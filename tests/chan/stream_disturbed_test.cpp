// The same bytes whatever the scheduler does: the stages of a pipeline of streams are stopped and continued at odd
// moments and run at other priorities, and the output does not change.
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <csignal>
#include <cstdio>

#include <base/sys.hpp>

#include "job.hpp"
#include "stream_job.hpp"

using namespace chan_job;

namespace {

constexpr int kStages = 3;
constexpr size_t kBytes = 600'000;

// Each stage reads in amounts of its own, changes the bytes, and writes what it has read; the last one's output is
// read by the root, the others' by the next stage and by the root too.
int run_stage(stream_id in, stream_id out, unsigned me) {
  std::string buffer(9'000, '\0');
  for (unsigned seed = me;;) {
    const auto asked = static_cast<size_t>(rand_r(&seed)) % buffer.size() + 1;
    const ssize_t got = stream_read(in, buffer.data(), asked);
    EXPECT(got >= 0);
    if (got == 0) return stream_end(out);
    for (ssize_t i = 0; i < got; ++i) buffer[static_cast<size_t>(i)] ^= static_cast<char>(me * 31);
    EXPECT(stream_write(out, buffer.data(), static_cast<size_t>(got)) == 0);
    if (asked % 3 == 0) EXPECT(stream_flush(out) == 0);
  }
}

int produce(stream_id out) {
  const std::string bytes = pattern(kBytes, 6);
  for (size_t done = 0, step = 1; done < bytes.size(); done += step, step = step % 7'000 + 13) {
    write(out, bytes.substr(done, step));
  }
  return stream_end(out);
}

// Stops and continues the stages in turn until told that it is enough.
int disturb(chan_id pids, unsigned seed) {
  int32_t stages[kStages];
  EXPECT(chan_recv(pids, stages, sizeof(stages)) == sizeof(stages));
  while (chan_test(pids) == 0) {
    const int victim = stages[rand_r(&seed) % kStages];
    if (!spmc::base::send_signal(victim, SIGSTOP)) break;
    spmc::base::sleep_ns(static_cast<uint64_t>(rand_r(&seed) % 1500) * 1000);
    if (!spmc::base::send_signal(victim, SIGCONT)) break;
    spmc::base::sleep_ns(static_cast<uint64_t>(rand_r(&seed) % 1000) * 1000);
  }
  return 0;
}

void run_pipeline(bool disturbed) {
  stream_id streams[kStages];
  chan_id hello[kStages];
  std::vector<Child> stages(kStages);
  for (int i = 0; i < kStages; ++i) {
    streams[i] = make_stream(16384);
    hello[i] = make_channel(8192);
  }
  for (int i = 0; i < kStages; ++i) {
    stages[static_cast<size_t>(i)].body([=, in = streams[i == 0 ? 0 : i - 1], out = streams[i], told = hello[i]] {
      EXPECT(nice(disturbed ? i * 7 : 0) != -1 || errno == 0 || errno == EPERM);
      const int32_t pid = spmc::base::process_id();
      EXPECT(chan_send(told, &pid, sizeof(pid)) == 0);
      return i == 0 ? produce(out) : run_stage(in, out, static_cast<unsigned>(i));
    });
    const int me = stages[static_cast<size_t>(i)].number();
    EXPECT(chan_setprod(hello[i], me, 1) == 0);
    if (i > 0) EXPECT(stream_setcons(streams[i - 1], me) == 0);
    EXPECT(stream_setprod(streams[i], me, 1) == 0);
  }
  const chan_id told = make_channel();
  Child disturber([=] { return disturb(told, 3); });
  EXPECT(chan_setcons(told, disturber.number()) == 0);
  int32_t pids[kStages];
  for (Child& stage : stages) stage.start();
  for (int i = 0; i < kStages; ++i) EXPECT(chan_recv(hello[i], &pids[i], sizeof(pids[i])) == sizeof(pids[i]));
  if (disturbed) {
    disturber.start();
    EXPECT(chan_send(told, pids, sizeof(pids)) == 0);
  }
  for (size_t left = kBytes, round = 0; left != 0; ++round) {
    const size_t asked = std::min<size_t>(left, 1 + round * 977 % 20'000);
    for (const stream_id stream : streams) {
      std::printf("%zu %lx\n", asked, static_cast<unsigned long>(hash(read_all(stream, asked))));
    }
    left -= asked;
  }
  for (const stream_id stream : streams) EXPECT(read_all(stream, 1).empty());
  if (disturbed) {
    send(told, "enough");
    disturber.join_well();
  }
  for (Child& stage : stages) stage.join_well();
}

}  // namespace

TEST_CASE("stopping, continuing and priorities change no byte of a stream") {
  std::string expected;
  for (const Mode mode : kModes) {
    const auto calm = run_job(mode, [] { run_pipeline(false); });
    const auto disturbed = run_job(mode, [] { run_pipeline(true); });
    CHECK(!calm.out.empty());
    CHECK(calm.out == disturbed.out);
    if (expected.empty()) expected = calm.out;
    CHECK(calm.out == expected);
  }
}
