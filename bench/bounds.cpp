// What one look at all ranks costs, by the number of ranks, without any of them running: the snapshot
// (chan/match/snapshot.hpp) of a job that lies in this process's memory, with lines for ranks and lanes of the size
// that a job's have, and the solution of its bounds (chan/match/bounds.hpp).
//
//   halo       every rank waits for all of four receives that name their sources; one rank runs
//   servers    an eighth of the ranks run, the others wait for a message from any of eight
//   wildcards  half of the ranks run, the others wait for a message from anybody
//
// JSON lines, medians. `ns_per_step`: of the solution, per (ranks + edges) * log2(ranks): it stays about the same if
// the bounds take O((n + e) log n), until the graph is larger than the caches.
#include <chan/match/bounds.hpp>
#include <chan/match/snapshot.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>

namespace {

using namespace chan::match;

constexpr int kSamples = 9;
constexpr int kRanks[] = {16, 64, 256, 1024};
constexpr Time kLookahead = 64;

Record running(Time clock) { return {RankState::Kind::kRun, false, clock, {}}; }

Need receive(Time post, const std::vector<int>& sources) {
  Need need;
  need.kind = Need::Kind::kReceive;
  need.time = post;
  for (const int source : sources) need.sources.push_back({source});
  return need;
}

std::vector<Record> halo(int ranks, std::minstd_rand& random) {
  std::vector<Record> records = {running(100)};
  for (int r = 1; r < ranks; ++r) {
    Record record{RankState::Kind::kWait, false, random() % 1000, {}};
    for (const int distance : {1, 2, 3, 4}) record.needs.push_back(receive(record.clock, {std::max(0, r - distance)}));
    records.push_back(record);
  }
  return records;
}

constexpr int kAnybody = 0;

std::vector<Record> wildcards(int ranks, int sources, int running_part, std::minstd_rand& random) {
  std::vector<Record> records;
  for (int r = 0; r < ranks; ++r) {
    if (r % running_part == 0) {
      records.push_back(running(random() % 1000));
      continue;
    }
    std::vector<int> from;
    for (int i = 0; i < sources; ++i) from.push_back(static_cast<int>(random() % static_cast<unsigned>(ranks)));
    Need need = receive(0, from);
    need.all_but = sources == kAnybody;
    records.push_back({RankState::Kind::kWait, false, random() % 1000, {need}});
  }
  return records;
}

// A job in which nothing has come that has not been taken in.
class Memory final : public Shared {
 public:
  explicit Memory(std::vector<Record> records)
      : records_(std::move(records)),
        versions_(std::make_unique<Line[]>(records_.size())),
        lanes_(std::make_unique<Lane[]>(records_.size() * records_.size())) {}

  int ranks() const override { return static_cast<int>(records_.size()); }
  void read_record(int rank, Record& record, uint64_t* version) override {
    *version = this->version(rank);
    record = records_[static_cast<size_t>(rank)];
  }
  uint64_t version(int rank) override { return versions_[static_cast<size_t>(rank)].word.load(); }
  bool unexamined(int from, int to) override {
    const Lane& lane = lanes_[static_cast<size_t>(to) * records_.size() + static_cast<size_t>(from)];
    return lane.cell.load(std::memory_order_acquire) != lane.consumed.load(std::memory_order_acquire);
  }
  bool done(int) override { return false; }
  bool examined(int, int, uint64_t) override { return true; }
  bool acknowledged(int, int, uint64_t) override { return false; }
  Time next_match(int) override { return kNever; }
  bool marked(const Need::Source&) override { return false; }

 private:
  struct alignas(64) Line {
    std::atomic<uint64_t> word{0};
  };
  struct Lane {  // its line, and the one of the cell that would be next
    alignas(64) std::atomic<uint64_t> consumed{0};
    alignas(64) std::atomic<uint64_t> cell{0};
  };

  std::vector<Record> records_;
  std::unique_ptr<Line[]> versions_;
  std::unique_ptr<Lane[]> lanes_;
};

// The median time of one call, in us.
template <typename Call>
double time_of(int rounds, Call&& call) {
  std::vector<double> samples;
  for (int s = 0; s < kSamples; ++s) {
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < rounds; ++i) call();
    const std::chrono::duration<double, std::micro> t = std::chrono::steady_clock::now() - begin;
    samples.push_back(t.count() / rounds);
  }
  std::sort(samples.begin(), samples.end());
  return samples[samples.size() / 2];
}

void measure(const char* name, std::vector<Record> records) {
  const size_t ranks = records.size();
  size_t edges = 0;
  for (const Record& record : records) {
    for (const Need& need : record.needs) edges += need.sources.size();
  }
  const int rounds = std::max(1, static_cast<int>(200'000 / (edges + ranks)));
  Memory memory(std::move(records));
  Snapshot snapshot(memory, kLookahead);
  const double look = time_of(rounds, [&] {
    if (snapshot.take().size() != ranks) std::abort();
  });
  const auto states = snapshot.take();
  BoundsSolver solver;
  const double solution = time_of(rounds, [&] {
    if (solver.solve(states).size() != ranks) std::abort();
  });
  const double steps = static_cast<double>(ranks + edges) * std::log2(static_cast<double>(ranks));
  std::printf(
      "{\"bench\":\"bounds\",\"case\":\"%s\",\"ranks\":%zu,\"edges\":%zu,\"snapshot_us\":%.1f,\"us\":%.1f,"
      "\"ns_per_step\":%.1f}\n",
      name, ranks, edges, look, solution, solution * 1e3 / steps);
  std::fflush(stdout);
}

constexpr const char* kHelp =
    "Usage: bounds\n"
    "Time what a rank, or detmpirun, does to learn when each rank can act next: a snapshot of all ranks, and the\n"
    "solution of the bounds, for 16 to 1024 ranks that wait for few or for many others. One JSON line per case; "
    "\"us\"\n"
    "is the solution's time, \"ns_per_step\" that per (ranks + edges) * log2(ranks). Medians of 9.\n";

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1) {
    const bool help = std::strcmp(argv[1], "--help") == 0 || std::strcmp(argv[1], "-h") == 0;
    std::fputs(kHelp, help ? stdout : stderr);
    return help ? 0 : 2;
  }
  for (const int ranks : kRanks) {
    std::minstd_rand random(7);
    measure("halo", halo(ranks, random));
    measure("servers", wildcards(ranks, 8, 8, random));
    measure("wildcards", wildcards(ranks, kAnybody, 2, random));
  }
  return 0;
}
