#include "refusal.hpp"

#include <cstring>
#include <iterator>

#include "../object/comm.hpp"
#include "../object/errors.hpp"
#include "../types/datatype.hpp"

namespace detmpi {
namespace {

CallId id_of(const char* function) {
  size_t id = std::size(kCallNames) - 1;
  while (id > 0 && std::strcmp(kCallNames[id], function) != 0) --id;
  return static_cast<CallId>(id);
}

}  // namespace
}  // namespace detmpi

bool detmpi_fortran_is_usable(MPI_Datatype type) {
  const detmpi::Datatype* found = detmpi::datatype_from(type);
  return found != nullptr && found->committed;
}

int detmpi_fortran_refuse(const char* function, MPI_Comm comm, const char* text) {
  const detmpi::CallScope scope(detmpi::id_of(function));
  if (detmpi::g_job_state != detmpi::JobState::kRunning) return detmpi::fail_not_running();
  detmpi::g_call.comm = detmpi::comm_from(comm);
  return detmpi::fail(MPI_ERR_BUFFER, "%s", text);
}
