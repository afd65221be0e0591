// Large blocks are copied once: a member exposes its data in a round, and every other one reads what it wants of them
// where they lie, out of that process's memory. Nobody goes on before all have read (close), so the data stay as they
// are. Where the system does not let ranks reach each other's memory, a member copies what it exposes into shared memory
// first. Rounds, and with them logical times, are the same either way.
//
// Or one member, the owner, exposes data, or opens room, for all others: they read their parts of the data, or write
// theirs into the room, and the owner alone waits for them. It does so also when it quits, for those who come, so that
// what they read, and what stands in the room then, does not depend on when they came.
//
// A member may have other data for each, of a length that is known to nobody else. Then short ones go along in the
// round, and some are left to messages. All learn in it whether anybody exposes something: if not, they go on.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "../engine/request.hpp"
#include "rounds.hpp"

namespace detmpi {

// A block of this many bytes is worth the two rounds. Depends on the program alone, as the number of rounds has to.
inline constexpr size_t kExposedBlock = 32768;

class Exposure {
 public:
  // All members. The first one on a communicator finds out, in two rounds, whether ranks can reach each other's memory.
  explicit Exposure(Rounds& rounds);
  ~Exposure();
  Exposure(const Exposure&) = delete;
  Exposure& operator=(const Exposure&) = delete;

  // Publishes all of the data in a round, once, in packed form; the others may read them until close().
  void expose(const TypedBytes& data);
  // In the same round, blocks until `member` has exposed its data, and copies what lies `at` bytes behind their
  // beginning to the buffer.
  void read(uint32_t member, size_t at, TypedBytes to);

  // The same for a block for each other member, `block_of(member)`, of a length that it does not know. If messages are
  // better for it, the length is published alone. Not for so many members that can_expose_each() is false.
  static bool can_expose_each(const Rounds& rounds) { return most_along(rounds) > 0; }
  bool leaves_to_messages(size_t bytes) const {
    return bytes > most_along(rounds_) && (bytes < kExposedBlock || bytes > kMostExposed);
  }
  template <typename BlockOf>
  void expose_each(BlockOf&& block_of) {
    const uint32_t me = rounds_.me();
    if (rounds_.members() == 2) return expose_to_other(block_of(1 - me));
    std::vector<TypedBytes> blocks;
    for (uint32_t member = 0; member < rounds_.members(); ++member)
      blocks.push_back(member == me ? TypedBytes() : block_of(member));
    expose_blocks(blocks);
  }
  struct Came {
    uint64_t bytes;   // of the member's block
    bool by_message;  // will come so; else what finds room is in the buffer
  };
  Came read_own(uint32_t member, TypedBytes to);

  // Ends the round, and blocks until all others have read what this member has exposed. After read(), or read_own() of
  // every other member.
  void close();

  // The data of one owner, exposed as above, are a part for each member, all of one length, in the order of the
  // members. Blocks until they are, and copies this member's part. The length that it has there.
  uint64_t read_part(uint32_t owner, TypedBytes to);
  // Instead of close().
  void close_parts(uint32_t owner);

  // The other way: the owner opens room, in which each member has a part, in a round.
  void open_parts(const TypedBytes& room);
  // Blocks until the owner has opened it, and copies what has room in this member's part.
  void write_part(uint32_t owner, TypedBytes from);
  // The owner, at the end: blocks until all have done so; calls `wrote(member, bytes)` with the length of what each
  // had.
  template <typename Wrote>
  void close_room(Wrote&& wrote) {
    rounds_.finish();
    rounds_.await_each([&](uint32_t member) { wrote(member, take_part(member)); });
    rounds_.finish();
  }

 private:
  static constexpr size_t kMostAlong = 4096;
  // Of a block; what goes along to all others has room in an area, behind the table.
  static size_t most_along(const Rounds& rounds);
  // Both ranks copy a longer message, so that who comes first helps the other (IS of class B: 0.77 s, exposed 0.82).
  static constexpr size_t kMostExposed = 1 << 20;
  struct Exposed;
  struct Written;
  void find_out();
  void expose_to_other(const TypedBytes& data);
  void expose_blocks(std::span<TypedBytes> blocks);
  bool by_copies() const { return rounds_.transport().reading == Reading::kByCopies; }
  std::byte* room_for_copy(size_t bytes);
  const void* place_of(const TypedBytes& data);
  const std::byte* find(uint32_t member, const Exposed& from) const;
  void read_away(uint32_t member, uint64_t address, void* to, size_t bytes);
  void copy(uint32_t member, const Exposed& from, size_t at, TypedBytes& to);
  int write_away(uint32_t member, uint64_t address, const std::byte* from, size_t bytes);
  void cannot_reach(uint32_t member, int error);
  uint64_t take_part(uint32_t member);

  Rounds& rounds_;
  std::vector<std::byte> packed_;
  TypedBytes room_;          // that is open
  std::byte* written_{};     // where others write that
  spmc::EPageIndex copy_{};  // in shared memory
  uint32_t copy_pages_ = 0;
  bool exposes_ = false;  // others read from this member's memory, or its copy, until they close
  bool exposed_ = false;  // some member does so: known to all of them
};

}  // namespace detmpi
