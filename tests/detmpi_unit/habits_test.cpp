// Whom a receive from any source prefers, by what came before.
#include "engine/habits.hpp"

#include <catch2/catch.hpp>
#include <vector>

using namespace detmpi;
using chan::match::kAny;
using chan::match::Receive;

namespace {

constexpr uint64_t kLookahead = 256;

Receive receive(int tag = 1, uint32_t context = 0) {
  Receive r;
  r.context = context;
  r.tag = tag;
  r.source = kAny;
  return r;
}

Receive posted(const Habits& habits, int tag = 1, uint32_t context = 0) {
  Receive r = receive(tag, context);
  habits.apply(r, kLookahead);
  return r;
}

// So many of the messages, which come from these ranks one after the other, were preferred when they came.
size_t expected_of(Habits& habits, const std::vector<int>& sources) {
  size_t expected = 0;
  for (const int source : sources) {
    expected += posted(habits).usual == source ? 1u : 0u;
    habits.note(receive(), source);
  }
  return expected;
}

std::vector<int> runs(const std::vector<std::pair<int, size_t>>& source_and_length, size_t times) {
  std::vector<int> sources;
  while (times-- > 0) {
    for (const auto& [source, length] : source_and_length) sources.insert(sources.end(), length, source);
  }
  return sources;
}

}  // namespace

TEST_CASE("one source is preferred after eight messages, by more with each") {
  Habits habits;
  CHECK(expected_of(habits, runs({{3, 8}}, 1)) == 0);
  CHECK(posted(habits).usual == 3);
  CHECK(posted(habits).grace == 8 * kLookahead);
  CHECK(expected_of(habits, runs({{3, 100}}, 1)) == 100);
  CHECK(posted(habits).grace == 64 * kLookahead);
}

TEST_CASE("sources that change without a rule are not preferred") {
  Habits habits;
  uint32_t state = 1;
  std::vector<int> sources;
  for (int i = 0; i < 1000; ++i) sources.push_back(static_cast<int>((state = state * 1664525u + 1013904223u) >> 30));
  CHECK(expected_of(habits, sources) <= 10);
}

TEST_CASE("a source that changes after as many messages each time is expected to") {
  Habits habits;
  const auto cycle = runs({{1, 20}, {5, 2}}, 1);
  expected_of(habits, runs({{1, 20}, {5, 2}}, 2));
  for (int i = 0; i < 10; ++i) CHECK(expected_of(habits, cycle) == cycle.size());
}

TEST_CASE("three sources may take turns") {
  Habits habits;
  const auto cycle = runs({{1, 12}, {2, 1}, {7, 3}}, 1);
  expected_of(habits, runs({{1, 12}, {2, 1}, {7, 3}}, 8));
  CHECK(expected_of(habits, cycle) == cycle.size());
}

TEST_CASE("where the length changes, the new one is expected next") {
  Habits habits;
  expected_of(habits, runs({{1, 20}, {5, 2}}, 4));
  const auto longer = runs({{1, 25}, {5, 2}}, 1);
  CHECK(expected_of(habits, longer) >= longer.size() - 4);
  CHECK(expected_of(habits, longer) == longer.size());
}

TEST_CASE("tags and contexts have habits of their own") {
  Habits habits;
  expected_of(habits, runs({{3, 20}}, 1));
  CHECK(posted(habits, 2).usual == kAny);
  CHECK(posted(habits, 1, 4).usual == kAny);
  CHECK(posted(habits).usual == 3);
}

TEST_CASE("a program that probes has no habits any more") {
  Habits habits;
  expected_of(habits, runs({{3, 20}}, 1));
  habits.give_up();
  CHECK(posted(habits).usual == kAny);
  CHECK(posted(habits).grace == 0);
}
