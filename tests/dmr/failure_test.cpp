// However a job fails, the message says where, the same in every run, and nothing is left of it.
#include <sys/resource.h>
#include <unistd.h>

#include <climits>
#include <csignal>
#include <cstdlib>
#include <stdexcept>

#include "folder.hpp"
#include "root.hpp"

using namespace dmr_test;

namespace {

constexpr uint64_t kEach = 10;

enum class How { kThrow, kThrowInt, kCrash, kExit, kExitWell, kExitOther, kNever };

void fail(How how) {
  switch (how) {
    case How::kThrow: throw std::runtime_error("this number is not liked");
    case How::kThrowInt: throw 5;
    case How::kCrash: raise(SIGKILL); break;
    case How::kExit: _exit(9);
    case How::kExitWell: std::exit(0);
    case How::kExitOther: _exit(4);
    case How::kNever:
      for (;;) pause();
  }
}

// The maps of the numbers in `bad` fail, or the reductions of the keys in `bad_keys`.
struct Failing : dmr::MapReduce<Failing, uint32_t, uint64_t, dmr::Sum<uint64_t>> {
  How how = How::kThrow;
  std::vector<uint64_t> bad;
  std::vector<uint32_t> bad_keys;
  unsigned long sleep_us = 0;
  int results = 1;  // of each key

  void map(const dmr::Piece& piece, auto& emit) const {
    for (uint64_t n = piece.begin; n < piece.end; ++n) {
      if (!dmr::working_on(n, n + 1)) continue;
      if (n % 100 == 0 && sleep_us > 0) usleep(static_cast<useconds_t>(sleep_us));
      for (const uint64_t b : bad) {
        if (n == b) fail(how);
      }
      emit(static_cast<uint32_t>(n % 50), n);
    }
  }
  // Keys that follow each other are reduced by different workers.
  uint32_t partition(uint32_t key, uint32_t parts) const { return key % parts; }
  void reduce(uint32_t key, dmr::Values<uint64_t>& values, auto& emit) const {
    for (const uint32_t b : bad_keys) {
      if (key == b) fail(how);
    }
    uint64_t sum = 0;
    for (const uint64_t value : values) sum += value;
    for (int i = 0; i < results; ++i) emit(sum);
  }
};

// The slow keys take longer than the limit together, each of them a hundredth of it; the last key, of another reducer,
// has more results than fit in a channel, and waits for them to be taken.
struct SlowAndLong : dmr::MapReduce<SlowAndLong, uint32_t, uint64_t> {
  static constexpr double kLimitSeconds = 2;
  static constexpr uint32_t kSlowKeys = 150, kMicroseconds = 20'000, kLongResults = 500'000;
  static_assert(uint64_t{kSlowKeys} * kMicroseconds >= static_cast<uint64_t>(kLimitSeconds * 1.5e6));

  void map(const dmr::Piece& piece, auto& emit) const {
    for (uint64_t n = piece.begin; n < piece.end; ++n) emit(static_cast<uint32_t>(n % (kSlowKeys + 1)), n);
  }
  uint32_t partition(uint32_t key, uint32_t parts) const { return key == kSlowKeys ? parts - 1 : 0; }
  void reduce(uint32_t key, dmr::Values<uint64_t>&, auto& emit) const {
    if (key < kSlowKeys) usleep(kMicroseconds);
    for (uint32_t i = 0; i < (key == kSlowKeys ? kLongResults : 1); ++i) emit(1);
  }
};

// The empty key fails.
struct NoEmptyKey : dmr::MapReduce<NoEmptyKey, std::string, uint64_t, dmr::Sum<uint64_t>> {
  void map(const dmr::Piece& piece, auto& emit) const { emit(piece.begin == 0 ? "" : "other", 1); }
  void reduce(const std::string& key, dmr::Values<uint64_t>&, auto& emit) const {
    if (key.empty()) fail(How::kThrow);
    emit(1);
  }
};

// Fails outside of any piece: when maps are started, or in the worker that has mapped piece 1 when they are finished.
class FailingMaps : public dmr::Maps {
 public:
  explicit FailingMaps(How how) : how_(how) {}
  void map(const dmr::Piece& piece, dmr::Pairs&) override { has_piece_1_ = has_piece_1_ || piece.number == 1; }
  void finish(dmr::Pairs& pairs) override {
    if (has_piece_1_) fail(how_);
    pairs.add("key", "value");
  }

 private:
  How how_;
  bool has_piece_1_ = false;
};
struct FailsOutside : dmr::ByteJob {
  How how;
  bool at_start;
  FailsOutside(How wanted, bool start) : how(wanted), at_start(start) {}
  std::unique_ptr<dmr::Maps> start_maps() const override {
    if (at_start) fail(how);
    return std::make_unique<FailingMaps>(how);
  }
  void reduce(std::string_view, dmr::ByteValues&, dmr::ByteResults&) const override {}
};

std::string failure_outside(How how, bool at_start, int workers) {
  const FailsOutside job(how, at_start);
  const auto ignore = [](std::string_view, std::string_view) {};
  return failure_of([&] { dmr::run_bytes(job, dmr::Input::numbers(2000, kEach), with(workers), ignore); });
}

// More numbers than there is memory for: there is no place for them when a worker starts.
struct TooManyKeys : dmr::MapReduce<TooManyKeys, uint64_t, uint64_t, dmr::Sum<uint64_t>> {
  using Container = dmr::FewKeys<SIZE_MAX / 4>;
  void map(const dmr::Piece&, auto& emit) const { emit(uint64_t{1}, uint64_t{1}); }
};

std::string failure_of_job(const Failing& job, int workers, double limit = 0) {
  dmr::Options options = with(workers);
  options.seconds_per_piece = limit;
  return failure_of([&] { job.run(dmr::Input::numbers(2000, kEach), options); });
}

}  // namespace

TEST_CASE("a map that fails is named, with its numbers") {
  run_root([] {
    Failing job;
    job.bad = {1234};
    for (const int workers : {1, 2, 7}) {
      job.how = How::kThrow;
      const std::string worker = "worker " + std::to_string(1234 / kEach % static_cast<uint64_t>(workers)) + ": ";
      const std::string place = ", in the map of numbers, numbers 1234 to 1235";
      EXPECT(failure_of_job(job, workers) == worker + "this number is not liked" + place);
      job.how = How::kThrowInt;
      EXPECT(failure_of_job(job, workers) == worker + "an exception that is no std::exception" + place);
      job.how = How::kCrash;
      EXPECT(failure_of_job(job, workers) == worker + "died of SIGKILL" + place);
      job.how = How::kExit;
      EXPECT(failure_of_job(job, workers) == worker + "ended with exit code 9" + place);
      job.how = How::kExitWell;
      EXPECT(failure_of_job(job, workers) == worker + "ended with exit code 0" + place);
      job.how = How::kExitOther;
      EXPECT(failure_of_job(job, workers) == worker + "ended with exit code 4" + place);
    }
  });
}

TEST_CASE("of several failing maps the first of the input is named") {
  run_root([] {
    Failing job;
    job.bad = {1999, 1500, 701, 1100, 715};
    job.sleep_us = 1000;
    for (const How how : {How::kThrow, How::kCrash}) {
      job.how = how;
      for (const int workers : {2, 5, 16}) {
        EXPECT(has(failure_of_job(job, workers), "numbers 701 to 702"));
      }
    }
  });
}

TEST_CASE("a map that never ends is ended") {
  run_root([] {
    Failing job;
    job.how = How::kNever;
    job.bad = {555};
    EXPECT(has(failure_of_job(job, 3, 1), "took longer than 1 s, in the map of numbers, numbers 555 to 556"));
  });
}

TEST_CASE("a reduction that fails is named, with its key") {
  run_root([] {
    Failing job;
    job.bad_keys = {33};
    for (const int workers : {1, 2, 7}) {
      job.how = How::kThrow;
      EXPECT(has(failure_of_job(job, workers), ": this number is not liked, in the reduction of key '"));
      job.how = How::kCrash;
      EXPECT(has(failure_of_job(job, workers), ": died of SIGKILL, in the reduction of key '"));
      job.how = How::kExitWell;
      EXPECT(has(failure_of_job(job, workers), ": ended with exit code 0, in the reduction of key '"));
      job.how = How::kExitOther;
      EXPECT(has(failure_of_job(job, workers), ": ended with exit code 4, in the reduction of key '"));
      job.how = How::kNever;
      EXPECT(has(failure_of_job(job, workers, 1), ": took longer than 1 s, in the reduction of key '"));
    }
  });
}

TEST_CASE("of several failing reductions that of the least key is named") {
  run_root([] {
    Failing job;
    for (uint32_t least = 10; least < 18; ++least) {
      job.bad_keys = {40, 33, least, 49, 26, least + 1, 38};
      char key[40];
      std::snprintf(key, sizeof key, "key '\\x00\\x00\\x00\\x%02x'", least);
      for (const How how : {How::kThrow, How::kCrash}) {
        job.how = how;
        for (const int workers : {1, 2, 7}) {
          EXPECT(failure_of_job(job, workers).ends_with(std::string(", in the reduction of ") + key));
        }
      }
    }
  });
}

namespace {

// Keys of 200 bytes and more that differ in the last ones; all reductions fail. Who reduces which differs.
struct LongKeys : dmr::MapReduce<LongKeys, std::string, uint64_t, dmr::Sum<uint64_t>> {
  void map(const dmr::Piece& piece, auto& emit) const {
    for (uint64_t n = piece.begin; n < piece.end; ++n) emit(std::string(200 + n % 3, 'x') + std::to_string(n), 1);
  }
  uint32_t partition(const std::string& key, uint32_t parts) const { return static_cast<uint32_t>(last(key)) % parts; }
  void reduce(const std::string& key, dmr::Values<uint64_t>&, auto&) const {
    throw std::runtime_error(key.substr(190));
  }
  static int last(const std::string& key) { return std::stoi(key.substr(key.find_last_of('x') + 1)); }
};
struct Backwards : dmr::MapReduce<Backwards, std::string, uint64_t, dmr::Sum<uint64_t>> {
  void map(const dmr::Piece& piece, auto& emit) const { LongKeys().map(piece, emit); }
  uint32_t partition(const std::string& key, uint32_t parts) const { return LongKeys().partition(key, parts); }
  static bool compare(const std::string& a, const std::string& b) { return LongKeys::last(a) > LongKeys::last(b); }
  void reduce(const std::string& key, dmr::Values<uint64_t>& values, auto& emit) const {
    LongKeys().reduce(key, values, emit);
  }
};

}  // namespace

TEST_CASE("keys may be long") {
  run_root([] {
    const auto input = dmr::Input::numbers(100, kEach);
    const std::string place = ", in the reduction of key '" + std::string(128, 'x') + "'...";
    for (const int workers : {1, 2, 5, 7}) {
      // The least: that with most x in front is the last in the order of bytes, 'x' > '0'.
      EXPECT(failure_of([&] { LongKeys().run(input, with(workers)); }).ends_with(": xxxxxxxxxx0" + place));
      EXPECT(failure_of([&] { Backwards().run(input, with(workers)); }).ends_with(": xxxxxxxxxx99" + place));
    }
  });
}

TEST_CASE("nor does it matter how much was waiting for the root") {
  run_root([] {
    Failing job;
    job.results = 30'000;  // more than a channel takes
    job.bad_keys = {20, 21, 22, 23, 24, 25, 26, 27, 28, 29};
    for (const int workers : {2, 7}) {
      EXPECT(failure_of_job(job, workers).ends_with(", in the reduction of key '\\x00\\x00\\x00\\x14'"));
    }
  });
}

TEST_CASE("a worker fails outside of any piece") {
  run_root([] {
    for (const int workers : {1, 2, 7}) {
      const std::string worker = "a worker, outside of any piece";
      EXPECT(failure_outside(How::kThrow, true, workers) == worker + ": this number is not liked");
      EXPECT(failure_outside(How::kCrash, true, workers) == worker + ": died of SIGKILL");
      EXPECT(failure_outside(How::kThrow, false, workers) == worker + ": this number is not liked");
      EXPECT(failure_outside(How::kThrowInt, false, workers) == worker + ": an exception that is no std::exception");
      EXPECT(failure_outside(How::kCrash, false, workers) == worker + ": died of SIGKILL");
      EXPECT(failure_outside(How::kExit, false, workers) == worker + ": ended with exit code 9");
      EXPECT(failure_outside(How::kExitWell, false, workers) == worker + ": ended with exit code 0");
      EXPECT(failure_outside(How::kExitOther, false, workers) == worker + ": ended with exit code 4");
    }
    const auto input = dmr::Input::numbers(20, kEach);
    EXPECT(failure_of([&] { TooManyKeys().run(input, with(2)); }).starts_with("a worker, outside of any piece: "));
  });
}

TEST_CASE("a reduction that waits for others is not too slow") {
  run_root([] {
    dmr::Options options = with(2);
    options.seconds_per_piece = SlowAndLong::kLimitSeconds;
    const size_t results = SlowAndLong::kSlowKeys + SlowAndLong::kLongResults;
    EXPECT(SlowAndLong().run(dmr::Input::numbers(2000, kEach), options).size() == results);
  });
}

TEST_CASE("the empty key is a key as others") {
  run_root([] {
    const auto input = dmr::Input::numbers(20, kEach);
    EXPECT(has(failure_of([&] { NoEmptyKey().run(input); }), ": this number is not liked, in the reduction of key ''"));
    dmr::Options options;
    options.skip_at_most = 1;
    EXPECT(NoEmptyKey().run(input, options).size() == 1);
  });
}

TEST_CASE("after a failure the next job runs") {
  run_root([] {
    Failing job;
    job.bad = {3};
    for (int i = 0; i < 20; ++i) {
      job.how = i % 2 == 0 ? How::kThrow : How::kCrash;
      failure_of_job(job, 4);
    }
    const auto sums = Failing().run(dmr::Input::numbers(2000, kEach), with(4));
    EXPECT(sums.size() == 50);
    for (const auto& [key, sum] : sums) EXPECT(sum == 40 * key + 50 * (39 * 40 / 2));
  });
}

TEST_CASE("what fails is left out where that is asked for") {
  const std::string out = run_root([] {
    Failing job;
    job.bad = {1234, 71, 1999};
    job.bad_keys = {7, 33};
    for (const How how : {How::kThrow, How::kCrash, How::kExitWell, How::kExitOther}) {
      job.how = how;
      for (const int workers : {1, 3}) {
        dmr::Options options = with(workers);
        options.skip_at_most = 5;
        options.skipped = [&](const std::string& what) { std::printf("%s\n", what.c_str()); };
        const auto sums = job.run(dmr::Input::numbers(2000, kEach), options);
        EXPECT(sums.size() == 48);
        for (const auto& [key, sum] : sums) {
          uint64_t expected = 40 * key + 50 * (39 * 40 / 2);
          for (const uint64_t b : job.bad) expected -= b % 50 == key ? b : 0;
          EXPECT(sum == expected);
        }
        options.skip_at_most = 4;
        EXPECT(has(failure_of([&] { job.run(dmr::Input::numbers(2000, kEach), options); }), "in the reduction of key"));
      }
    }
  });
  CHECK(out.find("worker 1: died of SIGKILL, in the map of numbers, numbers 71 to 72\n") != out.npos);
}

TEST_CASE("a job that fails within the sink of another one leaves nothing of that one out") {
  run_root([] {
    Failing inner;
    inner.bad = {71};
    dmr::Options options = with(2);
    options.skip_at_most = 5;
    int results = 0, skipped = 0;
    options.skipped = [&](const std::string&) { ++skipped; };
    const auto run_inner = [&](uint32_t, uint64_t) {
      if (++results == 3) inner.run(dmr::Input::numbers(2000, kEach), with(2));
    };
    const auto failure = failure_of([&] { Failing().run_each(dmr::Input::numbers(2000, kEach), options, run_inner); });
    EXPECT(has(failure, "in the map of numbers, numbers 71 to 72"));
    EXPECT(results == 3 && skipped == 0);
  });
}

TEST_CASE("keys are not left out where that is not wanted") {
  run_root([] {
    Failing job;
    job.bad = {71};
    job.bad_keys = {33};
    for (const int workers : {1, 3}) {
      dmr::Options options = with(workers);
      options.skip_at_most = 5;
      options.skip_keys = false;
      std::vector<std::string> skipped;
      options.skipped = [&](const std::string& what) { skipped.push_back(what); };
      const auto run = [&] { job.run(dmr::Input::numbers(2000, kEach), options); };
      EXPECT(has(failure_of(run), ": this number is not liked, in the reduction of key"));
      EXPECT(skipped.size() == 1 && has(skipped[0], "numbers 71 to 72"));
    }
  });
}

// What goes wrong outside of the job's functions is not left out with a part of the input that is in order.

namespace {

// 400 KB of pairs, more than there is memory for.
struct Piled : dmr::MapReduce<Piled, uint32_t, uint64_t> {
  bool catches = false;  // what emit throws
  void map(const dmr::Piece& piece, auto& emit) const {
    for (uint64_t n = piece.begin; n < piece.end; ++n) {
      try {
        emit(static_cast<uint32_t>(n % 50), n);
      } catch (const std::exception&) {
        if (!catches) throw;
      }
    }
  }
};
// The same, combined, so that mappers write to their files between pieces.
struct PiledSums : dmr::MapReduce<PiledSums, uint64_t, uint64_t, dmr::Sum<uint64_t>> {
  void map(const dmr::Piece& piece, auto& emit) const {
    for (uint64_t n = piece.begin; n < piece.end; ++n) emit(n, 1);
  }
};
// The first reduction finds the temporary files empty.
struct Robbed : dmr::MapReduce<Robbed, uint32_t, uint64_t> {
  std::string folder;
  void map(const dmr::Piece& piece, auto& emit) const { Piled().map(piece, emit); }
  void reduce(uint32_t key, dmr::Values<uint64_t>& values, auto& emit) const {
    for (int fd = 3; fd < 2000; ++fd) {
      char name[PATH_MAX] = "";
      if (readlink(("/proc/self/fd/" + std::to_string(fd)).c_str(), name, sizeof name - 1) < 0) continue;
      if (std::string(name).starts_with(folder))
        EXPECT(truncate(("/proc/self/fd/" + std::to_string(fd)).c_str(), 0) == 0);
    }
    for (uint64_t value : values) emit(value + key);
  }
};

template <typename Job>
std::string failure_without_skips(const Job& job, const dmr::Input& input, const dmr::Options& options) {
  std::vector<std::string> skipped;
  dmr::Options leaving = options;
  leaving.skip_at_most = 1'000'000;
  leaving.skipped = [&](const std::string& what) { skipped.push_back(what); };
  const std::string failure = failure_of([&] { job.run(input, leaving); });
  EXPECT(skipped.empty());
  return failure;
}

constexpr uint64_t kManyNumbers = 50'000, kManyEach = 1000;

}  // namespace

TEST_CASE("without room for temporary files nothing is left out") {
  run_root([] {
    setenv("TMPDIR", "/nowhere", 1);
    const auto input = dmr::Input::numbers(kManyNumbers, kManyEach);
    const std::string why =
        ": the pairs do not fit in memory; /nowhere: no temporary file can be made: No such file or directory";
    for (const int workers : {1, 2}) {
      EXPECT(failure_without_skips(Piled(), input, with(workers, 1)).ends_with(why));
      EXPECT(failure_without_skips(PiledSums(), input, with(workers, 1)).ends_with(why));
      Piled catching;
      catching.catches = true;
      EXPECT(failure_without_skips(catching, input, with(workers, 1)).ends_with(why));
    }
  });
}

TEST_CASE("nor where they cannot be written") {
  run_root([] {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit most = {100'000, 100'000};
    EXPECT(setrlimit(RLIMIT_FSIZE, &most) == 0);
    const auto input = dmr::Input::numbers(kManyNumbers, kManyEach);
    const std::string why = ": writing a temporary file: File too large";
    EXPECT(failure_without_skips(Piled(), input, with(1, 1)).ends_with(why));
    EXPECT(failure_without_skips(PiledSums(), input, with(1, 1)).ends_with(why));
  });
}

TEST_CASE("nor where they cannot be read") {
  run_root([] {
    const Folder folder;
    Robbed job;
    job.folder = folder.path();
    for (const int workers : {1, 2}) {
      dmr::Options options = with(workers, 1);
      options.temporary_folder = folder.path();
      const auto input = dmr::Input::numbers(kManyNumbers * 8, kManyEach);
      EXPECT(has(failure_without_skips(job, input, options), ": reading a temporary file: Input/output error"));
    }
  });
}

namespace {

// Each calls what it needs of the machine, which is not there for number 71 or key 33.
struct Lacking : dmr::MapReduce<Lacking, uint32_t, uint64_t, dmr::Sum<uint64_t>> {
  bool in_map = true, catches = false;
  void need(bool there) const {
    try {
      dmr::outside_turn([&] {
        if (!there) throw std::runtime_error("the machine has none");
      });
    } catch (const std::exception&) {
      if (!catches) throw;
    }
  }
  void map(const dmr::Piece& piece, auto& emit) const {
    for (uint64_t n = piece.begin; n < piece.end; ++n) {
      if (!dmr::working_on(n, n + 1)) continue;
      need(n != 71 || !in_map);
      emit(static_cast<uint32_t>(n % 50), n);
    }
  }
  void reduce(uint32_t key, dmr::Values<uint64_t>& values, auto& emit) const {
    need(key != 33 || in_map);
    for (uint64_t value : values) emit(value);
  }
};

}  // namespace

TEST_CASE("nor where a map or a reduction says that the machine lacks what it needs") {
  run_root([] {
    const auto input = dmr::Input::numbers(2000, kEach);
    Lacking job;
    for (const bool in_map : {true, false}) {
      job.in_map = in_map;
      for (const bool catches : {false, true}) {
        job.catches = catches;
        const std::string failure = failure_without_skips(job, input, with(2));
        EXPECT(failure.ends_with(in_map ? ": the machine has none" : ": the machine has none, in the reduction"));
      }
    }
    EXPECT(dmr::outside_turn([] { return 5; }) == 5);
  });
}

TEST_CASE("without init a job says so") {
  const auto run = test_support::run_function([] {
    std::printf("%s\n", failure_of_job(Failing(), 1).c_str());
    return 0;
  });
  CHECK(run.out == "dmr::init() must be called first in main\n");
}
