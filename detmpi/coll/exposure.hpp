// Large blocks are copied once: a member exposes its data in a round, and every other one reads what it wants of them
// where they lie, out of that process's memory. Nobody goes on before all have read (close), so the data stay as they
// are. Where the system does not let ranks read each other's memory, a member copies what it exposes into shared memory
// first. Rounds, and with them logical times, are the same either way.
//
// How long the data are may be known to nobody else. Then, between two members, short ones go along in the round, and
// some are left to messages. Both learn both lengths in it, and so whether anything is exposed: if not, they go on.
#pragma once

#include <cstddef>
#include <vector>

#include "../engine/request.hpp"
#include "rounds.hpp"

namespace detmpi {

// A block of this many bytes is worth the two rounds. Depends on the program alone, as the number of rounds has to.
inline constexpr size_t kExposedBlock = 32768;

class Exposure {
 public:
  // All members. The first one on a communicator finds out, in two rounds, whether ranks can read each other's memory.
  explicit Exposure(Rounds& rounds);
  ~Exposure();
  Exposure(const Exposure&) = delete;
  Exposure& operator=(const Exposure&) = delete;

  // Publishes all of the data in a round, once, in packed form; the others may read them until close().
  void expose(const TypedBytes& data);
  // In the same round, blocks until `member` has exposed its data, and copies what lies `at` bytes behind their
  // beginning to the buffer.
  void read(uint32_t member, size_t at, TypedBytes to);

  // Two members. The same for data of a length that the other one does not know, unless messages are better for it:
  // then it is published alone.
  static bool leaves_to_messages(size_t bytes) {
    return bytes > kMostAlong && (bytes < kExposedBlock || bytes > kMostExposed);
  }
  void expose_any(const TypedBytes& data);
  // How many bytes `member` has; what finds room is in the buffer.
  size_t read_any(uint32_t member, TypedBytes to);

  // Ends the round, and blocks until all others have read what this member has exposed. After read(), or read_any().
  void close();

 private:
  static constexpr size_t kMostAlong = 4096;
  // Both ranks copy a longer message, so that who comes first helps the other (IS of class B: 0.77 s, exposed 0.82).
  static constexpr size_t kMostExposed = 1 << 20;
  struct Exposed;
  void find_out();
  bool by_copies() const { return rounds_.transport().reading == Reading::kByCopies; }
  std::byte* room_for_copy(size_t bytes);
  const void* place_of(const TypedBytes& data);
  const std::byte* find(uint32_t member, const Exposed& from) const;
  void read_away(uint32_t member, uint64_t address, void* to, size_t bytes);
  void copy(uint32_t member, const Exposed& from, size_t at, TypedBytes& to);

  Rounds& rounds_;
  std::vector<std::byte> packed_;
  spmc::EPageIndex copy_{};  // in shared memory
  uint32_t copy_pages_ = 0;
  bool exposes_ = false;  // others read from this member's memory, or its copy, until they close
  bool exposed_ = false;  // some member does so: known to all of them
};

}  // namespace detmpi
