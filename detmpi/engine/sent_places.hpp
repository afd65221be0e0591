// Where the program has sent its latest messages, for reports of those that nobody receives. To note it costs two
// stores per message; who looks it up is about to end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace detmpi {

class SentPlaces {
 public:
  struct Sent {
    uintptr_t returns_to;  // of the call, in the program; 0: nothing was sent
    uint32_t number;       // among the messages to that rank, modulo 2^32
    int32_t to;            // rank in the job
  };

  static constexpr size_t kAsARule = 64;

  // Of so many messages, a power of two. Those that were noted before are gone. Before anything is noted; in a call, as
  // the memory is to be the library's.
  void keep(size_t messages) { sent_.assign(messages, Sent{}); }
  void note(int to, uint64_t number, uintptr_t returns_to) {
    sent_[next_++ & (sent_.size() - 1)] = {returns_to, static_cast<uint32_t>(number), to};
  }
  // From the earliest to the latest.
  template <typename Visit>
  void each(Visit&& visit) const {
    for (size_t i = 0; i < sent_.size(); ++i) {
      const Sent& sent = sent_[(next_ + i) & (sent_.size() - 1)];
      if (sent.returns_to != 0) visit(sent);
    }
  }

 private:
  std::vector<Sent> sent_;
  size_t next_ = 0;
};

}  // namespace detmpi
