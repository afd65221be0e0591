#include "block.hpp"

#include <algorithm>

#include "../engine/request.hpp"
#include "../object/errors.hpp"

namespace detmpi {

int copy_block(const Block& from, const Block& to) {
  TypedBytes in(*from.type, from.base, from.count), out(*to.type, to.base, to.count);
  const size_t bytes = std::min(in.size(), out.size());
  if (in.flat() != nullptr) {
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
