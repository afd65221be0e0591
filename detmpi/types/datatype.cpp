// Life of datatypes.
#include "datatype.hpp"

namespace detmpi {
namespace {

// From a type that nothing else refers to.
void take_parts(const Datatype& type, std::vector<TypeRef>& parts) {
  Datatype& dying = writable(type);
  for (SignatureItem& item : dying.signature) parts.push_back(std::move(item.type));
  for (TypeRef& made_from : dying.envelope.types) parts.push_back(std::move(made_from));
  dying.signature.clear();
  dying.envelope.types.clear();
}

}  // namespace

Datatype& datatype_register() {
  auto* type = new Datatype;
  type->handle = g_types.insert(type);
  return *type;
}

std::string datatype_label(const Datatype& type) {
  if (!type.name.empty()) return type.name;
  switch (type.envelope.combiner) {
    case MPI_COMBINER_F90_REAL: return "a type of MPI_Type_create_f90_real";
    case MPI_COMBINER_F90_COMPLEX: return "a type of MPI_Type_create_f90_complex";
    case MPI_COMBINER_F90_INTEGER: return "a type of MPI_Type_create_f90_integer";
    default: return "a derived datatype";
  }
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

MPI_Datatype datatype_copy(const Datatype& type) {
  if (type.builtin) return type.handle;
  Datatype& copy = datatype_register();
  static_cast<TypeShape&>(copy) = type;
  copy.signature = type.signature;
  copy.envelope = type.envelope;
  return copy.handle;
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

// A chain of types, each made from the one before, may be of any length: they are let go of one after the other here,
// not one within the end of the other.
void datatype_destroy(const Datatype& type) {
  std::vector<TypeRef> parts;
  take_parts(type, parts);
  delete &type;
  while (!parts.empty()) {
    const TypeRef part = std::move(parts.back());
    parts.pop_back();
    if (part->refs == 1) take_parts(*part, parts);
  }
}

}  // namespace detmpi
