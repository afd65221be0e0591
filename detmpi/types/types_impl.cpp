// Calls on datatypes that make no new ones, and counts in statuses.
#include <algorithm>
#include <cstring>

#include "../object/errors.hpp"
#include "datatype.hpp"
#include "impl.hpp"

namespace detmpi::impl {

int type_commit(MPI_Datatype* datatype) {
  writable(*datatype_from(*datatype)).committed = true;
  return MPI_SUCCESS;
}

int type_free(MPI_Datatype* datatype) {
  Datatype& type = writable(*datatype_from(*datatype));
  if (type.builtin) {
    return make_error(MPI_ERR_TYPE, "%s is predefined and cannot be freed", datatype_label(type).c_str());
  }
  if (const int code = datatype_close(type)) return code;
  *datatype = MPI_DATATYPE_NULL;
  return MPI_SUCCESS;
}

int type_size(const Datatype& datatype, Integer size) {
  size.set(static_cast<int64_t>(datatype.size));
  return MPI_SUCCESS;
}

int type_size_x(const Datatype& datatype, MPI_Count* size) { return type_size(datatype, size); }

int type_get_extent(const Datatype& datatype, MPI_Aint* lb, MPI_Aint* extent) {
  *lb = datatype.lb;
  *extent = datatype.extent;
  return MPI_SUCCESS;
}

int type_get_extent_x(const Datatype& datatype, MPI_Count* lb, MPI_Count* extent) {
  return type_get_extent(datatype, lb, extent);
}

int type_get_true_extent(const Datatype& datatype, MPI_Aint* true_lb, MPI_Aint* true_extent) {
  *true_lb = datatype.true_lb;
  *true_extent = datatype.true_extent;
  return MPI_SUCCESS;
}

int type_get_true_extent_x(const Datatype& datatype, MPI_Count* true_lb, MPI_Count* true_extent) {
  return type_get_true_extent(datatype, true_lb, true_extent);
}

int type_set_name(const Datatype& datatype, const char* type_name) {
  writable(datatype).name.assign(type_name, strnlen(type_name, MPI_MAX_OBJECT_NAME - 1));
  return MPI_SUCCESS;
}

int type_get_name(const Datatype& datatype, char* type_name, int* resultlen) {
  memcpy(type_name, datatype.name.c_str(), datatype.name.size() + 1);
  *resultlen = static_cast<int>(datatype.name.size());
  return MPI_SUCCESS;
}

int get_count(const MPI_Status* status, const Datatype& datatype, Integer count) {
  count.set(count_in(datatype, status_bytes(*status)));
  return MPI_SUCCESS;
}

int get_elements(const MPI_Status* status, const Datatype& datatype, Integer count) {
  count.set(elements_in(datatype, status_bytes(*status)));
  return MPI_SUCCESS;
}

int get_elements_x(const MPI_Status* status, const Datatype& datatype, MPI_Count* count) {
  return get_elements(status, datatype, count);
}

int status_set_elements(MPI_Status* status, const Datatype& datatype, MPI_Count count) {
  const auto size = static_cast<int64_t>(std::max<size_t>(datatype.size, 1));
  if (datatype.elements > 0 && count / datatype.elements >= INT64_MAX / size) {
    return make_error(MPI_ERR_COUNT, "%ld elements are more bytes than a status can hold", count);
  }
  status_set_bytes(*status, bytes_of(datatype, count));
  return MPI_SUCCESS;
}

int status_set_elements_x(MPI_Status* status, const Datatype& datatype, MPI_Count count) {
  return status_set_elements(status, datatype, count);
}

int status_set_cancelled(MPI_Status* status, int flag) {
  status->count_hi_and_cancelled = (status->count_hi_and_cancelled & ~1) | (flag != 0 ? 1 : 0);
  return MPI_SUCCESS;
}

int test_cancelled(const MPI_Status* status, int* flag) {
  *flag = status->count_hi_and_cancelled & 1;
  return MPI_SUCCESS;
}

}  // namespace detmpi::impl
