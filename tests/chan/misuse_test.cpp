// Every misuse is an error that names the channel and changes nothing.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <cstdio>

#include <space/space.h>

#include "stream_job.hpp"

using namespace chan_job;

TEST_CASE("only the producer sends, only a consumer receives") {
  run_job(kDefaultMode, [] {
    const chan_id channel = make_channel();
    char byte = 0;
    EXPECT_FAILS(chan_recv(channel, &byte, 1), EPERM, "this space is the producer");
    EXPECT_FAILS(chan_test(channel), EPERM, "only a consumer");
    EXPECT_FAILS(chan_next_size(channel), EPERM, "only a consumer");
    Child consumer([=] {
      char mine = 0;
      EXPECT_FAILS(chan_send(channel, &mine, 1), EPERM, "only the producer");
      EXPECT_FAILS(chan_sendLast(channel, &mine, 1), EPERM, "chan_sendLast");
      EXPECT_FAILS(chan_set_policy(channel, CHAN_LAZY), EPERM, "this space is a consumer");
      Child grandchild;
      EXPECT_FAILS(chan_setprod(channel, grandchild.number(), 1), EPERM, "only the producer");
      EXPECT(receive(channel) == "still works");
      return 0;
    });
    EXPECT(chan_setcons(channel, consumer.number()) == 0);
    consumer.start();
    send(channel, "still works");
    consumer.join_well();
  });
}

TEST_CASE("a message larger than the buffer stays the next message") {
  for (const Mode mode : kModes) {
    run_job(mode, [] {
      const chan_id channel = make_channel(16384);
      Child producer([=] {
        send(channel, pattern(50000, 1));
        send(channel, "next");
        return 0;
      });
      EXPECT(chan_setprod(channel, producer.number(), 1) == 0);
      producer.start();
      std::string buffer(49999, 'z');
      for (int i = 0; i < 3; ++i) {
        EXPECT_FAILS(chan_recv(channel, buffer.data(), buffer.size()), EMSGSIZE, "50000 bytes, the buffer 49999");
      }
      EXPECT(buffer == std::string(49999, 'z'));
      EXPECT(chan_next_size(channel) == 50000);
      EXPECT(receive(channel) == pattern(50000, 1));
      EXPECT_FAILS(chan_recv(channel, nullptr, 0), EMSGSIZE, "4 bytes");
      EXPECT(receive(channel) == "next");
      producer.join_well();
    });
  }
}

TEST_CASE("a channel that does not exist, was freed, or was not handed over") {
  run_job(kDefaultMode, [] {
    char byte = 0;
    const chan_id unknown[] = {0, -1, 99, INT64_MAX, INT64_MIN};
    for (const chan_id id : unknown) {
      EXPECT_FAILS(chan_send(id, &byte, 1), EBADF, "there is no channel");
      EXPECT_FAILS(chan_recv(id, &byte, 1), EBADF, "there is no channel");
      EXPECT_FAILS(chan_test(id), EBADF, "chan_test");
      EXPECT_FAILS(chan_next_size(id), EBADF, "chan_next_size");
      EXPECT_FAILS(chan_free(id), EBADF, "chan_free");
      EXPECT_FAILS(chan_set_policy(id, CHAN_LAZY), EBADF, "chan_set_policy");
    }
    const chan_id freed = make_channel(), kept = make_channel();
    EXPECT(chan_free(freed) == 0);
    EXPECT_FAILS(chan_free(freed), EBADF, "freed");
    EXPECT_FAILS(chan_send(freed, &byte, 1), EBADF, "freed");
    Child child([=] {
      char mine = 0;
      EXPECT_FAILS(chan_send(kept, &mine, 1), EPERM, "not handed");
      EXPECT_FAILS(chan_recv(kept, &mine, 1), EPERM, "not handed");
      EXPECT_FAILS(chan_free(kept), EPERM, "not handed");
      EXPECT_FAILS(chan_send(freed, &mine, 1), EBADF, "no channel");
      return 0;
    });
    EXPECT_FAILS(chan_setcons(freed, child.number()), EBADF, "chan_setcons");
    EXPECT_FAILS(chan_setprod(freed, child.number(), 1), EBADF, "chan_setprod");
    child.start();
    child.join_well();
    send(kept, "unharmed");
  });
}

TEST_CASE("bad arguments") {
  run_job(kDefaultMode, [] {
    const chan_id channel = make_channel();
    EXPECT_FAILS(chan_send(channel, nullptr, 1), EINVAL, "no buffer");
    EXPECT_FAILS(chan_set_policy(channel, 7), EINVAL, "no policy 7");
    EXPECT_FAILS(chan_alloc_window(SIZE_MAX), EINVAL, "chan_alloc_window");
    EXPECT_FAILS(chan_alloc_window(size_t{1} << 40), EINVAL, "chan_alloc_window");
    EXPECT(chan_alloc_window(0) > 0);
    Child consumer([=] {
      EXPECT_FAILS(chan_recv(channel, nullptr, 1), EINVAL, "no buffer");
      EXPECT(receive(channel) == "");
      return 0;
    });
    EXPECT(chan_setcons(channel, consumer.number()) == 0);
    consumer.start();
    EXPECT(chan_send(channel, nullptr, 0) == 0);
    consumer.join_well();
  });
}

TEST_CASE("ends go to children that have not started, once each") {
  run_job(kDefaultMode, [] {
    const chan_id channel = make_channel(), go = make_channel();
    EXPECT_FAILS(chan_setprod(channel, 12345, 0), ESRCH, "no child 12345");
    EXPECT_FAILS(chan_setcons(channel, -1), ESRCH, "no child -1");
    Child consumer([=] { return receive(go) == "go" && receive(channel) == "x" ? 0 : 1; });
    EXPECT(chan_setcons(channel, consumer.number()) == 0);
    EXPECT(chan_setcons(go, consumer.number()) == 0);
    EXPECT_FAILS(chan_setcons(channel, consumer.number()), EEXIST, "has an end of it already");
    EXPECT_FAILS(chan_setprod(channel, consumer.number(), 0), EEXIST, "has an end of it already");
    consumer.start();
    EXPECT_FAILS(chan_setprod(channel, consumer.number(), 0), EBUSY, "started already");
    const chan_id other = make_channel();
    EXPECT_FAILS(chan_setcons(other, consumer.number()), EBUSY, "started already");
    send(go, "go");
    send(channel, "x");
    consumer.join_well();
  });
}

TEST_CASE("what was given away is given away") {
  run_job(kDefaultMode, [] {
    const chan_id channel = make_channel();
    Child producer([=] {
      send(channel, "hello");
      return 0;
    });
    Child consumer([=] { return receive(channel) == "hello" ? 0 : 1; }), late;
    EXPECT(chan_setprod(channel, producer.number(), 0) == 0);
    char byte = 0;
    EXPECT_FAILS(chan_send(channel, &byte, 1), EPERM, "only the producer");
    EXPECT_FAILS(chan_recv(channel, &byte, 1), EPERM, "neither producer nor consumer");
    EXPECT_FAILS(chan_setprod(channel, late.number(), 0), EPERM, "only the producer");
    EXPECT(chan_setcons(channel, consumer.number()) == 0);
    consumer.start();
    producer.start();
    EXPECT_FAILS(chan_setcons(channel, late.number()), EPERM, "given away");
    EXPECT_FAILS(chan_send(channel, &byte, 1), EPERM, "given away");
    EXPECT(chan_free(channel) == 0);
    EXPECT_FAILS(chan_free(channel), EBADF, "freed");
    producer.join_well();
    consumer.join_well();
  });
}

TEST_CASE("no room for more channels is an error, and room comes back") {
  run_job(kDefaultMode, [] {
    std::vector<chan_id> channels;
    for (;;) {
      const chan_id channel = chan_alloc_window(size_t{32} << 20);
      if (channel < 0) break;
      channels.push_back(channel);
      EXPECT(channels.size() < 100);
    }
    EXPECT(!channels.empty());
    EXPECT_FAILS(chan_alloc_window(size_t{32} << 20), ENOMEM, "chan_alloc_window");
    EXPECT(chan_free(channels.back()) == 0);
    EXPECT(chan_alloc_window(size_t{32} << 20) > 0);
  });
}

TEST_CASE("a process that a plain fork made can do nothing to its parent's channels") {
  run_job(kDefaultMode, [] {
    const chan_id channel = make_channel(), down = make_channel(), given = make_channel();
    const stream_id stream = make_stream();
    Child consumer([=] {
      EXPECT(receive(channel) == "before" && receive(channel) == "after");
      EXPECT(read_all(stream, 6) == "before" && read_all(stream, 5) == "after");
      receive(down);
      return 0;
    });
    EXPECT(chan_setcons(channel, consumer.number()) == 0);
    EXPECT(stream_setcons(stream, consumer.number()) == 0);
    EXPECT(chan_setcons(down, consumer.number()) == 0);
    EXPECT(chan_setprod(given, consumer.number(), 0) == 0);
    consumer.start();
    send(channel, "before");
    write(stream, "before");
    std::fflush(stdout);
    const pid_t stranger = fork();
    if (stranger == 0) {
      const char* const why = "forked without space_start";
      char byte = 0;
      EXPECT_FAILS(chan_send(channel, &byte, 1), EPERM, why);
      EXPECT_FAILS(chan_sendLast(channel, &byte, 1), EPERM, why);
      EXPECT_FAILS(chan_recv(channel, &byte, 1), EPERM, why);
      EXPECT_FAILS(chan_test(channel), EPERM, why);
      EXPECT_FAILS(chan_free(channel), EPERM, why);
      EXPECT_FAILS(chan_free(given), EPERM, why);
      EXPECT_FAILS(chan_setcons(channel, 1), EPERM, why);
      EXPECT_FAILS(chan_alloc(), EPERM, why);
      EXPECT_FAILS(stream_write(stream, &byte, 1), EPERM, why);
      EXPECT_FAILS(stream_flush(stream), EPERM, why);
      EXPECT_FAILS(stream_free(stream), EPERM, why);
      _exit(0);
    }
    int status = -1;
    EXPECT(waitpid(stranger, &status, 0) == stranger && status == 0);
    send(channel, "after");
    write(stream, "after");
    EXPECT(stream_end(stream) == 0);
    send(down, "");
    consumer.join_well();
  });
}

TEST_CASE("a new space has had no failure yet") {
  run_job(kDefaultMode, [] {
    EXPECT(*chan_last_error() == 0);
    EXPECT_FAILS(chan_recv(77, nullptr, 0), EBADF, "no channel 77");
    Child child([] { return *chan_last_error() == 0 ? 0 : 1; });
    child.start();
    child.join_well();
    EXPECT(*chan_last_error() != 0);
  });
}

namespace {
// Private memory cannot grow from now on, or can again.
void allow_memory(bool more) {
  rlimit limit;
  EXPECT(getrlimit(RLIMIT_AS, &limit) == 0);
  long pages = 0;
  FILE* const file = std::fopen("/proc/self/statm", "r");
  EXPECT(file != nullptr && std::fscanf(file, "%ld", &pages) == 1);
  std::fclose(file);
  limit.rlim_cur = more ? limit.rlim_max : static_cast<rlim_t>(pages) * 4096;
  EXPECT(setrlimit(RLIMIT_AS, &limit) == 0);
}

// Hands out ends of the channels, from the first on, until one is refused; how many that were.
size_t hand_out(const std::vector<chan_id>& channels, size_t from, int child) {
  for (size_t i = from; i < channels.size(); ++i)
    if (chan_setcons(channels[i], child) != 0) return i;
  return channels.size();
}
}  // namespace

TEST_CASE("without private memory channels are not made nor handed out, and nothing has changed") {
  if (test_support::kAddressSanitizer) return;  // its memory cannot be limited
  run_job(kDefaultMode, [] {
    Child child([] { return 0; });
    std::vector<chan_id> channels;
    channels.reserve(4000);
    channels.push_back(make_channel(8192));
    allow_memory(false);
    for (chan_id id; (id = chan_alloc_window(8192)) > 0;) channels.push_back(id);
    EXPECT(errno == ENOMEM && channels.size() < 4000);
    const size_t handed = hand_out(channels, 0, child.number());
    EXPECT(errno == ENOMEM && handed < channels.size());
    allow_memory(true);
    const chan_id next = make_channel(8192);
    EXPECT(next == channels.back() + 1);
    EXPECT(hand_out(channels, handed, child.number()) == channels.size());
    child.start();
    child.join_well();
    channels.push_back(next);
    for (const chan_id id : channels) EXPECT(chan_free(id) == 0);
  });
}
