// Attributes of communicators, keys, and the attributes that MPI defines.
#include "attributes.hpp"

#include <algorithm>
#include <climits>

#include "comm.hpp"
#include "errors.hpp"
#include "impl.hpp"

namespace detmpi {
namespace {

constexpr uint32_t kCommKeyval = 1U << 22;  // keys of communicators, as opposed to those of types and windows
HandleTable<Keyval, HandleKind::kKeyval, kCommKeyval> g_keyvals;

void release(Keyval& keyval) {
  if (--keyval.refs == 0) delete &keyval;
}

auto find_attribute(Comm& comm, const Keyval* keyval) {
  return std::find_if(comm.attributes.begin(), comm.attributes.end(),
                      [&](const Attribute& attribute) { return attribute.keyval == keyval; });
}

int invalid_keyval(int handle) {
  return make_error(MPI_ERR_KEYVAL, "0x%08x is not a valid attribute key", static_cast<unsigned>(handle));
}

// The last attribute set is deleted first, so that it may depend on those before it.
int delete_attribute(Comm& comm, size_t index) {
  const Attribute attribute = comm.attributes[index];
  Keyval& keyval = *attribute.keyval;
  if (keyval.remove != nullptr) {
    const int code = keyval.remove(comm.handle, keyval.handle, attribute.value, keyval.extra);
    if (code != MPI_SUCCESS) return code;
  }
  const auto found = find_attribute(comm, &keyval);  // the callback may have changed the list
  if (found != comm.attributes.end()) {
    comm.attributes.erase(found);
    release(keyval);
  }
  return MPI_SUCCESS;
}

// The address of a predefined attribute's value, null if there is no such attribute or it has no value.
int* predefined(int keyval) {
  static int tag_ub = INT_MAX, host = MPI_PROC_NULL, io = MPI_ANY_SOURCE, wtime_is_global = 1;
  static int universe_size, last_code, appnum = 0;
  switch (keyval) {
    case MPI_TAG_UB: return &tag_ub;
    case MPI_HOST: return &host;
    case MPI_IO: return &io;
    case MPI_WTIME_IS_GLOBAL: return &wtime_is_global;
    case MPI_APPNUM: return &appnum;
    case MPI_UNIVERSE_SIZE: universe_size = g_comm_world->size; return &universe_size;
    case MPI_LASTUSEDCODE: last_code = last_used_code(); return &last_code;
    default: return nullptr;
  }
}

}  // namespace

int attributes_copy(Comm& from, Comm& to) {
  const Attributes source = from.attributes;
  for (const Attribute& attribute : source) {
    Keyval& keyval = *attribute.keyval;
    if (keyval.copy == nullptr) continue;
    void* value = nullptr;
    int flag = 0;
    const int code = keyval.copy(from.handle, keyval.handle, keyval.extra, attribute.value, &value, &flag);
    if (code != MPI_SUCCESS) return code;
    if (flag == 0) continue;
    ++keyval.refs;
    to.attributes.push_back({&keyval, value});
  }
  return MPI_SUCCESS;
}

int attributes_delete_all(Comm& comm) {
  while (!comm.attributes.empty()) {
    const int code = delete_attribute(comm, comm.attributes.size() - 1);
    if (code != MPI_SUCCESS) return code;
  }
  return MPI_SUCCESS;
}

namespace impl {

int comm_create_keyval(MPI_Comm_copy_attr_function* comm_copy_attr_fn,
                       MPI_Comm_delete_attr_function* comm_delete_attr_fn, int* comm_keyval, void* extra_state) {
  auto* keyval = new Keyval;
  keyval->copy = comm_copy_attr_fn;
  keyval->remove = comm_delete_attr_fn;
  keyval->extra = extra_state;
  keyval->handle = g_keyvals.insert(keyval);
  *comm_keyval = keyval->handle;
  return MPI_SUCCESS;
}

int comm_free_keyval(int* comm_keyval) {
  Keyval* keyval = g_keyvals.get(*comm_keyval);
  if (keyval == nullptr) return invalid_keyval(*comm_keyval);
  g_keyvals.erase(*comm_keyval);
  release(*keyval);
  *comm_keyval = MPI_KEYVAL_INVALID;
  return MPI_SUCCESS;
}

int comm_set_attr(Comm& comm, int comm_keyval, void* attribute_val) {
  Keyval* keyval = g_keyvals.get(comm_keyval);
  if (keyval == nullptr) return invalid_keyval(comm_keyval);
  const auto found = find_attribute(comm, keyval);
  if (found != comm.attributes.end()) {
    const int code = delete_attribute(comm, static_cast<size_t>(found - comm.attributes.begin()));
    if (code != MPI_SUCCESS) return code;
  }
  ++keyval->refs;
  comm.attributes.push_back({keyval, attribute_val});
  return MPI_SUCCESS;
}

int comm_get_attr(Comm& comm, int comm_keyval, void* attribute_val, int* flag) {
  if (int* value = predefined(comm_keyval)) {
    *flag = 1;
    *static_cast<int**>(attribute_val) = value;
    return MPI_SUCCESS;
  }
  Keyval* keyval = g_keyvals.get(comm_keyval);
  if (keyval == nullptr) return invalid_keyval(comm_keyval);
  const auto found = find_attribute(comm, keyval);
  *flag = found != comm.attributes.end();
  if (*flag != 0) *static_cast<void**>(attribute_val) = found->value;
  return MPI_SUCCESS;
}

int comm_delete_attr(Comm& comm, int comm_keyval) {
  Keyval* keyval = g_keyvals.get(comm_keyval);
  if (keyval == nullptr) return invalid_keyval(comm_keyval);
  const auto found = find_attribute(comm, keyval);
  if (found == comm.attributes.end()) {
    return make_error(MPI_ERR_KEYVAL, "the communicator has no attribute under key 0x%08x",
                      static_cast<unsigned>(comm_keyval));
  }
  return delete_attribute(comm, static_cast<size_t>(found - comm.attributes.begin()));
}

}  // namespace impl
}  // namespace detmpi

extern "C" __attribute__((visibility("default"))) int MPIR_Dup_fn(MPI_Comm, int, void*, void* in, void* out,
                                                                  int* flag) {
  *static_cast<void**>(out) = in;
  *flag = 1;
  return MPI_SUCCESS;
}
