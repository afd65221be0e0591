// A small language of message-passing programs, in which the reference model and the engine are compared: what each
// rank calls, in which order, and what it then observed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace match_test {

using Time = uint64_t;

inline constexpr int kAny = -1;  // as peer of a receive or probe: any source; as tag: any tag

enum class Op : uint8_t {
  kWork,     // the clock advances by `work`, without a call
  kIsend,    // fills request slot `slot`; complete at its post
  kIssend,   // fills `slot`; complete when acknowledged
  kIrecv,    // fills `slot`
  kRecv,     // the same and waits for it, as one call; may prefer a source
  kWaitall,  // of `slots`; blocking Send, Ssend and Recv are written as their non-blocking form and kWaitall
  kWaitany,
  kWaitsome,
  kTestall,  // MPI_Test is kTestall of one slot
  kTestany,
  kTestsome,
  kProbe,  // blocking; peer, tag
  kIprobe,
  kCancel,   // of the receive in `slot`; a request that it cancels stays, complete, until a wait or test reports it
  kBarrier,  // of `comm`: everybody waits for everybody's entry
  kBcast,    // of `comm`, from member `peer`: the others wait for its entry
};

// A step that refers to an empty slot (its request was completed before, or never made) passes over it, as MPI does
// over MPI_REQUEST_NULL. With no slot left a wait or test returns at once, true.
struct Step {
  Op op = Op::kWork;
  int comm = 0;
  int peer = 0;   // member of the communicator; receives, probes: may be kAny
  int tag = 0;    // receives, probes: may be kAny
  Time work = 0;  // kWork
  int slot = 0;   // kIsend, kIssend, kIrecv, kRecv, kCancel
  // kRecv and kIrecv from any source: the messages of member `usual` are preferred, those of others come to it by
  // `grace` later. Only where no other receive competes with it: see competes(), comes_to_prefer().
  int usual = kAny;
  Time grace = 0;
  std::vector<int> slots;   // waits and tests
  bool until_true = false;  // tests and kIprobe: called again until it answers true
};

struct Program {
  int ranks = 0;
  std::vector<std::vector<int>> comms;   // members of each communicator, as ranks; comm 0 has all ranks, in order
  std::vector<std::vector<Step>> steps;  // of each rank
  Time lookahead = 1;                    // L
  uint64_t seed = 0;                     // 0: every message takes L; else see latency()
  bool habits = false;  // receives prefer as the ranks' habits say (detmpi/engine/habits.hpp), not as the steps do
};

size_t number_of_slots(const std::vector<Step>& steps);
// A test or probe as what it asks for first tells it from others: all empty slots are one, MPI_REQUEST_NULL.
Step as_polled(Step step, bool first_is_there);
// Do both tests and probes ask for the same first? They are as_polled().
bool polls_for_same(const Step& a, const Step& b);
// Could both receives take the same message?
bool competes(const Step& a, const Step& b);
// What a rank has not seen complete, and later receives have to reckon with.
struct Earlier {
  std::vector<Step> held;  // receives of which the rank's next calls tell whether they will prefer
  std::vector<Step> late;  // those that do, and those that were posted behind such: with their grace
};
// By how much later than they arrive messages come to a receive or probe behind these.
Time grace_behind(const std::vector<Step>& late, const Step& step);
// Is the kIrecv at that step, which is held, followed by nothing but sends, work, and receives, until there is a
// kWaitall? No receive may compete with one that is held then: with this one, with those that are held at its post, or
// with those that come to be held meanwhile.
bool comes_to_prefer(const std::vector<Step>& steps, size_t step, Earlier earlier);
// After these calls of a rank, receives that are held stay so.
inline bool lets_hold(Op op) { return op == Op::kWork || op == Op::kIsend || op == Op::kIrecv; }

// lambda of the k-th (from 0) message from rank `from` to rank `to` in communicator `comm`. At least L.
Time latency(const Program& program, int from, int to, int comm, uint64_t k);

// What a rank observed in one call. Calls that are repeated by until_true give one event each.
struct Event {
  int step = 0;
  bool flag = false;  // tests, kIprobe, kCancel: the answer; true for all others
  Time clock = 0;     // after the call
  // Requests completed by this call, by slot, in ascending order (kWaitany, kTestany: the one). For kProbe, kIprobe:
  // one entry with slot -1, if flag.
  struct Completion {
    int slot = 0;
    int source = -1;       // member of the communicator; -1 for sends
    int tag = 0;           // of the message; 0 for sends
    uint64_t message = 0;  // its number k among those of its pair and communicator; 0 for sends
    bool cancelled = false;
    bool operator==(const Completion&) const = default;
  };
  std::vector<Completion> done;
  bool operator==(const Event&) const = default;
};

struct RankTrace {
  std::vector<Event> events;
  bool stuck = false;  // the step after the last event never returns: a deadlock
  Time clock = 0;      // at the end
  bool operator==(const RankTrace&) const = default;
};

using Trace = std::vector<RankTrace>;  // by rank
bool is_stuck(const Trace& trace);     // any of the ranks

// For people: programs and traces as text, a line per step or event.
std::string to_text(const Program& program);
std::string to_text(const Program& program, const Trace& trace);

// The reference: simulates all ranks in the order of logical time. Slow and simple. A rank that polls for ever
// (until_true) is given up, stuck, after `max_polls` calls of one step. `backwards`: visits the ranks that act at the
// same time in descending order; a test shows that this makes no difference. Throws std::logic_error where a program
// breaks the rules above (a slot filled twice, a rank outside the communicator).
Trace run_reference(const Program& program, unsigned max_polls = 200, bool backwards = false);

// A random program: every one of the things above, in proportions that make races, partial and total deadlocks, and
// programs that end well, all common.
struct Shape {
  int ranks = 3;     // 2 to 16
  int steps = 8;     // per rank, about
  bool acks = true;  // synchronous sends
  bool cancels = true;
  bool collectives = true;
  bool comms = true;    // more than one communicator
  bool floods = false;  // many messages from one rank to another at once
};
Program random_program(uint64_t seed, const Shape& shape);

}  // namespace match_test
