#include "out_of_memory.hpp"

#include "../object/hooks.hpp"

namespace detmpi {

void end_out_of_memory(const std::string& what) {
  const std::string why = "no shared memory is left for " + what + "; detmpirun --memory=SIZE says how much there is";
  job_abort(1, why.c_str());
}

}  // namespace detmpi
