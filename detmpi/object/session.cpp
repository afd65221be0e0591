// Life of session objects, and their error handlers.
#include "session.hpp"

#include "call.hpp"
#include "errors.hpp"
#include "impl.hpp"

namespace detmpi {

Session& session_open(Errhandler& errhandler) {
  auto* session = new Session;
  errhandler_retain(errhandler);
  session->errhandler = &errhandler;
  session->handle = g_sessions.insert(session);
  return *session;
}

void session_close(Session& session) {
  g_sessions.erase(session.handle);
  errhandler_release(*session.errhandler);
  delete &session;
}

namespace impl {

// A handler does not know what it is for: it is called with the address of a handle, which is an int.
int session_create_errhandler(MPI_Session_errhandler_function* session_errhandler_fn, MPI_Errhandler* errhandler) {
  return comm_create_errhandler(session_errhandler_fn, errhandler);
}

int session_set_errhandler(Session& session, Errhandler& errhandler) {
  errhandler_retain(errhandler);
  errhandler_release(*session.errhandler);
  session.errhandler = &errhandler;
  return MPI_SUCCESS;
}

int session_get_errhandler(Session& session, MPI_Errhandler* errhandler) {
  *errhandler = errhandler_open(*session.errhandler);
  return MPI_SUCCESS;
}

int session_call_errhandler(Session&, int errorcode) {
  raise_error(errorcode);
  return MPI_SUCCESS;
}

}  // namespace impl
}  // namespace detmpi
