// A pipeline that fails: the error names stage, replica and item, what came before has arrived, nothing is left.
#include <catch2/catch.hpp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <stdexcept>

#include <space/space.h>
#include <base/sys.hpp>
#include <dmr/pipeline.hpp>
#include <spmc/frames.hpp>

#include "job.hpp"

using namespace chan_job;

namespace {

constexpr int kEndless = 1 << 30;

void count_up(dmr::Out<int>& out) {
  for (int i = 0; i < kEndless; ++i) out.emit(i);
}

void pass(int item, dmr::Out<int>& out) { out.emit(item); }

// An endless pipeline of three stages. `second` is the body of the second.
std::optional<dmr::Failure> run(const std::function<void(int, dmr::Out<int>&)>& second, int* arrived,
                                int replicas = 3) {
  return dmr::source<int>("count", count_up)
      .stage<int>("first", 2, pass)
      .stage<int>("second", replicas, second)
      .stage<int>("third", 2, pass)
      .run([=](int) { *arrived += 1; });
}

// The failure, and how many items came before it, as a line that both runs must print.
void print(const std::optional<dmr::Failure>& failure, int arrived) {
  EXPECT(failure.has_value());
  std::printf("%d items, then %s\n", arrived, failure->message().c_str());
}

}  // namespace

TEST_CASE("an exception is reported with its stage, replica and item, after all that came before") {
  for (const Mode mode : kModes) {
    const auto result = run_job(mode, [] {
      const size_t before = spmc::frames_in_use();
      int arrived = 0;
      const auto failure = run(
          [](int item, dmr::Out<int>& out) {
            if (item == 137) throw std::runtime_error("no 137");
            out.emit(item);
          },
          &arrived);
      print(failure, arrived);
      EXPECT(spmc::frames_in_use() == before);
    });
    CHECK(result.out == "137 items, then stage 'second', replica 2, item 137: no 137\n");
  }
}

TEST_CASE("a stage that dies is reported with how it ended") {
  const auto result = run_job(kDefaultMode, [] {
    for (const int how : {0, 1}) {
      int arrived = 0;
      const auto failure = run(
          [=](int item, dmr::Out<int>& out) {
            if (item == 100 && how == 0) std::raise(SIGKILL);
            if (item == 100 && how == 1) space_exit(5);
            out.emit(item);
          },
          &arrived);
      print(failure, arrived);
    }
  });
  CHECK(result.out ==
        "100 items, then stage 'second', replica 1, item 100: ended by signal 9 (Killed)\n"
        "100 items, then stage 'second', replica 1, item 100: ended with exit status 5 before it was done\n");
}

TEST_CASE("of several failures the first in the order of items is reported, whichever happens first") {
  const auto result = run_job(kDefaultMode, [] {
    int arrived = 0;
    const auto failure = run(
        [](int item, dmr::Out<int>& out) {
          if (item == 40) spmc::base::sleep_ns(30'000'000);  // the others fail meanwhile
          if (item == 41) std::raise(SIGKILL);
          if (item >= 40) throw std::runtime_error("fails too");
          out.emit(item);
        },
        &arrived, 4);
    print(failure, arrived);
  });
  CHECK(result.out == "40 items, then stage 'second', replica 0, item 40: fails too\n");
}

TEST_CASE("a source that fails, and one that dies") {
  const auto result = run_job(kDefaultMode, [] {
    for (const bool dies : {false, true}) {
      int arrived = 0;
      const auto failure = dmr::source<int>("broken",
                                            [=](dmr::Out<int>& out) {
                                              for (int i = 0; i < 9; ++i) out.emit(i);
                                              if (dies) std::raise(SIGKILL);
                                              throw 7;
                                            })
                               .stage<int>("pass", 4, pass)
                               .run([&](int) { arrived += 1; });
      print(failure, arrived);
    }
  });
  CHECK(result.out ==
        "9 items, then stage 'broken', replica 0, item 9: an exception\n"
        "9 items, then stage 'broken', replica 0, item 9: ended by signal 9 (Killed)\n");
}

TEST_CASE("an exception in the sink leaves run, and no process is left") {
  run_job(kDefaultMode, [] {
    const size_t before = spmc::frames_in_use();
    for (int round = 0; round < 3; ++round) {
      int arrived = 0;
      bool caught = false;
      try {
        (void)dmr::source<int>("count", count_up).stage<int>("pass", 3, pass).run([&](int item) {
          arrived += 1;
          if (item == 50) throw std::out_of_range("enough");
        });
      } catch (const std::out_of_range&) {
        caught = true;
      }
      EXPECT(caught && arrived == 51);
      EXPECT(spmc::frames_in_use() == before);
    }
  });
}

TEST_CASE("with the caller killed, nothing of the pipeline remains") {
  // The leak check of the test runner finds survivors.
  const auto result = test_support::run_same([] {
    setenv("DLINUX_NO_REEXEC", "1", 1);
    EXPECT(space_init(16) == 0);
    (void)dmr::source<int>("count", count_up).stage<int>("pass", 3, pass).run([](int item) {
      if (item == 300) std::raise(SIGKILL);
    });
    return 0;
  });
  CHECK(result.signal == SIGKILL);
}

TEST_CASE("too few spaces: the failure names the stage that did not start, and the reason") {
  const auto result = run_job(
      kDefaultMode,
      [] {
        // One that goes well must leave nothing behind that would be taken for the reason.
        EXPECT(!dmr::source<int>("none", [](dmr::Out<int>&) {}).stage<int>("pass", 2, pass).run([](int) {}));
        EXPECT(std::string(chan_last_error()).empty());
        EXPECT(std::string(space_last_error()).empty());
        EXPECT(chan_test(-1) == -1);  // nor must another failure
        int arrived = 0;
        print(run(pass, &arrived), arrived);
      },
      4);
  CHECK(result.out ==
        "0 items, then stage 'second', replica 0, item 0: cannot be started: space_alloc: all spaces are in "
        "use (see space_init): Resource temporarily unavailable\n");
}

TEST_CASE("a window that is too large: the failure has the reason") {
  const auto result = run_job(kDefaultMode, [] {
    EXPECT(space_join(99) == -1);  // another failure, whose sentence is not the reason
    print(dmr::source<int>("count", count_up, {.window = SIZE_MAX}).run([](int) {}), 0);
  });
  CHECK(result.out ==
        "0 items, then stage 'count', replica 0, item 0: cannot be started: stream_alloc_window: a window of "
        "18446744073709551615 bytes is more than SPMC memory has\n");
}

TEST_CASE("an item that is not of the stage's type, and a stage without replicas") {
  const auto result = run_job(kDefaultMode, [] {
    int arrived = 0;
    dmr::BytePipeline bytes("bytes", [](dmr::ByteOut& out) { out.emit(dmr::Item<std::string>::bytes("abc")); });
    const auto failure =
        dmr::Pipeline<int>(std::move(bytes)).stage<int>("wants four", 1, pass).run([&](int) { arrived += 1; });
    print(failure, arrived);
    bool refused = false;
    try {
      (void)dmr::source<int>("count", count_up).stage<int>("none", 0, pass);
    } catch (const std::invalid_argument&) {
      refused = true;
    }
    EXPECT(refused);
  });
  CHECK(result.out == "0 items, then stage 'wants four', replica 0, item 0: the item is not one value\n");
}
