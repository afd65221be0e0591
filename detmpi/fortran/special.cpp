// Functions whose form is another in Fortran than in C.
#include "binding.hpp"

namespace detmpi::fortran {

// The buffer that was attached cannot be handed out as an argument of any type: it stays as it is ...
DETMPI_FORTRAN_BUFFERS(void, buffer_detach, BUFFER_DETACH, (void*, MPI_Fint* size, MPI_Fint* ierror)) {
  void* buffer = nullptr;
  give(ierror, MPI_Buffer_detach(static_cast<void*>(&buffer), size));
}

// ... except as a TYPE(C_PTR).
DETMPI_FORTRAN_F08(void, buffer_detach_f08, (void** buffer, MPI_Fint* size, MPI_Fint* ierror)) {
  give(ierror, MPI_Buffer_detach(static_cast<void*>(buffer), size));
}
DETMPI_FORTRAN_F08(void, buffer_detach_f08_large, (void** buffer, MPI_Count* size, MPI_Fint* ierror)) {
  give(ierror, MPI_Buffer_detach_c(static_cast<void*>(buffer), size));
}

// Tells the compiler that the buffer may have changed, by being a function that it does not know.
DETMPI_FORTRAN_BUFFERS(void, f_sync_reg, F_SYNC_REG, (void*)) {}
DETMPI_FORTRAN_DESCRIBED(void, f_sync_reg, F_SYNC_REG, (const Descriptor*)) {}

}  // namespace detmpi::fortran
