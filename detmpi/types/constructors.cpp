// The datatype constructors.
#include "../object/errors.hpp"
#include "draft.hpp"
#include "envelope.hpp"
#include "impl.hpp"

namespace detmpi::impl {
namespace {

int check_lengths(const int lengths[], int count) {
  for (int i = 0; i < count; ++i) {
    if (lengths[i] < 0) {
      return make_error(MPI_ERR_ARG, "array_of_blocklengths[%d] is %d (must not be negative)", i, lengths[i]);
    }
  }
  return MPI_SUCCESS;
}

// Displacements in elements (int) are scaled by the extent, those in bytes (MPI_Aint) are not.
ptrdiff_t displaced(Draft& draft, int displacement, const Datatype& type) {
  return draft.scaled(displacement, type.extent);
}
ptrdiff_t displaced(Draft&, MPI_Aint displacement, const Datatype&) { return displacement; }

void describe_displacements(Envelope& envelope, const int displacements[], int count) {
  append(envelope.integers, displacements, count);
}
void describe_displacements(Envelope& envelope, const MPI_Aint displacements[], int count) {
  envelope.addresses.assign(displacements, displacements + count);
}

template <class Displacement>
int make_indexed(int combiner, int count, const int lengths[], const Displacement displacements[],
                 const Datatype& oldtype, MPI_Datatype* newtype) {
  if (const int code = check_lengths(lengths, count)) return code;
  Draft draft;
  for (int i = 0; i < count; ++i) draft.add(displaced(draft, displacements[i], oldtype), lengths[i], oldtype);
  Envelope envelope = describe(combiner, {count}, oldtype);
  append(envelope.integers, lengths, count);
  describe_displacements(envelope, displacements, count);
  return draft.make(std::move(envelope), newtype);
}

template <class Displacement>
int make_indexed_block(int combiner, int count, int length, const Displacement displacements[], const Datatype& oldtype,
                       MPI_Datatype* newtype) {
  Draft draft;
  for (int i = 0; i < count; ++i) draft.add(displaced(draft, displacements[i], oldtype), length, oldtype);
  Envelope envelope = describe(combiner, {count, length}, oldtype);
  describe_displacements(envelope, displacements, count);
  return draft.make(std::move(envelope), newtype);
}

}  // namespace

int type_contiguous(int count, const Datatype& oldtype, MPI_Datatype* newtype) {
  Draft draft;
  draft.add(0, count, oldtype);
  return draft.make(describe(MPI_COMBINER_CONTIGUOUS, {count}, oldtype), newtype);
}

int type_vector(int count, int blocklength, int stride, const Datatype& oldtype, MPI_Datatype* newtype) {
  Draft draft;
  draft.add_strided(0, count, blocklength, draft.scaled(stride, oldtype.extent), oldtype);
  return draft.make(describe(MPI_COMBINER_VECTOR, {count, blocklength, stride}, oldtype), newtype);
}

int type_create_hvector(int count, int blocklength, MPI_Aint stride, const Datatype& oldtype, MPI_Datatype* newtype) {
  Draft draft;
  draft.add_strided(0, count, blocklength, stride, oldtype);
  Envelope envelope = describe(MPI_COMBINER_HVECTOR, {count, blocklength}, oldtype);
  envelope.addresses = {stride};
  return draft.make(std::move(envelope), newtype);
}

int type_indexed(int count, const int array_of_blocklengths[], const int array_of_displacements[],
                 const Datatype& oldtype, MPI_Datatype* newtype) {
  return make_indexed(MPI_COMBINER_INDEXED, count, array_of_blocklengths, array_of_displacements, oldtype, newtype);
}

int type_create_hindexed(int count, const int array_of_blocklengths[], const MPI_Aint array_of_displacements[],
                         const Datatype& oldtype, MPI_Datatype* newtype) {
  return make_indexed(MPI_COMBINER_HINDEXED, count, array_of_blocklengths, array_of_displacements, oldtype, newtype);
}

int type_create_indexed_block(int count, int blocklength, const int array_of_displacements[], const Datatype& oldtype,
                              MPI_Datatype* newtype) {
  return make_indexed_block(MPI_COMBINER_INDEXED_BLOCK, count, blocklength, array_of_displacements, oldtype, newtype);
}

int type_create_hindexed_block(int count, int blocklength, const MPI_Aint array_of_displacements[],
                               const Datatype& oldtype, MPI_Datatype* newtype) {
  return make_indexed_block(MPI_COMBINER_HINDEXED_BLOCK, count, blocklength, array_of_displacements, oldtype, newtype);
}

int type_create_struct(int count, const int array_of_blocklengths[], const MPI_Aint array_of_displacements[],
                       const MPI_Datatype array_of_types[], MPI_Datatype* newtype) {
  if (const int code = check_lengths(array_of_blocklengths, count)) return code;
  Draft draft;
  Envelope envelope;
  envelope.combiner = MPI_COMBINER_STRUCT;
  envelope.integers = {count};
  append(envelope.integers, array_of_blocklengths, count);
  envelope.addresses.assign(array_of_displacements, array_of_displacements + count);
  for (int i = 0; i < count; ++i) {
    const Datatype& type = *datatype_from(array_of_types[i]);
    draft.add(array_of_displacements[i], array_of_blocklengths[i], type);
    envelope.types.emplace_back(type);
  }
  draft.pad();
  return draft.make(std::move(envelope), newtype);
}

int type_create_resized(const Datatype& oldtype, MPI_Aint lb, MPI_Aint extent, MPI_Datatype* newtype) {
  Draft draft;
  draft.add(0, 1, oldtype);
  draft.resize(lb, extent);
  Envelope envelope = describe(MPI_COMBINER_RESIZED, {}, oldtype);
  envelope.addresses = {lb, extent};
  return draft.make(std::move(envelope), newtype);
}

int type_dup(const Datatype& oldtype, MPI_Datatype* newtype) {
  Datatype& type = datatype_register();
  static_cast<TypeShape&>(type) = oldtype;
  type.signature = {{1, TypeRef(oldtype)}};
  type.envelope = describe(MPI_COMBINER_DUP, {}, oldtype);
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
