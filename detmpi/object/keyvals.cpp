#include "keyvals.hpp"

#include <algorithm>
#include <list>
#include <utility>

#include "../fortran/integer_attributes.hpp"
#include "errors.hpp"

const void* detmpi_fortran_given_integer = nullptr;
const void* detmpi_fortran_found_integer = nullptr;

namespace detmpi {
namespace {

template <class List>
auto position(List& attributes, const Keyval& keyval) {
  return std::find_if(attributes.begin(), attributes.end(),
                      [&](const Attribute& attribute) { return attribute.keyval == &keyval; });
}

// While functions of the program's run: they may free the key, and delete its attributes.
class Held {
 public:
  explicit Held(Keyval& keyval) : keyval_(keyval) { ++keyval_.refs; }
  ~Held() { keyval_release(keyval_); }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;

 private:
  Keyval& keyval_;
};

// `integer`: an address that stands for the integer there.
Attribute made_of(Keyval& keyval, void* value, const void* integer) {
  if (value == nullptr || value != integer) return {&keyval, value};
  auto own = std::make_shared<MPI_Aint>(*static_cast<const MPI_Aint*>(integer));
  return {&keyval, own.get(), own};
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

void* attribute_shown(const Attribute& attribute) {
  detmpi_fortran_found_integer = attribute.integer.get();
  return attribute.value;
}

int attribute_set(int object, Attributes& attributes, Keyval& keyval, void* value) {
  const Held held(keyval);
  Attribute made = made_of(keyval, value, detmpi_fortran_given_integer);
  if (attribute_find(attributes, keyval) != nullptr) {
    const int code = attribute_delete(object, attributes, keyval);
    if (code != MPI_SUCCESS) return code;
  }
  ++keyval.refs;
  attributes.push_back(std::move(made));
  return MPI_SUCCESS;
}

int attribute_delete(int object, Attributes& attributes, Keyval& keyval) {
  const Attribute* attribute = attribute_find(attributes, keyval);
  if (attribute == nullptr) {
    return make_error(MPI_ERR_KEYVAL, "there is no attribute under key 0x%08x", static_cast<unsigned>(keyval.handle));
  }
  const Held held(keyval);
  if (keyval.remove != nullptr) {
    const Attribute deleted = *attribute;  // the callback may change the list
    const int code = [&] {
      const CallbackScope scope;
      return keyval.remove(object, keyval.handle, attribute_shown(deleted), keyval.extra);
    }();
    if (code != MPI_SUCCESS) return code;
  }
  const auto found = position(attributes, keyval);
  if (found != attributes.end()) {
    attributes.erase(found);
    --keyval.refs;  // not the last one, which `held` has
  }
  return MPI_SUCCESS;
}

int attributes_copy(int object, Attributes from, Attributes& to) {
  std::list<Held> held;
  for (const Attribute& attribute : from) held.emplace_back(*attribute.keyval);
  for (const Attribute& attribute : from) {
    Keyval& keyval = *attribute.keyval;
    if (keyval.copy == nullptr) continue;
    void* value = nullptr;
    int flag = 0;
    const int code = [&] {
      const CallbackScope scope;
      return keyval.copy(object, keyval.handle, keyval.extra, attribute_shown(attribute), &value, &flag);
    }();
    const void* integer = std::exchange(detmpi_fortran_given_integer, nullptr);
    if (value == attribute.value) integer = attribute.integer.get();  // a function of C's has copied the address
    if (code != MPI_SUCCESS) return code;
    if (flag == 0) continue;
    ++keyval.refs;
    to.push_back(made_of(keyval, value, integer));
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
