// Attributes: values that a program hangs on a communicator under a key. Copy callbacks run in the order in
// which the attributes were set, delete callbacks in the reverse order.
#pragma once

#include <mpi.h>

#include <vector>

#include "handle_table.hpp"

namespace detmpi {

struct Comm;

struct Keyval {
  int handle = MPI_KEYVAL_INVALID;
  MPI_Comm_copy_attr_function* copy = nullptr;      // null: never copied
  MPI_Comm_delete_attr_function* remove = nullptr;  // null: nothing to call
  void* extra = nullptr;
  int refs = 1;  // the program's handle, and every attribute
};

struct Attribute {
  Keyval* keyval;
  void* value;
};

using Attributes = std::vector<Attribute>;

// Copies `from`'s attributes into `to`, as the copy callbacks decide. Returns the first callback's error.
int attributes_copy(Comm& from, Comm& to);

// Deletes all attributes. Returns the first callback's error; what was not deleted stays. MPI_Finalize calls
// it for MPI_COMM_SELF first of all, MPI_Comm_free for its communicator.
int attributes_delete_all(Comm& comm);

}  // namespace detmpi
