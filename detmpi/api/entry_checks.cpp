// Argument checks over arrays, and the messages of failed checks.
#include <cstring>

#include "../topo/topology.hpp"
#include "entry.hpp"

namespace detmpi {

bool bad_key(const char* key) {
  return key == nullptr || key[0] == '\0' || strnlen(key, MPI_MAX_INFO_KEY) == MPI_MAX_INFO_KEY;
}

int edges_in(const Comm& comm) {
  const auto neighbours = neighbours_in(comm);
  return neighbours ? static_cast<int>(neighbours->sources.size()) : 0;
}

int edges_out(const Comm& comm) {
  const auto neighbours = neighbours_in(comm);
  return neighbours ? static_cast<int>(neighbours->destinations.size()) : 0;
}

int fail_no_topology(const Comm& comm) { return raise_error(no_topology(comm, "process")); }

MPI_Count bad_counts(Integers counts, int n) {
  for (int i = 0; i < n; ++i) {
    if (counts[i] < 0) return i;
  }
  return -1;
}

namespace {

template <class TypeOf>
MPI_Count first_too_long_of(Integers counts, int n, TypeOf&& type_of) {
  for (int i = 0; i < n; ++i) {
    if (too_long(counts[i], type_of(i))) return i;
  }
  return -1;
}

constexpr uint64_t kNoMemory = 4096;  // the first page is nobody's

template <class TypeOf, class BytesOf>
int first_nowhere_of(Integers counts, int first, int end, TypeOf&& type_of, BytesOf&& bytes_of) {
  for (int i = first; i < end; ++i) {
    const Datatype& type = type_of(i);
    if (counts[i] > 0 && type.size > 0 && static_cast<uint64_t>(bytes_of(i) + type.true_lb) < kNoMemory) return i;
  }
  return -1;
}

int fail_nowhere_at(const char* buffer, const char* parameter, MPI_Count i, MPI_Count count) {
  return fail(MPI_ERR_BUFFER, "%s is null, but %s[%ld] is %ld", buffer, parameter, i, count);
}

int fail_block(const char* parameter, MPI_Count i, MPI_Count count, const Datatype& type) {
  return fail(MPI_ERR_COUNT, "%s[%ld] is %ld, but no memory holds so many elements of %zu bytes", parameter, i, count,
              type.size);
}

}  // namespace

MPI_Count first_too_long(Integers counts, int n, const Datatype& type) {
  return first_too_long_of(counts, n, [&](int) -> const Datatype& { return type; });
}

MPI_Count first_too_long(Integers counts, int n, const MPI_Datatype* types) {
  return first_too_long_of(counts, n, [&](int i) -> const Datatype& { return *datatype_from(types[i]); });
}

int first_nowhere(Integers counts, Displacements displs, int first, int end, const Datatype& type) {
  return first_nowhere_of(
      counts, first, end, [&](int) -> const Datatype& { return type; },
      [&](int i) { return displs ? (*displs)[i] * type.extent : 0; });
}

int first_nowhere(Integers counts, Displacements displs, int first, int end, const MPI_Datatype* types) {
  return first_nowhere_of(
      counts, first, end, [&](int i) -> const Datatype& { return *datatype_from(types[i]); },
      [&](int i) { return displs ? (*displs)[i] : 0; });
}

MPI_Count bad_types(const MPI_Datatype* types, MPI_Count n, bool committed) {
  for (MPI_Count i = 0; i < n; ++i) {
    const Datatype* type = datatype_from(types[i]);
    if (type == nullptr || (committed && !type->committed)) return i;
  }
  return -1;
}

int fail_counts(const char* parameter, Integers counts, int n) {
  const MPI_Count i = bad_counts(counts, n);
  return fail(MPI_ERR_COUNT, "%s[%ld] is %ld (must not be negative)", parameter, i, counts[i]);
}

int fail_types(const char* parameter, const MPI_Datatype* types, MPI_Count n, bool committed) {
  const MPI_Count i = bad_types(types, n, committed);
  if (datatype_from(types[i]) != nullptr) {
    return fail(MPI_ERR_TYPE, "%s[%ld] has not been committed (MPI_Type_commit)", parameter, i);
  }
  return fail(MPI_ERR_TYPE, "%s[%ld] is 0x%08x, not a valid datatype", parameter, i, static_cast<unsigned>(types[i]));
}

int fail_rank(const char* parameter, int rank, bool receive) {
  const int last = g_call.comm->peers - 1;
  if (receive) {
    return fail(MPI_ERR_RANK, "invalid rank %d as %s (ranks are 0 to %d, MPI_ANY_SOURCE and MPI_PROC_NULL)", rank,
                parameter, last);
  }
  return fail(MPI_ERR_RANK, "invalid rank %d as %s (ranks are 0 to %d and MPI_PROC_NULL)", rank, parameter, last);
}

int fail_root(int root) {
  return fail(MPI_ERR_ROOT, "invalid root %d (ranks are 0 to %d)", root, g_call.comm->peers - 1);
}

int fail_tag(const char* parameter, int tag, bool receive) {
  const char* allowed = receive ? "tags are 0 to 2147483647 and MPI_ANY_TAG" : "tags are 0 to 2147483647";
  return fail(MPI_ERR_TAG, "invalid %s %d (%s)", parameter, tag, allowed);
}

int fail_no_buffer(const char* parameter, const void* buffer, MPI_Count count) {
  if (buffer == MPI_IN_PLACE) return fail(MPI_ERR_BUFFER, "%s is MPI_IN_PLACE", parameter);
  return fail(MPI_ERR_BUFFER, "%s is null, but %ld elements are to be moved", parameter, count);
}

int fail_same_memory(const char* sent, const char* received) {
  return fail(MPI_ERR_BUFFER, "%s and %s are the same memory", sent, received);
}

int fail_too_long(const char* parameter, MPI_Count count, const Datatype& type) {
  return fail(MPI_ERR_COUNT, "%s is %ld, but no memory holds so many elements of %zu bytes", parameter, count,
              type.size);
}

int fail_too_long_at(const char* parameter, Integers counts, int n, const Datatype& type) {
  const MPI_Count i = first_too_long(counts, n, type);
  return fail_block(parameter, i, counts[i], type);
}

int fail_too_long_at(const char* parameter, Integers counts, int n, const MPI_Datatype* types) {
  const MPI_Count i = first_too_long(counts, n, types);
  return fail_block(parameter, i, counts[i], *datatype_from(types[i]));
}

int fail_nowhere(const char* buffer, const char* parameter, Integers counts, Displacements displs, int first, int end,
                 const Datatype& type) {
  const int i = first_nowhere(counts, displs, first, end, type);
  return fail_nowhere_at(buffer, parameter, i, counts[i]);
}

int fail_nowhere(const char* buffer, const char* parameter, Integers counts, Displacements displs, int first, int end,
                 const MPI_Datatype* types) {
  const int i = first_nowhere(counts, displs, first, end, types);
  return fail_nowhere_at(buffer, parameter, i, counts[i]);
}

int fail_op(const Op& op, const Datatype& type) {
  return fail(MPI_ERR_OP, "%s is not defined on %s", op_name(op), datatype_label(type).c_str());
}

}  // namespace detmpi
