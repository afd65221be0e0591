#include "buffers.hpp"

#include <cstring>
#include <vector>

namespace detmpi::fortran {
namespace {

// Calls `f` with the address of each element, in the order of array elements.
template <class F>
void each_element(const Descriptor& array, int dimension, char* at, const F& f) {
  if (dimension < 0) return f(at);
  const Dimension& d = array.dimensions[dimension];
  for (ptrdiff_t i = 0; i < extent(d); ++i) each_element(array, dimension - 1, at + i * stride(array, d), f);
}

template <class F>
void each_element(const Descriptor& array, const F& f) {
  each_element(array, array.rank - 1, static_cast<char*>(array.base), f);
}

// A type of one piece without gaps, so that its elements may lie anywhere.
bool is_dense(MPI_Datatype type, int size) {
  MPI_Aint lower = 0, extent = 0, true_lower = 0, true_extent = 0;
  return MPI_Type_get_extent(type, &lower, &extent) == MPI_SUCCESS &&
         MPI_Type_get_true_extent(type, &true_lower, &true_extent) == MPI_SUCCESS && lower == 0 && extent == size &&
         true_lower == 0 && true_extent == size;
}

// The first `n` elements of the array, of which each is of the type.
int section_type(const Descriptor& array, size_t n, MPI_Datatype element, MPI_Datatype* made) {
  std::vector<MPI_Count> places;
  each_element(array, [&](const char* at) { places.push_back(at - static_cast<char*>(array.base)); });
  if (places.size() < n) return MPI_ERR_BUFFER;
  const int code = MPI_Type_create_hindexed_block_c(static_cast<MPI_Count>(n), 1, places.data(), element, made);
  return code == MPI_SUCCESS ? MPI_Type_commit(made) : code;
}

}  // namespace

CopiedBuffer::CopiedBuffer(const Descriptor& array, Use use) : array_(array), use_(use) {
  if (!has_gaps(array)) return;
  size_t size = array.element;
  for (int i = 0; i < array.rank; ++i) size *= static_cast<size_t>(extent(array.dimensions[i]));
  copy_ = std::make_unique_for_overwrite<char[]>(size);
  char* to = copy_.get();
  each_element(array_, [&](const char* at) {
    std::memcpy(to, at, array_.element);
    to += array_.element;
  });
}

CopiedBuffer::~CopiedBuffer() {
  if (!copy_ || use_ == Use::kRead) return;
  const char* from = copy_.get();
  each_element(array_, [&](char* at) {
    std::memcpy(at, from, array_.element);
    from += array_.element;
  });
}

TypedBuffer::TypedBuffer(const Descriptor& array, MPI_Count count, MPI_Datatype type)
    : base_(array.base), count_(count), type_(type) {
  if (count <= 0 || !has_gaps(array)) return;
  int size = 0;
  code_ = MPI_Type_size(type, &size);
  if (code_ != MPI_SUCCESS || size == 0) return;
  const size_t bytes = static_cast<size_t>(size) * static_cast<size_t>(count);
  const bool fits = is_dense(type, size) && array.element % static_cast<size_t>(size) == 0;
  if (!fits || bytes % array.element != 0) {
    code_ = MPI_ERR_BUFFER;
    return;
  }
  MPI_Datatype element = MPI_DATATYPE_NULL;
  code_ = MPI_Type_contiguous(static_cast<int>(array.element) / size, type, &element);
  if (code_ != MPI_SUCCESS) return;
  code_ = section_type(array, bytes / array.element, element, &made_);
  MPI_Type_free(&element);
}

TypedBuffer::~TypedBuffer() {
  if (made_ != MPI_DATATYPE_NULL) MPI_Type_free(&made_);
}

int raise_buffer_error(MPI_Comm comm, int code) {
  MPI_Comm_call_errhandler(comm, code);
  return code;
}

}  // namespace detmpi::fortran
