// Packing and unpacking: in the order of memory, and in the portable representation external32.
#include <cstring>

#include "../object/errors.hpp"
#include "external32.hpp"
#include "impl.hpp"

namespace detmpi::impl {
namespace {

// Whether `bytes` bytes lie between the position and the end of a packed buffer.
int check_room(const void* packed, int64_t position, int64_t size, uint64_t bytes) {
  if (position < 0 || position > size || bytes > static_cast<uint64_t>(size - position)) {
    return make_error(MPI_ERR_TRUNCATE, "%lu bytes at position %ld reach beyond a buffer of %ld bytes", bytes, position,
                      size);
  }
  if (packed == nullptr && bytes > 0) return make_error(MPI_ERR_BUFFER, "the packed buffer is null");
  return MPI_SUCCESS;
}

// All ones where there are more than that.
uint64_t bytes_in(size_t size, MPI_Count count) {
  uint64_t bytes = 0;
  return __builtin_mul_overflow(size, static_cast<uint64_t>(count), &bytes) ? ~uint64_t{0} : bytes;
}

int check_size(uint64_t bytes) {
  if (bytes <= INT64_MAX) return MPI_SUCCESS;
  return make_error(MPI_ERR_COUNT, "%lu bytes are more than the size can hold", bytes);
}

int check_representation(const char* datarep) {
  if (strcmp(datarep, "external32") == 0) return MPI_SUCCESS;
  return make_error(MPI_ERR_ARG, "datarep is \"%.40s\" (must be \"external32\")", datarep);
}

}  // namespace

int pack(const void* inbuf, MPI_Count incount, const Datatype& datatype, void* outbuf, MPI_Count outsize,
         Integer position, Comm&) {
  const uint64_t bytes = bytes_in(datatype.size, incount);
  const int64_t start = position.get();
  if (const int code = check_room(outbuf, start, outsize, bytes)) return code;
  pack_all(static_cast<char*>(outbuf) + start, inbuf, incount, datatype);
  position.set(start + static_cast<int64_t>(bytes));
  return MPI_SUCCESS;
}

int unpack(const void* inbuf, MPI_Count insize, Integer position, void* outbuf, MPI_Count outcount,
           const Datatype& datatype, Comm&) {
  const uint64_t bytes = bytes_in(datatype.size, outcount);
  const int64_t start = position.get();
  if (const int code = check_room(inbuf, start, insize, bytes)) return code;
  unpack_all(outbuf, outcount, datatype, static_cast<const char*>(inbuf) + start);
  position.set(start + static_cast<int64_t>(bytes));
  return MPI_SUCCESS;
}

int pack_size(MPI_Count incount, const Datatype& datatype, Comm&, Integer size) {
  const uint64_t bytes = bytes_in(datatype.size, incount);
  size.set(static_cast<int64_t>(bytes));
  return MPI_SUCCESS;
}

int pack_external(const char* datarep, const void* inbuf, MPI_Count incount, const Datatype& datatype, void* outbuf,
                  MPI_Aint outsize, MPI_Aint* position) {
  if (const int code = check_representation(datarep)) return code;
  const uint64_t bytes = bytes_in(external_size(datatype), incount);
  if (const int code = check_room(outbuf, *position, outsize, bytes)) return code;
  char* external = static_cast<char*>(outbuf) + *position;
  if (const int code = external_pack(external, inbuf, incount, datatype)) return code;
  *position += static_cast<MPI_Aint>(bytes);
  return MPI_SUCCESS;
}

int unpack_external(const char* datarep, const void* inbuf, MPI_Aint insize, MPI_Aint* position, void* outbuf,
                    MPI_Count outcount, const Datatype& datatype) {
  if (const int code = check_representation(datarep)) return code;
  const uint64_t bytes = bytes_in(external_size(datatype), outcount);
  if (const int code = check_room(inbuf, *position, insize, bytes)) return code;
  const char* external = static_cast<const char*>(inbuf) + *position;
  if (const int code = external_unpack(outbuf, outcount, datatype, external)) return code;
  *position += static_cast<MPI_Aint>(bytes);
  return MPI_SUCCESS;
}

int pack_external_size(const char* datarep, MPI_Count incount, const Datatype& datatype, MPI_Aint* size) {
  if (const int code = check_representation(datarep)) return code;
  const uint64_t bytes = bytes_in(external_size(datatype), incount);
  if (const int code = check_size(bytes)) return code;
  *size = static_cast<MPI_Aint>(bytes);
  return MPI_SUCCESS;
}

}  // namespace detmpi::impl
