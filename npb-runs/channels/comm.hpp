// Communicators: their members, and contexts that keep their messages apart.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "messages.hpp"

namespace channels {

struct Comm {
  std::vector<int> members;  // ranks in the job
  int rank = 0;              // of this one
  uint32_t context = 0;      // of messages of the program; those of collective operations have the next one

  int size() const { return static_cast<int>(members.size()); }
  int member(int of) const { return members[static_cast<size_t>(of)]; }
};

Comm& comm_of(MPI_Comm handle);

inline size_t bytes_of(int count, MPI_Datatype type) {
  constexpr size_t kBytes[] = {sizeof(int), sizeof(double), 2 * sizeof(double)};
  return static_cast<size_t>(count) * kBytes[type];
}

// Messages of a collective operation: every member knows their lengths, and their order is that of the calls.
void send_part(const Comm& comm, int to, const void* data, size_t bytes);
void receive_part(const Comm& comm, int from, void* data, size_t bytes);
void broadcast(const Comm& comm, void* data, size_t bytes, int root);

}  // namespace channels
