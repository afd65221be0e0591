// What a message of the player carries, and in which memory. Its first word is its number among those of its sender,
// receiver and communicator; from these, as both sides can tell, follow its length and the other words. With many
// lengths, and types with gaps, messages take all ways that the library has: through cells, in pieces, out of the
// sender's buffer.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <vector>

#include "testing.hpp"

namespace model_test {

using mpi_test::mix_all;

// Members of a communicator.
struct Route {
  int comm = 0, from = 0, to = 0;
};

inline size_t varied_length(const Route& route, uint64_t number) {
  constexpr size_t kWords[] = {1, 1, 1, 2, 13, 125, 600, 2500, 9000};
  const auto part = [](int value) { return static_cast<uint64_t>(value); };
  return kWords[mix_all({part(route.comm), part(route.from), part(route.to), number}) % std::size(kWords)];
}

class Parcel {
 public:
  static constexpr size_t kMostWords = 9000;
  static constexpr uint64_t kUntouched = ~uint64_t{0};

  // `words` fit in. `spread`: every second word of the memory is left alone.
  Parcel(size_t words, bool spread) : stride_(spread ? 2 : 1), memory_(words * stride_, kUntouched) {}

  void* data() { return memory_.data(); }
  int words() const { return static_cast<int>(memory_.size() / stride_); }
  MPI_Datatype type() const {
    static MPI_Datatype spread = MPI_DATATYPE_NULL;
    if (spread == MPI_DATATYPE_NULL) {
      MPI_Type_create_resized(MPI_UINT64_T, 0, 2 * sizeof(uint64_t), &spread);
      MPI_Type_commit(&spread);
    }
    return stride_ == 2 ? spread : MPI_UINT64_T;
  }

  uint64_t number() const { return memory_[0]; }
  void fill(uint64_t number) {
    for (size_t i = 0; i < memory_.size(); i += stride_) memory_[i] = number + 31 * (i / stride_);
  }
  // Is it a message of so many words, and nothing else was touched?
  bool holds(size_t words) const {
    for (size_t i = 0; i < memory_.size(); ++i) {
      const bool in_message = i % stride_ == 0 && i / stride_ < words;
      if (memory_[i] != (in_message ? number() + 31 * (i / stride_) : kUntouched)) return false;
    }
    return true;
  }

  bool is_untouched() const {
    return std::all_of(memory_.begin(), memory_.end(), [](uint64_t word) { return word == kUntouched; });
  }

 private:
  size_t stride_;
  std::vector<uint64_t> memory_;
};

}  // namespace model_test
