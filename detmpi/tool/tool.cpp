// Start and end of the tools interface, and enumerations.
#include "tool.hpp"

#include <algorithm>
#include <cstring>

#include "impl.hpp"

namespace detmpi {
namespace tool {

void give_text(const char* text, char* to, int* length) {
  if (length == nullptr) return;
  const size_t size = std::strlen(text);
  if (to != nullptr && *length > 0) {
    const size_t n = std::min(size, static_cast<size_t>(*length) - 1);
    std::memcpy(to, text, n);
    to[n] = '\0';
  }
  *length = static_cast<int>(size) + 1;
}

}  // namespace tool

namespace impl {

int t_init_thread(int required, int* provided) {
  tool::g_uses += 1;
  tool::give(provided, std::clamp<int>(required, MPI_THREAD_SINGLE, MPI_THREAD_SERIALIZED));
  return MPI_SUCCESS;
}

int t_finalize() {
  tool::g_uses -= 1;
  if (tool::g_uses > 0) return MPI_SUCCESS;
  tool::forget_control_handles();
  tool::forget_sessions();
  return MPI_SUCCESS;
}

int t_enum_get_info(MPI_T_enum enumtype, int* num, char* name, int* name_len) {
  if (enumtype == MPI_T_ENUM_NULL) return MPI_T_ERR_INVALID_HANDLE;
  tool::give(num, static_cast<int>(enumtype->items.size()));
  tool::give_text(enumtype->name, name, name_len);
  return MPI_SUCCESS;
}

int t_enum_get_item(MPI_T_enum enumtype, int indx, int* value, char* name, int* name_len) {
  if (enumtype == MPI_T_ENUM_NULL) return MPI_T_ERR_INVALID_HANDLE;
  if (!tool::has(enumtype->items, indx)) return MPI_T_ERR_INVALID_INDEX;
  tool::give(value, indx);
  tool::give_text(enumtype->items[static_cast<size_t>(indx)], name, name_len);
  return MPI_SUCCESS;
}

}  // namespace impl
}  // namespace detmpi
