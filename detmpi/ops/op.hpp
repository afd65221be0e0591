// Reduction operations.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>

#include "../object/handle_table.hpp"
#include "../types/datatype.hpp"

namespace detmpi {

// A function of the program's, of one form or the other.
struct UserFunction {
  UserFunction() = default;
  UserFunction(MPI_User_function* function) : of_ints(function) {}
  UserFunction(MPI_User_function_c* function) : of_counts(function) {}
  explicit operator bool() const { return of_ints != nullptr || of_counts != nullptr; }

  MPI_User_function* of_ints = nullptr;
  MPI_User_function_c* of_counts = nullptr;
};

struct Op {
  MPI_Op handle = MPI_OP_NULL;
  bool commutative = true;
  UserFunction function{};  // none: a predefined operation
  mutable int refs = 1;     // the program's handle, and pending reductions
};

extern const Op g_builtin_ops[15];  // by the low byte of the handle
inline HandleTable<Op, HandleKind::kOp> g_ops;

// The operation of a handle, null if the handle is not valid.
inline const Op* op_from(MPI_Op handle) {
  const uint32_t index = static_cast<uint32_t>(handle) - 0x58000000U;
  if (index - 1 < 14) [[likely]]
    return &g_builtin_ops[index];
  return g_ops.get(handle);
}

// The same for an argument that may be insignificant.
inline const Op& op_or_null(MPI_Op handle) {
  const Op* op = op_from(handle);
  return op != nullptr ? *op : g_builtin_ops[0];
}

inline void op_retain(const Op& op) { ++op.refs; }
void op_release(const Op& op);

// Whether MPI defines the operation on the type; always true for operations of the program's.
bool op_allows(const Op& op, const Datatype& type);

// For messages.
const char* op_name(const Op& op);

// acc = acc OP right, element by element. Both buffers are laid out as in the program's memory (of a type
// that is not dense, packed bytes are not). They do not overlap. An operation of the program's is called as
// f(in = acc, inout = a copy of right), in pieces.
void fold(const Op& op, void* acc, const void* right, int64_t count, const Datatype& type);

// acc = left OP acc. An operation of the program's is called as f(in = left, inout = acc).
void fold_left(const Op& op, const void* left, void* acc, int64_t count, const Datatype& type);

}  // namespace detmpi
