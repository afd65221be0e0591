// What the generated entry points use: the argument checks, inline and cheap where the argument is good, and
// their failures, out of line.
#pragma once

#include <mpi.h>

#include <optional>

#include "../object/comm.hpp"
#include "../object/errhandler.hpp"
#include "../object/errors.hpp"
#include "../object/group.hpp"
#include "../object/info.hpp"
#include "../object/integers.hpp"
#include "../object/session.hpp"
#include "../ops/op.hpp"
#include "../tool/tool.hpp"
#include "../types/datatype.hpp"

// Defines PMPI_<name>, with MPI_<name> as a weak alias that a profiling tool may replace.
#define DETMPI_ENTRY(type, name, params)                                                                \
  extern "C" __attribute__((weak, alias("PMPI_" #name), visibility("default"))) type MPI_##name params; \
  extern "C" __attribute__((visibility("default"))) type PMPI_##name params

namespace detmpi {

// One unsigned comparison where the rank is good.
inline bool bad_dest(int rank, const Comm& comm) {
  return static_cast<unsigned>(rank) >= static_cast<unsigned>(comm.peers) && rank != MPI_PROC_NULL;
}

inline bool bad_source(int rank, const Comm& comm) { return bad_dest(rank, comm) && rank != MPI_ANY_SOURCE; }

inline bool bad_root(int rank, const Comm& comm) {
  if (static_cast<unsigned>(rank) < static_cast<unsigned>(comm.peers)) [[likely]]
    return false;
  return !comm.inter || (rank != MPI_ROOT && rank != MPI_PROC_NULL);
}

inline bool at_root(int root, const Comm& comm) { return comm.inter ? root == MPI_ROOT : root == comm.rank; }

// On an inter-communicator (see generate.py).
inline bool counts_at_leaf(int root, const Comm& comm) { return !comm.inter || root >= 0; }
inline bool counts_at_member(int root, const Comm& comm) { return !comm.inter || root != MPI_PROC_NULL; }

// A null buffer is good for a type with absolute addresses (MPI_BOTTOM), MPI_IN_PLACE for none; and both when no data
// are moved. One unsigned comparison where the buffer is good: MPI_IN_PLACE is the last address.
inline bool no_buffer(const void* buffer, MPI_Count count, const Datatype* type) {
  if (reinterpret_cast<uintptr_t>(buffer) + 1 > 1) [[likely]]
    return false;
  return count > 0 && type->size > 0 && (buffer != nullptr || type->true_lb == 0);
}

// More bytes than there are addresses. What is less does not overflow when it is multiplied by a number of ranks.
constexpr int64_t kMostBytes = int64_t{1} << 48;
inline bool too_long(MPI_Count count, const Datatype& type) {
  int64_t bytes = 0;
  return __builtin_mul_overflow(count, static_cast<int64_t>(type.size), &bytes) || bytes > kMostBytes;
}

// The first byte of `count` elements that begin `before` steps behind a buffer's address; 0 if they have none.
inline uintptr_t data_at(const void* buffer, int64_t before, int64_t step, int64_t count, const Datatype* type) {
  if (count == 0 || type->size == 0) return 0;
  return reinterpret_cast<uintptr_t>(buffer) + static_cast<uintptr_t>(before * step + type->true_lb);
}
inline bool same_data(uintptr_t sent, uintptr_t received) { return sent == received && sent != 0; }

inline bool bad_status(const MPI_Status* status) { return status == nullptr || status == MPI_STATUS_IGNORE; }

bool bad_key(const char* key);

// Of the calling rank, in the communicator's topology.
int edges_in(const Comm& comm);
int edges_out(const Comm& comm);

// Index of the first bad element, -1 when all are good.
MPI_Count bad_counts(Integers counts, int n);
MPI_Count first_too_long(Integers counts, int n, const Datatype& type);
MPI_Count first_too_long(Integers counts, int n, const MPI_Datatype* types);
MPI_Count bad_types(const MPI_Datatype* types, MPI_Count n, bool committed);
// Of the blocks from `first` up to `end` of a null buffer, the first that has data where no memory is. Displacements
// are in elements, of several types in bytes; none: all blocks are at the buffer itself.
using Displacements = std::optional<Integers>;
int first_nowhere(Integers counts, Displacements displs, int first, int end, const Datatype& type);
int first_nowhere(Integers counts, Displacements displs, int first, int end, const MPI_Datatype* types);

[[gnu::cold]] int fail_counts(const char* parameter, Integers counts, int n);
[[gnu::cold]] int fail_types(const char* parameter, const MPI_Datatype* types, MPI_Count n, bool committed);
[[gnu::cold]] int fail_rank(const char* parameter, int rank, bool receive);
[[gnu::cold]] int fail_root(int root);
[[gnu::cold]] int fail_tag(const char* parameter, int tag, bool receive);
[[gnu::cold]] int fail_no_topology(const Comm& comm);
[[gnu::cold]] int fail_no_buffer(const char* parameter, const void* buffer, MPI_Count count);
[[gnu::cold]] int fail_same_memory(const char* sent, const char* received);
[[gnu::cold]] int fail_too_long(const char* parameter, MPI_Count count, const Datatype& type);
[[gnu::cold]] int fail_too_long_at(const char* parameter, Integers counts, int n, const Datatype& type);
[[gnu::cold]] int fail_too_long_at(const char* parameter, Integers counts, int n, const MPI_Datatype* types);
[[gnu::cold]] int fail_nowhere(const char* buffer, const char* parameter, Integers counts, Displacements displs,
                               int first, int end, const Datatype& type);
[[gnu::cold]] int fail_nowhere(const char* buffer, const char* parameter, Integers counts, Displacements displs,
                               int first, int end, const MPI_Datatype* types);
[[gnu::cold]] int fail_op(const Op& op, const Datatype& type);

}  // namespace detmpi
