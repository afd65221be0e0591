// A consumer's side. Runs in that consumer's space only; nothing here is seen by the producer except the
// region's extension, which lets old frames go.
#include <algorithm>
#include <cerrno>

#include <spmc/spmc.h>
#include <base/check.hpp>

#include "channel_state.hpp"

namespace chan {
namespace {

int next_window(Channel& channel) {
  if (spmcR_extend(channel.extension(), channel.inode, channel.record_bytes()) != 0) return -1;
  channel.offset = 0;
  return 0;
}

// Steps over a record with `header`.
void pass(Channel& channel, const RecordHeader& header) {
  channel.offset += record_span(header.part & kPartMask);
  if (header.part & kPageEnds) channel.offset = page_up(channel.offset);
}

// Waits for the header of the next record of a message, passing pads, and stays in front of it.
int next_header(Channel& channel, RecordHeader* header) {
  for (;;) {
    if (channel.window_full() && next_window(channel) != 0) return -1;
    if (spmcR_read(channel.inode + channel.offset, header, kHeaderBytes) != 0) return -1;
    if (!(header->part & kPad)) return 0;
    pass(channel, *header);
  }
}

// Copies the part of the record that stands at the channel's offset, a portion at a time as it is published.
int get_body(const Channel& channel, std::byte* to, size_t size) {
  size_t offset = channel.offset + kHeaderBytes;
  const size_t end = offset + size;
  while (offset < end) {
    const size_t border = end - offset <= kPortion ? end : page_down(offset + kPortion);
    if (spmcR_read(channel.inode + offset, to, border - offset) != 0) return -1;
    to += border - offset;
    offset = border;
  }
  return 0;
}

// The whole message whose first header is given.
int get_message(Channel& channel, RecordHeader header, std::byte* to) {
  const uint64_t whole = header.whole;
  uint64_t done = 0;
  for (;;) {
    const uint64_t part = header.part & kPartMask;
    if (get_body(channel, to + done, part) != 0) return -1;
    pass(channel, header);
    done += part;
    if (done == whole) return 0;
    if (next_header(channel, &header) != 0) return -1;
    CHECK(header.whole == whole && (header.part & kPartMask) <= whole - done, "channel %lld: broken record",
          static_cast<long long>(channel.id));
  }
}

// 1, 0, or -1 with errno: is there a next message?
int test(Channel& channel) {
  for (;;) {
    if (channel.window_full()) {
      const int ready = spmcR_test(channel.extension());
      if (ready != 1) return ready;
      if (next_window(channel) != 0) return -1;
    }
    const int ready = spmcR_test(channel.inode + channel.offset);
    if (ready != 1) return ready;
    RecordHeader header;
    if (spmcR_read(channel.inode + channel.offset, &header, kHeaderBytes) != 0) return -1;
    if (!(header.part & kPad)) return 1;
    pass(channel, header);
  }
}

}  // namespace
}  // namespace chan

using namespace chan;

ssize_t chan_recv(chan_id id, void* buf, size_t capacity) {
  Channel* channel = find_end("chan_recv", id, Role::kConsumer);
  if (channel == nullptr) return -1;
  const auto number = static_cast<long long>(id);
  if (buf == nullptr && capacity != 0) return fail(EINVAL, "chan_recv: channel %lld: no buffer", number);
  RecordHeader header;
  if (next_header(*channel, &header) != 0) return fail_below("chan_recv", *channel);
  if (header.whole > capacity) {
    return fail(EMSGSIZE, "chan_recv: channel %lld: the next message has %llu bytes, the buffer %zu", number,
                static_cast<unsigned long long>(header.whole), capacity);
  }
  if (get_message(*channel, header, static_cast<std::byte*>(buf)) != 0) return fail_below("chan_recv", *channel);
  return static_cast<ssize_t>(header.whole);
}

ssize_t chan_next_size(chan_id id) {
  Channel* channel = find_end("chan_next_size", id, Role::kConsumer);
  if (channel == nullptr) return -1;
  RecordHeader header;
  if (next_header(*channel, &header) != 0) return fail_below("chan_next_size", *channel);
  return static_cast<ssize_t>(header.whole);
}

int chan_test(chan_id id) {
  Channel* channel = find_end("chan_test", id, Role::kConsumer);
  if (channel == nullptr) return -1;
  const int ready = test(*channel);
  return ready < 0 ? fail_below("chan_test", *channel) : ready;
}
