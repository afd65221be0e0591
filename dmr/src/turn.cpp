// A worker leaves the job's function for work of the engine's, and comes back (outside_turn).
#include "worker.hpp"

namespace dmr::detail {

bool leave_turn() {
  if (g_line == nullptr || !g_line->in_turn()) return false;
  g_line->leave_turn();
  return true;
}

void enter_turn() { g_line->enter_turn(); }

void note_failure() { g_line->note_failure(); }

}  // namespace dmr::detail
