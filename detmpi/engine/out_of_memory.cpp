#include "out_of_memory.hpp"

#include "../object/call.hpp"
#include "../object/hooks.hpp"
#include "engine.hpp"

namespace detmpi {

void end_out_of_memory(const std::string& what) {
  end_at_limit("no shared memory is left for " + what + "; detmpirun --memory=SIZE says how much there is");
}

void end_at_limit(const std::string& limit) {
  const std::string line = "DetMPI: rank " + std::to_string(g_engine.rank()) + ": " + call_name(g_call.id) + ": " +
                           limit + "; the job ends\n";
  job_abort(1, line.c_str(), true);
}

}  // namespace detmpi
