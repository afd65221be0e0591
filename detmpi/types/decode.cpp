// What a type was made from.
#include <algorithm>
#include <iterator>

#include "../object/errors.hpp"
#include "datatype.hpp"
#include "impl.hpp"

namespace detmpi::impl {
namespace {

int check_room(const char* name, int64_t room, size_t wanted) {
  if (static_cast<size_t>(room) >= wanted) return MPI_SUCCESS;
  return make_error(MPI_ERR_ARG, "%s is %ld, but the type was made from %zu", name, room, wanted);
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

int type_get_envelope_c(const Datatype& datatype, MPI_Count* num_integers, MPI_Count* num_addresses,
                        MPI_Count* num_large_counts, MPI_Count* num_datatypes, int* combiner) {
  const Envelope& envelope = datatype.envelope;
  *num_integers = std::ssize(envelope.integers);
  *num_addresses = std::ssize(envelope.addresses);
  *num_large_counts = std::ssize(envelope.large_counts);
  *num_datatypes = std::ssize(envelope.types);
  *combiner = envelope.combiner;
  return MPI_SUCCESS;
}

int type_get_contents_c(const Datatype& datatype, MPI_Count max_integers, MPI_Count max_addresses,
                        MPI_Count max_large_counts, MPI_Count max_datatypes, int array_of_integers[],
                        MPI_Aint array_of_addresses[], MPI_Count array_of_large_counts[],
                        MPI_Datatype array_of_datatypes[]) {
  const Envelope& envelope = datatype.envelope;
  if (envelope.combiner == MPI_COMBINER_NAMED) {
    return make_error(MPI_ERR_TYPE, "%s is predefined and was not made from others", datatype.name.c_str());
  }
  if (const int code = check_room("max_integers", max_integers, envelope.integers.size())) return code;
  if (const int code = check_room("max_addresses", max_addresses, envelope.addresses.size())) return code;
  if (const int code = check_room("max_large_counts", max_large_counts, envelope.large_counts.size())) return code;
  if (const int code = check_room("max_datatypes", max_datatypes, envelope.types.size())) return code;
  std::copy(envelope.integers.begin(), envelope.integers.end(), array_of_integers);
  std::copy(envelope.addresses.begin(), envelope.addresses.end(), array_of_addresses);
  std::copy(envelope.large_counts.begin(), envelope.large_counts.end(), array_of_large_counts);
  std::transform(envelope.types.begin(), envelope.types.end(), array_of_datatypes,
                 [](const TypeRef& type) { return datatype_copy(*type); });
  return MPI_SUCCESS;
}

int type_get_contents(const Datatype& datatype, int max_integers, int max_addresses, int max_datatypes,
                      int array_of_integers[], MPI_Aint array_of_addresses[], MPI_Datatype array_of_datatypes[]) {
  if (!datatype.envelope.large_counts.empty()) {
    return make_error(MPI_ERR_TYPE, "the type was made from large counts: see MPI_Type_get_contents_c");
  }
  return type_get_contents_c(datatype, max_integers, max_addresses, 0, max_datatypes, array_of_integers,
                             array_of_addresses, nullptr, array_of_datatypes);
}

}  // namespace detmpi::impl
