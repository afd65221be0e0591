// The engine of one rank: its lanes to and from the other ranks, the queues of posted receives and of unexpected
// messages, and the sends that found no room yet. Everything here belongs to the rank's one thread.
//
// Messages are left in their lane until somebody wants them: a receive that names its source reads that lane alone,
// straight into the program's buffer. While a rank is blocked for longer it takes everything in (poll_all), so that a
// sender never waits for ever for room.
//
// Three ways for a message, by size: in a record (send.cpp), in pieces through the window (send.cpp), from buffer to
// buffer (offer.hpp, direct.cpp).
//
// The seam for logical time: every record carries its arrival stamp, a(m) = max(a(previous of the pair), C + L), and
// the rank publishes its clock at every call (LOGICAL-TIME sections 1 to 3). Wildcard receives take the smallest (a,
// source) among the messages that are there; waiting for those that might still come is the engine's next step.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include <base/wait.hpp>
#include <chan/lane.hpp>
#include <chan/window.hpp>
#include <spmc/frames.hpp>

#include "job_table.hpp"
#include "offer.hpp"
#include "request.hpp"

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

// A message that came before its receive. Lives in its source's list until it is matched.
struct Message {
  Message* next = nullptr;
  uint32_t context = 0;
  int source = 0;  // rank in the communicator
  int source_world = 0;
  int tag = 0;
  uint64_t stamp = 0;
  uint64_t bytes = 0;
  uint64_t filled = 0;            // bytes that have arrived
  uint32_t ack_id = 0;            // synchronous: to be acknowledged when matched
  char* data = nullptr;           // malloc; null for 0 bytes, and for an offer as long as nothing has arrived
  int handle = MPI_MESSAGE_NULL;  // taken by MPI_Mprobe
};

template <typename T>
struct Queue {  // singly linked, intrusive through T::next
  T* first = nullptr;
  T* last = nullptr;
  bool empty() const { return first == nullptr; }
  void push(T* item) {
    item->next = nullptr;
    if (last != nullptr) last->next = item;
    else first = item;
    last = item;
  }
  // Takes out the item behind `before` (null: the first).
  T* take_after(T* before) {
    T* item = before != nullptr ? before->next : first;
    (before != nullptr ? before->next : first) = item->next;
    if (last == item) last = before;
    return item;
  }
};

struct Outbound {  // to one rank
  chan::LaneOut lane;
  uint64_t last_stamp = 0;  // arrival time of the message before
  Queue<Request> waiting;   // sends that found no room; while not empty, all sends queue here
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

struct SentOffer {
  Request* request = nullptr;  // null: the message is out of this rank's hands, or in the queue
  int to = 0;
};

struct Inbound {  // from one rank
  chan::LaneIn lane;
  bool known = false;  // in Engine::sources_
  Queue<Message> unexpected;
  Queue<Request> posted;         // receives that name this source, in post order
  Arrival arriving;              // in pieces that follow each other
  std::vector<Arrival> offered;  // not taken; their pieces, if they come by pieces, name the offer
};

class Engine {
 public:
  // `rank` of `ranks`, attached to the job's segment.
  void start(int rank);

  int rank() const { return rank_; }
  int ranks() const { return ranks_; }
  spmc::FramePool& frames() { return pool_; }
  spmc::base::WaitLine& wait_line() { return *wait_line_; }

  // --- sends (send.cpp) ---
  // Puts the request's message under way: at once, or behind those that wait. Sets pushed, and complete if it is.
  void send(Request& request);
  // The fast path: a message of consecutive bytes that fits into a record. False when it must go the long way.
  bool try_send_now(int to, const char* data, size_t bytes, int tag, const Comm& comm, uint32_t context);
  void push_waiting();
  void flush();  // blocks until every message sent so far is in its lane, or was taken out of its buffer
  // A message that is still offered goes through the window from now on. No effect on others.
  void withdraw(Request& request);

  // --- receives (receive.cpp) ---
  // Matches the request with what is there already, or posts it.
  void receive(Request& request);
  // The fast path of a blocking receive that names its source. False: nothing was done.
  bool try_receive_now(Request& request);
  // The first message that such a receive would take, null if none has come; looks into the lanes.
  Message* find_unexpected(int peer_world, uint32_t context, int tag, bool any_source);
  void take_unexpected(Message& message, Request& request);
  void unlink_unexpected(Message& message);

  // --- progress (progress.cpp) ---
  void poll_source(int from, const Request* until);
  void poll_all();
  // Blocks until done() is true. `hint`: the source whose message will make it so; kAnySource: any lane may; kNoLane:
  // none does, but a rank that waits for longer takes in what comes all the same.
  static constexpr int kAnySource = -1;
  static constexpr int kNoLane = -2;
  template <typename Done>
  void block(int hint, const Request* until, Done&& done) {
    uint32_t polls = 0;
    spmc::base::wait_until(*wait_line_, [&] {
      if (done()) return true;
      if (++polls >= kPollsBeforeAll || hint == kAnySource) poll_all();
      else if (hint >= 0) poll_source(hint, until);
      return done();
    });
  }
  void block_until_complete(Request& request);
  // The program learns that the request is complete: only now the clock moves, never when a message happens to be taken
  // in.
  static void observe(const Request& request);
  // Lets others run: programs test in loops.
  void after_failed_test();

 private:
  friend class EngineTest;
  static constexpr uint32_t kPollsBeforeAll = 64;

  void open_lane(int to);
  spmc::EPageIndex carve(uint32_t pages);
  bool push(Request& request);
  bool push_first(Request& request, Outbound& out);
  bool push_piece(Request& request, Outbound& out);
  void finish_push(Request& request);
  void queue_send(Request& request);
  void send_to_self(Request& request);
  void acknowledge(int to, uint32_t ack_id, uint64_t stamp);
  uint64_t arrival_stamp(Outbound& out);

  void learn_sources();
  void take_record(int from, Inbound& in, chan::Cell* cell);
  void take_message(int from, Inbound& in, chan::Cell* cell, uint32_t kind);
  void take_piece(int from, Inbound& in, const chan::Cell* cell);
  void store(Message& message, const std::byte* data, size_t bytes);
  Request* match_posted(Inbound& in, uint32_t context, int tag);
  void message_complete(Request& request);
  Message* first_match(Inbound& in, uint32_t context, int tag);
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

  int rank_ = 0;
  int ranks_ = 0;
  unsigned cores_ = 1;
  spmc::base::WaitLine* wait_line_ = nullptr;
  spmc::FramePool pool_{spmc::SpaceId{0}};
  chan::SlabWindow window_{pool_, 1, 1, 0};
  spmc::EPageIndex ring_block_;  // frames for the rings of new lanes
  uint32_t ring_block_left_ = 0;
  size_t eager_bytes_ = 0;  // largest message that goes into one record
  std::vector<Outbound> out_;
  std::vector<Inbound> in_;
  std::vector<int> sources_;     // ranks that have opened a lane to this one, ascending
  std::vector<uint64_t> seen_;   // inbox bits known so far
  std::vector<int> blocked_to_;  // destinations with waiting sends, ascending
  Queue<Request> posted_any_;    // receives from any source, in post order
  uint64_t posts_ = 0;
  std::vector<Request*> acks_;  // synchronous sends by ack id - 1; null: free
  DirectFrom direct_from_{DirectFrom::kNever, DirectFrom::kNever};
  spmc::EPageIndex offer_table_;   // none until the first offer
  uint32_t offers_used_ = 0;       // bit mask
  SentOffer sent_[kOffers];        // by entry
  std::vector<TakenOffer> taken_;  // that are not finished
};

extern Engine g_engine;

inline bool tag_matches(int wanted, int tag) { return wanted == tag || wanted == MPI_ANY_TAG; }

}  // namespace detmpi
