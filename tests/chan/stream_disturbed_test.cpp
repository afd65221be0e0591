// The same bytes whatever the scheduler does to the stages of a pipeline of streams.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>

#include "disturb.hpp"
#include "job.hpp"
#include "stream_job.hpp"

using namespace chan_job;

namespace {

constexpr int kStages = 3;
constexpr size_t kWindow = 16 << 10;
constexpr size_t kBytes = 4'000'000;
static_assert(kBytes > most_waiting(kWindow));

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

void run_pipeline(bool disturbed) {
  Disturbance disturbance(kStages, disturbed);
  stream_id streams[kStages];
  std::vector<Child> stages(kStages);
  for (stream_id& stream : streams) stream = make_stream(kWindow);
  for (int i = 0; i < kStages; ++i) {
    stages[static_cast<size_t>(i)].body([&, i, in = streams[i == 0 ? 0 : i - 1], out = streams[i]] {
      disturbance.enter(i);
      return i == 0 ? produce(out) : run_stage(in, out, static_cast<unsigned>(i));
    });
    const int me = stages[static_cast<size_t>(i)].number();
    disturbance.add(i, stages[static_cast<size_t>(i)]);
    if (i > 0) EXPECT(stream_setcons(streams[i - 1], me) == 0);
    EXPECT(stream_setprod(streams[i], me, 1) == 0);
  }
  for (Child& stage : stages) stage.start();
  disturbance.start();
  for (size_t left = kBytes, round = 0; left != 0; ++round) {
    const size_t asked = std::min<size_t>(left, 1 + round * 977 % 20'000);
    for (const stream_id stream : streams) {
      std::printf("%zu %lx\n", asked, static_cast<unsigned long>(hash(read_all(stream, asked))));
    }
    left -= asked;
  }
  for (const stream_id stream : streams) EXPECT(read_all(stream, 1).empty());
  disturbance.stop();
  for (Child& stage : stages) stage.join_well();
}

}  // namespace

TEST_CASE("stopping, continuing and priorities change no byte of a stream") { expect_same_bytes(run_pipeline); }
