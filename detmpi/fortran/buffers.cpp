#include "buffers.hpp"

#include <cstring>
#include <string>
#include <vector>

#include "refusal.hpp"

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
  return PMPI_Type_get_extent(type, &lower, &extent) == MPI_SUCCESS &&
         PMPI_Type_get_true_extent(type, &true_lower, &true_extent) == MPI_SUCCESS && lower == 0 && extent == size &&
         true_lower == 0 && true_extent == size;
}

bool is_predefined(int combiner) {
  return combiner == MPI_COMBINER_NAMED || combiner == MPI_COMBINER_F90_REAL || combiner == MPI_COMBINER_F90_COMPLEX ||
         combiner == MPI_COMBINER_F90_INTEGER;
}

// The predefined type of which a dense type is a row, as far as the way it was made tells; else MPI_DATATYPE_NULL.
MPI_Datatype part_of(MPI_Datatype type) {
  if (type == MPI_2INTEGER) return MPI_INTEGER;
  if (type == MPI_2REAL) return MPI_REAL;
  if (type == MPI_2DOUBLE_PRECISION) return MPI_DOUBLE_PRECISION;
  MPI_Count integers = 0, addresses = 0, counts = 0, types = 0, length = 0;
  int combiner = MPI_COMBINER_NAMED, short_length = 0;
  PMPI_Type_get_envelope_c(type, &integers, &addresses, &counts, &types, &combiner);
  if (combiner == MPI_COMBINER_NAMED) return type;
  if (combiner != MPI_COMBINER_CONTIGUOUS && combiner != MPI_COMBINER_DUP) return MPI_DATATYPE_NULL;
  MPI_Datatype inner = MPI_DATATYPE_NULL;
  PMPI_Type_get_contents_c(type, integers, 0, counts, 1, &short_length, nullptr, &length, &inner);
  const MPI_Datatype part = part_of(inner);
  PMPI_Type_get_envelope_c(inner, &integers, &addresses, &counts, &types, &combiner);
  if (!is_predefined(combiner)) PMPI_Type_free(&inner);
  return part;
}

// A type for each element of the array, of `bytes`: some of `type`, or of what it consists of; else MPI_DATATYPE_NULL.
MPI_Datatype element_type(MPI_Datatype type, int size, int bytes) {
  if (bytes % size != 0) {
    type = part_of(type);
    if (type == MPI_DATATYPE_NULL) return type;
    PMPI_Type_size(type, &size);
    if (bytes % size != 0) return MPI_DATATYPE_NULL;
  }
  MPI_Datatype element = MPI_DATATYPE_NULL;
  PMPI_Type_contiguous(bytes / size, type, &element);
  return element;
}

// The first `n` elements of the array.
MPI_Datatype section_type(const Descriptor& array, size_t n, MPI_Datatype element) {
  std::vector<MPI_Count> places;
  each_element(array, [&](const char* at) { places.push_back(at - static_cast<char*>(array.base)); });
  MPI_Datatype made = MPI_DATATYPE_NULL;
  if (places.size() < n) return made;
  PMPI_Type_create_hindexed_block_c(static_cast<MPI_Count>(n), 1, places.data(), element, &made);
  PMPI_Type_commit(&made);
  return made;
}

}  // namespace

CopiedBuffer::CopiedBuffer(const Descriptor& array, Use use) : array_(array), use_(use) {
  if (!has_gaps(array)) return;
  const size_t element = element_size(array);
  size_t size = element;
  for (int i = 0; i < array.rank; ++i) size *= static_cast<size_t>(extent(array.dimensions[i]));
  copy_ = std::make_unique_for_overwrite<char[]>(size);
  char* to = copy_.get();
  each_element(array_, [&](const char* at) {
    std::memcpy(to, at, element);
    to += element;
  });
}

CopiedBuffer::~CopiedBuffer() {
  if (!copy_ || use_ == Use::kRead) return;
  const size_t element = element_size(array_);
  const char* from = copy_.get();
  each_element(array_, [&](char* at) {
    std::memcpy(at, from, element);
    from += element;
  });
}

TypedBuffer::TypedBuffer(const Descriptor& array, MPI_Count count, MPI_Datatype type)
    : base_(array.base), count_(count), type_(type) {
  if (count <= 0 || !has_gaps(array) || !detmpi_fortran_is_usable(type)) return;  // the call itself refuses the type
  int size = 0;
  PMPI_Type_size(type, &size);
  if (size == 0) return;
  const size_t bytes = static_cast<size_t>(size) * static_cast<size_t>(count), each = element_size(array);
  const bool whole = is_dense(type, size) && bytes % each == 0;
  MPI_Datatype element = whole ? element_type(type, size, static_cast<int>(each)) : MPI_DATATYPE_NULL;
  if (element == MPI_DATATYPE_NULL) {
    problem_ = "of other elements than those of the datatype, which a call that only starts an operation does not take";
    return;
  }
  made_ = section_type(array, bytes / each, element);
  if (made_ == MPI_DATATYPE_NULL) problem_ = "and has fewer elements than the call is to take";
  PMPI_Type_free(&element);
}

TypedBuffer::~TypedBuffer() {
  if (made_ != MPI_DATATYPE_NULL) PMPI_Type_free(&made_);
}

int refuse_section(const char* function, MPI_Comm comm, const char* buffer, const char* problem) {
  const std::string text =
      std::string(buffer) + " is an array section with gaps, " + problem + "; give it an array without gaps, and copy";
  return detmpi_fortran_refuse(function, comm, text.c_str());
}

}  // namespace detmpi::fortran
