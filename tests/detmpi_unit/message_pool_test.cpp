// Messages that came before their receives: what of their memory is kept for the next ones.
#include "engine/message.hpp"

#include <catch2/catch.hpp>
#include <vector>

using namespace detmpi;

namespace {

constexpr uint64_t kBytes = 65536;

Message& message_of(MessagePool& pool, uint64_t bytes) {
  Message& message = pool.get();
  message.bytes = bytes;
  message.ensure_room();
  return message;
}

// Rooms that so many messages find when they are taken, after all of them had some and were given back.
uint64_t kept_of(MessagePool& pool, size_t messages) {
  std::vector<Message*> taken;
  for (size_t i = 0; i < messages; ++i) taken.push_back(&message_of(pool, kBytes));
  for (Message* message : taken) pool.give_back(*message);
  uint64_t bytes = 0;
  for (Message*& message : taken) bytes += (message = &pool.get())->room_bytes;
  for (Message* message : taken) pool.give_back(*message);
  return bytes;
}

}  // namespace

TEST_CASE("the next message of that length takes no new memory") {
  static MessagePool pool;  // never ends, as in a rank
  Message& first = message_of(pool, kBytes);
  const char* room = first.room;
  pool.give_back(first);
  Message& next = message_of(pool, kBytes);
  CHECK(next.room == room);
  CHECK(next.filled == 0);
  pool.give_back(next);
}

TEST_CASE("a longer one gets a longer room") {
  static MessagePool pool;
  pool.give_back(message_of(pool, 100));
  Message& longer = message_of(pool, kBytes);
  CHECK(longer.room_bytes == kBytes);
  pool.give_back(longer);
}

TEST_CASE("no more is kept than is allowed, however often") {
  static MessagePool pool;
  CHECK(kept_of(pool, 4) == 4 * kBytes);
  for (int i = 0; i < 10; ++i) CHECK(kept_of(pool, 100) == MessagePool::kMostBytes);
}
