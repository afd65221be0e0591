// What a type was made from.
#include <algorithm>

#include "../object/errors.hpp"
#include "datatype.hpp"
#include "impl.hpp"

namespace detmpi::impl {
namespace {

int check_room(const char* name, int room, size_t wanted) {
  if (static_cast<size_t>(room) >= wanted) return MPI_SUCCESS;
  return make_error(MPI_ERR_ARG, "%s is %d, but the type was made from %zu", name, room, wanted);
}

}  // namespace

int type_get_envelope(const Datatype& datatype, int* num_integers, int* num_addresses, int* num_datatypes,
                      int* combiner) {
  const Envelope& envelope = datatype.envelope;
  *num_integers = static_cast<int>(envelope.integers.size());
  *num_addresses = static_cast<int>(envelope.addresses.size());
  *num_datatypes = static_cast<int>(envelope.types.size());
  *combiner = envelope.combiner;
  return MPI_SUCCESS;
}

int type_get_contents(const Datatype& datatype, int max_integers, int max_addresses, int max_datatypes,
                      int array_of_integers[], MPI_Aint array_of_addresses[], MPI_Datatype array_of_datatypes[]) {
  const Envelope& envelope = datatype.envelope;
  if (envelope.combiner == MPI_COMBINER_NAMED) {
    return make_error(MPI_ERR_TYPE, "%s is predefined and was not made from others", datatype.name.c_str());
  }
  if (const int code = check_room("max_integers", max_integers, envelope.integers.size())) return code;
  if (const int code = check_room("max_addresses", max_addresses, envelope.addresses.size())) return code;
  if (const int code = check_room("max_datatypes", max_datatypes, envelope.types.size())) return code;
  std::copy(envelope.integers.begin(), envelope.integers.end(), array_of_integers);
  std::copy(envelope.addresses.begin(), envelope.addresses.end(), array_of_addresses);
  std::transform(envelope.types.begin(), envelope.types.end(), array_of_datatypes,
                 [](const TypeRef& type) { return datatype_open(*type); });
  return MPI_SUCCESS;
}

}  // namespace detmpi::impl
