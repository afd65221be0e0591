// Special arguments of Fortran, which are known by their addresses: they lie in common blocks and in variables of
// module mpi_f08, and every program shares them with this library. The names and layouts belong to the binary
// interface.
#pragma once

#include <mpi.h>

extern "C" {
#pragma GCC visibility push(default)
// mpif.h and module mpi. Aligned as gfortran does.
alignas(16) extern struct {
  MPI_Fint bottom;
  MPI_Fint in_place;
  MPI_Status status_ignore;
} mpipriv1_;
alignas(16) extern struct {
  MPI_Status statuses_ignore;
  MPI_Fint errcodes_ignore;
} mpipriv2_;
alignas(16) extern struct {
  char argvs_null;
  char argv_null;
} mpiprivc_;
alignas(16) extern MPI_Fint mpifcmb5_;  // MPI_UNWEIGHTED
alignas(16) extern MPI_Fint mpifcmb9_;  // MPI_WEIGHTS_EMPTY

// Module mpi_f08.
extern MPI_Fint MPIR_F08_MPI_BOTTOM;
extern MPI_Fint MPIR_F08_MPI_IN_PLACE;
extern MPI_F08_status MPIR_F08_MPI_STATUS_IGNORE_OBJ;
extern MPI_F08_status MPIR_F08_MPI_STATUSES_IGNORE_OBJ[1];
extern MPI_Fint __mpi_f08_link_constants_MOD_mpi_errcodes_ignore[1];
extern MPI_Fint __mpi_f08_link_constants_MOD_mpi_unweighted[1];
extern MPI_Fint __mpi_f08_link_constants_MOD_mpi_weights_empty[1];
#pragma GCC visibility pop
}

namespace detmpi::fortran {

inline void* choice(void* buffer) {
  if (buffer == &mpipriv1_.bottom || buffer == &MPIR_F08_MPI_BOTTOM) [[unlikely]]
    return MPI_BOTTOM;
  if (buffer == &mpipriv1_.in_place || buffer == &MPIR_F08_MPI_IN_PLACE) [[unlikely]]
    return MPI_IN_PLACE;
  return buffer;
}

inline MPI_Status* status_for_c(MPI_Status* status) {
  const void* address = status;
  return address == &mpipriv1_.status_ignore || address == &MPIR_F08_MPI_STATUS_IGNORE_OBJ ? MPI_STATUS_IGNORE : status;
}

inline MPI_Status* statuses_for_c(MPI_Status* all) {
  const void* address = all;
  return address == &mpipriv2_.statuses_ignore || address == MPIR_F08_MPI_STATUSES_IGNORE_OBJ ? MPI_STATUSES_IGNORE
                                                                                              : all;
}

inline int* weights_for_c(int* all) {
  if (all == &mpifcmb5_ || all == __mpi_f08_link_constants_MOD_mpi_unweighted) return MPI_UNWEIGHTED;
  if (all == &mpifcmb9_ || all == __mpi_f08_link_constants_MOD_mpi_weights_empty) return MPI_WEIGHTS_EMPTY;
  return all;
}

inline int* error_codes_for_c(int* codes) {
  return codes == &mpipriv2_.errcodes_ignore || codes == __mpi_f08_link_constants_MOD_mpi_errcodes_ignore
             ? MPI_ERRCODES_IGNORE
             : codes;
}

}  // namespace detmpi::fortran
