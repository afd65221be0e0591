// Collective operations as rounds on the communicator's board: write once, everyone reads.
//
// All members go through the same rounds in the same order; what a round carries is known to all from the arguments.
// Several operations are built on it; those whose members get different data use messages instead (gather.cpp,
// alltoall.cpp).
#pragma once

#include <cstddef>

#include <chan/board.hpp>

#include "../engine/engine.hpp"
#include "../object/call.hpp"
#include "../object/comm.hpp"

namespace detmpi {

// What a communicator needs for collective operations. Comm::transport.
struct CommTransport {
  chan::Board board;
  spmc::EPageIndex first;  // of the board's frames; none for a communicator of one
};

class Rounds {
 public:
  explicit Rounds(Comm& comm) : comm_(comm), board_(comm.transport->board) {}

  uint32_t members() const { return board_.members(); }
  uint32_t me() const { return board_.member(); }
  size_t block() const { return board_.area(); }  // bytes that one round can carry per member

  // Where this member writes its `bytes` of the coming round, once everybody has read what was there. The parts of
  // `room` that it does not use are of no meaning.
  std::byte* prepare(size_t bytes) { return prepare(bytes, bytes); }
  std::byte* prepare(size_t room, size_t bytes);
  // Publishes it. `to`: the only member that will read it, or kEverybody.
  static constexpr int kEverybody = -1;
  void publish(int to = kEverybody);

  // A number of 48 bits that goes with what is published from now on; and that of a member, which is waited for.
  void announce(uint64_t number) { announced_ = number; }
  uint64_t announced(uint32_t member);

  // Waits until the member has published; its data, for which there was `room`.
  const std::byte* await(uint32_t member, size_t bytes) { return await(member, bytes, bytes); }
  const std::byte* await(uint32_t member, size_t room, size_t bytes);
  void await_all(size_t bytes);  // every member
  const std::byte* data(uint32_t member, size_t bytes) const {
    return bytes <= chan::kPlaceBytes ? board_.place(board_.round(), member).data
                                      : board_.area_of(board_.round(), member);
  }
  // This member is through with the round.
  void finish();

 private:
  [[gnu::always_inline]] inline const chan::BoardPlace& entry_of(uint32_t member);
  template <typename Whom, typename Word, typename Ready>
  void wait_for(Whom&& whom, Word&& word, uint64_t value, Ready&& ready);
  [[gnu::cold]] void note_entry();
  [[noreturn, gnu::cold]] void mismatch(uint32_t member, CallId theirs) const;
  void notify(uint32_t member) const;
  void notify_all() const;

  Comm& comm_;
  chan::Board& board_;
  uint64_t announced_ = 0;
  // For --verify.
  size_t room_ = 0;    // of what it publishes
  size_t bytes_ = 0;   // that it publishes
  uint64_t told_ = 0;  // hash of what others have published, in this round
};

}  // namespace detmpi
