// Who has which end: handing over, through several levels, and where a new end stands.
#include <sys/resource.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <cstdio>

#include <space/space.h>

#include "job.hpp"

using namespace chan_job;

TEST_CASE("ends are handed on through two levels") {
  for (const Mode mode : kModes) {
    run_job(mode, [] {
      const chan_id channel = make_channel();
      // Each child hands its end to a child of its own and gives up its part.
      Child left([=] {
        Child producer([=] {
          for (uint32_t i = 0; i < 50; ++i) send(channel, pattern(i * 400, i));
          return 0;
        });
        EXPECT(chan_setprod(channel, producer.number(), 0) == 0);
        producer.start();
        producer.join_well();
        return 0;
      });
      Child right([=] {
        Child consumer([=] {
          for (uint32_t i = 0; i < 50; ++i) EXPECT(receive(channel) == pattern(i * 400, i));
          return 0;
        });
        EXPECT(chan_setcons(channel, consumer.number()) == 0);
        EXPECT(chan_free(channel) == 0);
        consumer.start();
        consumer.join_well();
        return 0;
      });
      EXPECT(chan_setprod(channel, left.number(), 0) == 0);
      EXPECT(chan_setcons(channel, right.number()) == 0);
      left.start();
      right.start();
      left.join_well();
      right.join_well();
    });
  }
}

TEST_CASE("a producer's end continues where its giver stood") {
  for (const Mode mode : kModes) {
    for (const chan_policy policy : {CHAN_EAGER, CHAN_LAZY}) {
      run_job(mode, [=] {
        const chan_id channel = make_channel();
        EXPECT(chan_set_policy(channel, policy) == 0);
        Child consumer([=] {
          for (int i = 0; i < 12; ++i) EXPECT(receive(channel) == std::to_string(i));
          return 0;
        });
        EXPECT(chan_setcons(channel, consumer.number()) == 0);
        consumer.start();
        for (int i = 0; i < 5; ++i) send(channel, std::to_string(i));
        Child producer([=] {
          for (int i = 5; i < 9; ++i) send(channel, std::to_string(i));
          Child last([=] {
            for (int i = 9; i < 12; ++i) send_last(channel, std::to_string(i));
            return 0;
          });
          EXPECT(chan_setprod(channel, last.number(), 0) == 0);
          last.start();
          last.join_well();
          return 0;
        });
        EXPECT(chan_setprod(channel, producer.number(), 1) == 0);
        producer.start();
        // The giver became a consumer that stands where it stopped sending.
        for (int i = 5; i < 12; ++i) EXPECT(receive(channel) == std::to_string(i));
        producer.join_well();
        consumer.join_well();
      });
    }
  }
}

TEST_CASE("a late consumer gets what its giver has not received yet") {
  for (const Mode mode : kModes) {
    run_job(mode, [] {
      const chan_id channel = make_channel(8192);
      Child producer([=] {
        for (uint32_t i = 0; i < 20; ++i) send(channel, pattern(1000, i));
        return 0;
      });
      EXPECT(chan_setprod(channel, producer.number(), 1) == 0);
      producer.start();
      for (uint32_t i = 0; i < 10; ++i) EXPECT(receive(channel) == pattern(1000, i));
      Child late([=] {
        for (uint32_t i = 10; i < 20; ++i) EXPECT(receive(channel) == pattern(1000, i));
        return 0;
      });
      EXPECT(chan_setcons(channel, late.number()) == 0);
      late.start();
      for (uint32_t i = 10; i < 20; ++i) EXPECT(receive(channel) == pattern(1000, i));
      late.join_well();
      producer.join_well();
    });
  }
}

TEST_CASE("a consumer made by the producer gets what is sent afterwards") {
  for (const Mode mode : kModes) {
    run_job(mode, [] {
      const chan_id channel = make_channel();
      send(channel, "before");
      Child consumer([=] { return receive(channel) == "after" ? 0 : 1; });
      EXPECT(chan_setcons(channel, consumer.number()) == 0);
      consumer.start();
      send(channel, "after");
      consumer.join_well();
    });
  }
}

TEST_CASE("a space that gave its end away keeps no frames alive") {
  run_job(kDefaultMode, [] {
    const chan_id channel = make_channel(8192);
    Child producer([=] {
      // Would block if the root still stood at the start.
      for (uint32_t i = 0; i < 2000; ++i) send(channel, pattern(4000, i));
      return 0;
    });
    EXPECT(chan_setprod(channel, producer.number(), 0) == 0);
    producer.start();
    producer.join_well();
  });
}

TEST_CASE("a start that fails takes nothing away") {
  run_job(kDefaultMode, [] {
    const chan_id channel = make_channel();
    Child producer([=] {
      send(channel, "hello");
      return 0;
    });
    Child consumer([=] { return receive(channel) == "hello" ? 0 : 1; });
    EXPECT(chan_setprod(channel, producer.number(), 0) == 0);
    // The limit does not count for root.
    if (getuid() == 0 && setresuid(65534, 65534, 65534) != 0) return;
    rlimit limit;
    EXPECT(getrlimit(RLIMIT_NPROC, &limit) == 0);
    const rlim_t before = std::exchange(limit.rlim_cur, 0);
    EXPECT(setrlimit(RLIMIT_NPROC, &limit) == 0);
    const auto nothing = [](void*) { return 0; };
    EXPECT(space_start(producer.number(), nothing, nullptr) == -1 && errno == EAGAIN);
    limit.rlim_cur = before;
    EXPECT(setrlimit(RLIMIT_NPROC, &limit) == 0);
    EXPECT(chan_setcons(channel, consumer.number()) == 0);
    consumer.start();
    producer.start();
    EXPECT_FAILS(chan_setcons(channel, Child().number()), EPERM, "given away");
    producer.join_well();
    consumer.join_well();
  });
}

TEST_CASE("a consumer that frees its end does not hold the producer back") {
  run_job(kDefaultMode, [] {
    const chan_id channel = make_channel(8192);
    Child consumer([=] {
      EXPECT(receive(channel) == pattern(4000, 0));
      EXPECT(chan_free(channel) == 0);
      return 0;
    });
    EXPECT(chan_setcons(channel, consumer.number()) == 0);
    consumer.start();
    for (uint32_t i = 0; i < 2000; ++i) send(channel, pattern(4000, i));
    consumer.join_well();
  });
}

TEST_CASE("channel IDs are distinct across spaces and the same in every run") {
  const auto run = run_job(kDefaultMode, [] {
    const chan_id report = make_channel();
    std::printf("root %lld %lld\n", static_cast<long long>(make_channel()), static_cast<long long>(make_channel()));
    std::vector<Child> children;
    children.reserve(3);
    std::vector<chan_id> reports;
    for (int i = 0; i < 3; ++i) {
      Child& child = children.emplace_back();
      const chan_id own = make_channel();
      child.body([=] {
        const chan_id ids[2] = {make_channel(), make_channel()};
        return chan_send(own, ids, sizeof(ids)) == 0 ? 0 : 1;
      });
      EXPECT(chan_setprod(own, child.number(), 1) == 0);
      reports.push_back(own);
    }
    for (Child& child : children) child.start();
    std::vector<chan_id> all = {report};
    for (size_t i = 0; i < children.size(); ++i) {
      chan_id ids[2];
      EXPECT(chan_recv(reports[i], ids, sizeof(ids)) == sizeof(ids));
      for (const chan_id id : ids) {
        EXPECT(id > 0);
        for (const chan_id other : all) EXPECT(other != id);
        all.push_back(id);
        std::printf("child %zu: %lld\n", i, static_cast<long long>(id));
      }
    }
    for (Child& child : children) child.join_well();
  });
  CHECK(!run.out.empty());
}

TEST_CASE("channels can be made and freed without end") {
  run_job(kDefaultMode, [] {
    for (int i = 0; i < 5000; ++i) {
      const chan_id channel = make_channel();
      if (i % 50 == 0) send(channel, "dropped");
      EXPECT(chan_free(channel) == 0);
    }
  });
}

TEST_CASE("regions of different children may meet in one child") {
  // The same address is free in the root when it hands over a second channel, but taken in the child.
  run_job(kDefaultMode, [] {
    Child child;
    const chan_id first = make_channel();
    EXPECT(chan_setprod(first, child.number(), 0) == 0);
    EXPECT(chan_free(first) == 0);
    const chan_id second = make_channel();
    EXPECT(chan_setprod(second, child.number(), 1) == 0);
    child.body([=] {
      send(first, "nobody listens");
      send(second, "to the root");
      return 0;
    });
    child.start();
    EXPECT(receive(second) == "to the root");
    child.join_well();
  });
}
