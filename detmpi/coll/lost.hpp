// Waiting for a member that may never come, because it has begun another operation, or has quit (quit.hpp).
//
// What is waited for is that it begins the operation, which is a word in shared memory like any other that others wait
// for; and what follows from its having begun the same one. So the bounds of logical time hold, and a member that is
// lost is no deadlock. What it would have sent has a tag of its own (messages.hpp): a receive of it can be given up.
#pragma once

#include <base/wait.hpp>
#include <chan/board.hpp>

#include <algorithm>

#include "../engine/engine.hpp"
#include "../object/call.hpp"

namespace detmpi {

// Has the member begun something else than this rank as its operation of that number, or quit before it?
bool is_lost(Comm& comm, uint32_t member, uint64_t number);

// Until when a wait looks for the thing itself alone. From then on members that begin something wake this one. It is
// over before others are told what is waited for: they may take the thing itself for what will never come.
class Patience {
 public:
  explicit Patience(chan::Board& board)
      : board_(board),
        end_(spmc::base::g_wait_counters.yields + std::min(kYields, spmc::base::g_wait_policy.yields)),
        given_up_(spmc::base::g_wait_counters.given_up) {}
  ~Patience() {
    if (over_) board_.head().waiting.fetch_sub(1, std::memory_order_relaxed);
  }
  Patience(const Patience&) = delete;
  Patience& operator=(const Patience&) = delete;

  bool over() {
    if (over_) return true;
    const spmc::base::WaitCounters& now = spmc::base::g_wait_counters;
    if (!g_engine.somebody_asks() && now.yields < end_ && now.given_up == given_up_) return false;
    board_.head().waiting.fetch_add(1, std::memory_order_relaxed);
    return over_ = true;
  }

 private:
  static constexpr uint32_t kYields = 8;
  static_assert(kYields <= spmc::base::kFewYields);  // so that there is a look before this member sleeps

  chan::Board& board_;
  const uint64_t end_, given_up_;
  bool over_ = false;
};

// Blocks until `ready`; `what` tells the mark that it needs. `operation`: as in Wait.
template <typename Ready, typename What>
void wait_for_mark(const Comm& comm, int hint, Ready&& ready, What&& what, CallId operation = CallId::kNone) {
  chan::match::Need need;
  need.kind = chan::match::Need::Kind::kMarks;
  need.time = g_clock;
  need.sources.resize(1);
  const Wait wait{.marks = &need, .comm = &comm, .operation = operation};
  g_engine.block(wait, hint, [&] {
    if (ready()) return true;
    const chan::match::Need::Source mark = what();
    auto& known = need.sources[0];
    if (known.rank != mark.rank || known.place != mark.place || known.value != mark.value) {
      known = mark;
      g_engine.note_change();
    }
    return false;
  });
  g_engine.announce_if_due();
}

// A receive that has been posted, of a message of the operation of that number: blocks until the message has come or
// the member is lost. Then the request is complete without a match. The member has sent what it sends in an operation
// that it has begun, or does so without waiting for this rank. `operation`: as in Wait.
void await_or_lose(Request& receive, Comm& comm, uint32_t sender, uint64_t number, CallId operation = CallId::kNone);
// The same without blocking: loses it if it is lost. False if that is not known yet: then this mark will tell.
bool look_whether_lost(Request& receive, Comm& comm, uint32_t sender, uint64_t number);
chan::match::Need::Source mark_of_begin(const Comm& comm, uint32_t member, uint64_t number);
// While this rank may sleep until members leave such marks, each that leaves one wakes it.
void want_to_be_told(Comm& comm, bool yes);
inline bool was_lost(const Request& receive) { return receive.complete && !receive.matched; }
// The error code of one that was lost; the rank quits.
int lost_code(const Request& receive, Comm& comm, uint32_t sender, uint64_t number);

}  // namespace detmpi
