// Writing records into the window. Runs in the producer's space only; state is that of its own table.
//
// Data goes through in portions, each published when written, so that consumers copy while the producer still
// writes.
#include <algorithm>
#include <cerrno>
#include <cstring>

#include <spmc/spmc.h>

#include "records.hpp"

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

}  // namespace

ssize_t write_record(Channel& channel, const std::byte* from, size_t left, uint64_t whole, bool visible) {
  if (channel.window_full() && next_window(channel) != 0) return -1;
  const size_t room = channel.record_bytes() - channel.offset - kHeaderBytes;
  const size_t part = std::min(room, left);
  const bool completes = part == left;
  size_t end = channel.offset + record_span(part);
  const bool all = completes && visible;
  // A fixed page takes no more records; where only whole pages can be published, this one ends here.
  const bool page_ends = all && (whole_pages_only() || page_up(end) - end == kHeaderBytes);
  if (put_record(channel, {part | (page_ends ? kPageEnds : 0), whole}, from, part) != 0) return -1;
  if (page_ends) end = page_up(end);
  if ((all ? publish_to(channel, end) : fix_pages(channel, end)) != 0) return -1;
  channel.offset = end;
  return static_cast<ssize_t>(part);
}

int write_mark(Channel& channel, uint64_t flags, uint64_t whole) {
  if (channel.window_full() && next_window(channel) != 0) return -1;
  const bool page_ends = whole_pages_only();
  const RecordHeader mark{flags | (page_ends ? kPageEnds : 0), whole};
  if (spmcR_write(channel.inode + channel.offset, &mark, kHeaderBytes) != 0) return -1;
  const size_t end = page_ends ? page_up(channel.offset + 1) : channel.offset + kHeaderBytes;
  if (publish_to(channel, end) != 0) return -1;
  channel.offset = end;
  return 0;
}

int publish_all(Channel& channel) {
  if (channel.published >= channel.offset) return 0;
  if (!whole_pages_only()) return publish_to(channel, channel.offset);
  // A page that is full needs no pad.
  if (channel.offset == page_down(channel.offset)) return fix_pages(channel, channel.offset);
  return write_mark(channel, kPad, 0);
}

int break_off(const char* call, Channel& channel) {
  const int result = fail_below(call, channel);
  const int code = errno;
  spmcR_clear(channel.inode, channel.bytes);
  Table::mine().remove(channel.id);
  errno = code;
  return result;
}

}  // namespace chan
