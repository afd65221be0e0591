// Functions of MPI-1 under their old names: each is one that has replaced it.
#include "../types/datatype.hpp"
#include "comm.hpp"
#include "impl.hpp"

namespace detmpi::impl {

int address(void* location, MPI_Aint* address) { return get_address(location, address); }

int type_hvector(int count, int blocklength, MPI_Aint stride, const Datatype& oldtype, MPI_Datatype* newtype) {
  return type_create_hvector(count, blocklength, stride, oldtype, newtype, Form::kShort);
}

int type_hindexed(int count, int array_of_blocklengths[], MPI_Aint array_of_displacements[], const Datatype& oldtype,
                  MPI_Datatype* newtype) {
  return type_create_hindexed(count, array_of_blocklengths, array_of_displacements, oldtype, newtype, Form::kShort);
}

int type_struct(int count, int array_of_blocklengths[], MPI_Aint array_of_displacements[],
                MPI_Datatype array_of_types[], MPI_Datatype* newtype) {
  return type_create_struct(count, array_of_blocklengths, array_of_displacements, array_of_types, newtype,
                            Form::kShort);
}

int type_extent(const Datatype& datatype, MPI_Aint* extent) {
  *extent = datatype.extent;
  return MPI_SUCCESS;
}

int type_lb(const Datatype& datatype, MPI_Aint* displacement) {
  *displacement = datatype.lb;
  return MPI_SUCCESS;
}

int type_ub(const Datatype& datatype, MPI_Aint* displacement) {
  *displacement = datatype.ub();
  return MPI_SUCCESS;
}

int errhandler_create(MPI_Comm_errhandler_function* comm_errhandler_fn, MPI_Errhandler* errhandler) {
  return comm_create_errhandler(comm_errhandler_fn, errhandler);
}

int errhandler_set(Comm& comm, Errhandler& errhandler) { return comm_set_errhandler(comm, errhandler); }

int errhandler_get(Comm& comm, MPI_Errhandler* errhandler) { return comm_get_errhandler(comm, errhandler); }

int keyval_create(MPI_Comm_copy_attr_function* copy_fn, MPI_Comm_delete_attr_function* delete_fn, int* keyval,
                  void* extra_state) {
  return comm_create_keyval(copy_fn, delete_fn, keyval, extra_state);
}

int keyval_free(int* keyval) { return comm_free_keyval(keyval); }

int attr_put(Comm& comm, int keyval, void* attribute_val) { return comm_set_attr(comm, keyval, attribute_val); }

int attr_get(Comm& comm, int keyval, void* attribute_val, int* flag) {
  return comm_get_attr(comm, keyval, attribute_val, flag);
}

int attr_delete(Comm& comm, int keyval) { return comm_delete_attr(comm, keyval); }

}  // namespace detmpi::impl
