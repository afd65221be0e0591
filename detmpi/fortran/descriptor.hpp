// How gfortran (from version 9 on) describes an actual argument of TYPE(*), DIMENSION(..), which is how mpi_f08 passes
// buffers: where it begins, and how far its elements are apart.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sentinels.hpp"

namespace detmpi::fortran {

struct Dimension {
  ptrdiff_t stride;  // in spans
  ptrdiff_t lower;
  ptrdiff_t upper;
};

struct Descriptor {
  void* base;  // the first element
  size_t offset;
  size_t element;  // bytes; see element_size
  int32_t version;
  int8_t rank;
  int8_t type;
  int16_t attribute;
  ptrdiff_t span;  // bytes that a stride of one moves on by
  Dimension dimensions[15];
};
static_assert(sizeof(Descriptor) - sizeof(Descriptor::dimensions) == 40);

constexpr int8_t kUnlimitedPolymorphic = 10;  // the type of a CLASS(*)

// Bytes of one element. Of a CLASS(*) `element` is the size of a pointer.
inline size_t element_size(const Descriptor& array) {
  return array.type == kUnlimitedPolymorphic ? static_cast<size_t>(array.span) : array.element;
}

inline ptrdiff_t extent(const Dimension& d) { return d.upper < d.lower ? 0 : d.upper - d.lower + 1; }

// Bytes from one element of the dimension to the next.
inline ptrdiff_t stride(const Descriptor& array, const Dimension& d) { return d.stride * array.span; }

// Whether the elements do not follow one another. Where there are none, nothing is between them. That of an array of
// assumed size looks the same, as its last extent is not known; it has no gaps.
inline bool has_gaps(const Descriptor& array) {
  auto expected = static_cast<ptrdiff_t>(element_size(array));
  bool found = false;
  for (int i = 0; i < array.rank; ++i) {
    const Dimension& d = array.dimensions[i];
    if (extent(d) == 0) return false;
    if (extent(d) > 1 && stride(array, d) != expected) found = true;
    expected *= extent(d);
  }
  return found;
}

}  // namespace detmpi::fortran
