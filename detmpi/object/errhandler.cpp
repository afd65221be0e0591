// Error handlers: the predefined ones, those of the program, and the calls on them.
#include "errhandler.hpp"

#include "comm.hpp"
#include "errors.hpp"
#include "impl.hpp"

namespace detmpi {
namespace {

HandleTable<Errhandler, HandleKind::kErrhandler> g_errhandlers;
Errhandler g_fatal{MPI_ERRORS_ARE_FATAL, Errhandler::Kind::kFatal};
Errhandler g_return{MPI_ERRORS_RETURN, Errhandler::Kind::kReturn};
Errhandler g_abort{MPI_ERRORS_ABORT, Errhandler::Kind::kAbort};

}  // namespace

Errhandler* errhandler_from(MPI_Errhandler handle) {
  switch (handle) {
    case MPI_ERRORS_ARE_FATAL: return &g_fatal;
    case MPI_ERRORS_RETURN: return &g_return;
    case MPI_ERRORS_ABORT: return &g_abort;
    default: break;
  }
  Errhandler* const found = g_errhandlers.get(handle);
  return found != nullptr && found->opened > 0 ? found : nullptr;
}

Errhandler& errhandler_fatal() { return g_fatal; }

MPI_Errhandler errhandler_open(Errhandler& handler) {
  ++handler.opened;
  if (handler.kind == Errhandler::Kind::kUser) note_given(handler.handle);
  errhandler_retain(handler);
  return handler.handle;
}

void errhandler_retain(Errhandler& handler) { ++handler.refs; }

// The handle is no other handler's while anything carries this one: MPI_Comm_get_errhandler may hand it out again.
void errhandler_release(Errhandler& handler) {
  if (handler.kind != Errhandler::Kind::kUser || --handler.refs > 0) return;
  g_errhandlers.erase(handler.handle);
  delete &handler;
}

namespace impl {

int comm_create_errhandler(MPI_Comm_errhandler_function* comm_errhandler_fn, MPI_Errhandler* errhandler) {
  auto* made = new Errhandler;
  made->function = comm_errhandler_fn;
  made->handle = g_errhandlers.insert(made);
  *errhandler = made->handle;
  return MPI_SUCCESS;
}

int comm_set_errhandler(Comm& comm, Errhandler& errhandler) {
  errhandler_retain(errhandler);
  errhandler_release(*comm.errhandler);
  comm.errhandler = &errhandler;
  return MPI_SUCCESS;
}

int comm_get_errhandler(Comm& comm, MPI_Errhandler* errhandler) {
  *errhandler = errhandler_open(*comm.errhandler);
  return MPI_SUCCESS;
}

int comm_call_errhandler(Comm& comm, int errorcode) {
  g_call.comm = &comm;
  raise_error(errorcode);
  return MPI_SUCCESS;
}

int errhandler_free(MPI_Errhandler* errhandler) {
  Errhandler& handler = *errhandler_from(*errhandler);
  if (--handler.opened == 0) note_returned(handler.handle);
  errhandler_release(handler);
  *errhandler = MPI_ERRHANDLER_NULL;
  return MPI_SUCCESS;
}

}  // namespace impl
}  // namespace detmpi
