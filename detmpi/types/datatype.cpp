// Life of datatypes.
#include "datatype.hpp"

namespace detmpi {

Datatype& datatype_register() {
  auto* type = new Datatype;
  type->handle = g_types.insert(type);
  return *type;
}

void datatype_close(Datatype& type) {
  g_types.erase(type.handle);
  type.handle = MPI_DATATYPE_NULL;
  datatype_release(type);
}

void datatype_destroy(const Datatype& type) { delete &type; }

}  // namespace detmpi
