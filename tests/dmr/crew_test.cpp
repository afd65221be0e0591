// More workers than cores: those that are not needed wait; where maps wait, all come to work; and all hand out.
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include <base/cores.hpp>

#include "../../dmr/src/crew.hpp"
#include "root.hpp"

using namespace dmr_test;

namespace {

const auto kCores = static_cast<int>(spmc::base::usable_cores());

// Each piece sleeps, and tells who has mapped it.
struct Sleeping : dmr::MapReduce<Sleeping, uint64_t, uint64_t, dmr::Sum<uint64_t>> {
  void map(const dmr::Piece&, auto& emit) const {
    usleep(30'000);
    emit(static_cast<uint64_t>(getpid()), uint64_t{1});
  }
};

struct Counting : dmr::MapReduce<Counting, uint64_t, uint64_t, dmr::Sum<uint64_t>> {
  void map(const dmr::Piece& piece, auto& emit) const {
    for (uint64_t n = piece.begin; n < piece.end; ++n) emit(n % 100, n);
  }
};

// Mappers that are started by looks for so long, if each uses this part of the time, and no more than `possible` can
// be.
uint32_t at_work_after(uint64_t ms, uint32_t mappers, double part, uint32_t possible = UINT32_MAX) {
  constexpr uint64_t kMs = 1'000'000;
  dmr::Board board(mappers, 1);
  uint64_t now = kMs;
  uint32_t started = 0;
  dmr::Crew crew(
      board, mappers,
      [&](uint32_t number) {
        if (number == possible) return false;
        CHECK(number == started++);
        return true;
      },
      [&](uint32_t) { return static_cast<uint64_t>(static_cast<double>(now) * part); });
  crew.start_first();
  for (; now < ms * kMs; now += kMs) crew.look(now);
  CHECK(board.mappers() == started);
  return started;
}

}  // namespace

TEST_CASE("maps that wait are done by all workers") {
  run_root([] {
    const int workers = std::min(kCores + 3, dmr::kMostWorkers);
    const auto input = dmr::Input::numbers(static_cast<uint64_t>(workers) * 20, 1);
    const auto by_worker = Sleeping().run(input, with(workers));
    uint64_t pieces = 0;
    for (const auto& [pid, count] : by_worker) pieces += count;
    EXPECT(pieces == static_cast<uint64_t>(workers) * 20);
    EXPECT(by_worker.size() > static_cast<size_t>(kCores));
  });
}

TEST_CASE("workers that no piece is left for hand out nothing") {
  run_root([] {
    for (const uint64_t pieces : {uint64_t{0}, uint64_t{1}, uint64_t{5}}) {
      const auto results = Counting().run(dmr::Input::numbers(pieces * 100, 100), with(dmr::kMostWorkers / 2));
      EXPECT(results.size() == (pieces > 0 ? 100 : 0));
      // Of the numbers key, key + 100, ...
      for (const auto& [key, sum] : results) EXPECT(sum == pieces * key + 100 * (pieces * (pieces - 1) / 2));
    }
  });
}

// Who serves whom when is told by numbers that count in one circle for both.
TEST_CASE("fewer reducers than mappers, and more, take in all") {
  run_root([] {
    constexpr uint64_t kPieces = 7;
    for (const int workers : {1, 3, 8}) {
      for (const int reducers : {1, 2, 5, 11}) {
        dmr::Options options = with(workers);
        options.reducers = reducers;
        const auto results = Counting().run(dmr::Input::numbers(kPieces * 100, 100), options);
        EXPECT(results.size() == 100);
        for (const auto& [key, sum] : results) EXPECT(sum == kPieces * key + 100 * (kPieces * (kPieces - 1) / 2));
      }
    }
  });
}

TEST_CASE("there is a reducer to a worker, but no more than cores") {
  const auto reducers = [](int workers, int asked = 0) {
    dmr::Options options;
    options.workers = workers;
    options.reducers = asked;
    return static_cast<int>(dmr::reducers_of(options));
  };
  CHECK(reducers(1) == 1);
  CHECK(reducers(0) == std::min(kCores, dmr::kMostWorkers));
  CHECK(reducers(dmr::kMostWorkers) == std::min(kCores, dmr::kMostWorkers));
  CHECK(reducers(1, 5) == 5);
  CHECK_THROWS_AS(reducers(1, -1), dmr::JobError);
  CHECK_THROWS_AS(reducers(1, dmr::kMostWorkers + 1), dmr::JobError);
}

TEST_CASE("mappers that keep the cores busy stay as many as there are cores") {
  const auto cores = static_cast<uint32_t>(kCores);
  CHECK(at_work_after(150, cores + 3, 1.0) == cores);
  CHECK(at_work_after(10, 1, 0.1) == 1);
}

TEST_CASE("mappers that wait get company") {
  const auto cores = static_cast<uint32_t>(kCores);
  CHECK(at_work_after(200, cores + 3, 0.1) == cores + 3);
}

TEST_CASE("where no more mappers can be started those that are there go on") {
  const auto cores = static_cast<uint32_t>(kCores);
  CHECK(at_work_after(200, cores + 3, 0.1, cores + 1) == cores + 1);
  CHECK(at_work_after(200, cores + 3, 0.1, 1) == 1);
}

TEST_CASE("a mapper waits until it counts, and does nothing if no more are to come") {
  dmr::Board board(3, 1);
  std::atomic<int> places{0};
  const auto wait = [&](uint32_t number) {
    return std::thread([&board, &places, number] { places += board.await_place(number) ? 1 : 100; });
  };
  std::thread first = wait(0), second = wait(1), third = wait(2);
  board.add_mapper();
  first.join();
  CHECK(places == 1);
  board.add_mapper();
  second.join();
  CHECK(places == 2);
  board.close_crew();
  board.add_mapper();
  third.join();
  CHECK(places == 102);
  CHECK(board.mappers() == 2);
}
