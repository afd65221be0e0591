#include "block.hpp"

#include <base/copy.hpp>

#include <algorithm>

#include "../engine/copy.hpp"
#include "../object/errors.hpp"

namespace detmpi {

// From this core's memory to the same, so that copy_bytes has nothing to offer. In pieces, or else the library would
// write past the caches (two ranks, 512 KiB: 74 us for an allgather, not 82; 4 MiB whole: a fifth more).
static void copy_own(char* to, const char* from, size_t bytes) {
  constexpr size_t kPiece = 256 * 1024;
  for (size_t done = 0; done < bytes; done += kPiece)
    spmc::base::copy_memory(to + done, from + done, std::min(kPiece, bytes - done));
}

int copy_block(const Block& from, const Block& to) {
  const auto begin = [](const Block& block) { return place(static_cast<char*>(block.base), block.type->true_lb); };
  if (!from.type->dense || !to.type->dense || from.bytes() != to.bytes())
    return copy_block(bytes_of(from), bytes_of(to));
  copy_own(begin(to), begin(from), from.bytes());
  return MPI_SUCCESS;
}

void pack_to_shared(void* packed, const void* base, int64_t count, const Datatype& type) {
  if (!type.dense || count == 0) return pack_all(packed, base, count, type);
  copy_to_shared(packed, place(static_cast<const char*>(base), type.true_lb), static_cast<size_t>(count) * type.size);
}

int copy_block(TypedBytes in, TypedBytes out) {
  const size_t bytes = std::min(in.size(), out.size());
  if (in.flat() != nullptr && out.flat() != nullptr) {
    copy_own(out.flat(), in.flat(), bytes);
  } else if (in.flat() != nullptr) {
    out.write(in.flat(), bytes);
  } else if (out.flat() != nullptr) {
    in.read(out.flat(), bytes);
  } else {
    char piece[8192];  // stays in the first-level cache
    for (size_t done = 0; done < bytes; done += sizeof piece) {
      const size_t n = std::min(bytes - done, sizeof piece);
      in.read(piece, n);
      out.write(piece, n);
    }
  }
  if (in.size() <= out.size()) return MPI_SUCCESS;
  return make_error(MPI_ERR_TRUNCATE, "a rank's block of %zu bytes for itself is longer than its room of %zu bytes",
                    in.size(), out.size());
}

}  // namespace detmpi
