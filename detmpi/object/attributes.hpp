// Attributes of communicators.
#pragma once

#include "keyvals.hpp"

namespace detmpi {

struct Comm;

inline int g_program_number = 0;  // among those that the job was started with: MPI_APPNUM

// Copies `from`'s attributes into `to`, as the copy callbacks decide. Returns the first callback's error.
int attributes_copy(Comm& from, Comm& to);

// Deletes all attributes. Returns the first callback's error; what was not deleted stays. MPI_Finalize calls
// it for MPI_COMM_SELF first of all, MPI_Comm_free for its communicator.
int attributes_delete_all(Comm& comm);

}  // namespace detmpi
