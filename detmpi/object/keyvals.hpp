// Attributes of any kind of object: values that a program hangs on it under a key. Copy callbacks run in the order in
// which the attributes were set, delete callbacks in the reverse order.
#pragma once

#include <mpi.h>

#include <memory>
#include <vector>

#include "handle_table.hpp"

namespace detmpi {

// The callbacks are the same for all kinds of objects, whose handles are all ints.
using CopyAttribute = int(int object, int keyval, void* extra, void* in, void* out, int* flag);
using DeleteAttribute = int(int object, int keyval, void* value, void* extra);

struct Keyval {
  int handle = MPI_KEYVAL_INVALID;
  CopyAttribute* copy = nullptr;      // null: never copied
  DeleteAttribute* remove = nullptr;  // null: nothing to call
  void* extra = nullptr;
  void (*forget)(int handle) = nullptr;  // makes the handle invalid
  bool freed = false;                    // by the program: no more attributes are set under it
  int refs = 1;                          // the program until it frees the key, and every attribute
};

struct Attribute {
  Keyval* keyval;
  void* value;                                        // as C has it
  std::shared_ptr<const MPI_Aint> integer = nullptr;  // what that points at, if Fortran has set it
};

using Attributes = std::vector<Attribute>;

void keyval_release(Keyval& keyval);
int invalid_keyval(int handle);

// `object` is the handle that the callbacks see.
int attribute_set(int object, Attributes& attributes, Keyval& keyval, void* value);
int attribute_delete(int object, Attributes& attributes, Keyval& keyval);
// For a function of the program's, or for the program.
void* attribute_shown(const Attribute& attribute);
const Attribute* attribute_find(const Attributes& attributes, const Keyval& keyval);

// Copies the attributes of one object to another, as the copy callbacks decide. Returns the first callback's error.
int attributes_copy(int object, Attributes from, Attributes& to);

// Deletes all attributes. Returns the first callback's error; what was not deleted stays.
int attributes_delete_all(int object, Attributes& attributes);

// The keys of one kind of object, and the calls that name a key. Each returns an error code. A handle is valid as long
// as attributes are stored under the key, even if the program has freed it: a callback may free it once more.
template <HandleKind kObject>
class Keyvals {
 public:
  static int create(CopyAttribute* copy, DeleteAttribute* remove, int* keyval, void* extra) {
    auto* made = new Keyval{MPI_KEYVAL_INVALID, copy, remove, extra, [](int handle) { table_.erase(handle); }};
    *keyval = made->handle = table_.insert(made);
    return MPI_SUCCESS;
  }

  static int free(int* keyval) {
    Keyval* found = table_.get(*keyval);
    if (found == nullptr) return invalid_keyval(*keyval);
    if (!found->freed) {
      found->freed = true;
      note_returned(*keyval);
      keyval_release(*found);
    }
    *keyval = MPI_KEYVAL_INVALID;
    return MPI_SUCCESS;
  }

  static int set(int object, Attributes& attributes, int keyval, void* value) {
    Keyval* found = table_.get(keyval);
    if (found == nullptr || found->freed) return invalid_keyval(keyval);
    return attribute_set(object, attributes, *found, value);
  }

  static int get(const Attributes& attributes, int keyval, void* value, int* flag) {
    const Keyval* found = table_.get(keyval);
    if (found == nullptr) return invalid_keyval(keyval);
    const Attribute* attribute = attribute_find(attributes, *found);
    *flag = attribute != nullptr;
    if (attribute != nullptr) *static_cast<void**>(value) = attribute_shown(*attribute);
    return MPI_SUCCESS;
  }

  static int erase(int object, Attributes& attributes, int keyval) {
    Keyval* found = table_.get(keyval);
    return found == nullptr ? invalid_keyval(keyval) : attribute_delete(object, attributes, *found);
  }

 private:
  static inline HandleTable<Keyval, HandleKind::kKeyval, static_cast<uint32_t>(kObject) << 22> table_;
};

}  // namespace detmpi
