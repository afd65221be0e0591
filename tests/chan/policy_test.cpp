// When messages become visible: eager, lazy, sendLast, and what chan_test says.
#include <catch2/catch.hpp>
#include <cerrno>

#include <base/sys.hpp>

#include "job.hpp"

using namespace chan_job;

namespace {

// A producer that acts when it is told to; the root looks in between.
struct Stage : Steps {
  explicit Stage(size_t window = 0) : data(make_channel(window)) { EXPECT(chan_setprod(data, number(), 1) == 0); }
  void start(std::function<void(chan_id, int)> act, int steps) {
    Steps::start([act = std::move(act), data = data](int step) { act(data, step); }, steps);
  }
  chan_id data;
};

}  // namespace

TEST_CASE("eager messages are visible at once") {
  for (const Mode mode : kModes) {
    run_job(mode, [] {
      Stage stage;
      stage.start([](chan_id data, int step) { send(data, std::to_string(step)); }, 3);
      for (int i = 0; i < 3; ++i) {
        EXPECT(chan_test(stage.data) == 0);
        stage.step();
        EXPECT(chan_test(stage.data) == 1);
        EXPECT(chan_next_size(stage.data) == 1);
        EXPECT(receive(stage.data) == std::to_string(i));
      }
      stage.end();
    });
  }
}

TEST_CASE("lazy messages wait for sendLast") {
  for (const Mode mode : kModes) {
    run_job(mode, [] {
      Stage stage;
      const auto act = [](chan_id data, int step) {
        if (step == 0) EXPECT(chan_set_policy(data, CHAN_LAZY) == 0);
        if (step % 3 == 2) send_last(data, std::to_string(step));
        else send(data, std::to_string(step));
      };
      stage.start(act, 6);
      for (int round = 0; round < 2; ++round) {
        stage.step();
        EXPECT(chan_test(stage.data) == 0);
        stage.step();
        EXPECT(chan_test(stage.data) == 0);
        stage.step();
        for (int i = 0; i < 3; ++i) {
          EXPECT(chan_test(stage.data) == 1);
          EXPECT(receive(stage.data) == std::to_string(round * 3 + i));
        }
      }
      stage.end();
    });
  }
}

TEST_CASE("a lazy page is visible when it is full") {
  for (const Mode mode : kModes) {
    run_job(mode, [] {
      Stage stage;
      const auto act = [](chan_id data, int step) {
        if (step == 0) EXPECT(chan_set_policy(data, CHAN_LAZY) == 0);
        send(data, pattern(1500, static_cast<uint32_t>(step)));
      };
      stage.start(act, 3);
      stage.step();
      stage.step();
      EXPECT(chan_test(stage.data) == 0);
      stage.step();  // reaches into the second page: the first two messages are whole now
      EXPECT(chan_test(stage.data) == 1);
      EXPECT(receive(stage.data) == pattern(1500, 0));
      EXPECT(receive(stage.data) == pattern(1500, 1));
      stage.end();
    });
  }
}

TEST_CASE("changing to eager, handing over and freeing publish what was withheld") {
  for (const Mode mode : kModes) {
    run_job(mode, [] {
      Stage stage;
      const auto act = [](chan_id data, int step) {
        if (step == 0) {
          EXPECT(chan_set_policy(data, CHAN_LAZY) == 0);
          send(data, "withheld");
        }
        if (step == 1) EXPECT(chan_set_policy(data, CHAN_EAGER) == 0);
        if (step == 2) {
          EXPECT(chan_set_policy(data, CHAN_LAZY) == 0);
          send(data, "again");
        }
        if (step == 3) EXPECT(chan_free(data) == 0);
      };
      stage.start(act, 4);
      stage.step();
      EXPECT(chan_test(stage.data) == 0);
      stage.step();
      EXPECT(chan_test(stage.data) == 1);
      EXPECT(receive(stage.data) == "withheld");
      stage.step();
      EXPECT(chan_test(stage.data) == 0);
      stage.step();
      EXPECT(chan_test(stage.data) == 1);
      EXPECT(receive(stage.data) == "again");
      EXPECT_FAILS(chan_test(stage.data), EPIPE, "chan_test");
      char byte = 0;
      EXPECT_FAILS(chan_recv(stage.data, &byte, 1), EPIPE, "chan_recv");
      stage.end();
    });
  }
}

TEST_CASE("a handing over that is refused publishes nothing") {
  run_job(kDefaultMode, [] {
    Stage stage;
    const auto act = [](chan_id data, int step) {
      EXPECT(chan_set_policy(data, CHAN_LAZY) == 0);
      if (step == 0) send(data, "withheld");
      if (step == 1) EXPECT_FAILS(chan_setprod(data, 77, 0), ESRCH, "no child 77");
      if (step == 2) {
        Child started([] { return 0; });
        started.start();
        EXPECT_FAILS(chan_setprod(data, started.number(), 0), EBUSY, "started already");
        started.join_well();
      }
    };
    stage.start(act, 3);
    for (int step = 0; step < 3; ++step) {
      stage.step();
      EXPECT(chan_test(stage.data) == 0);
    }
    stage.end();
  });
}

TEST_CASE("policies may change from message to message") {
  for (const Mode mode : kModes) {
    run_job(mode, [] {
      const chan_id channel = make_channel(12288);
      Child producer([=] {
        for (uint32_t i = 0; i < 300; ++i) {
          EXPECT(chan_set_policy(channel, i / 7 % 2 ? CHAN_LAZY : CHAN_EAGER) == 0);
          if (i % 11 == 0) send_last(channel, pattern(i * 29 % 9000, i));
          else send(channel, pattern(i * 29 % 9000, i));
        }
        EXPECT(chan_free(channel) == 0);
        return 0;
      });
      EXPECT(chan_setprod(channel, producer.number(), 1) == 0);
      producer.start();
      for (uint32_t i = 0; i < 300; ++i) EXPECT(receive(channel, 9000) == pattern(i * 29 % 9000, i));
      producer.join_well();
    });
  }
}

TEST_CASE("chan_test does not block at the end of the window") {
  for (const Mode mode : kModes) {
    run_job(mode, [] {
      Stage stage(8192);  // one page for messages
      stage.start([](chan_id data, int step) { send(data, pattern(4080, static_cast<uint32_t>(step))); }, 3);
      for (uint32_t i = 0; i < 3; ++i) {
        EXPECT(chan_test(stage.data) == 0);
        stage.step();
        EXPECT(chan_test(stage.data) == 1);
        EXPECT(receive(stage.data) == pattern(4080, i));
      }
      stage.end();
    });
  }
}

TEST_CASE("what is withheld when the producer's end is handed over is published") {
  for (const Mode mode : kModes) {
    run_job(mode, [] {
      const chan_id channel = make_channel();
      Child consumer([=] { return receive(channel) == "withheld" ? 0 : 1; }), idle([] { return 0; });
      EXPECT(chan_setcons(channel, consumer.number()) == 0);
      EXPECT(chan_set_policy(channel, CHAN_LAZY) == 0);
      send(channel, "withheld");
      EXPECT(chan_setprod(channel, idle.number(), 0) == 0);
      consumer.start();
      idle.start();
      idle.join_well();
      consumer.join_well();
    });
  }
}

TEST_CASE("chan_test polls to the end without blocking") {
  for (const Mode mode : kModes) {
    run_job(mode, [] {
      const chan_id channel = make_channel(8192);
      Child producer([=] {
        for (uint32_t i = 0; i < 200; ++i) send(channel, pattern(i * 17, i));
        return 0;
      });
      EXPECT(chan_setprod(channel, producer.number(), 1) == 0);
      producer.start();
      for (uint32_t i = 0; i < 200; ++i) {
        int ready;
        while ((ready = chan_test(channel)) == 0) spmc::base::yield_core();
        EXPECT(ready == 1);
        EXPECT(receive(channel) == pattern(i * 17, i));
      }
      producer.join_well();
      EXPECT_FAILS(chan_test(channel), EPIPE, "chan_test");
    });
  }
}
