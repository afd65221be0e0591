// Error handlers. Reference-counted: the program's handle, as often as it has to be freed, and every communicator that
// carries it hold one each.
#pragma once

#include <mpi.h>

#include "handle_table.hpp"

namespace detmpi {

struct Errhandler {
  enum class Kind : uint8_t { kFatal, kAbort, kReturn, kUser };

  MPI_Errhandler handle = MPI_ERRHANDLER_NULL;
  Kind kind = Kind::kUser;
  MPI_Comm_errhandler_function* function = nullptr;
  int refs = 1;
  int opened = 1;  // how often the program has to free the handle; not valid when 0
};

Errhandler* errhandler_from(MPI_Errhandler handle);
Errhandler& errhandler_fatal();

// A handle that the program has to free once more than before.
MPI_Errhandler errhandler_open(Errhandler& handler);

void errhandler_retain(Errhandler& handler);
void errhandler_release(Errhandler& handler);

}  // namespace detmpi
