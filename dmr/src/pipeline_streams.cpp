#include "pipeline_streams.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include <chan/chan.h>
#include <space/space.h>
#include <base/check.hpp>

namespace dmr {
namespace {

// A failure on its way: this, the name of the stage, the reason.
struct Description {
  uint64_t position, replica, item, name_bytes;
};

}  // namespace

void StreamOut::write(const void* data, size_t size) {
  if (stream_write(stream_, data, size) == 0) return;
  std::fprintf(stderr, "pipeline: %s\n", chan_last_error());
  space_exit(1);
}

void StreamOut::gather(const void* data, size_t size) {
  const auto* bytes = static_cast<const std::byte*>(data);
  gathered_.insert(gathered_.end(), bytes, bytes + size);
}

void StreamOut::write_gathered() {
  write(gathered_.data(), gathered_.size());
  gathered_.clear();
  last_size_ = kNone;
}

void StreamOut::emit(Bytes item) {
  if (gathered_.size() >= kLongItem) write_gathered();
  last_size_ = gathered_.size();
  word(item.size());
  if (item.size() < kLongItem) {
    gather(item.data(), item.size());
  } else {
    write_gathered();
    write(item.data(), item.size());
  }
  emitted_ += 1;
  if (source_) done();
}

void StreamOut::done() {
  if (last_size_ == kNone) {
    word(kDone);
  } else {
    uint64_t size;
    std::memcpy(&size, gathered_.data() + last_size_, sizeof(size));
    size |= kLast;
    std::memcpy(gathered_.data() + last_size_, &size, sizeof(size));
  }
  write_gathered();
  if (stream_flush(stream_) != 0) write(nullptr, 0);
}

void StreamOut::fail(const Failure& failure) {
  const Description text{failure.position, static_cast<uint64_t>(failure.replica), failure.item, failure.stage.size()};
  word(kFailed | (sizeof(text) + failure.stage.size() + failure.reason.size()));
  gather(&text, sizeof(text));
  gather(failure.stage.data(), failure.stage.size());
  gather(failure.reason.data(), failure.reason.size());
  end();
}

void StreamOut::end() {
  write_gathered();
  if (stream_end(stream_) != 0) write(nullptr, 0);
}

// False: the writer is gone.
bool StreamsIn::read(void* to, size_t size) {
  const ssize_t got = to == nullptr ? stream_skip(streams_[turn()], size) : stream_read(streams_[turn()], to, size);
  if (got < 0) CHECK(errno == EPIPE, "%s", chan_last_error());
  CHECK(got < 0 || static_cast<size_t>(got) == size, "a pipeline's stream ends within an item");
  return got >= 0;
}

bool StreamsIn::read_to_buffer(size_t size) {
  if (size > capacity_) {
    capacity_ = std::max(size, 2 * capacity_);
    buffer_.reset();
    buffer_.reset(new (std::align_val_t{kItemAlignment}) std::byte[capacity_]);
  }
  size_ = size;
  return read(buffer_.get(), size);
}

StreamsIn::Next StreamsIn::died() {
  failure_ = {writers_.position, writers_.stage, static_cast<int>(turn()), done_, ""};
  return Next::kFailure;
}

StreamsIn::Next StreamsIn::description(size_t size) {
  if (!read_to_buffer(size)) return died();
  Description text;
  std::memcpy(&text, buffer_.get(), sizeof(text));
  const auto* name = reinterpret_cast<const char*>(buffer_.get() + sizeof(text));
  failure_ = {static_cast<size_t>(text.position), std::string(name, text.name_bytes), static_cast<int>(text.replica),
              text.item, std::string(name + text.name_bytes, size - sizeof(text) - text.name_bytes)};
  return Next::kFailure;
}

// kItem: there is a word.
StreamsIn::Next StreamsIn::next_word(uint64_t* word) {
  const ssize_t got = stream_read(streams_[turn()], word, sizeof(*word));
  if (got == 0) return Next::kEnd;  // all others end here, too
  if (got < 0) return died();
  CHECK(got == sizeof(*word), "a pipeline's stream ends within a word");
  return Next::kItem;
}

StreamsIn::Next StreamsIn::next() {
  for (;;) {
    uint64_t word;
    if (const Next what = next_word(&word); what != Next::kItem) return what;
    if (word == kDone) {
      done_ += 1;
      continue;
    }
    if (word & kFailed) return description(word & ~kFailed);
    const bool mine = arrived_++ % of_ == share_;
    const size_t size = word & ~kLast;
    if (mine ? !read_to_buffer(size) : !read(nullptr, size)) return died();
    if (word & kLast) done_ += 1;
    if (mine) return Next::kItem;
  }
}

}  // namespace dmr
