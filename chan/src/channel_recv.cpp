// A consumer's side of a channel: messages are put together from records. Runs in that consumer's space only.
#include <cerrno>

#include <base/check.hpp>

#include "records.hpp"

namespace chan {
namespace {

// The whole message whose first header is given.
int get_message(Channel& channel, RecordHeader header, std::byte* to) {
  const uint64_t whole = header.whole;
  uint64_t done = 0;
  for (;;) {
    const uint64_t part = header.part & kPartMask;
    if (read_body(channel, 0, to + done, part) != 0) return -1;
    pass(channel, header);
    done += part;
    if (done == whole) return 0;
    if (next_header(channel, &header) != 0) return -1;
    CHECK(header.whole == whole && (header.part & kPartMask) <= whole - done, "channel %lld: broken record",
          static_cast<long long>(channel.id));
  }
}

// A consumer's end, unless the channel broke off within a message that it was receiving.
Channel* find_whole(const char* call, chan_id id) {
  Channel* channel = find_end(call, Kind::kChannel, id, Role::kConsumer);
  if (channel == nullptr || !channel->broken) [[likely]]
    return channel;
  fail(EPIPE, "%s: channel %lld: the producer has ended within a message", call, static_cast<long long>(id));
  return nullptr;
}

}  // namespace
}  // namespace chan

using namespace chan;

ssize_t chan_recv(chan_id id, void* buf, size_t capacity) {
  Channel* channel = find_whole("chan_recv", id);
  if (channel == nullptr) return -1;
  if (check_buffer("chan_recv", *channel, buf, capacity) != 0) return -1;
  RecordHeader header;
  if (next_header(*channel, &header) != 0) return fail_below("chan_recv", *channel);
  if (header.whole > capacity) {
    return fail(EMSGSIZE, "chan_recv: channel %lld: the next message has %llu bytes, the buffer %zu",
                static_cast<long long>(id), static_cast<unsigned long long>(header.whole), capacity);
  }
  if (get_message(*channel, header, static_cast<std::byte*>(buf)) != 0) {
    channel->broken = errno == EPIPE;
    return fail_below("chan_recv", *channel);
  }
  return static_cast<ssize_t>(header.whole);
}

ssize_t chan_next_size(chan_id id) {
  Channel* channel = find_whole("chan_next_size", id);
  if (channel == nullptr) return -1;
  RecordHeader header;
  if (next_header(*channel, &header) != 0) return fail_below("chan_next_size", *channel);
  return static_cast<ssize_t>(header.whole);
}

int chan_test(chan_id id) {
  Channel* channel = find_whole("chan_test", id);
  if (channel == nullptr) return -1;
  const int ready = test_record(*channel);
  return ready < 0 ? fail_below("chan_test", *channel) : ready;
}
