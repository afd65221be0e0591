// What others do to a job: they cut off its files, or take SIGCHLD from it.
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

#include "folder.hpp"
#include "root.hpp"

using namespace dmr_test;

// An input file that is cut off while it is read.

namespace {

constexpr size_t kFileBytes = 3 << 20;  // its pieces have a third each

// The map of the second piece cuts its file off, in front of that piece or everywhere.
struct Cutting : dmr::MapReduce<Cutting, uint32_t, uint64_t, dmr::Sum<uint64_t>> {
  std::string file;
  off_t left = 0;
  void map(const dmr::Piece& piece, auto& emit) const {
    if (piece.number == 1) EXPECT(truncate(file.c_str(), left) == 0);
    uint64_t sum = 0;
    for (const char c : piece.data) sum += static_cast<unsigned char>(c);
    emit(0u, sum);
  }
};
struct Dying : dmr::MapReduce<Dying, uint32_t, uint64_t, dmr::Sum<uint64_t>> {
  void map(const dmr::Piece&, auto&) const { raise(SIGBUS); }
};

}  // namespace

TEST_CASE("a file that becomes shorter while it is read is named") {
  run_root([] {
    const Folder folder;
    for (const bool joined : {false, true}) {
      for (const off_t left : {off_t{0}, off_t{kFileBytes / 3}}) {
        Cutting job;
        const std::string other = folder.file("other", "");
        job.file = folder.file("file", std::string(kFileBytes, 'x'));
        job.left = left;
        auto input = dmr::Input::files({other, job.file}, dmr::Records::of_size(1), kFileBytes / 3);
        if (joined) input.join();
        dmr::Options options = with(1);
        options.skip_at_most = 9;  // it is no fault of a record's
        EXPECT(failure_of([&] { job.run(input, options); }) == job.file + ": has become shorter while it was read");
      }
    }
  });
}

TEST_CASE("also where a worker only looks for a piece in it") {
  run_root([] {
    const Folder folder;
    const std::string file = folder.file("file", std::string(kFileBytes, 'x'));
    for (const bool joined : {false, true}) {
      folder.file("file", std::string(kFileBytes, 'x'));
      auto input = dmr::Input::files({file}, dmr::Records::lines(), kFileBytes / 3);
      if (joined) input.join();
      EXPECT(truncate(file.c_str(), 0) == 0);
      EXPECT(failure_of([&] { Cutting().run(input, with(2)); }) == file + ": has become shorter while it was read");
    }
  });
}

TEST_CASE("a map that dies of SIGBUS by itself is a map that dies") {
  run_root([] {
    const Folder folder;
    const std::string file = folder.file("file", "text"), place = ", in the map of " + file + ", bytes 0 to 4";
    EXPECT(failure_of([&] { Dying().run(dmr::Input::files({file})); }) == "worker 0: died of SIGBUS" + place);
  });
}

// Whatever the program does with SIGCHLD, ends are noticed.

namespace {

void ignore_ends(const dmr::Progress&) { signal(SIGCHLD, SIG_IGN); }
void steal_ends(const dmr::Progress&) {
  signal(SIGCHLD, [](int) {
    while (waitpid(-1, nullptr, WNOHANG) > 0) {
    }
  });
}

// Its maps go on for longer than the root needs to look at them and call progress.
struct Slow : dmr::MapReduce<Slow, uint64_t, uint64_t, dmr::Sum<uint64_t>> {
  bool dies = false;
  void map(const dmr::Piece& piece, auto& emit) const {
    usleep(10'000);
    for (uint64_t n = piece.begin; n < piece.end; ++n) emit(n % 3, n);
  }
  void reduce(uint64_t key, dmr::Values<uint64_t>& values, auto& emit) const {
    if (dies && key == 1) {
      usleep(110'000);  // so much that progress is called here too
      raise(SIGKILL);
    }
    for (const uint64_t value : values) emit(value);
  }
};
struct DiesInMap : dmr::MapReduce<DiesInMap, uint64_t, uint64_t, dmr::Sum<uint64_t>> {
  void map(const dmr::Piece& piece, auto&) const {
    usleep(10'000);
    if (piece.begin == 20) raise(SIGKILL);
  }
};

}  // namespace

TEST_CASE("a job ends where SIGCHLD is blocked, ignored or stolen") {
  run_root([] {
    alarm(60);  // it would not end
    const auto input = dmr::Input::numbers(40, 10);
    dmr::Options options[3] = {with(2), with(2), with(2)};
    options[1].progress = ignore_ends;
    options[2].progress = steal_ends;
    sigset_t ends, before;
    sigemptyset(&ends);
    sigaddset(&ends, SIGCHLD);
    for (dmr::Options& each : options) {
      const bool blocks = !each.progress;
      if (blocks) sigprocmask(SIG_BLOCK, &ends, &before);
      Slow job;
      EXPECT(job.run(input, each).size() == 3);
      job.dies = true;
      EXPECT(has(failure_of([&] { job.run(input, each); }), ", in the reduction of key '"));
      EXPECT(has(failure_of([&] { DiesInMap().run(input, each); }), ", in the map of numbers, numbers 20 to 30"));
      if (blocks) sigprocmask(SIG_SETMASK, &before, nullptr);
    }
  });
}
