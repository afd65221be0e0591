// Sessions (MPI-4): each lets a part of the program use MPI without regard to whether another part does. Their life is
// in job/session_calls.cpp; a session holds an error handler and hints alone.
#pragma once

#include <mpi.h>

#include "errhandler.hpp"
#include "handle_table.hpp"
#include "info.hpp"

namespace detmpi {

struct Session {
  MPI_Session handle = MPI_SESSION_NULL;
  Errhandler* errhandler = nullptr;
  Info info;
};

inline HandleTable<Session, HandleKind::kSession> g_sessions;

// The session of a handle, null if the handle is not valid.
inline Session* session_from(MPI_Session handle) { return g_sessions.get(handle); }

Session& session_open(Errhandler& errhandler);
void session_close(Session& session);

}  // namespace detmpi
