// The datatype constructors.
#include "../object/errors.hpp"
#include "draft.hpp"
#include "envelope.hpp"
#include "impl.hpp"

namespace detmpi::impl {
namespace {

// Of displacements.
enum class Unit { kElements, kBytes };

int check_lengths(Integers lengths, MPI_Count count) {
  for (MPI_Count i = 0; i < count; ++i) {
    if (lengths[i] < 0) {
      return make_error(MPI_ERR_ARG, "array_of_blocklengths[%ld] is %ld (must not be negative)", i, lengths[i]);
    }
  }
  return MPI_SUCCESS;
}

ptrdiff_t displaced(Draft& draft, Unit unit, int64_t displacement, const Datatype& type) {
  return unit == Unit::kElements ? draft.scaled(displacement, type.extent) : displacement;
}

void describe(ConstructorCall& call, Unit unit, Integers displacements, MPI_Count count) {
  if (unit == Unit::kElements) call.integers(displacements, count);
  else call.addresses(displacements, count);
}

int make_indexed(ConstructorCall call, Unit unit, MPI_Count count, Integers lengths, Integers displacements,
                 const Datatype& oldtype, MPI_Datatype* newtype) {
  if (const int code = check_lengths(lengths, count)) return code;
  Draft draft;
  for (MPI_Count i = 0; i < count; ++i) {
    draft.add(displaced(draft, unit, displacements[i], oldtype), lengths[i], oldtype);
  }
  call.integer(count).integers(lengths, count).type(oldtype);
  describe(call, unit, displacements, count);
  return draft.make(call.envelope(), newtype);
}

int make_indexed_block(ConstructorCall call, Unit unit, MPI_Count count, MPI_Count length, Integers displacements,
                       const Datatype& oldtype, MPI_Datatype* newtype) {
  Draft draft;
  for (MPI_Count i = 0; i < count; ++i) draft.add(displaced(draft, unit, displacements[i], oldtype), length, oldtype);
  call.integer(count).integer(length).type(oldtype);
  describe(call, unit, displacements, count);
  return draft.make(call.envelope(), newtype);
}

}  // namespace

int type_contiguous(MPI_Count count, const Datatype& oldtype, MPI_Datatype* newtype, Form form) {
  Draft draft;
  draft.add(0, count, oldtype);
  return draft.make(ConstructorCall(MPI_COMBINER_CONTIGUOUS, form).integer(count).type(oldtype).envelope(), newtype);
}

int type_vector(MPI_Count count, MPI_Count blocklength, MPI_Count stride, const Datatype& oldtype,
                MPI_Datatype* newtype, Form form) {
  Draft draft;
  draft.add_strided(0, count, blocklength, draft.scaled(stride, oldtype.extent), oldtype);
  ConstructorCall call(MPI_COMBINER_VECTOR, form);
  call.integer(count).integer(blocklength).integer(stride).type(oldtype);
  return draft.make(call.envelope(), newtype);
}

int type_create_hvector(MPI_Count count, MPI_Count blocklength, MPI_Aint stride, const Datatype& oldtype,
                        MPI_Datatype* newtype, Form form) {
  Draft draft;
  draft.add_strided(0, count, blocklength, stride, oldtype);
  ConstructorCall call(MPI_COMBINER_HVECTOR, form);
  call.integer(count).integer(blocklength).address(stride).type(oldtype);
  return draft.make(call.envelope(), newtype);
}

int type_indexed(MPI_Count count, Integers array_of_blocklengths, Integers array_of_displacements,
                 const Datatype& oldtype, MPI_Datatype* newtype, Form form) {
  return make_indexed({MPI_COMBINER_INDEXED, form}, Unit::kElements, count, array_of_blocklengths,
                      array_of_displacements, oldtype, newtype);
}

int type_create_hindexed(MPI_Count count, Integers array_of_blocklengths, Integers array_of_displacements,
                         const Datatype& oldtype, MPI_Datatype* newtype, Form form) {
  return make_indexed({MPI_COMBINER_HINDEXED, form}, Unit::kBytes, count, array_of_blocklengths, array_of_displacements,
                      oldtype, newtype);
}

int type_create_indexed_block(MPI_Count count, MPI_Count blocklength, Integers array_of_displacements,
                              const Datatype& oldtype, MPI_Datatype* newtype, Form form) {
  return make_indexed_block({MPI_COMBINER_INDEXED_BLOCK, form}, Unit::kElements, count, blocklength,
                            array_of_displacements, oldtype, newtype);
}

int type_create_hindexed_block(MPI_Count count, MPI_Count blocklength, Integers array_of_displacements,
                               const Datatype& oldtype, MPI_Datatype* newtype, Form form) {
  return make_indexed_block({MPI_COMBINER_HINDEXED_BLOCK, form}, Unit::kBytes, count, blocklength,
                            array_of_displacements, oldtype, newtype);
}

int type_create_struct(MPI_Count count, Integers array_of_blocklengths, Integers array_of_displacements,
                       const MPI_Datatype array_of_types[], MPI_Datatype* newtype, Form form) {
  if (const int code = check_lengths(array_of_blocklengths, count)) return code;
  Draft draft;
  ConstructorCall call(MPI_COMBINER_STRUCT, form);
  call.integer(count).integers(array_of_blocklengths, count).addresses(array_of_displacements, count);
  for (MPI_Count i = 0; i < count; ++i) {
    const Datatype& type = *datatype_from(array_of_types[i]);
    draft.add(array_of_displacements[i], array_of_blocklengths[i], type);
    call.type(type);
  }
  draft.pad();
  return draft.make(call.envelope(), newtype);
}

int type_create_resized(const Datatype& oldtype, MPI_Aint lb, MPI_Aint extent, MPI_Datatype* newtype, Form form) {
  Draft draft;
  draft.add(0, 1, oldtype);
  draft.resize(lb, extent);
  ConstructorCall call(MPI_COMBINER_RESIZED, form);
  return draft.make(call.address(lb).address(extent).type(oldtype).envelope(), newtype);
}

int type_dup(const Datatype& oldtype, MPI_Datatype* newtype) {
  Datatype& type = datatype_register();
  static_cast<TypeShape&>(type) = oldtype;
  type.signature = {{1, TypeRef(oldtype)}};
  type.envelope = ConstructorCall(MPI_COMBINER_DUP, Form::kShort).type(oldtype).envelope();
  const int code = attributes_copy(oldtype.handle, oldtype.attributes, type.attributes);
  if (code != MPI_SUCCESS) {
    (void)datatype_close(type);
    *newtype = MPI_DATATYPE_NULL;
    return code;
  }
  *newtype = type.handle;
  return MPI_SUCCESS;
}

}  // namespace detmpi::impl
