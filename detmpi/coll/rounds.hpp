// Collective operations as rounds on the communicator's board: write once, everyone reads.
//
// All members go through the same rounds in the same order; what a round carries is known to all from the arguments.
// Several operations are built on it; those whose members get different data use messages instead (gather.cpp,
// alltoall.cpp).
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include <base/wait.hpp>
#include <chan/board.hpp>

#include "../engine/engine.hpp"
#include "../object/call.hpp"
#include "../object/comm.hpp"
#include "signature.hpp"

namespace detmpi {

// How members reach large data of each other (exposure.hpp).
enum class Reading : uint8_t { kUnknown, kDirect, kByCopies };

// What a communicator needs for collective operations. Comm::transport.
struct CommTransport {
  chan::Board board;
  spmc::EPageIndex first;  // of the board's frames; none for a communicator of one
  Reading reading = Reading::kUnknown;
  struct {
    int error_class = 0;
    std::string text;
  } quit_with;  // empty: this rank takes part (quit.hpp)
};

// Wakes the members that sleep; or does so if one of them waits for more than a place.
void notify_all(const Comm& comm);
inline void notify_waiting(const Comm& comm) {
  spmc::base::light_fence();
  if (comm.transport->board.head().waiting.load(std::memory_order_relaxed) != 0) [[unlikely]]
    notify_all(comm);
}

// A member that finds that another one differs quits (quit.hpp): it goes through the rest of its operation alone, with
// zeros for what others publish.
class Rounds {
 public:
  explicit Rounds(Comm& comm) : comm_(comm), board_(comm.transport->board) {}
  // This member begins that operation.
  Rounds(Comm& comm, const Signature& signature) : Rounds(comm) {
    if (!comm_.transport->quit_with.text.empty()) [[unlikely]] {
      stay_out();
      return;
    }
    signature_ = signature;
    begun_ = g_clock;
    due_ = begin_hash(board_, signature);
  }
  ~Rounds() { note(); }
  Rounds(const Rounds&) = delete;
  Rounds& operator=(const Rounds&) = delete;

  Comm& comm() const { return comm_; }
  CommTransport& transport() const { return *comm_.transport; }
  uint32_t members() const { return board_.members(); }
  uint32_t me() const { return board_.member(); }
  size_t block() const { return board_.areas().bytes; }  // bytes that one round can carry per member
  uint32_t most_ahead() const { return board_.most_ahead(); }

  // Where this member writes its `bytes` of the coming round, once everybody has read what was there. The parts of
  // `room` that it does not use are of no meaning. It may publish up to most_ahead() rounds before it reads of the
  // first.
  std::byte* prepare(size_t bytes) { return prepare(bytes, bytes); }
  std::byte* prepare(size_t room, size_t bytes);
  // In a place that says where data are: what is published are those, and not what it says.
  void publishes(const void* data, size_t bytes) {
    data_ = data;
    bytes_ = bytes;
  }
  // Publishes it. `to`: the only member that will read it; kEverybody; kBehind, members of higher rank, for which this
  // one does not wait.
  static constexpr int kEverybody = -1, kBehind = -2;
  void publish(int to = kEverybody);

  // In an operation in which all read from one `member`, which is waited for: the bytes that it moves, where this
  // member has room for `here`. If they differ, that is an error of this member, which goes on as the other one does.
  size_t bytes_at(uint32_t member, size_t here);

  // Waits until the member has published; its data, for which there was `room`.
  const std::byte* await(uint32_t member, size_t bytes) { return await(member, bytes, bytes); }
  const std::byte* await(uint32_t member, size_t room, size_t bytes);
  void await_all(size_t bytes);  // every member
  // Every member that will publish, also if this one quits meanwhile; calls `came(member)` unless it has.
  template <typename Came>
  void await_each(Came&& came) {
    if (out_) return;
    for (uint32_t member = 0; member < members(); ++member) {
      if (member == me()) continue;
      if (out_) {
        outlast(member);
        continue;
      }
      (void)await(member, 0);
      if (!out_) came(member);
    }
  }
  // What this member has read of data that lie elsewhere.
  void has_read(const void* data, size_t bytes);
  const std::byte* data(uint32_t member, size_t bytes) const { return board_.data_of(board_.round(), member, bytes); }
  // This member is through with the round.
  void finish();
  // Writes the log, once; for who goes on without a round.
  void note() {
    if (due_) write_note();
  }
  // This rank has quit: nothing is to be done, but to return the code.
  bool out() const { return out_; }
  // The operation is over: an error code if members differ in it, as far as this one knows.
  int code() const { return code_; }
  void fail(int code) { code_ = code_ == MPI_SUCCESS ? code : code_; }
  // This member cannot take part as it should: to be told before its first round.
  void fail_uneven(uint64_t sent, uint64_t received);

 private:
  [[gnu::always_inline]] inline bool enters(uint32_t member);
  struct Mark {  // of a member
    uint32_t member;
    const std::atomic<uint64_t>* word;
    uint64_t value;
  };
  template <typename What, typename Ready>
  void wait_for(What&& what, Ready&& ready);
  void write_note();
  [[gnu::cold]] void note_entry();
  bool wait_for_place(uint32_t member);
  [[gnu::cold]] void outlast(uint32_t member);
  bool meet(uint32_t member) const;
  struct Seen {
    bool published = false;                 // something in this round
    std::optional<chan::BoardNote> theirs;  // that it has begun in place of this operation
    uint64_t since = 0;                     // when it did so, or published, or quit
  };
  [[gnu::cold]] Seen seen_of(uint32_t member);
  [[gnu::cold]] bool differs(uint32_t member);
  [[gnu::cold]] bool try_follow(const chan::BoardNote& leader);
  [[gnu::cold]] void stay_out();
  [[gnu::cold]] void leave_with(int code);
  void notify(uint32_t member) const;

  Comm& comm_;
  chan::Board& board_;
  int code_ = MPI_SUCCESS;
  bool out_ = false;       // it has quit: reads zeros, and publishes nothing
  bool follows_ = false;   // it reads from one member alone
  size_t room_ = 0;        // in which it has written its latest data
  bool told_all_ = false;  // it has published, in this round, for everybody
  size_t leader_bytes_ = 0;
  // For the log.
  Signature signature_;
  uint64_t begun_ = 0;  // when
  bool due_ = false;    // it has not been written
  // For --verify.
  const void* data_ = nullptr;  // that it publishes
  size_t bytes_ = 0;
  uint64_t told_ = 0;  // hash of what others have published, in this round
};

}  // namespace detmpi
