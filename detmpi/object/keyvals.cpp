#include "keyvals.hpp"

#include <algorithm>

#include "errors.hpp"

namespace detmpi {
namespace {

template <class List>
auto position(List& attributes, const Keyval& keyval) {
  return std::find_if(attributes.begin(), attributes.end(),
                      [&](const Attribute& attribute) { return attribute.keyval == &keyval; });
}

}  // namespace

void keyval_release(Keyval& keyval) {
  if (--keyval.refs > 0) return;
  keyval.forget(keyval.handle);
  delete &keyval;
}

int invalid_keyval(int handle) {
  return make_error(MPI_ERR_KEYVAL, "0x%08x is not a valid attribute key", static_cast<unsigned>(handle));
}

const Attribute* attribute_find(const Attributes& attributes, const Keyval& keyval) {
  const auto found = position(attributes, keyval);
  return found == attributes.end() ? nullptr : &*found;
}

int attribute_set(int object, Attributes& attributes, Keyval& keyval, void* value) {
  if (attribute_find(attributes, keyval) != nullptr) {
    const int code = attribute_delete(object, attributes, keyval);
    if (code != MPI_SUCCESS) return code;
  }
  ++keyval.refs;
  attributes.push_back({&keyval, value});
  return MPI_SUCCESS;
}

int attribute_delete(int object, Attributes& attributes, Keyval& keyval) {
  const Attribute* attribute = attribute_find(attributes, keyval);
  if (attribute == nullptr) {
    return make_error(MPI_ERR_KEYVAL, "there is no attribute under key 0x%08x", static_cast<unsigned>(keyval.handle));
  }
  if (keyval.remove != nullptr) {
    const int code = [&] {
      const CallbackScope scope;
      return keyval.remove(object, keyval.handle, attribute->value, keyval.extra);
    }();
    if (code != MPI_SUCCESS) return code;
  }
  const auto found = position(attributes, keyval);  // the callback may have changed the list
  if (found != attributes.end()) {
    attributes.erase(found);
    keyval_release(keyval);
  }
  return MPI_SUCCESS;
}

int attributes_copy(int object, Attributes from, Attributes& to) {
  for (const Attribute& attribute : from) {
    Keyval& keyval = *attribute.keyval;
    if (keyval.copy == nullptr) continue;
    void* value = nullptr;
    int flag = 0;
    const int code = [&] {
      const CallbackScope scope;
      return keyval.copy(object, keyval.handle, keyval.extra, attribute.value, &value, &flag);
    }();
    if (code != MPI_SUCCESS) return code;
    if (flag == 0) continue;
    ++keyval.refs;
    to.push_back({&keyval, value});
  }
  return MPI_SUCCESS;
}

// The last attribute set is deleted first, so that it may depend on those before it.
int attributes_delete_all(int object, Attributes& attributes) {
  while (!attributes.empty()) {
    const int code = attribute_delete(object, attributes, *attributes.back().keyval);
    if (code != MPI_SUCCESS) return code;
  }
  return MPI_SUCCESS;
}

}  // namespace detmpi
