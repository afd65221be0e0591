// Pairs on their way through a channel, in blocks.
#pragma once

#include <string>
#include <string_view>

#include <chan/chan.h>
#include <dmr/error.hpp>

#include "blocks.hpp"
#include "pair.hpp"

namespace dmr {

// Throws JobError.
inline void send(chan_id channel, std::string_view bytes) {
  if (chan_send(channel, bytes.data(), bytes.size()) != 0) throw JobError(chan_last_error());
}

class Sender {
 public:
  explicit Sender(chan_id channel) : channel_(channel) { block_.reserve(kBlockBytes); }

  bool has_room(const PairView& pair) const { return block_.empty() || block_.size() + bytes_of(pair) <= kBlockBytes; }
  // These block while the reader is behind: flush(), and add() where there is no room.
  void add(const PairView& pair) {
    if (!has_room(pair)) flush();
    const size_t at = block_.size();
    block_.resize(at + bytes_of(pair));
    write_pair(block_.data() + at, pair);
  }
  void flush() {
    if (!block_.empty()) send(channel_, block_);
    block_.clear();
  }
  // An empty message is the end.
  void finish() {
    flush();
    send(channel_, {});
  }

 private:
  chan_id channel_;
  std::string block_;
};

}  // namespace dmr
