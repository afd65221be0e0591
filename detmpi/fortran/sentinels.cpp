// The common blocks, for programs that do not define them themselves, and what C programs know of them.
#include "sentinels.hpp"

alignas(16) decltype(mpipriv1_) mpipriv1_;
alignas(16) decltype(mpipriv2_) mpipriv2_;
alignas(16) decltype(mpiprivc_) mpiprivc_;
alignas(16) MPI_Fint mpifcmb5_;
alignas(16) MPI_Fint mpifcmb9_;

namespace {

// A C function may be given Fortran's special status, and may hand one on.
[[gnu::constructor]] void tell_c() {
  MPI_F_STATUS_IGNORE = reinterpret_cast<MPI_Fint*>(&mpipriv1_.status_ignore);
  MPI_F_STATUSES_IGNORE = reinterpret_cast<MPI_Fint*>(&mpipriv2_.statuses_ignore);
  MPI_F08_STATUS_IGNORE = &MPIR_F08_MPI_STATUS_IGNORE_OBJ;
  MPI_F08_STATUSES_IGNORE = MPIR_F08_MPI_STATUSES_IGNORE_OBJ;
}

}  // namespace
