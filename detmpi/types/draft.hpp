// A datatype under construction: parts are added in the order of the type map, then the draft becomes a type.
#pragma once

#include <vector>

#include "datatype.hpp"
#include "layout.hpp"

namespace detmpi {

class Draft {
 public:
  // `n` elements of `type`, one after the other from `displacement`.
  void add(ptrdiff_t displacement, int64_t n, const Datatype& type);

  // `count` blocks of `n` elements, `stride` bytes apart from `displacement`.
  void add_strided(ptrdiff_t displacement, int64_t count, int64_t n, ptrdiff_t stride, const Datatype& type);

  // Sets the bounds, as MPI_Type_create_resized does.
  void resize(ptrdiff_t lb, ptrdiff_t extent);

  // Rounds the extent up to the alignment of the strictest basic type, where nobody set the upper bound.
  void pad() { pad_ = true; }

  // a * b; a product that is out of bounds spoils the draft.
  ptrdiff_t scaled(int64_t a, ptrdiff_t b);

  // Registers the type. Returns an error code, and leaves *out alone on failure.
  int make(Envelope envelope, MPI_Datatype* out);

  // A type without a handle, to make others from.
  int make_part(TypeRef& out);

 private:
  struct Bound {
    bool known = false;
    bool sticky = false;
    ptrdiff_t value = 0;
  };

  static void lower(Bound& bound, ptrdiff_t value, bool sticky);
  static void raise(Bound& bound, ptrdiff_t value, bool sticky);
  void count_elements(int64_t n, const Datatype& type);
  void widen(ptrdiff_t low, ptrdiff_t high, const Datatype& type);
  int check() const;
  void fill(Datatype& type);

  std::vector<Placed> parts_;
  std::vector<SignatureItem> signature_;
  Bound lb_, ub_, true_lb_, true_ub_;
  size_t alignment_ = 1;
  size_t size_ = 0;
  int64_t elements_ = 0;
  bool too_large_ = false;
  bool pad_ = false;
};

}  // namespace detmpi
