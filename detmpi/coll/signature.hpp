// What the members of a communicator must agree on when they begin a collective operation.
#pragma once

#include <chan/board.hpp>

#include <string>

#include "../object/call.hpp"
#include "../object/call_site.hpp"
#include "../object/comm.hpp"
#include "../object/integers.hpp"
#include "../ops/op.hpp"
#include "../types/datatype.hpp"

namespace detmpi {

inline constexpr size_t kMostPieces = 4;  // 3 bits

// Packed into two words, as they stand in the board's log:
//
//   what[0]   call 0..15 | root + kRootBias 16..31, 0: none | operation 32..39, 0: none | element 40..47 | Size 48..55
//             | uneven 56 | between groups 57 | root in the first one 58 | in a round 59
//             | exposed 60 | in pieces 61..63, 0: not
//   what[1]   of what Size says
class Signature {
 public:
  // What the second word is, and whether members must agree on it at the start. Where messages carry the data, each
  // receive finds out by itself whether its message has the size that it expects.
  enum class Size : uint8_t { kNone, kBytes, kCounts, kBytesOfMessage };

  Signature() { what_[0] = static_cast<uint64_t>(function_of(g_call.id)); }
  explicit Signature(const chan::BoardNote& note) : what_{note.what[0], note.what[1]} {}

  Signature& root(int root) { return put(16, static_cast<uint64_t>(root + kRootBias)); }
  // Of an inter-communicator, whose groups name it each in its own way. In which it is can be compared here; who it is,
  // on the board (mismatch.cpp).
  Signature& root_between_groups(int n, bool in_first) { return root(n).put(57, 1).put(58, in_first ? 1 : 0); }
  bool between_groups() const { return part(57, 1) != 0; }
  int root() const { return static_cast<int>(part(16, 16)) - kRootBias; }
  // Operations of the program's may be given types that it has made in different ways.
  Signature& reduces(const Op& op, const Datatype& type) {
    if (!op.function)
      return put(32, static_cast<uint64_t>(op.handle) & 0xff).put(40, static_cast<uint64_t>(type.element));
    return put(32, op.commutative ? kUserOpCommutative : kUserOp);
  }
  Signature& bytes(uint64_t n) { return size(Size::kBytes, n); }
  // Where a member sends as much as it receives from each: this one does not.
  Signature& uneven(bool yes) { return put(56, yes ? 1 : 0); }
  Signature& message_bytes(uint64_t n) { return size(Size::kBytesOfMessage, n); }
  // Where the size decides it: the data do not go as messages, for which others would wait, but in a round.
  Signature& in_round() { return put(59, 1); }
  Signature& in_pieces(size_t n) { return put(61, n); }  // of a round each, up to kMostPieces
  Signature& exposed() { return put(60, 1); }            // read from where they lie
  // Of the blocks of n members, whose sizes all know: in bytes, since each member may count in a type of its own.
  Signature& counts(Integers counts, const Datatype& type, int n);

  // Of what must be the same.
  chan::BoardWhat compared() const { return {comparable(), compares_size() ? what_[1] : 0}; }
  // The same of what all members say, also those of an inter-communicator that know of the root alone that it is one of
  // their group.
  chan::BoardWhat compared_by_all() const {
    return between_groups() ? chan::BoardWhat{what_[0] & kCallAndDirection, 0} : compared();
  }
  bool same(const Signature& other) const {
    return comparable() == other.comparable() && (!compares_size() || what_[1] == other.what_[1]);
  }
  bool same_direction(const Signature& other) const {
    return part(0, 16) == other.part(0, 16) && part(58, 1) == other.part(58, 1);
  }
  bool same_but_for_bytes(const Signature& other) const {
    return what_[0] == other.what_[0] && size_kind() == Size::kBytes;
  }
  uint64_t bytes() const { return what_[1]; }
  bool agrees_on_size() const { return size_kind() == Size::kBytes || size_kind() == Size::kCounts; }
  bool has_counts() const { return size_kind() == Size::kCounts; }
  // The sizes of messages as well.
  bool same_sizes(const Signature& other) const {
    return comparable() == other.comparable() && what_[1] == other.what_[1];
  }
  chan::BoardNote note(uint64_t begun) const { return {{what_[0], what_[1]}, begun, g_call_site}; }

  // "MPI_Reduce(root 0, MPI_SUM, 4 bytes)".
  std::string text() const;
  // The class of the error at a member that has this signature, where another one has `other`.
  int error_class(const Signature& other) const;

 private:
  static constexpr int kRootBias = 4;  // MPI_ROOT and MPI_PROC_NULL are negative
  static constexpr uint64_t kCallAndDirection = 0xffff | uint64_t{1} << 57 | uint64_t{1} << 58;
  // Operations of the program's come behind the predefined ones.
  static constexpr uint64_t kUserOp = 0xfe;
  static constexpr uint64_t kUserOpCommutative = 0xff;
  static std::string name_of_op(uint64_t number);

  Signature& put(int bit, uint64_t value) {
    what_[0] |= value << bit;
    return *this;
  }
  Signature& size(Size kind, uint64_t n) {
    what_[1] = n;
    return put(48, static_cast<uint64_t>(kind));
  }
  uint64_t part(int bit, int width) const { return what_[0] >> bit & ((uint64_t{1} << width) - 1); }
  Size size_kind() const { return static_cast<Size>(part(48, 8)); }
  uint64_t comparable() const { return between_groups() ? what_[0] & ~(uint64_t{0xffff} << 16) : what_[0]; }
  bool compares_size() const { return size_kind() != Size::kBytesOfMessage; }

  uint64_t what_[2] = {0, 0};
};

// Others are told the hash first, with what they wait for, and the log is written while they read (Rounds::note). Is it
// to be written?
inline bool begin_hash(chan::Board& board, const Signature& signature) {
  if (g_checks) [[likely]]
    board.begin(signature.compared_by_all());
  else board.hide_operations();
  return g_checks;
}

// This rank begins the operation; not noted where nothing is checked. An error code if it has quit (quit.hpp).
int begin_operation(Comm& comm, const Signature& signature);

}  // namespace detmpi
