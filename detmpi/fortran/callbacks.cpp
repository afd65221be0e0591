#include "callbacks.hpp"

#include <deque>

#include "names.hpp"

namespace detmpi::fortran {
namespace {

struct AttributeFunctions {
  FortranCopy* copy;
  FortranDelete* remove;
  MPI_Aint extra;
};

struct RequestFunctions {
  FortranQuery* query;
  FortranFree* free;
  FortranCancel* cancel;
  MPI_Aint* extra;
};

// Kept to the end: a key that has been freed lives on while there are attributes, and nothing tells when the last goes.
std::deque<AttributeFunctions> g_attribute_functions;

constexpr MPI_Fint kObjectKeys = 0x64400000;  // keys of attributes of communicators that MPI defines
constexpr MPI_Fint kWindowKeys = 0x66000000;
constexpr MPI_Fint kPredefined = 0x100;

bool within(MPI_Fint keyval, MPI_Fint first) { return keyval > first && keyval < first + kPredefined; }
bool predefined(MPI_Fint keyval) { return within(keyval, kObjectKeys) || within(keyval, kWindowKeys); }

}  // namespace

void* remember(FortranCopy* copy, FortranDelete* remove, MPI_Aint extra) {
  return &g_attribute_functions.emplace_back(AttributeFunctions{copy, remove, extra});
}

void* remember(FortranQuery* query, FortranFree* free, FortranCancel* cancel, MPI_Aint* extra) {
  return new RequestFunctions{query, free, cancel, extra};
}

FoundAttribute::FoundAttribute(void* found)
    : is_integer(found != nullptr && found == detmpi_fortran_found_integer),
      value(is_integer ? *static_cast<MPI_Aint*>(found) : reinterpret_cast<MPI_Aint>(found)) {}

void FoundAttribute::copy(MPI_Aint copied, void* out) const {
  static MPI_Aint integer;  // until libdetmpi has stored it, at once
  if (is_integer) {
    integer = copied;
    detmpi_fortran_given_integer = &integer;
  }
  *static_cast<void**>(out) = is_integer ? &integer : reinterpret_cast<void*>(copied);
}

int copy_attribute(MPI_Fint object, int keyval, void* extra, void* in, void* out, int* flag) {
  auto& functions = *static_cast<AttributeFunctions*>(extra);
  const FoundAttribute attribute(in);
  MPI_Aint value = attribute.value, copied = 0;
  MPI_Fint code = MPI_SUCCESS;
  functions.copy(&object, &keyval, &functions.extra, &value, &copied, flag, &code);
  attribute.copy(copied, out);
  return code;
}

int delete_attribute(MPI_Fint object, int keyval, void* value, void* extra) {
  auto& functions = *static_cast<AttributeFunctions*>(extra);
  MPI_Aint number = FoundAttribute(value).value;
  MPI_Fint code = MPI_SUCCESS;
  functions.remove(&object, &keyval, &number, &functions.extra, &code);
  return code;
}

int query_request(void* extra, MPI_Status* status) {
  auto& functions = *static_cast<RequestFunctions*>(extra);
  MPI_Fint code = MPI_SUCCESS;
  functions.query(functions.extra, status, &code);
  return code;
}

int free_request(void* extra) {
  auto* functions = static_cast<RequestFunctions*>(extra);
  MPI_Fint code = MPI_SUCCESS;
  functions->free(functions->extra, &code);
  delete functions;
  return code;
}

int cancel_request(void* extra, int complete) {
  auto& functions = *static_cast<RequestFunctions*>(extra);
  MPI_Fint code = MPI_SUCCESS;
  functions.cancel(functions.extra, &complete, &code);
  return code;
}

int keyval_for_c(MPI_Fint keyval) { return predefined(keyval) && keyval % 2 == 0 ? keyval - 1 : keyval; }

MPI_Aint attribute_for_fortran(MPI_Fint keyval, void* value) {
  if (keyval == MPI_WIN_BASE + 1 || !predefined(keyval)) return FoundAttribute(value).value;
  return keyval == MPI_WIN_SIZE + 1 ? *static_cast<MPI_Aint*>(value) : *static_cast<int*>(value);
}

}  // namespace detmpi::fortran

// The functions that MPI defines for attributes, and what they are called for each kind of object.
extern "C" {
DETMPI_FORTRAN_EXPORT void pmpi_dup_fn_(MPI_Fint*, MPI_Fint*, MPI_Aint*, MPI_Aint* in, MPI_Aint* out, MPI_Fint* flag,
                                        MPI_Fint* ierror) {
  *out = *in;
  *flag = 1;
  *ierror = MPI_SUCCESS;
}

DETMPI_FORTRAN_EXPORT void pmpi_null_copy_fn_(MPI_Fint*, MPI_Fint*, MPI_Aint*, MPI_Aint*, MPI_Aint*, MPI_Fint* flag,
                                              MPI_Fint* ierror) {
  *flag = 0;
  *ierror = MPI_SUCCESS;
}

DETMPI_FORTRAN_EXPORT void pmpi_null_delete_fn_(MPI_Fint*, MPI_Fint*, MPI_Aint*, MPI_Aint*, MPI_Fint* ierror) {
  *ierror = MPI_SUCCESS;
}

// Stands for "no conversion" and is never called.
DETMPI_FORTRAN_EXPORT void pmpi_conversion_fn_null_() {}
}

DETMPI_FORTRAN_LOWER(dup_fn, pmpi_dup_fn_);
DETMPI_FORTRAN_LOWER(comm_dup_fn, pmpi_dup_fn_);
DETMPI_FORTRAN_LOWER(type_dup_fn, pmpi_dup_fn_);
DETMPI_FORTRAN_LOWER(win_dup_fn, pmpi_dup_fn_);
DETMPI_FORTRAN_LOWER(null_copy_fn, pmpi_null_copy_fn_);
DETMPI_FORTRAN_LOWER(comm_null_copy_fn, pmpi_null_copy_fn_);
DETMPI_FORTRAN_LOWER(type_null_copy_fn, pmpi_null_copy_fn_);
DETMPI_FORTRAN_LOWER(win_null_copy_fn, pmpi_null_copy_fn_);
DETMPI_FORTRAN_LOWER(null_delete_fn, pmpi_null_delete_fn_);
DETMPI_FORTRAN_LOWER(comm_null_delete_fn, pmpi_null_delete_fn_);
DETMPI_FORTRAN_LOWER(type_null_delete_fn, pmpi_null_delete_fn_);
DETMPI_FORTRAN_LOWER(win_null_delete_fn, pmpi_null_delete_fn_);
DETMPI_FORTRAN_LOWER(conversion_fn_null, pmpi_conversion_fn_null_);
