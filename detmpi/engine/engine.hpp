// The engine of one rank: its lanes to and from the other ranks, the queues of posted receives and of messages that
// came before their receive, and the sends that found no room yet. Everything here belongs to the rank's one thread.
//
// Messages are left in their lane until somebody wants them: a receive that names its source reads that lane alone,
// straight into the program's buffer. While a rank is blocked for longer it takes everything in (poll_all), so that a
// sender never waits for ever for room.
//
// Three ways for a message, by size: in a record (send.cpp), in pieces through the window (send.cpp), from buffer to
// buffer (offer.hpp, direct.cpp).
//
// Logical time (LOGICAL-TIME; chan/match): every record carries its arrival stamp, a(m) = C + latency. A receive that
// names its source, and that no pending wildcard before it contests, is *plain*: it takes its message when it sees it,
// and that is all. The others stand in the matcher, which makes them final when nothing earlier can come; what tells
// it is the horizon. When calls may answer: answer.cpp. What a blocked rank does and publishes: block.cpp.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>
#include <vector>

#include <base/cores.hpp>
#include <base/wait.hpp>
#include <chan/lane.hpp>
#include <chan/match/matcher.hpp>
#include <chan/window.hpp>
#include <spmc/frames.hpp>

#include "../object/call.hpp"
#include "habits.hpp"
#include "horizon.hpp"
#include "job_table.hpp"
#include "medium_way.hpp"
#include "message.hpp"
#include "offer.hpp"
#include "published.hpp"
#include "request.hpp"
#include "sent_places.hpp"

namespace detmpi {

// Kinds of record in a lane: the low byte of the marker. The upper 24 bits are the sender's rank in the communicator.
inline constexpr uint32_t kRecordEager = chan::kFirstUserKind;      // the whole message
inline constexpr uint32_t kRecordSlab = chan::kFirstUserKind + 1;   // its first piece, in a slab
inline constexpr uint32_t kRecordMore = chan::kFirstUserKind + 2;   // a further piece
inline constexpr uint32_t kRecordAck = chan::kFirstUserKind + 3;    // a synchronous send was matched; aux: its id
inline constexpr uint32_t kRecordOffer = chan::kFirstUserKind + 4;  // a message that is offered (offer.hpp)

struct SlabPiece {  // payload of kRecordSlab and kRecordMore
  uint32_t slab;    // first frame
  uint32_t bytes;
  uint32_t offer;  // of a message that had been offered: its entry + 1; else 0
};

struct OfferName {  // payload of kRecordOffer
  uint32_t table;   // frame
  uint32_t entry;
};
inline Offer& offer_at(OfferName name) {
  return reinterpret_cast<Offer*>(spmc::segment::frame(spmc::EPageIndex{name.table}))[name.entry];
}

template <typename T>
using Queue = chan::match::Queue<T>;

struct Outbound {  // to one rank
  chan::LaneOut lane;
  uint64_t messages = 0;  // that were sent
  Queue<Request> waiting;  // sends that found no room; while not empty, all sends queue here
  MediumWay medium;
};

// A message of which something is still to come: goes to exactly one of the two.
struct Arrival {
  Request* request = nullptr;
  Message* message = nullptr;
  uint64_t to_come = 0;
  OfferName offer = {};
};

// A message that this rank copies, or helps to copy, out of the sender's buffer.
struct TakenOffer {
  OfferName offer;
  int from;
  Request* request;
};

// A synchronous message that was taken in and is not acknowledged yet: still a message, or already matched.
struct Unacknowledged {
  int from;
  uint32_t id;
  Message* message;
  Request* request;
};

// What a call waits for, as other ranks need to know it.
struct Wait {
  enum class Kind : uint8_t {
    kPhysical,  // bytes or room: no matter of logical time
    kTest,      // only for so long in logical time, to answer a test
    kAll,
    kAny,
  };
  Kind kind = Kind::kAll;
  std::span<const MPI_Request> handles = {};  // those that are active count
  Request* request = nullptr;                 // one that may have no handle
  const Request* sought = nullptr;            // the one, of these, that this look is for: complete, it ends it
  chan::match::Receive* probe = nullptr;
  const chan::match::Need* marks = nullptr;     // of a collective operation
  const Comm* comm = nullptr;                   // of probe and marks
  CallId operation = CallId::kNone;             // of marks; none: that of the call itself
  std::span<Operation* const> operations = {};  // of a test, or a wait for the first: those of its requests
  uint64_t reach = 0;                           // of a test: for so long it waits (polling.hpp)
  bool first = false;                           // of a test with a reach: the first of its requests ends it

  bool is_test() const { return kind == Kind::kTest; }
  // Tests at one time wait only to learn what the others may still do.
  bool is_instant() const { return is_test() && reach == 0; }
  uint64_t until() const { return g_clock + reach; }
};

struct SentOffer {
  Request* request = nullptr;  // null: the message is out of this rank's hands, or in the queue
  int to = 0;
};

struct Inbound {  // from one rank
  chan::LaneIn lane;
  bool known = false;            // in Engine::sources_
  uint32_t acks = 0;             // that were taken since the sender was woken last
  uint64_t messages = 0;         // that were taken in: as the sender counts them
  Queue<Request> posted;         // plain receives of this source, in post order
  Arrival arriving;              // in pieces that follow each other
  std::vector<Arrival> offered;  // not taken; their pieces, if they come by pieces, name the offer
};

class Engine {
 public:
  // `rank` of `ranks`, attached to the job's segment.
  void start(int rank);

  // No call follows: nobody needs to wait for this rank.
  void done() { publisher_.done(); }

  int rank() const { return rank_; }
  // Before a send: does --strict-sends or --verify care?
  bool looks_at_sends() const { return look_at_sends_; }
  void look_at_sends() { look_at_sends_ = true; }
  // How a send in that context behaves: those of collective operations are left alone.
  SendMode mode_of(SendMode mode, uint32_t context) const {
    return strict_sends_ && mode == SendMode::kStandard && context % 2 == 0 ? SendMode::kSynchronous : mode;
  }
  spmc::FramePool& frames() { return pool_; }
  // For tools; all depend on timing.
  uint64_t messages_taken() const;
  uint64_t messages_waiting() const;
  uint64_t control_messages() const { return control_messages_; }  // records of waits, and acknowledgements

  // --- sends (send.cpp) ---
  // Puts the request's message under way: at once, or behind those that wait. Sets pushed, and complete if it is.
  void send(Request& request);
  // The fast path: a message of consecutive bytes that fits into a record. Its time of arrival; 0: it must go the long
  // way. `blocks`: the program's call does, so that others do not follow at once.
  uint64_t try_send_now(int to, const char* data, size_t bytes, int tag, const Comm& comm, uint32_t context,
                        bool blocks);
  void push_waiting();
  SentPlaces& sent_places() { return sent_places_; }
  void flush();  // blocks until every message sent so far is in its lane, or was taken out of its buffer
  // A message that is still offered goes through the window from now on. No effect on others.
  void withdraw(Request& request);

  // --- receives (receive.cpp) ---
  // Matches the request with what is there already, or posts it.
  void receive(Request& request);
  // Of a receive that names its source, on a context without wildcards, posted at a time that has passed. Takes nothing
  // in, so it may be called from wherever a message is found.
  void receive_since(Request& request, uint64_t post);
  // A plain receive that has no message, and for which none will come: it is complete as of `time`, without one.
  void give_up(Request& request, uint64_t time);
  // The fast path of a blocking receive of consecutive bytes that names its source: its message is there, or comes
  // shortly. False: nothing was done.
  struct Received {
    int source;  // rank in the communicator
    int tag;
    uint64_t bytes;
    uint64_t time;
  };
  bool try_receive_soon(int from, uint32_t context, int tag, char* data, size_t room, Received* received);
  // The message has left the matcher.
  void take_unexpected(Message& message, Request& request);
  chan::match::Matcher& matcher() { return matcher_; }
  // All ranks have sent what they send, and flushed it, and nobody waits: takes it in, and makes final what can be.
  void take_in_the_rest();
  // The communicator goes: what has come on it, nobody can receive any more.
  void drop_messages(const Comm& comm);

  // --- receives that prefer a source (usual.cpp) ---
  void give_up_habits() { habits_.give_up(); }
  // Whether the held receives prefer their usual source, from now on.
  void settle_held(bool prefer);
  // What is posted now sees messages no earlier than pending receives that compete with it.
  void take_grace_of_earlier(chan::match::Receive& receive) const;
  // The program frees a receive that is pending, for all that it knows.
  void let_go(Request& request);
  // The same of a receive that is part of an operation.
  void let_go_part(Request& part);
  // Whatever the program may see by now of receives that nobody waits for is in their buffers.
  void delete_late();
  // At the beginning of every call, while receives are held.
  void begin_call();

  // --- progress (progress.cpp) ---
  void poll_source(int from, const Request* until);
  void poll_all(const Request* until = nullptr);

  // --- blocking (block.cpp) ---
  // Blocks until done() is true. `hint`: the source whose message will make it so; kAnySource: any lane may, and
  // bounds; kNoLane: none does, but a rank that waits for longer takes in what comes all the same.
  static constexpr int kAnySource = -1;
  static constexpr int kNoLane = -2;
  template <typename Done>
  void block(const Wait& wait, int hint, Done&& done);
  int hint_for(const Request& request) const;
  void block_until_complete(Request& request);
  void block_until_parts_complete(Request& request);
  // The same for several; those that complete at their post, and messages that are matched, are waited for physically.
  void block_until_all_complete(std::span<const MPI_Request> handles);
  // The program learns that the request is complete: only now the clock moves, never when a message happens to be taken
  // in. Its acknowledgement, if one is due, is sent.
  void observe(Request& request);
  // One look at all others, and what they need of this rank for times up to its clock. True if the rank's next action
  // that is not visible yet comes after `time`.
  bool acts_after(int rank, uint64_t time);
  bool first_come() const { return first_come_; }
  // Do ranks take turns on cores, each with one of its own (choose_core), and is this one there? If so: is that rank's
  // core the same?
  bool takes_turns() const { return turn_cores_ != 0 && spmc::base::current_core() == turn_core_; }
  bool shares_core(int other) const { return other % turn_cores_ == rank_ % turn_cores_; }
  // Publishes the clock after a call that others may have watched.
  void announce();
  void announce_if_due() {
    if (announce_due_) [[unlikely]]
      announce();
  }
  // Does any rank want to know how far others can be trusted to have come? Programs without wildcards and tests never
  // do. Who is blocked publishes what it waits for then.
  bool somebody_asks() const {
    return g_job->bounds_asked.load(std::memory_order_relaxed) != 0 || publisher_.watched();
  }
  // Folds it into the digest, and logs it.
  [[gnu::cold]] void note_completion(const Request& request);
  // Of what the blocked call's Wait says.
  void note_change() { ++changes_; }

  // --- answers (answer.cpp) ---
  chan::match::Outlook outlook(const Request& request, const chan::match::Horizon& horizon) const;
  chan::match::Outlook outlook_of_parts(const Request& request, const chan::match::Horizon& horizon) const;
  uint64_t earliest_own_ack(const Request& send, const chan::match::Horizon& horizon) const;
  chan::match::Outlook outlook(const Request& request) const { return outlook(request, horizon_); }
  const Horizon& horizon() const { return horizon_; }
  // Calls `attempt` until it is true, with ever more knowledge of the others.
  template <typename Attempt>
  void decide(const Wait& wait, Attempt&& attempt) {
    asked_at_ = concluded_at_ = ~uint64_t{0};
    learn(wait);
    uint64_t seen = ~uint64_t{0};
    bool decided = false;
    block(wait, kAnySource, [&] {
      if (decided || seen == news()) return decided;
      seen = news();
      return decided = attempt();
    });
  }
  // The same for a test, which mostly finds that nothing comes by wait.until(): told without settling anything; or that
  // something has come, which settles with what is known. Not where others wait for what only learn() does: for
  // acknowledgements, and for sends that found no room. Those who wait for room themselves wait for a few tests.
  template <typename Attempt>
  void decide_test(const Wait& wait, Attempt&& attempt) {
    const bool owes_nothing = unacknowledged_.empty() && blocked_to_.empty() && offers_used_ == 0;
    if (owes_nothing) {
      if (++tests_ % kTestsPerLearning == 0) poll_all();
      look_for_parts(wait);
      if (attempt()) return;
      settle();
      if (!unacknowledged_.empty()) settle_acks();
      if (attempt()) return;
    }
    decide(wait, attempt);
  }
  // Takes back a receive that is not complete by now, and with it what later receives have that are not complete
  // either.
  void take_back(Request& request);
  void set_cancelling(bool cancelling) { cancelling_ = cancelling; }
  // It was looked up at run time.
  void expect_cancels() { may_cancel_ = !first_come_; }

  // Lets others run: programs test in loops.
  void give_way();
  // To detmpirun, once: for what it polls (describe.cpp).
  void describe_poll(const Wait& wait);
  // A freed request is complete: deletes it, now or later.
  void delete_detached(Request& request);

 private:
  static constexpr uint32_t kPollsBeforeAll = 64;
  static constexpr uint32_t kPollsBeforePublishing = 32;  // with a core for every rank
  // Where one message does not end the wait, what a snapshot tells seldom does: looks at the clocks are cheaper.
  static constexpr uint32_t kPollsBeforeSnapshot = 5;
  static constexpr uint32_t kWaitsPerQuestion = 16;  // told to all; then it must be asked again
  static constexpr uint32_t kTestsPerLearning = 16;  // so often a test takes in what all have sent

  void open_lane(int to);
  spmc::EPageIndex carve(uint32_t pages);
  static void set_envelope(chan::Cell& cell, Request& request, const Outbound& out);
  bool push(Request& request);
  bool push_first(Request& request, Outbound& out);
  bool push_piece(Request& request, Outbound& out);
  void finish_push(Request& request);
  void queue_send(Request& request);
  void note_sent(int to, uint32_t context);
  void send_to_self(Request& request);
  void limit_clock();

  void note_from_any(Request& request);
  void note_seen(Request& request);
  void settle_held_if_competing(const Request& request);
  chan::Cell* await_record(chan::LaneIn& lane);
  void learn_sources();
  void take_record(int from, Inbound& in, chan::Cell* cell);
  void take_message(int from, Inbound& in, chan::Cell* cell, uint32_t kind);
  void take_piece(int from, Inbound& in, const chan::Cell* cell);
  bool is_worth_a_look(const Request& receive);
  Request* match_posted(Inbound& in, uint32_t context, int tag);
  Request* match_at_once(const chan::Cell& cell, const chan::match::Key& key);
  void match(Request& request, const chan::match::Key& key, int source, int tag, uint64_t bytes);
  void message_complete(Request& request);
  void settle() { settle(horizon_); }
  void settle(const chan::match::Horizon& horizon);
  void look_for(const chan::match::Receive& receive, uint64_t by);
  void look_for_parts(const Wait& wait);
  static void look_for_lost_parts(const Wait& wait);
  void promote_uncontested();
  static bool is_provisional(const Request& request);
  bool may_be_undone(const Request& request) const;
  void return_message(Request& request);
  Arrival& arrival_of(Inbound& in, const Message& message);
  Arrival& offered_arrival(int from, Inbound& in, uint32_t entry);

  // --- from buffer to buffer (direct.cpp) ---
  bool try_offer(Request& request, Outbound& out);
  void advance_offers();
  void advance_offer(uint32_t entry);
  void send_by_pieces(SentOffer& sent);
  void offer_copied(SentOffer& sent);
  void await_taker(Request& request);
  void take_offer(int from, OfferName name, Request& request);
  void advance_taken();
  void finish_taken(const TakenOffer& taken);
  void copy_pieces(Offer& offer, OfferSide side, int peer);
  void learn_failure(int error);

  // --- acknowledgements (acks.cpp) ---
  void expect_ack(Request& request);
  void note_synchronous(int from, uint32_t id, Message* message, Request* request);
  void ack_for(Message& message, Request& request);
  uint64_t next_match_of(const Unacknowledged& entry) const;
  bool may_acknowledge(const Request& request) const;
  bool try_acknowledge(const Unacknowledged& entry);
  void settle_acks();
  void publish_next_match();
  void lower_next_match(uint64_t arrival);
  void take_ack(uint32_t id, uint64_t stamp);

  // --- blocking (block.cpp) ---
  bool comes_at_once(Request& request);
  bool spin_poll(const Wait& wait, int hint);
  bool awaits_decision(const Wait& wait) const;
  bool look_further(const Wait& wait);
  bool publishing_is_due(const Wait& wait) const;
  void learn(const Wait& wait);
  void take_snapshot();
  void learn_by_snapshot(const Wait& wait);
  void learn_of_acks(const Wait& wait);
  void conclude_what_is_known(const Wait& wait);
  bool needs_own_bound(const Wait& wait) const;
  uint64_t candidate_behind_self(const chan::match::Receive& receive) const;
  bool waits_for_all_there_is(const Wait& wait) const;
  void ask(const Wait& wait);
  void ask_about_self(const Wait& wait);
  uint64_t own_due(const Wait& wait) const;
  static bool waits_for(const Wait& wait, const chan::match::Receive& receive);
  void look_at_clocks(const Wait& wait);
  bool watch(const Wait& wait);
  // With more ranks than cores: those who could answer do not run. Whoever has a question left then sleeps soon, or all
  // who wait would take turns with the few who have something to do.
  bool asks_in_vain() const { return crowded_ && !questions_.empty(); }
  // Grows with everything that may change an answer.
  uint64_t news() const { return changes_ + horizon_.epoch(); }
  uint64_t earliest_return(const Wait& wait) const;
  void add_needs(const Wait& wait);
  void prepare_sleep(const Wait& wait);
  void end_if_stuck();
  bool must_look_again(const Wait& wait);
  void publish(const Wait& wait);
  void publish_clock();
  // Of messages that nobody receives, those that come by `until`. describe.cpp
  void describe(const Wait& wait, chan::match::Time until);
  bool tell(const std::string& description);
  static Comm* collective_of(const Wait& wait);
  void add_need(const Request& request);
  chan::match::Need need_of(const Request& request) const;
  chan::match::Need need_of_parts(const Request& request) const;
  chan::match::Need need_of_receive(const chan::match::Receive& receive) const;
  // What is left of another wait goes.
  void begin_block() {
    polls_ = 0;
    asked_at_ = concluded_at_ = ~uint64_t{0};
    questions_.clear();
  }
  void end_block();
  template <typename Visit>
  static void each(const Wait& wait, Visit&& visit);
  // The same, with the parts of operations in place of these.
  template <typename Visit>
  static void each_part(const Wait& wait, Visit&& visit);

  int rank_ = 0;
  int ranks_ = 0;
  bool crowded_ = false;  // more ranks than cores
  int turn_core_ = -1;
  int turn_cores_ = 0;  // so many cores, on each of which equally many ranks take turns; 0: they do not
  spmc::base::WaitLine* wait_line_ = nullptr;
  spmc::FramePool pool_{spmc::SpaceId{0}};
  chan::SlabWindow window_{pool_, 1, 1, 0, 0};
  spmc::EPageIndex ring_block_;  // frames for the rings of new lanes
  uint32_t ring_block_left_ = 0;
  size_t eager_bytes_ = 0;  // largest message that goes into one record
  uint32_t receives_ = 0;   // short ones that nobody waited for when they were posted
  std::vector<Outbound> out_;
  std::vector<Inbound> in_;
  std::vector<int> sources_;     // ranks that have opened a lane to this one, ascending
  std::vector<uint64_t> seen_;   // inbox bits known so far
  std::vector<int> blocked_to_;  // destinations with waiting sends, ascending
  chan::match::Matcher matcher_;
  MessagePool messages_;
  SentPlaces sent_places_;
  Habits habits_;
  uint64_t from_any_ = 0;       // requests with Request::from_any
  std::vector<Request*> held_;  // of them
  // Receives with a grace that the program has not seen complete, in the order of their posts but for the held ones.
  struct Graced {
    chan::match::Receive receive;  // as it was posted; of a freed request nothing else is left
    const Request* request;        // null: freed
  };
  std::vector<Graced> graced_;
  Horizon horizon_;
  Publisher publisher_;
  bool first_come_ = false;     // --order=arrival
  bool strict_sends_ = false;   // --strict-sends
  bool look_at_sends_ = false;  // strict, or to be logged
  bool cancelling_ = false;
  bool may_cancel_ = false;  // the program refers to MPI_Cancel
  // Blocking.
  uint32_t polls_ = 0;
  uint32_t polls_before_publishing_ = 1;
  uint32_t next_snapshot_ = 0;  // at which poll
  uint32_t waits_told_ = 0;     // because somebody asked
  uint32_t tests_ = 0;
  // What must still be learnt: that the next message of the rank arrives after `beyond`.
  struct Question {
    int rank;
    uint64_t beyond;
  };
  std::vector<Question> questions_;
  bool asks_about_self_ = false;          // some of them are about what this rank itself may do
  uint64_t asked_at_ = ~uint64_t{0};      // news
  uint64_t concluded_at_ = ~uint64_t{0};  // news
  uint64_t changes_ = 0;                  // of what a record of waits is made of
  uint64_t published_changes_ = 0;        // when the record was published
  uint64_t control_messages_ = 0;
  bool announce_due_ = false;
  bool described_ = false;
  uint32_t described_poll_ = 0;  // the question that was answered last
  std::vector<chan::match::Need> needs_;
  struct Pattern {  // of wildcards in needs_
    uint32_t context;
    int tag;
    int usual;
    uint64_t grace;
    size_t need;
  };
  std::vector<Pattern> patterns_;
  std::vector<Unacknowledged> unacknowledged_;
  bool acks_lack_room_ = false;  // some of them could be acknowledged
  std::vector<Request*> late_;   // freed ones that are complete after the clock; freed parts that are kept back
  std::vector<Request*> acks_;   // synchronous sends by ack id - 1; null: free
  uint32_t acks_expected_ = 0;   // of them
  DirectFrom direct_from_{DirectFrom::kNever, DirectFrom::kNever, DirectFrom::kNever};
  spmc::EPageIndex offer_table_;   // none until the first offer
  uint32_t offers_used_ = 0;       // bit mask
  SentOffer sent_[kOffers];        // by entry
  std::vector<TakenOffer> taken_;  // that are not finished
};

extern Engine g_engine;

inline bool tag_matches(int wanted, int tag) { return wanted == tag || wanted == MPI_ANY_TAG; }

// Who can send to the members of a communicator: ranks in the job.
inline std::span<const int> senders_in(const Comm& comm) {
  return comm.inter ? comm.remote_world_rank : comm.world_rank;
}
// Whom they can send to.
inline std::span<const int> receivers_in(const Comm& comm) { return senders_in(comm); }

template <typename Visit>
void Engine::each(const Wait& wait, Visit&& visit) {
  if (wait.request != nullptr) visit(*wait.request);
  for (const MPI_Request handle : wait.handles) {
    if (Request* request = active_request(handle)) visit(*request);
  }
}

template <typename Done>
void Engine::block(const Wait& wait, int hint, Done&& done) {
  if (done()) return;
  begin_block();
  if (!matcher_.no_receives() && awaits_decision(wait)) {  // what is known already may be enough
    conclude_what_is_known(wait);
    if (done()) return end_block();
  }
  next_snapshot_ = wait.kind == Wait::Kind::kTest || wait.kind == Wait::Kind::kAny ? kPollsBeforeSnapshot : 0;
  const auto look = [&] {
    const bool everywhere = spin_poll(wait, hint);
    return done() || (everywhere && look_further(wait) && done());
  };
  spmc::base::g_wait_counters.waits += 1;
  const auto asks = [&] { return asks_in_vain(); };
  for (bool ready = look() || spmc::base::spin_and_yield(look, asks); !ready;) {
    prepare_sleep(wait);
    spmc::base::sleep_unless(*wait_line_, [&] { return must_look_again(wait) || done(); });
    ready = done() || spmc::base::yield_until(look, asks);
  }
  end_block();
}

}  // namespace detmpi
