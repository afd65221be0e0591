// Functions whose form is another in Fortran than in C.
#include <tuple>

#include "binding.hpp"

namespace detmpi::fortran {

// The buffer that was attached cannot be handed out as an argument of any type: it stays as it is ...
DETMPI_FORTRAN_BUFFERS(void, buffer_detach, BUFFER_DETACH, (void* stays, MPI_Fint* size, MPI_Fint* ierror),
                       (stays, size, ierror)) {
  const Call call(__builtin_return_address(0));
  std::ignore = stays;
  void* buffer = nullptr;
  give(ierror, DETMPI_CALL(Buffer_detach)(static_cast<void*>(&buffer), size));
}

// ... except as a TYPE(C_PTR).
DETMPI_FORTRAN_F08(void, buffer_detach_f08, (void** buffer, MPI_Fint* size, MPI_Fint* ierror), (buffer, size, ierror)) {
  const Call call(__builtin_return_address(0));
  give(ierror, DETMPI_CALL(Buffer_detach)(static_cast<void*>(buffer), size));
}
DETMPI_FORTRAN_F08(void, buffer_detach_f08_large, (void** buffer, MPI_Count* size, MPI_Fint* ierror),
                   (buffer, size, ierror)) {
  const Call call(__builtin_return_address(0));
  give(ierror, DETMPI_CALL(Buffer_detach_c)(static_cast<void*>(buffer), size));
}

// Tells the compiler that the buffer may have changed, by being a function that it does not know.
DETMPI_FORTRAN_BUFFERS(void, f_sync_reg, F_SYNC_REG, (void* buffer), (buffer)) {
  const Call call(__builtin_return_address(0));
  std::ignore = buffer;
}
DETMPI_FORTRAN_DESCRIBED(void, f_sync_reg, F_SYNC_REG, (const Descriptor* buffer), (buffer)) {
  const Call call(__builtin_return_address(0));
  std::ignore = buffer;
}

}  // namespace detmpi::fortran
