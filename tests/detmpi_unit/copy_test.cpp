// Copying to memory that others read: the same bytes whichever way is chosen, and visible once they are published.
#include "engine/copy.hpp"

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <thread>
#include <vector>

using namespace detmpi;

namespace {

// Of so many long copies in a row at least one is done in the way that is not the chosen one.
constexpr int kTurns = 64;

std::vector<unsigned char> bytes_from(int first, size_t n) {
  std::vector<unsigned char> bytes(n);
  for (size_t i = 0; i < n; ++i) bytes[i] = static_cast<unsigned char>(static_cast<size_t>(first) + i * 7 + i / 251);
  return bytes;
}

}  // namespace

TEST_CASE("every length and place, and nothing beyond it") {
  constexpr unsigned char kUntouched = 0xA5;
  const auto untouched = [](unsigned char c) { return c == kUntouched; };
  for (const size_t n : {size_t{1}, size_t{63}, kStreamedBytes - 1, kStreamedBytes, kStreamedBytes + 1, size_t{4223}}) {
    for (const size_t to : {0, 1, 31, 32, 33, 63, 64}) {
      for (int turn = 0; turn < kTurns; ++turn) {
        const size_t from = static_cast<size_t>(turn) % 37;
        const auto source = bytes_from(turn, n + from);
        std::vector<unsigned char> target(n + to + 128, kUntouched);
        copy_to_shared(target.data() + to, source.data() + from, n);
        REQUIRE(std::equal(source.begin() + static_cast<ptrdiff_t>(from), source.end(),
                           target.begin() + static_cast<ptrdiff_t>(to)));
        REQUIRE(std::all_of(target.begin(), target.begin() + static_cast<ptrdiff_t>(to), untouched));
        REQUIRE(std::all_of(target.begin() + static_cast<ptrdiff_t>(to + n), target.end(), untouched));
      }
    }
  }
}

TEST_CASE("what is published is there") {
  constexpr size_t kBytes = 8192;
  constexpr int kRounds = 5000;
  std::vector<unsigned char> shared(kBytes);
  std::atomic<int> written{0}, read{0};
  std::thread reader([&] {
    for (int round = 1; round <= kRounds; ++round) {
      while (written.load(std::memory_order_acquire) < round) std::this_thread::yield();
      const bool same = shared == std::vector<unsigned char>(kBytes, static_cast<unsigned char>(round));
      read.store(same ? round : -1, std::memory_order_release);
      if (!same) return;
    }
  });
  int done = 0;
  for (int round = 1; round <= kRounds && done == round - 1; ++round) {
    const std::vector<unsigned char> source(kBytes, static_cast<unsigned char>(round));
    copy_to_shared(shared.data(), source.data(), kBytes);
    written.store(round, std::memory_order_release);
    while ((done = read.load(std::memory_order_acquire)) >= 0 && done < round) std::this_thread::yield();
  }
  reader.join();
  CHECK(done == kRounds);
}
