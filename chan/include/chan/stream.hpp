// Streams for C++: stream.h with values and Results.
//
// Values of these classes are plain names of a stream's end: they own nothing, may be copied, and keep their meaning
// in a child that the end was handed to. What blocks, who may call, and determinism: as in stream.h. An error carries
// the errno of stream.h and the name of the call; chan_last_error() has the sentence.
#pragma once

#include <cerrno>
#include <concepts>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

#include <chan/stream.h>
#include <base/result.hpp>
#include <chan/channel.hpp>

namespace chan {

// What the ends of a stream have in common.
class StreamEnd {
 public:
  explicit StreamEnd(stream_id id) : id_(id) {}
  stream_id id() const { return id_; }
  // Gives this space's end up; a producer that has not called end() breaks the stream off.
  Status close() const { return detail::status(stream_free(id_), "stream_free"); }

 private:
  stream_id id_;
};

// The producer's end.
class StreamWriter : public StreamEnd {
 public:
  using StreamEnd::StreamEnd;
  Status write_bytes(std::span<const std::byte> bytes) const {
    return detail::status(stream_write(id(), bytes.data(), bytes.size()), "stream_write");
  }
  Status write(std::string_view text) const { return write_bytes(std::as_bytes(std::span(text))); }
  // An array would be a literal with its 0: that is text, see above. Give a span of any other.
  template <Sendable T>
  Status write(const T& value) const requires(!std::is_array_v<T>) {
    return write_bytes(std::as_bytes(std::span(&value, 1)));
  }
  template <typename T, size_t N>
  Status write(std::span<T, N> values) const requires Sendable<std::remove_const_t<T>> {
    return write_bytes(std::as_bytes(values));
  }
  Status flush() const { return detail::status(stream_flush(id()), "stream_flush"); }
  Status end() const { return detail::status(stream_end(id()), "stream_end"); }
};

// A consumer's end.
class StreamReader : public StreamEnd {
 public:
  using StreamEnd::StreamEnd;

  // Fills `bytes`, or what there is of the stream; the number of bytes.
  Result<size_t> read_bytes(std::span<std::byte> bytes) const {
    return detail::size(stream_read(id(), bytes.data(), bytes.size()), "stream_read");
  }
  // The next value, or nothing at the end of the stream. Error EMSGSIZE when the stream ends within it, whose bytes are
  // read then.
  template <Sendable T>
  Result<std::optional<T>> read() const requires std::default_initializable<T> {
    T value;
    const size_t values = DL_TRY(read(std::span(&value, 1)));
    if (values == 0) return std::optional<T>();
    return std::optional<T>(value);
  }
  // Fills `values`, or as many as are left; their number. Error EMSGSIZE when the stream ends within one: all that was
  // left is read then.
  template <Sendable T>
  Result<size_t> read(std::span<T> values) const {
    const size_t bytes = DL_TRY(read_bytes(std::as_writable_bytes(values)));
    if (bytes % sizeof(T) != 0) return Error{EMSGSIZE, "StreamReader::read: the stream ends within a value"};
    return bytes / sizeof(T);
  }
  // Passes over `bytes`, or what is left; how many those were.
  Result<size_t> skip(size_t bytes) const { return detail::size(stream_skip(id(), bytes), "stream_skip"); }
  // Is the next byte, or the end, there? Depends on timing.
  Result<bool> ready() const { return detail::answer(stream_test(id()), "stream_test"); }
};

// A stream that this space has allocated or was handed, for setting it up.
class Stream {
 public:
  // The caller is its producer. `window` as for stream_alloc_window. Errors EINVAL, ENOMEM, ENXIO.
  static Result<Stream> try_create() { return named(stream_alloc(), "stream_alloc"); }
  static Result<Stream> try_create(size_t window) { return named(stream_alloc_window(window), "stream_alloc_window"); }

  stream_id id() const { return id_; }
  // `child` is a child of the caller that has not been started.
  Status give_writer(int child, Keep keep) const {
    return detail::status(stream_setprod(id_, child, keep == Keep::kConsumer), "stream_setprod");
  }
  Status give_reader(int child) const { return detail::status(stream_setcons(id_, child), "stream_setcons"); }

  StreamWriter writer() const { return StreamWriter(id_); }
  StreamReader reader() const { return StreamReader(id_); }

 private:
  explicit Stream(stream_id id) : id_(id) {}
  static Result<Stream> named(stream_id id, const char* call) {
    if (id < 0) return Error{errno, call};
    return Stream(id);
  }
  stream_id id_;
};

}  // namespace chan
