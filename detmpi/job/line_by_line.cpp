#include "line_by_line.hpp"

#include <cstdlib>

namespace detmpi {

void ask_for_lines() {
  constexpr int kKeep = 0;
  ::setenv("GFORTRAN_UNBUFFERED_PRECONNECTED", "y",
           kKeep);  // units that exist from the beginning, like standard output
  ::setenv("PYTHONUNBUFFERED", "1", kKeep);
}

}  // namespace detmpi
