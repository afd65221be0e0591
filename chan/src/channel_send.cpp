// The producer's side. Runs in the producer's space only; state is that of its own table.
//
// A message is cut at the end of the window: a record with what fits, extension of the region, the next
// record. Data goes through in portions, each published when written, so that consumers copy while the
// producer still writes.
#include <algorithm>
#include <cerrno>
#include <cstring>

#include <spmc/spmc.h>

#include "channel_state.hpp"

namespace chan {
namespace {

// In mode nwr pages change hands by faults, so that a part of one cannot be published (paper 004, III.C.4).
bool whole_pages_only() { return (spmc_get_mode() & ~SPMC_NONBLOCKING) == SPMC_NWR; }

// Fixes the pages that end before `end`; they are full, or declared so by a kPageEnds.
int fix_pages(Channel& channel, size_t end) {
  const size_t whole = page_down(end);
  if (whole == channel.fixed) return 0;
  if (spmcR_setfix(channel.inode + channel.fixed, whole - channel.fixed) != 0) return -1;
  channel.fixed = whole;
  channel.published = std::max(channel.published, whole);
  return 0;
}

// Makes everything before `end` visible; the page that `end` lies in can still be filled.
int publish_to(Channel& channel, size_t end) {
  if (fix_pages(channel, end) != 0) return -1;
  if (channel.published >= end) return 0;
  if (spmcR_publish(channel.inode + channel.fixed, end - channel.fixed) != 0) return -1;
  channel.published = end;
  return 0;
}

int next_window(Channel& channel) {
  if (spmcR_extend(channel.extension(), channel.inode, channel.record_bytes()) != 0) return -1;
  channel.offset = channel.fixed = channel.published = 0;
  return 0;
}

// Copies `size` bytes of a message into the window from `offset` on, publishing full pages on the way.
int put_body(Channel& channel, size_t offset, const std::byte* from, size_t size) {
  const size_t end = offset + size;
  while (offset < end) {
    const size_t border = end - offset <= kPortion ? end : page_down(offset + kPortion);
    if (spmcR_write(channel.inode + offset, from, border - offset) != 0) return -1;
    from += border - offset;
    offset = border;
    if (offset < end && fix_pages(channel, offset) != 0) return -1;
  }
  return 0;
}

// A short record is put together first: one copy into the window instead of two.
int put_record(Channel& channel, const RecordHeader& header, const std::byte* from, size_t size) {
  constexpr size_t kShort = 512;
  if (size <= kShort) {
    alignas(16) std::byte record[kHeaderBytes + kShort];
    std::memcpy(record, &header, kHeaderBytes);
    if (size != 0) std::memcpy(record + kHeaderBytes, from, size);
    return spmcR_write(channel.inode + channel.offset, record, kHeaderBytes + size);
  }
  if (spmcR_write(channel.inode + channel.offset, &header, kHeaderBytes) != 0) return -1;
  return put_body(channel, channel.offset + kHeaderBytes, from, size);
}

// One record: as much of the message as the window still takes. `visible`: publish when it completes the
// message. Returns the bytes of the message that it took, or -1.
ssize_t send_record(Channel& channel, const std::byte* from, size_t left, size_t whole, bool visible) {
  if (channel.window_full() && next_window(channel) != 0) return -1;
  const size_t room = channel.record_bytes() - channel.offset - kHeaderBytes;
  const size_t part = std::min(room, left);
  const bool completes = part == left;
  // A fixed page takes no more records; where only whole pages can be published, this one ends here.
  const bool page_ends = completes && visible && whole_pages_only();
  if (put_record(channel, {part | (page_ends ? kPageEnds : 0), whole}, from, part) != 0) return -1;
  size_t end = channel.offset + record_span(part);
  if (page_ends) end = page_up(end);
  const bool all = completes && visible;
  if ((all ? publish_to(channel, end) : fix_pages(channel, end)) != 0) return -1;
  channel.offset = end;
  return static_cast<ssize_t>(part);
}

// Publishes all that was written by ending the page.
int close_page(Channel& channel) {
  const size_t end = page_up(channel.offset);
  if (end != channel.offset) {
    const RecordHeader pad{kPad | kPageEnds, 0};
    if (spmcR_write(channel.inode + channel.offset, &pad, kHeaderBytes) != 0) return -1;
  }
  if (fix_pages(channel, end) != 0) return -1;
  channel.offset = end;
  return 0;
}

// Half a message is in the channel and cannot be completed: consumers must not wait for the rest.
int break_off(const char* call, Channel& channel) {
  const int result = fail_below(call, channel);
  const int code = errno;
  spmcR_clear(channel.inode, channel.bytes);
  Table::mine().remove(channel.id);
  errno = code;
  return result;
}

int send(const char* call, chan_id id, const void* buf, size_t size, bool last) {
  Channel* channel = find_end(call, id, Role::kProducer);
  if (channel == nullptr) return -1;
  if (buf == nullptr && size != 0) return fail(EINVAL, "%s: channel %lld: no buffer", call, static_cast<long long>(id));
  const bool visible = last || channel->policy == CHAN_EAGER;
  const auto* bytes = static_cast<const std::byte*>(buf);
  size_t done = 0;
  do {
    const ssize_t part = send_record(*channel, bytes + done, size - done, size, visible);
    if (part < 0) {
      // What is not visible yet can be written again; the rest cannot be taken back.
      const bool begun = done != 0 || channel->published > channel->offset;
      return begun ? break_off(call, *channel) : fail_below(call, *channel);
    }
    done += static_cast<size_t>(part);
  } while (done < size);
  return 0;
}

}  // namespace

int publish_all(Channel& channel) {
  if (channel.published >= channel.offset) return 0;
  return whole_pages_only() ? close_page(channel) : publish_to(channel, channel.offset);
}

}  // namespace chan

int chan_send(chan_id channel, const void* buf, size_t size) {
  return chan::send("chan_send", channel, buf, size, false);
}

int chan_sendLast(chan_id channel, const void* buf, size_t size) {
  return chan::send("chan_sendLast", channel, buf, size, true);
}

int chan_set_policy(chan_id id, int policy) {
  using namespace chan;
  Channel* channel = find_end("chan_set_policy", id, Role::kProducer);
  if (channel == nullptr) return -1;
  if (policy != CHAN_EAGER && policy != CHAN_LAZY) {
    return fail(EINVAL, "chan_set_policy: there is no policy %d", policy);
  }
  if (policy == CHAN_EAGER && publish_all(*channel) != 0) return fail_below("chan_set_policy", *channel);
  channel->policy = static_cast<chan_policy>(policy);
  return 0;
}
