// Functions of MPI-1 that later versions have replaced. Their addresses are default integers, which is why they were
// replaced; values that do not fit are cut off, and programs that still call them live with that.
#include "binding.hpp"

#include <vector>

namespace detmpi::fortran {
namespace {

MPI_Fint short_integer(MPI_Aint value) { return static_cast<MPI_Fint>(value); }

std::vector<MPI_Aint> widened(const MPI_Fint* values, int count) {
  return count > 0 ? std::vector<MPI_Aint>(values, values + count) : std::vector<MPI_Aint>();
}

// The functions of MPI-1's attributes have default integers, too.
using OldCopy = void(MPI_Fint* comm, MPI_Fint* keyval, MPI_Fint* extra, MPI_Fint* in, MPI_Fint* out, MPI_Fint* flag,
                     MPI_Fint* ierror);
using OldDelete = void(MPI_Fint* comm, MPI_Fint* keyval, MPI_Fint* value, MPI_Fint* extra, MPI_Fint* ierror);

struct OldFunctions {
  OldCopy* copy;
  OldDelete* remove;
  MPI_Fint extra;
};

// What a function reads and writes: the program's four bytes, and MPI_DUP_FN, which is that of today, eight. It has
// written all of `copied` if the upper half is that of `value`: they differ in every bit before.
struct OldValues {
  explicit OldValues(MPI_Aint attribute) : value(attribute), copied(~attribute) {}

  static MPI_Fint* of(MPI_Aint& integer) { return reinterpret_cast<MPI_Fint*>(&integer); }
  MPI_Aint copy() const { return value >> 32 == copied >> 32 ? copied : short_integer(copied); }

  MPI_Aint value, copied;
};

int old_copy(MPI_Comm comm, int keyval, void* extra, void* in, void* out, int* flag) {
  auto& functions = *static_cast<OldFunctions*>(extra);
  const FoundAttribute attribute(in);
  OldValues values(attribute.value);
  MPI_Fint code = MPI_SUCCESS;
  functions.copy(&comm, &keyval, &functions.extra, OldValues::of(values.value), OldValues::of(values.copied), flag,
                 &code);
  attribute.copy(values.copy(), out);
  return code;
}

int old_delete(MPI_Comm comm, int keyval, void* attribute, void* extra) {
  auto& functions = *static_cast<OldFunctions*>(extra);
  MPI_Aint value = FoundAttribute(attribute).value;
  MPI_Fint code = MPI_SUCCESS;
  functions.remove(&comm, &keyval, OldValues::of(value), &functions.extra, &code);
  return code;
}

// Which of a type's bounds a function of MPI-1 asks for.
enum class Bound { kLower, kUpper, kExtent };

int type_bound(const Call& call, MPI_Datatype type, Bound bound, MPI_Fint* result) {
  MPI_Aint lower = 0, extent = 0;
  const int code = DETMPI_CALL(Type_get_extent)(type, &lower, &extent);
  if (code != MPI_SUCCESS) return code;
  const MPI_Aint upper = lower + extent;
  *result = short_integer(bound == Bound::kLower ? lower : bound == Bound::kUpper ? upper : extent);
  return code;
}

}  // namespace

DETMPI_FORTRAN(void, address, ADDRESS, (void* location, MPI_Fint* address, MPI_Fint* ierror),
               (location, address, ierror)) {
  const Call call(__builtin_return_address(0));
  MPI_Aint value = 0;
  give(ierror, DETMPI_CALL(Get_address)(choice(location), &value));
  *address = short_integer(value);
}

DETMPI_FORTRAN(void, type_extent, TYPE_EXTENT, (MPI_Fint * datatype, MPI_Fint* extent, MPI_Fint* ierror),
               (datatype, extent, ierror)) {
  const Call call(__builtin_return_address(0));
  give(ierror, type_bound(call, *datatype, Bound::kExtent, extent));
}

DETMPI_FORTRAN(void, type_lb, TYPE_LB, (MPI_Fint * datatype, MPI_Fint* displacement, MPI_Fint* ierror),
               (datatype, displacement, ierror)) {
  const Call call(__builtin_return_address(0));
  give(ierror, type_bound(call, *datatype, Bound::kLower, displacement));
}

DETMPI_FORTRAN(void, type_ub, TYPE_UB, (MPI_Fint * datatype, MPI_Fint* displacement, MPI_Fint* ierror),
               (datatype, displacement, ierror)) {
  const Call call(__builtin_return_address(0));
  give(ierror, type_bound(call, *datatype, Bound::kUpper, displacement));
}

DETMPI_FORTRAN(void, type_hvector, TYPE_HVECTOR,
               (MPI_Fint * count, MPI_Fint* blocklength, MPI_Fint* stride, MPI_Fint* oldtype, MPI_Fint* newtype,
                MPI_Fint* ierror),
               (count, blocklength, stride, oldtype, newtype, ierror)) {
  const Call call(__builtin_return_address(0));
  give(ierror, DETMPI_CALL(Type_create_hvector)(*count, *blocklength, *stride, *oldtype, newtype));
}

DETMPI_FORTRAN(void, type_hindexed, TYPE_HINDEXED,
               (MPI_Fint * count, MPI_Fint* blocklengths, MPI_Fint* displacements, MPI_Fint* oldtype, MPI_Fint* newtype,
                MPI_Fint* ierror),
               (count, blocklengths, displacements, oldtype, newtype, ierror)) {
  const Call call(__builtin_return_address(0));
  const auto displs = widened(displacements, *count);
  give(ierror, DETMPI_CALL(Type_create_hindexed)(*count, blocklengths, displs.data(), *oldtype, newtype));
}

DETMPI_FORTRAN(void, type_struct, TYPE_STRUCT,
               (MPI_Fint * count, MPI_Fint* blocklengths, MPI_Fint* displacements, MPI_Fint* types, MPI_Fint* newtype,
                MPI_Fint* ierror),
               (count, blocklengths, displacements, types, newtype, ierror)) {
  const Call call(__builtin_return_address(0));
  const auto displs = widened(displacements, *count);
  give(ierror, DETMPI_CALL(Type_create_struct)(*count, blocklengths, displs.data(), types, newtype));
}

DETMPI_FORTRAN(void, errhandler_create, ERRHANDLER_CREATE,
               (MPI_Comm_errhandler_function * function, MPI_Fint* errhandler, MPI_Fint* ierror),
               (function, errhandler, ierror)) {
  const Call call(__builtin_return_address(0));
  give(ierror, DETMPI_CALL(Comm_create_errhandler)(function, errhandler));
}

DETMPI_FORTRAN(void, errhandler_set, ERRHANDLER_SET, (MPI_Fint * comm, MPI_Fint* errhandler, MPI_Fint* ierror),
               (comm, errhandler, ierror)) {
  const Call call(__builtin_return_address(0));
  give(ierror, DETMPI_CALL(Comm_set_errhandler)(*comm, *errhandler));
}

DETMPI_FORTRAN(void, errhandler_get, ERRHANDLER_GET, (MPI_Fint * comm, MPI_Fint* errhandler, MPI_Fint* ierror),
               (comm, errhandler, ierror)) {
  const Call call(__builtin_return_address(0));
  give(ierror, DETMPI_CALL(Comm_get_errhandler)(*comm, errhandler));
}

DETMPI_FORTRAN(void, keyval_create, KEYVAL_CREATE,
               (OldCopy * copy_fn, OldDelete* delete_fn, MPI_Fint* keyval, MPI_Fint* extra_state, MPI_Fint* ierror),
               (copy_fn, delete_fn, keyval, extra_state, ierror)) {
  const Call call(__builtin_return_address(0));
  auto* functions = new OldFunctions{copy_fn, delete_fn, *extra_state};  // kept to the end, as those of today's
  give(ierror, DETMPI_CALL(Comm_create_keyval)(old_copy, old_delete, keyval, functions));
}

DETMPI_FORTRAN(void, keyval_free, KEYVAL_FREE, (MPI_Fint * keyval, MPI_Fint* ierror), (keyval, ierror)) {
  const Call call(__builtin_return_address(0));
  give(ierror, DETMPI_CALL(Comm_free_keyval)(keyval));
}

DETMPI_FORTRAN(void, attr_put, ATTR_PUT, (MPI_Fint * comm, MPI_Fint* keyval, MPI_Fint* attribute_val, MPI_Fint* ierror),
               (comm, keyval, attribute_val, ierror)) {
  const Call call(__builtin_return_address(0));
  give(ierror, DETMPI_CALL(Comm_set_attr)(*comm, keyval_for_c(*keyval), GivenAttribute(*attribute_val).address()));
}

DETMPI_FORTRAN(void, attr_get, ATTR_GET,
               (MPI_Fint * comm, MPI_Fint* keyval, MPI_Fint* attribute_val, MPI_Fint* flag, MPI_Fint* ierror),
               (comm, keyval, attribute_val, flag, ierror)) {
  const Call call(__builtin_return_address(0));
  void* value = nullptr;
  const int code = DETMPI_CALL(Comm_get_attr)(*comm, keyval_for_c(*keyval), &value, flag);
  if (code == MPI_SUCCESS && *flag != 0) *attribute_val = short_integer(attribute_for_fortran(*keyval, value));
  give(ierror, code);
}

DETMPI_FORTRAN(void, attr_delete, ATTR_DELETE, (MPI_Fint * comm, MPI_Fint* keyval, MPI_Fint* ierror),
               (comm, keyval, ierror)) {
  const Call call(__builtin_return_address(0));
  give(ierror, DETMPI_CALL(Comm_delete_attr)(*comm, keyval_for_c(*keyval)));
}

}  // namespace detmpi::fortran
