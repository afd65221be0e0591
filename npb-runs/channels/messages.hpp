// Messages between ranks over channels: one channel for each ordered pair of ranks, made by rank 0 before the others
// start. A message is an envelope and its bytes, written one behind the other and published together.
//
// A receive names its source. So what it gets depends on the order in which that rank sent, and on nothing else.
#pragma once

#include <chan/chan.h>

#include <cstdint>
#include <deque>
#include <list>
#include <vector>

namespace channels {

struct Envelope {
  int32_t tag;
  uint32_t context;
  uint64_t bytes;

  bool matches(const Envelope& other) const { return tag == other.tag && context == other.context; }
};
static_assert(sizeof(Envelope) == 16);

struct Receive {
  int source;         // rank in the job
  Envelope envelope;  // bytes: room; once it is done, those of the message
  void* to;
  bool done = false;
};

struct Counts {
  uint64_t messages = 0, bytes = 0;
  uint64_t sends = 0;  // calls of chan_send and chan_sendLast
};

class Messages {
 public:
  // `channels[from * ranks + to]`.
  void start(int rank, int ranks, std::vector<chan_id> channels);

  int rank() const { return rank_; }
  int ranks() const { return ranks_; }
  const Counts& counts() const { return counts_; }

  // Blocks while the receiver is further behind than the channel's window (launch.cpp: 32 MiB).
  void send(int to, Envelope envelope, const void* data);
  void post(Receive& receive);
  // Blocks until it is done.
  void wait(Receive& receive);

 private:
  struct Unexpected {
    Envelope envelope;
    std::vector<std::byte> data;
  };
  struct Source {
    std::list<Receive*> posted;  // in the order of their posts
    std::deque<Unexpected> unexpected;
  };

  void take_next(int source);
  void send_to_self(const Envelope& envelope, const void* data);
  Receive* match(Source& source, const Envelope& envelope);
  chan_id channel(int from, int to) const { return channels_[static_cast<size_t>(from * ranks_ + to)]; }

  int rank_ = 0, ranks_ = 1;
  std::vector<chan_id> channels_;
  std::vector<Source> sources_;
  Counts counts_;
};

extern Messages g_messages;  // of this rank

// Ends the job.
[[noreturn, gnu::format(printf, 1, 2)]] void fail(const char* format, ...);

}  // namespace channels
