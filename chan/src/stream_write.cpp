// The producer's side of a stream. Runs in the producer's space only; state is that of its own table.
//
// What is written is withheld in private memory until it fills the rest of a page, so that a record is a whole page
// however small the writes are. Of a long write the whole pages go straight into the window. Between two calls
// everything in the window is visible.
#include <algorithm>
#include <cerrno>
#include <new>

#include <chan/stream.h>

#include "records.hpp"

namespace chan {
namespace {

// The bytes of a record that begins at the stream's offset and ends where the page does. Never 0: with a record that is
// made visible at once write_record also ends a page that has room for a header alone, and the others are whole pages,
// but for the last one before the stream's end.
size_t bytes_to_border(const Channel& stream) {
  const size_t begin = stream.window_full() ? 0 : stream.offset;
  return page_up(begin + 1) - begin - kHeaderBytes;
}

// One record or more. What has gone into the window cannot be taken back, so a failure frees the end.
int put(const char* call, Channel& stream, const std::byte* from, size_t size, bool visible) {
  while (size != 0) {
    const ssize_t part = write_record(stream, from, size, stream.position, visible);
    if (part < 0) return break_off(call, stream);
    stream.position += static_cast<uint64_t>(part);
    from += part;
    size -= static_cast<size_t>(part);
  }
  return 0;
}

int put_withheld(const char* call, Channel& stream, bool visible) {
  if (put(call, stream, stream.withheld.data(), stream.withheld.size(), visible) != 0) return -1;
  stream.withheld.clear();
  return 0;
}

// The longest record that takes no more than `size` bytes, ends with a page, and lies within one window.
size_t whole_pages(const Channel& stream, size_t border, size_t size) {
  const size_t begin = stream.window_full() ? 0 : stream.offset;
  return std::min(border + page_down(size - border), stream.record_bytes() - begin - kHeaderBytes);
}

// What is withheld is less than a page: with this, nothing can run out of private memory halfway.
int reserve_page(const char* call, Channel& stream) {
  try {
    stream.withheld.reserve(spmc::kPageSize);
    return 0;
  } catch (const std::bad_alloc&) {
    return fail(ENOMEM, "%s: stream %lld: no private memory", call, static_cast<long long>(stream.id));
  }
}

int write(const char* call, Channel& stream, const std::byte* from, size_t size) {
  if (reserve_page(call, stream) != 0) return -1;
  while (size != 0) {
    const size_t border = bytes_to_border(stream);
    size_t part;
    if (stream.withheld.empty() && size >= border) {
      part = whole_pages(stream, border, size);
      if (put(call, stream, from, part, false) != 0) return -1;
    } else {
      part = std::min(size, border - stream.withheld.size());
      stream.withheld.insert(stream.withheld.end(), from, from + part);
      if (stream.withheld.size() == border && put_withheld(call, stream, false) != 0) return -1;
    }
    from += part;
    size -= part;
  }
  return 0;
}

// The producer's end of a stream that has not ended.
Channel* find_open(const char* call, stream_id id) {
  Channel* stream = find_end(call, Kind::kStream, id, Role::kProducer);
  if (stream == nullptr || !stream->ended) return stream;
  fail(EPERM, "%s: stream %lld has ended", call, static_cast<long long>(id));
  return nullptr;
}

}  // namespace

int flush_withheld(const char* call, Channel& stream) { return put_withheld(call, stream, true); }

}  // namespace chan

using namespace chan;

int stream_write(stream_id id, const void* buf, size_t size) {
  Channel* stream = find_open("stream_write", id);
  if (stream == nullptr) return -1;
  if (check_buffer("stream_write", *stream, buf, size) != 0) return -1;
  return write("stream_write", *stream, static_cast<const std::byte*>(buf), size);
}

int stream_flush(stream_id id) {
  Channel* stream = find_open("stream_flush", id);
  return stream == nullptr ? -1 : flush_withheld("stream_flush", *stream);
}

int stream_end(stream_id id) {
  Channel* stream = find_open("stream_end", id);
  if (stream == nullptr) return -1;
  if (put_withheld("stream_end", *stream, false) != 0) return -1;
  if (write_mark(*stream, kEnd, stream->position) != 0) return break_off("stream_end", *stream);
  stream->ended = true;
  return 0;
}
