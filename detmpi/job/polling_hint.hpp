// A hint when a job does nothing but poll for what does not come: MPI_Test, MPI_Iprobe and the like in a loop. Who
// polls is not blocked, so that this is no deadlock (deadlock.hpp), and it may be meant: the job goes on.
//
// Each rank counts the failed polls that it makes in a row (RankRecord::polls). All of these must hold for five
// seconds:
//   every rank has finished, is blocked in one and the same call, or does nothing but poll;
//   each that polls goes on, and mostly polls again within 20 us, as a loop does that does nothing else.
// So there is none while any rank computes, or completes a call; nor for ranks that compute or sleep between polls.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace detmpi {

class PollingWatch {
 public:
  // To be called about every 100 ms. The hint, once; empty: nothing to say. Asks those that poll to describe for what,
  // which takes a moment.
  std::string look();

 private:
  enum class Doing : uint8_t { kOther, kBlocked, kPolling, kFinished };
  struct Seen {
    Doing doing = Doing::kOther;
    uint64_t clock = 0;  // kBlocked: of the call; kPolling: of the first poll
    uint64_t polls = 0;
  };
  bool nothing_but_polls();
  bool polls_in_loops() const;
  std::string hint(uint64_t quiet_ns) const;

  std::vector<Seen> seen_;  // by rank, at the last look
  uint64_t looked_at_ = 0;
  uint64_t quiet_since_ = 0;  // 0: it is not
  bool told_ = false;
};

}  // namespace detmpi
