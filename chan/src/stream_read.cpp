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

// Every record but the end has bytes, and `take` leaves it behind with the last of them.
bool in_record(const Channel& stream) { return part_of(stream.record) != 0; }

// Stands where the next byte is: in a record that has bytes left, or at the end of the stream. Waits for its
// header.
int find_next(Channel& stream) {
  if (in_record(stream) || stream.ended) return 0;
  RecordHeader header;
  if (next_header(stream, &header) != 0) return -1;
  const bool ends = (header.part & kEnd) != 0;
  CHECK(header.whole == stream.position && (part_of(header) == 0) == ends, "stream %lld: broken record",
        static_cast<long long>(stream.id));
  if (ends) stream.ended = true;
  else stream.record = header;
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

int fail_broken(const char* call, const Channel& stream) {
  return fail(EPIPE, "%s: stream %lld was not ended by its producer", call, static_cast<long long>(stream.id));
}

// Takes `size` bytes, or what is left. Returns how many.
ssize_t advance(const char* call, Channel& stream, std::byte* to, size_t size) {
  if (stream.broken) return fail_broken(call, stream);
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
  if (!in_record(stream) && !stream.ended) {
    const int ready = test_record(stream);
    if (ready != 1) return ready;
    if (find_next(stream) != 0) return -1;  // does not wait: the header is there
  }
  return stream.ended ? 1 : spmcR_test(stream.inode + stream.offset + kHeaderBytes + stream.taken);
}

}  // namespace
}  // namespace chan

using namespace chan;

ssize_t stream_read(stream_id id, void* buf, size_t size) {
  Channel* stream = find_end("stream_read", Kind::kStream, id, Role::kConsumer);
  if (stream == nullptr) return -1;
  if (check_buffer("stream_read", *stream, buf, size) != 0) return -1;
  return advance("stream_read", *stream, static_cast<std::byte*>(buf), size);
}

ssize_t stream_skip(stream_id id, size_t size) {
  Channel* stream = find_end("stream_skip", Kind::kStream, id, Role::kConsumer);
  return stream == nullptr ? -1 : advance("stream_skip", *stream, nullptr, size);
}

int stream_test(stream_id id) {
  Channel* stream = find_end("stream_test", Kind::kStream, id, Role::kConsumer);
  if (stream == nullptr) return -1;
  if (stream->broken) return fail_broken("stream_test", *stream);
  const int ready = test(*stream);
  return ready < 0 ? fail_below("stream_test", *stream) : ready;
}
