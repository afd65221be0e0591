// Attributes of datatypes.
#include "datatype.hpp"
#include "impl.hpp"

namespace detmpi::impl {
namespace {

using Keys = Keyvals<HandleKind::kDatatype>;

}  // namespace

int type_create_keyval(MPI_Type_copy_attr_function* type_copy_attr_fn,
                       MPI_Type_delete_attr_function* type_delete_attr_fn, int* type_keyval, void* extra_state) {
  return Keys::create(type_copy_attr_fn, type_delete_attr_fn, type_keyval, extra_state);
}

int type_free_keyval(int* type_keyval) { return Keys::free(type_keyval); }

int type_set_attr(const Datatype& datatype, int type_keyval, void* attribute_val) {
  return Keys::set(datatype.handle, writable(datatype).attributes, type_keyval, attribute_val);
}

int type_get_attr(const Datatype& datatype, int type_keyval, void* attribute_val, int* flag) {
  return Keys::get(datatype.attributes, type_keyval, attribute_val, flag);
}

int type_delete_attr(const Datatype& datatype, int type_keyval) {
  return Keys::erase(datatype.handle, writable(datatype).attributes, type_keyval);
}

}  // namespace detmpi::impl
