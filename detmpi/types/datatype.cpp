// Life of datatypes.
#include "datatype.hpp"

namespace detmpi {

Datatype& datatype_register() {
  auto* type = new Datatype;
  type->handle = g_types.insert(type);
  return *type;
}

MPI_Datatype datatype_open(const Datatype& type) {
  if (type.builtin) return type.handle;
  Datatype& opened = writable(type);
  if (opened.opened++ == 0) {
    opened.handle = g_types.insert(&opened);
    datatype_retain(opened);
  }
  return opened.handle;
}

int datatype_close(Datatype& type) {
  if (type.opened == 1) {
    if (const int code = attributes_delete_all(type.handle, type.attributes)) return code;
  }
  if (--type.opened > 0) return MPI_SUCCESS;
  g_types.erase(type.handle);
  type.handle = MPI_DATATYPE_NULL;
  datatype_release(type);
  return MPI_SUCCESS;
}

void datatype_destroy(const Datatype& type) { delete &type; }

}  // namespace detmpi
