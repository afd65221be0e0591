// Reading records. Runs in a consumer's space only; nothing here is seen by the producer except the region's
// extension, which lets old frames go.
#include <cstddef>

#include <spmc/spmc.h>

#include "records.hpp"

namespace chan {
namespace {

int next_window(Channel& channel) {
  if (spmcR_extend(channel.extension(), channel.inode, channel.record_bytes()) != 0) return -1;
  channel.offset = 0;
  return 0;
}

}  // namespace

void pass(Channel& channel, const RecordHeader& header) {
  channel.offset += record_span(header.part & kPartMask);
  if (header.part & kPageEnds) channel.offset = page_up(channel.offset);
}

int next_header(Channel& channel, RecordHeader* header) {
  for (;;) {
    if (channel.window_full() && next_window(channel) != 0) return -1;
    if (spmcR_read(channel.inode + channel.offset, header, kHeaderBytes) != 0) return -1;
    if (!(header->part & kPad)) return 0;
    pass(channel, *header);
  }
}

int read_body(const Channel& channel, uint64_t skip, std::byte* to, size_t size) {
  size_t offset = channel.offset + kHeaderBytes + skip;
  const size_t end = offset + size;
  while (offset < end) {
    const size_t border = end - offset <= kPortion ? end : page_down(offset + kPortion);
    if (spmcR_read(channel.inode + offset, to, border - offset) != 0) return -1;
    to += border - offset;
    offset = border;
  }
  return 0;
}

int test_record(Channel& channel) {
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

}  // namespace chan
