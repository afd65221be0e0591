#include "out_of_memory.hpp"

#include "../object/hooks.hpp"

namespace detmpi {

void end_out_of_memory(const std::string& what) {
  const std::string line =
      "DetMPI: no shared memory is left for " + what + "; detmpirun --memory=SIZE says how much there is\n";
  job_abort_together(1, line.c_str());
}

}  // namespace detmpi
