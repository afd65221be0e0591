// A consumer's side of a stream: the bodies of its records, one behind the other. Runs in that consumer's space only.
#include <algorithm>
#include <cerrno>

#include <chan/stream.h>
#include <spmc/spmc.h>
#include <base/check.hpp>

#include "records.hpp"

namespace chan {
namespace {

uint64_t part_of(const RecordHeader& header) { return header.part & kPartMask; }

// Stands where the next byte is: in a record that has bytes left, or at the end of the stream. Waits for its
// header.
int find_next(Channel& stream) {
  while (stream.taken == part_of(stream.record) && !stream.ended) {
    RecordHeader header;
    if (next_header(stream, &header) != 0) return -1;
    CHECK(header.whole == stream.position, "stream %lld: broken record", static_cast<long long>(stream.id));
    if (header.part & kEnd) {
      stream.ended = true;
    } else if (part_of(header) == 0) {
      pass(stream, header);
    } else {
      stream.record = header;
      stream.taken = 0;
    }
  }
  return 0;
}

// `size` bytes of the record it stands in: to `to`, or nowhere when that is null. They count as read only then.
int take(Channel& stream, std::byte* to, size_t size) {
  if (to != nullptr) {
    if (read_body(stream, stream.taken, to, size) != 0) return -1;
  } else {
    // A record is published from front to back: when its last byte is there, all are.
    if (spmcR_wait(stream.inode + stream.offset + kHeaderBytes + stream.taken + size - 1) != 0) return -1;
  }
  stream.taken += size;
  stream.position += size;
  if (stream.taken == part_of(stream.record)) {
    pass(stream, stream.record);
    stream.record = {};
    stream.taken = 0;
  }
  return 0;
}

// What could not be read as a whole is gone: how much of it is there would depend on when the producer died.
int lose(const char* call, Channel& stream) {
  if (errno == EPIPE) stream.broken = true;
  return fail_below(call, stream);
}

// Takes `size` bytes, or what is left. Returns how many.
ssize_t advance(const char* call, Channel& stream, std::byte* to, size_t size) {
  if (stream.broken) {
    return fail(EPIPE, "%s: stream %lld was not ended by its producer", call, static_cast<long long>(stream.id));
  }
  size_t done = 0;
  while (done < size) {
    if (find_next(stream) != 0) return lose(call, stream);
    if (stream.ended) break;
    const size_t part = std::min(size - done, part_of(stream.record) - stream.taken);
    if (take(stream, to == nullptr ? nullptr : to + done, part) != 0) return lose(call, stream);
    done += part;
  }
  return static_cast<ssize_t>(done);
}

// 1 or 0: would reading one byte not block?
int test(Channel& stream) {
  if (stream.broken) {
    errno = EPIPE;
    return -1;
  }
  while (stream.taken == part_of(stream.record) && !stream.ended) {
    const int ready = test_record(stream);
    if (ready != 1) return ready;
    RecordHeader header;
    if (next_header(stream, &header) != 0) return -1;  // does not wait: it is there
    if (part_of(header) == 0 && !(header.part & kEnd)) {
      pass(stream, header);
      continue;
    }
    if (find_next(stream) != 0) return -1;
  }
  return stream.ended ? 1 : spmcR_test(stream.inode + stream.offset + kHeaderBytes + stream.taken);
}

}  // namespace
}  // namespace chan

using namespace chan;

ssize_t stream_read(stream_id id, void* buf, size_t size) {
  Channel* stream = find_end("stream_read", Kind::kStream, id, Role::kConsumer);
  if (stream == nullptr) return -1;
  if (buf == nullptr && size != 0) {
    return fail(EINVAL, "stream_read: stream %lld: no buffer", static_cast<long long>(id));
  }
  return advance("stream_read", *stream, static_cast<std::byte*>(buf), size);
}

ssize_t stream_skip(stream_id id, size_t size) {
  Channel* stream = find_end("stream_skip", Kind::kStream, id, Role::kConsumer);
  return stream == nullptr ? -1 : advance("stream_skip", *stream, nullptr, size);
}

int stream_test(stream_id id) {
  Channel* stream = find_end("stream_test", Kind::kStream, id, Role::kConsumer);
  if (stream == nullptr) return -1;
  const int ready = test(*stream);
  return ready < 0 ? fail_below("stream_test", *stream) : ready;
}
