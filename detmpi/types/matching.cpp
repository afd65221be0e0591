// Predefined types by what they hold: by class and size, by the parts of a pair, by Fortran's precision and range.
#include <map>
#include <tuple>

#include "../object/errors.hpp"
#include "datatype.hpp"
#include "impl.hpp"

namespace detmpi::impl {
namespace {

// A kind of Fortran's numbers: decimal digits and decimal exponents of a real, decimal digits of an integer.
struct RealKind {
  int precision;
  int range;
  MPI_Datatype real;
  MPI_Datatype complex;
};
constexpr RealKind kRealKinds[] = {
    {6, 37, MPI_REAL4, MPI_COMPLEX8},
    {15, 307, MPI_REAL8, MPI_COMPLEX16},
    {18, 4931, MPI_LONG_DOUBLE, MPI_C_LONG_DOUBLE_COMPLEX},  // gfortran's REAL(10)
    {33, 4931, MPI_REAL16, MPI_COMPLEX32},
};

struct IntegerKind {
  int range;
  MPI_Datatype type;
};
constexpr IntegerKind kIntegerKinds[] = {
    {2, MPI_INTEGER1},
    {4, MPI_INTEGER2},
    {9, MPI_INTEGER4},
    {18, MPI_INTEGER8},
};

// Types that programs asked for, so that the same question has the same answer. They live as long as the process.
using F90Arguments = std::tuple<int, int, int>;  // combiner, precision, range
std::map<F90Arguments, const Datatype*> g_f90_types;

MPI_Datatype f90_type(int combiner, int precision, int range, MPI_Datatype base) {
  const Datatype*& known = g_f90_types[{combiner, precision, range}];
  if (known == nullptr) {
    Datatype& type = datatype_register();
    static_cast<TypeShape&>(type) = *datatype_from(base);
    type.builtin = true;
    note_returned(type.handle);  // the program must not free it
    type.envelope.combiner = combiner;
    if (combiner != MPI_COMBINER_F90_INTEGER) type.envelope.integers.push_back(precision);
    type.envelope.integers.push_back(range);
    known = &type;
  }
  return known->handle;
}

const RealKind* find_real(int precision, int range) {
  for (const RealKind& kind : kRealKinds) {
    const bool digits = precision == MPI_UNDEFINED || precision <= kind.precision;
    const bool exponents = range == MPI_UNDEFINED || range <= kind.range;
    if (digits && exponents) return &kind;
  }
  return nullptr;
}

bool bad_choice(int value) { return value < 0 && value != MPI_UNDEFINED; }

int find_real_kind(int precision, int range, const RealKind** kind) {
  if (bad_choice(precision)) return make_error(MPI_ERR_ARG, "p is %d (must not be negative)", precision);
  if (bad_choice(range)) return make_error(MPI_ERR_ARG, "r is %d (must not be negative)", range);
  if (precision == MPI_UNDEFINED && range == MPI_UNDEFINED) {
    return make_error(MPI_ERR_ARG, "p and r are both MPI_UNDEFINED");
  }
  *kind = find_real(precision, range);
  if (*kind != nullptr) return MPI_SUCCESS;
  return make_error(MPI_ERR_ARG, "no type has a precision of %d digits and a range of %d", precision, range);
}

template <size_t kTypes>
MPI_Datatype of_size(const MPI_Datatype (&types)[kTypes], int size) {
  for (const MPI_Datatype type : types) {
    if (static_cast<int>(datatype_from(type)->size) == size) return type;
  }
  return MPI_DATATYPE_NULL;
}

MPI_Datatype match(int typeclass, int size) {
  switch (typeclass) {
    case MPI_TYPECLASS_REAL: return of_size({MPI_REAL4, MPI_REAL8, MPI_REAL16}, size);
    case MPI_TYPECLASS_COMPLEX: return of_size({MPI_COMPLEX8, MPI_COMPLEX16, MPI_COMPLEX32}, size);
    case MPI_TYPECLASS_INTEGER: return of_size({MPI_INTEGER1, MPI_INTEGER2, MPI_INTEGER4, MPI_INTEGER8}, size);
    default: return MPI_DATATYPE_NULL;
  }
}

struct Pair {
  MPI_Datatype type, value, index;
};
constexpr Pair kPairs[] = {
#define BASIC(handle, ctype, element, category)
#define PAIR(handle, first, second, value, index, element) {handle, value, index},
#include "basic_types.def"
};

}  // namespace

int type_create_f90_real(int p, int r, MPI_Datatype* newtype) {
  const RealKind* kind = nullptr;
  if (const int code = find_real_kind(p, r, &kind)) return code;
  *newtype = f90_type(MPI_COMBINER_F90_REAL, p, r, kind->real);
  return MPI_SUCCESS;
}

int type_create_f90_complex(int p, int r, MPI_Datatype* newtype) {
  const RealKind* kind = nullptr;
  if (const int code = find_real_kind(p, r, &kind)) return code;
  *newtype = f90_type(MPI_COMBINER_F90_COMPLEX, p, r, kind->complex);
  return MPI_SUCCESS;
}

int type_create_f90_integer(int r, MPI_Datatype* newtype) {
  if (r < 0) return make_error(MPI_ERR_ARG, "r is %d (must not be negative)", r);
  for (const IntegerKind& kind : kIntegerKinds) {
    if (r > kind.range) continue;
    *newtype = f90_type(MPI_COMBINER_F90_INTEGER, 0, r, kind.type);
    return MPI_SUCCESS;
  }
  return make_error(MPI_ERR_ARG, "no type has a range of %d digits", r);
}

int type_match_size(int typeclass, int size, MPI_Datatype* datatype) {
  const MPI_Datatype found = match(typeclass, size);
  if (found == MPI_DATATYPE_NULL) {
    return make_error(MPI_ERR_ARG, "no type of class %d has %d bytes", typeclass, size);
  }
  *datatype = found;
  return MPI_SUCCESS;
}

int type_get_value_index(const Datatype& value_type, const Datatype& index_type, MPI_Datatype* pair_type) {
  *pair_type = MPI_DATATYPE_NULL;
  for (const Pair& pair : kPairs) {
    if (pair.value == value_type.handle && pair.index == index_type.handle) *pair_type = pair.type;
  }
  return MPI_SUCCESS;
}

}  // namespace detmpi::impl
