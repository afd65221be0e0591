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
  // To be called about every 100 ms; does not block. The hint, once; empty: nothing to say. Asks those that poll to
  // describe for what first, and says it at a later look.
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
  std::vector<int> doing(Doing what) const;
  void ask_to_describe(uint64_t now);
  void stop_asking();
  bool has_answers() const;
  std::string hint(uint64_t quiet_ns) const;

  std::vector<Seen> seen_;  // by rank, at the last look
  uint64_t looked_at_ = 0;
  uint64_t quiet_since_ = 0;  // 0: it is not
  uint64_t asked_at_ = 0;     // those that poll have been asked; 0: not
  uint32_t questions_ = 0;    // asked so far
  bool told_ = false;
};

}  // namespace detmpi
