// Functions of Fortran programs that MPI calls. Reduction operations and error handlers take references in C too and
// are called as they are; functions of attributes and generalized requests are called by functions of this library,
// which get the program's functions as their extra state.
#pragma once

#include <mpi.h>

#include "integer_attributes.hpp"

namespace detmpi::fortran {

// Of communicators, datatypes and windows, whose handles are all integers.
using FortranCopy = void(MPI_Fint* object, MPI_Fint* keyval, MPI_Aint* extra, MPI_Aint* in, MPI_Aint* out,
                         MPI_Fint* flag, MPI_Fint* ierror);
using FortranDelete = void(MPI_Fint* object, MPI_Fint* keyval, MPI_Aint* value, MPI_Aint* extra, MPI_Fint* ierror);
using FortranQuery = void(MPI_Aint* extra, MPI_Status* status, MPI_Fint* ierror);
using FortranFree = void(MPI_Aint* extra, MPI_Fint* ierror);
using FortranCancel = void(MPI_Aint* extra, MPI_Fint* complete, MPI_Fint* ierror);

// The extra state for the functions below. The program's own is a value for attributes; for requests it is the
// program's variable, which their functions may change.
void* remember(FortranCopy* copy, FortranDelete* remove, MPI_Aint extra);
void* remember(FortranQuery* query, FortranFree* free, FortranCancel* cancel, MPI_Aint* extra);

int copy_attribute(MPI_Fint object, int keyval, void* extra, void* in, void* out, int* flag);
int delete_attribute(MPI_Fint object, int keyval, void* value, void* extra);
int query_request(void* extra, MPI_Status* status);
int free_request(void* extra);
int cancel_request(void* extra, int complete);

// The key for C of an attribute that MPI defines; other keys are the same.
int keyval_for_c(MPI_Fint keyval);

// The value of an attribute, of which C has the address: MPI defines it, or Fortran has set it. Of others the address.
MPI_Aint attribute_for_fortran(MPI_Fint keyval, void* value);

// An attribute that a call stores, while the call lasts.
class GivenAttribute {
 public:
  explicit GivenAttribute(MPI_Aint value) : value_(value) { detmpi_fortran_given_integer = &value_; }
  ~GivenAttribute() { detmpi_fortran_given_integer = nullptr; }
  GivenAttribute(const GivenAttribute&) = delete;
  GivenAttribute& operator=(const GivenAttribute&) = delete;

  void* address() { return &value_; }

 private:
  MPI_Aint value_;
};

// What a function of attributes is called with, for one in Fortran. A copy is what the original is, an integer or an
// address.
struct FoundAttribute {
  explicit FoundAttribute(void* found);

  void copy(MPI_Aint copied, void* out) const;

  bool is_integer;
  MPI_Aint value;
};

}  // namespace detmpi::fortran
