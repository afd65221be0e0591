// Statuses and files between C and Fortran. All three kinds of status have the same five integers in the same order; a
// special status has no content to convert.
#include <cstring>

#include "../object/errors.hpp"
#include "impl.hpp"

namespace detmpi {
namespace {

static_assert(sizeof(MPI_Status) == (MPI_F_STATUS_SIZE) * sizeof(MPI_Fint));
static_assert(sizeof(MPI_F08_status) == sizeof(MPI_Status));

template <class From, class To>
int convert(const From* from, To* to) {
  const void* address = from;
  if (address == MPI_F_STATUS_IGNORE || address == MPI_F_STATUSES_IGNORE || address == MPI_F08_STATUS_IGNORE ||
      address == MPI_F08_STATUSES_IGNORE) {
    return make_error(MPI_ERR_ARG, "the status is a special one (MPI_STATUS_IGNORE) and cannot be converted");
  }
  std::memcpy(to, from, sizeof(MPI_Status));
  return MPI_SUCCESS;
}

}  // namespace

namespace impl {

int status_c2f(const MPI_Status* c_status, MPI_Fint* f_status) { return convert(c_status, f_status); }
int status_f2c(const MPI_Fint* f_status, MPI_Status* c_status) { return convert(f_status, c_status); }
int status_c2f08(const MPI_Status* c_status, MPI_F08_status* f08_status) { return convert(c_status, f08_status); }
int status_f082c(const MPI_F08_status* f08_status, MPI_Status* c_status) { return convert(f08_status, c_status); }
int status_f2f08(const MPI_Fint* f_status, MPI_F08_status* f08_status) { return convert(f_status, f08_status); }
int status_f082f(const MPI_F08_status* f08_status, MPI_Fint* f_status) { return convert(f08_status, f_status); }

// No file can be opened, so the null handle is the only one.
MPI_Fint file_c2f(MPI_File) { return 0; }
MPI_File file_f2c(int) { return MPI_FILE_NULL; }

}  // namespace impl
}  // namespace detmpi
