// Shorthands for tests of streams; all expect success.
#pragma once

#include <string>

#include <chan/stream.h>

#include "job.hpp"

namespace chan_job {

inline stream_id make_stream(size_t window = 0) {
  const stream_id stream = window == 0 ? stream_alloc() : stream_alloc_window(window);
  EXPECT(stream > 0);
  return stream;
}

inline void write(stream_id stream, const std::string& bytes) {
  EXPECT(stream_write(stream, bytes.data(), bytes.size()) == 0);
}

// As many bytes as there are, up to `most`.
inline std::string read_all(stream_id stream, size_t most) {
  std::string bytes(most, '\0');
  const ssize_t size = stream_read(stream, bytes.data(), most);
  EXPECT(size >= 0);
  bytes.resize(static_cast<size_t>(size));
  return bytes;
}

}  // namespace chan_job
