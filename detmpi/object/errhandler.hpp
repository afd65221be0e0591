// Error handlers. Reference-counted: the program's handle and every communicator that carries it hold one
// each.
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
};

Errhandler* errhandler_from(MPI_Errhandler handle);
Errhandler& errhandler_fatal();
void errhandler_retain(Errhandler& handler);
void errhandler_release(Errhandler& handler);

}  // namespace detmpi
