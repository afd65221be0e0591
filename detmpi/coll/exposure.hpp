// Large blocks are copied once: a member exposes its data in a round, and every other one reads what it wants of them
// where they lie, out of that process's memory. Nobody goes on before all have read (close), so the data stay as they
// are. Where the system does not let ranks read each other's memory, a member copies what it exposes into shared memory
// first. Rounds, and with them logical times, are the same either way.
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
  // Ends the round, and blocks until all others have read.
  void close();

 private:
  struct Exposed;
  void find_out();
  size_t read(uint32_t member, size_t at, void* to, size_t bytes);  // how many there were
  uint64_t shared_copy(const void* data, size_t bytes);

  Rounds& rounds_;
  std::vector<std::byte> packed_;
  spmc::EPageIndex copy_{};  // in shared memory
  uint32_t copy_pages_ = 0;
};

}  // namespace detmpi
