// The parts of the matching engine, each by itself.
#include <catch2/catch.hpp>
#include <chan/match/bounds.hpp>
#include <chan/match/decide.hpp>
#include <chan/match/matcher.hpp>
#include <chan/match/poll.hpp>
#include <random>

using namespace chan::match;

namespace {

constexpr Time kL = 10;

RankState running(Time clock) { return {RankState::Kind::kRun, false, clock, {}}; }
RankState done() { return {RankState::Kind::kDone, false, 0, {}}; }
RankState waiting(Time clock, bool any, std::vector<Node> nodes) {
  return {RankState::Kind::kWait, any, clock, std::move(nodes)};
}
// A receive posted at `post` that any of `ranks` could send.
Node receive(Time post, std::vector<int> ranks, Time candidate = kNever) {
  Node node;
  node.least = post;
  node.any = true;
  node.candidate = candidate;
  for (const int rank : ranks) node.edges.push_back({rank, kL});
  return node;
}

struct Fixed final : Horizon {
  std::vector<Time> next;
  Fixed(std::vector<Time> arrivals) : next(std::move(arrivals)) {}
  Time next_arrival(int source) const override { return next[static_cast<size_t>(source)]; }
};

Message message(int source, Time arrival, int tag = 0, uint64_t number = 0) {
  Message m;
  m.tag = tag;
  m.key = {arrival, source, number};
  return m;
}
constexpr int kAll[] = {0, 1, 2};
Receive receive_from(int source, Time post, int tag = kAny) {
  Receive r;
  r.source = source;
  r.tag = tag;
  r.post = post;
  r.senders = kAll;
  return r;
}
// From any source, posted at 5.
Receive preferring(int usual, Time grace) {
  Receive r = receive_from(kAny, 5);
  r.usual = usual;
  r.grace = grace;
  return r;
}

}  // namespace

TEST_CASE("who runs acts after its clock, who is done never") {
  CHECK(solve_bounds(std::vector{running(5), done()}) == std::vector<Time>{6, kNever});
}

TEST_CASE("who waits for a message acts after it can come") {
  const std::vector ranks = {running(5), waiting(3, false, {receive(3, {0})})};
  CHECK(solve_bounds(ranks)[1] == 6 + kL + 1);
}

TEST_CASE("all of several requests, or the first of them") {
  const std::vector<Node> nodes = {receive(3, {0}), receive(3, {1})};
  CHECK(solve_bounds(std::vector{running(5), running(50), waiting(3, false, nodes)})[2] == 51 + kL + 1);
  CHECK(solve_bounds(std::vector{running(5), running(50), waiting(3, true, nodes)})[2] == 6 + kL + 1);
}

TEST_CASE("a message that is there bounds a wildcard") {
  const std::vector ranks = {running(100), waiting(3, false, {receive(3, {0}, 20)})};
  CHECK(solve_bounds(ranks)[1] == 21);
}

TEST_CASE("a cycle of receives is a deadlock, and whoever waits for one of its ranks is in it") {
  const std::vector ranks = {waiting(1, false, {receive(1, {1})}), waiting(2, false, {receive(2, {0})}),
                             waiting(3, false, {receive(3, {0})}), running(7)};
  CHECK(solve_bounds(ranks) == std::vector<Time>{kNever, kNever, kNever, 8});
}

TEST_CASE("one way out of a cycle is enough for a wildcard") {
  const std::vector ranks = {waiting(1, false, {receive(1, {1, 2})}), waiting(2, false, {receive(2, {0})}), running(7)};
  CHECK(solve_bounds(ranks) == std::vector<Time>{8 + kL + 1, 8 + kL + 1 + kL + 1, 8});
}

TEST_CASE("all ranks but some are the same as all the others one by one") {
  std::minstd_rand random(3);
  const auto draw = [&](int below) { return static_cast<int>(random() % static_cast<unsigned>(below)); };
  for (int i = 0; i < 2000; ++i) {
    const int n = 2 + draw(7);
    std::vector<RankState> brief, full;
    for (int rank = 0; rank < n; ++rank) {
      const auto clock = static_cast<Time>(draw(40));
      if (const int kind = draw(5); kind < 2) {
        brief.push_back(kind == 0 ? running(clock) : done());
        full.push_back(brief.back());
        continue;
      }
      std::vector<Node> short_nodes, long_nodes;
      for (int nodes = 1 + draw(2); nodes > 0; --nodes) {
        Node one = receive(clock, {}), other = one;
        one.all_but = true;
        one.add_for_all = kL;
        if (draw(4) == 0) one.candidate = other.candidate = static_cast<Time>(draw(60));
        for (int from = 0; from < n; ++from) {
          auto& edges = draw(3) == 0 ? one.edges : other.edges;
          edges.push_back({from, kL});
        }
        short_nodes.push_back(one);
        long_nodes.push_back(other);
      }
      const bool any = draw(2) == 0;
      brief.push_back(waiting(clock, any, short_nodes));
      full.push_back(waiting(clock, any, long_nodes));
    }
    const auto bounds = solve_bounds(full);
    REQUIRE(solve_bounds(brief) == bounds);
    for (int rank = 0; rank < n; ++rank) {
      const auto at = static_cast<size_t>(rank);
      for (size_t k = 0; k < full[at].nodes.size(); ++k) {
        REQUIRE(earliest(brief[at].nodes[k], bounds) == earliest(full[at].nodes[k], bounds));
      }
    }
  }
}

TEST_CASE("nothing comes from ranks that are done") {
  CHECK(solve_bounds(std::vector{done(), waiting(1, false, {receive(1, {0})})})[1] == kNever);
}

TEST_CASE("a receive that names its source is final without knowledge of others") {
  const Fixed nothing({0, 0, 0});
  Matcher matcher(3);
  Message m = message(2, 40);
  Receive r = receive_from(2, 5);
  matcher.arrive(m);
  matcher.post(r);
  matcher.settle(nothing);
  CHECK(r.final());
  CHECK(r.time() == 40);
}

TEST_CASE("a wildcard waits until nobody can be earlier") {
  Matcher matcher(3);
  Message m = message(1, 40);
  Receive r = receive_from(kAny, 5);
  matcher.arrive(m);
  matcher.post(r);
  matcher.settle(Fixed({40, 0, 41}));
  CHECK(!r.final());  // rank 0 can still send one that arrives at 40
  CHECK(matcher.outlook(r, Fixed({40, 0, 41})).time == 40);
  CHECK(matcher.outlook(r, Fixed({30, 0, 41})).time == 30);
  matcher.settle(Fixed({41, 0, 40}));
  CHECK(r.final());  // rank 2 comes after rank 1
}

TEST_CASE("a wildcard with a usual source waits for others to be within its grace") {
  Matcher matcher(3);
  Message usual = message(1, 40), other = message(0, 25);
  Receive r = preferring(1, 20);
  matcher.arrive(usual);
  matcher.post(r);
  matcher.settle(Fixed({20, 0, 30}));
  CHECK(!r.final());  // rank 0 can still send one that comes at 20 + 20
  matcher.arrive(other);
  CHECK(matcher.least_candidate(r) == 40);
  CHECK(matcher.wanted_at(other) == 45);
  matcher.settle(Fixed({30, 0, 30}));
  CHECK(r.message == &usual);
  CHECK(r.time() == 40);
}

TEST_CASE("nothing is final for a receive that is held, and others reckon with its message's arrival") {
  Matcher matcher(3);
  Message other = message(0, 25);
  Receive r = preferring(1, 20);
  r.held = true;
  matcher.arrive(other);
  matcher.post(r);
  matcher.settle(Fixed({90, 90, 90}));
  CHECK(!r.final());
  CHECK(matcher.wanted_at(other) == 25);
  r.held = false;
  r.prefer_nobody();
  matcher.settle(Fixed({90, 90, 90}));
  CHECK(r.time() == 25);
}

TEST_CASE("a message of another source comes late by the grace, and waits for the usual one until then") {
  Matcher matcher(3);
  Message other = message(0, 25);
  Receive r = preferring(1, 20);
  matcher.arrive(other);
  matcher.post(r);
  matcher.settle(Fixed({90, 45, 30}));
  CHECK(r.final());  // rank 1 comes after rank 0, rank 2 not before 50
  CHECK(r.time() == 45);
  matcher.withdraw(r, 10);
  CHECK(matcher.outlook(r, Fixed({90, 44, 30})).time == 44);
  matcher.post(r);
  matcher.settle(Fixed({90, 44, 30}));
  CHECK(!r.final());
}

TEST_CASE("behind a receive with another order of messages, what that one may still leave counts") {
  Matcher matcher(3);
  Message provisional = message(0, 30, 1), later = message(1, 35), usual = message(2, 40, 1);
  Receive r = preferring(2, 20), behind = receive_from(kAny, 6);
  r.tag = 1;
  behind.grace = r.grace;
  matcher.arrive(provisional);
  matcher.arrive(later);
  matcher.post(r);
  matcher.post(behind);
  matcher.settle(Fixed({90, 90, 36}));  // `later` comes at 55, the next of rank 2 to `behind` at 56, and to r at 36
  CHECK(!r.final());
  CHECK(!behind.final());
  matcher.arrive(usual);
  matcher.settle(Fixed({90, 90, 90}));
  CHECK(r.message == &usual);
  CHECK(behind.message == &provisional);
  CHECK(behind.time() == 50);
}

TEST_CASE("a named receive behind a wildcard that may take its message is not final") {
  Matcher matcher(3);
  Message first = message(1, 40), second = message(1, 45, 0, 1);
  Receive any = receive_from(kAny, 5), named = receive_from(1, 6);
  matcher.arrive(first);
  matcher.post(any);
  matcher.post(named);
  matcher.settle(Fixed({0, 0, 0}));
  CHECK(!named.final());
  matcher.arrive(second);
  matcher.settle(Fixed({0, 0, 0}));
  CHECK(!named.final());  // a message of rank 0 or 2 for the wildcard would leave it the first
  matcher.settle(Fixed({46, 0, 46}));
  CHECK(any.message == &first);
  CHECK(named.message == &second);
}

TEST_CASE("a cancelled receive leaves its message to the next") {
  Matcher matcher(3);
  Message m = message(1, 40);
  Receive first = receive_from(1, 5), second = receive_from(1, 6);
  matcher.arrive(m);
  matcher.post(first);
  matcher.post(second);
  matcher.settle(Fixed({0, 0, 0}));
  CHECK(first.final());
  matcher.withdraw(first, 20);
  matcher.settle(Fixed({0, 0, 0}));
  CHECK(second.message == &m);
}

TEST_CASE("waits decide by times") {
  const Outlook at5{true, 5}, at9{true, 9}, from5{false, 5}, from6{false, 6};
  CHECK(!wait_all(std::vector{at5, from6}, 0));
  CHECK(wait_all(std::vector{at5, at9}, 7) == 9);
  CHECK(wait_all(std::vector{at5, at9}, 12) == 12);
  CHECK(wait_any(std::vector{from6, at5})->index == 1);
  CHECK(!wait_any(std::vector{from5, at5}));  // the first could be complete at 5 as well
  CHECK(wait_any(std::vector{at5, from5})->index == 0);
  CHECK(wait_some(std::vector{at9, at5, from6}, 0)->indices == std::vector<size_t>{1});
  CHECK(!wait_some(std::vector{at5, from6}, 6));
  CHECK(wait_some(std::vector{at5, at9}, 9)->indices == std::vector<size_t>{0, 1});
}

TEST_CASE("tests decide by times") {
  const Outlook at5{true, 5}, from5{false, 5}, from6{false, 6};
  CHECK(test_all(std::vector{at5}, 5, 5)->complete);
  CHECK(!test_all(std::vector{at5}, 4, 4)->complete);
  CHECK(!test_all(std::vector{at5, from6}, 5, 5)->complete);
  CHECK(!test_all(std::vector{from5}, 5, 5));  // equality is not enough
  CHECK(test_any(std::vector{from6, at5}, 5, 5)->index == 1);
  CHECK(test_any(std::vector{from6}, 5, 5)->index == kNone);
  CHECK(!test_any(std::vector{from5, at5}, 5, 5));
  CHECK(test_some(std::vector{at5, from6}, 5, 5)->indices == std::vector<size_t>{0});
  CHECK(!test_some(std::vector{at5, from5}, 5, 5));
  CHECK(cancel(at5, 4) == true);
  CHECK(cancel(at5, 5) == false);
  CHECK(!cancel(from5, 5));
}

TEST_CASE("tests that wait for a while return when something is complete, and in vain at their end") {
  const Outlook at5{true, 5}, at7{true, 7}, from6{false, 6}, from9{false, 9};
  const auto all = [](std::vector<Outlook> requests, Time now, Time until) {
    const auto answer = test_all(requests, now, until);
    return answer ? std::pair(answer->complete, answer->time) : std::pair(false, kNever);
  };
  CHECK(all({at5, at7}, 3, 8) == std::pair(true, Time{7}));
  CHECK(all({at5, at7}, 3, 6) == std::pair(false, Time{6}));
  CHECK(all({at5, from9}, 3, 8) == std::pair(false, Time{8}));
  CHECK(all({at5, from6}, 3, 8) == std::pair(false, kNever));  // it cannot be told yet
  CHECK(all({at5}, 6, 8) == std::pair(true, Time{6}));
  CHECK(test_any(std::vector{at7, at5}, 3, 8)->time == 5);
  CHECK(test_any(std::vector{at7, at5}, 3, 4)->time == 4);
  CHECK(test_any(std::vector{at7, at5}, 3, 4)->index == kNone);
  CHECK(test_any(std::vector{from9, at5}, 6, 8)->time == 6);
  CHECK(!test_any(std::vector{from6, at7}, 3, 8));
  CHECK(test_some(std::vector{at7, at5}, 3, 8)->indices == std::vector<size_t>{1});
  CHECK(test_some(std::vector{at7, at5}, 3, 8)->time == 5);
  CHECK(test_some(std::vector{at7, at5}, 7, 8)->indices == std::vector<size_t>{0, 1});
  CHECK(test_some(std::vector{at7, at5}, 3, 4)->indices.empty());
  CHECK(test_some(std::vector{at5, from6}, 3, 8)->time == 5);
  CHECK(!test_some(std::vector{from6, at7}, 3, 8));
}

// From some number on it knows the first of each tag.
TEST_CASE("a queue finds the first message of a tag, few or many") {
  constexpr int kTags = 5, kMessages = 60;
  std::mt19937_64 random(1);
  std::vector<Message> all;
  for (int i = 0; i < kMessages; ++i) all.push_back(message(0, 0, static_cast<int>(random() % kTags), uint64_t(i) + 1));
  MessageQueue queue(0);
  std::vector<bool> is_there(kMessages, true);
  for (Message& m : all) queue.push(m);
  const auto expected = [&](int tag) -> const Message* {
    for (int i = 0; i < kMessages; ++i) {
      const Message& m = all[static_cast<size_t>(i)];
      if (is_there[static_cast<size_t>(i)] && (tag == kAny || m.tag == tag)) return &m;
    }
    return nullptr;
  };
  // Where there are few it may be one before them.
  const auto found = [&](int tag) {
    const Message* m = queue.first(tag);
    while (m != nullptr && tag != kAny && m->tag != tag) m = m->next;
    return m;
  };
  for (int step = 0; step < 2000; ++step) {
    const size_t i = random() % kMessages;
    if (!is_there[i]) queue.put_back(all[i]);
    else if (step % 400 < 300 || random() % 4 == 0) queue.take(all[i]);
    else continue;
    is_there[i] = !is_there[i];
    bool same = true;
    for (int tag = 0; tag < kTags; ++tag) same = same && found(tag) == expected(tag);
    REQUIRE(same);
    REQUIRE(found(kAny) == expected(kAny));
    REQUIRE(queue.empty() == (expected(kAny) == nullptr));
  }
}

TEST_CASE("polls wait the longer the more there were, tests of the third time for a lookahead") {
  const auto reaches = [](bool probes, Time lookahead) {
    std::vector<Time> all;
    for (uint64_t round = 0; round < 8; ++round) all.push_back(reach_of_poll(round, probes, lookahead));
    return all;
  };
  CHECK(reaches(false, 128) == std::vector<Time>{0, 2, 128, 8, 16, 32, 32, 32});
  CHECK(reaches(true, 128) == std::vector<Time>{0, 2, 4, 8, 16, 32, 32, 32});
  CHECK(reaches(false, 1) == std::vector<Time>{0, 1, 1, 1, 1, 1, 1, 1});
  CHECK(reach_of_poll(~uint64_t{0}, true, Time{1} << 40) == Time{1} << 30);
}
