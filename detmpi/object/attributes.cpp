// Attributes of communicators, and those that MPI defines.
#include "attributes.hpp"

#include <climits>

#include "comm.hpp"
#include "errors.hpp"
#include "impl.hpp"

namespace detmpi {
namespace {

using Keys = Keyvals<HandleKind::kComm>;

// The address of a predefined attribute's value, null if there is no such attribute or it has no value.
int* predefined(int keyval) {
  static int tag_ub = INT_MAX, host = MPI_PROC_NULL, io = MPI_ANY_SOURCE, wtime_is_global = 1;
  static int universe_size, last_code, program_number;
  switch (keyval) {
    case MPI_TAG_UB: return &tag_ub;
    case MPI_HOST: return &host;
    case MPI_IO: return &io;
    case MPI_WTIME_IS_GLOBAL: return &wtime_is_global;
    case MPI_APPNUM: program_number = g_program_number; return &program_number;
    case MPI_UNIVERSE_SIZE: universe_size = g_comm_world->size; return &universe_size;
    case MPI_LASTUSEDCODE: last_code = last_used_code(); return &last_code;
    default: return nullptr;
  }
}

}  // namespace

int attributes_copy(Comm& from, Comm& to) { return attributes_copy(from.handle, from.attributes, to.attributes); }

int attributes_delete_all(Comm& comm) { return attributes_delete_all(comm.handle, comm.attributes); }

namespace impl {

int comm_create_keyval(MPI_Comm_copy_attr_function* comm_copy_attr_fn,
                       MPI_Comm_delete_attr_function* comm_delete_attr_fn, int* comm_keyval, void* extra_state) {
  return Keys::create(comm_copy_attr_fn, comm_delete_attr_fn, comm_keyval, extra_state);
}

int comm_free_keyval(int* comm_keyval) { return Keys::free(comm_keyval); }

int comm_set_attr(Comm& comm, int comm_keyval, void* attribute_val) {
  return Keys::set(comm.handle, comm.attributes, comm_keyval, attribute_val);
}

int comm_get_attr(Comm& comm, int comm_keyval, void* attribute_val, int* flag) {
  if (int* value = predefined(comm_keyval)) {
    *flag = 1;
    *static_cast<int**>(attribute_val) = value;
    return MPI_SUCCESS;
  }
  return Keys::get(comm.attributes, comm_keyval, attribute_val, flag);
}

int comm_delete_attr(Comm& comm, int comm_keyval) { return Keys::erase(comm.handle, comm.attributes, comm_keyval); }

}  // namespace impl
}  // namespace detmpi

extern "C" __attribute__((visibility("default"))) int MPIR_Dup_fn(MPI_Comm, int, void*, void* in, void* out,
                                                                  int* flag) {
  *static_cast<void**>(out) = in;
  *flag = 1;
  return MPI_SUCCESS;
}
