// The typed interface: values, spans, vectors, strings, and what does not fit the type.
#include <catch2/catch.hpp>
#include <cerrno>

#include <chan/channel.hpp>

#include "job.hpp"

using namespace chan_job;

namespace {

struct Particle {
  double place[3];
  int32_t charge;
};

// A view is not what it shows.
static_assert(chan::Sendable<Particle> && chan::Sendable<std::byte>);
static_assert(!chan::Sendable<std::span<int>> && !chan::Sendable<std::string_view> && !chan::Sendable<const char*>);

template <typename T>
chan::Channel<T> make() {
  auto channel = chan::Channel<T>::try_create();
  EXPECT(channel.ok());
  return channel.value();
}

}  // namespace

TEST_CASE("typed values, spans and vectors") {
  run_job(kDefaultMode, [] {
    const auto channel = make<Particle>();
    Child producer([=] {
      const auto sender = channel.sender();
      EXPECT(sender.send(Particle{{1, 2, 3}, -1}).ok());
      std::vector<Particle> many(1000);
      for (int i = 0; i < 1000; ++i) many[static_cast<size_t>(i)].charge = i;
      EXPECT(sender.send(many).ok());
      EXPECT(sender.send_last(std::span<const Particle>(many).first(10)).ok());
      EXPECT(sender.send(std::span<const Particle>()).ok());
      EXPECT(sender.close().ok());
      return 0;
    });
    EXPECT(channel.give_sender(producer.number(), chan::Keep::kConsumer).ok());
    producer.start();
    const auto receiver = channel.receiver();
    auto one = receiver.receive();
    EXPECT(one.ok() && one.value().place[2] == 3 && one.value().charge == -1);

    auto wrong = receiver.receive();  // the next message has 1000 values
    EXPECT(!wrong.ok() && wrong.error().code == EMSGSIZE);
    Particle few[10];
    auto small = receiver.receive(few);
    EXPECT(!small.ok() && small.error().code == EMSGSIZE);
    auto count = receiver.next_count();
    EXPECT(count.ok() && count.value() == 1000);
    auto all = receiver.receive_all();
    EXPECT(all.ok() && all.value().size() == 1000 && all.value()[999].charge == 999);

    auto ten = receiver.receive(few);
    EXPECT(ten.ok() && ten.value() == 10 && few[9].charge == 9);
    auto none = receiver.receive_all();
    EXPECT(none.ok() && none.value().empty());
    auto end = receiver.receive();
    EXPECT(!end.ok() && end.error().code == EPIPE);
    auto ready = receiver.ready();
    EXPECT(!ready.ok() && ready.error().code == EPIPE);
    producer.join_well();
    EXPECT(receiver.close().ok());
    EXPECT(receiver.close().error().code == EBADF);
  });
}

TEST_CASE("strings of any length") {
  run_job(kDefaultMode, [] {
    const auto words = make<std::string>();
    Child consumer([=] {
      const auto receiver = words.receiver();
      for (size_t length : {0, 1, 10, 100000}) {
        auto word = receiver.receive();
        EXPECT(word.ok() && word.value() == pattern(length, 5));
      }
      return 0;
    });
    EXPECT(words.give_receiver(consumer.number()).ok());
    consumer.start();
    EXPECT(words.sender().set_policy(chan::Policy::kLazy).ok());
    for (size_t length : {0, 1, 10}) EXPECT(words.sender().send(pattern(length, 5)).ok());
    EXPECT(words.sender().send_last(pattern(100000, 5)).ok());
    consumer.join_well();
  });
}

TEST_CASE("a message that is no whole number of values is refused and stays") {
  run_job(kDefaultMode, [] {
    const auto channel = make<uint64_t>();
    Child producer([=] {
      EXPECT(chan_send(channel.id(), "seven b", 7) == 0);
      return 0;
    });
    EXPECT(channel.give_sender(producer.number(), chan::Keep::kConsumer).ok());
    producer.start();
    EXPECT(channel.receiver().receive().error().code == EMSGSIZE);
    EXPECT(channel.receiver().receive_all().error().code == EMSGSIZE);
    EXPECT(receive(channel.id()) == "seven b");
    producer.join_well();
  });
}

TEST_CASE("errors keep their errno") {
  run_job(kDefaultMode, [] {
    const auto channel = make<int>();
    EXPECT(channel.receiver().receive().error().code == EPERM);
    EXPECT(channel.give_receiver(77).error().code == ESRCH);
    EXPECT(chan::Sender<int>(1234).send(1).error().code == EBADF);
    EXPECT(chan::Channel<int>::try_create(SIZE_MAX).error().code == EINVAL);
  });
}
