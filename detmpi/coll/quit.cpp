#include "quit.hpp"

#include "../object/errors.hpp"

namespace detmpi {

int quit_code(const Comm& comm) {
  const auto& [error_class, text] = comm.transport->quit_with;
  return make_job_error(error_class, kStuckExit, text);
}

namespace {

// Those who wait for it are told before this rank looks for what differed, for which it may have to wait for them. They
// may wait for its clock alone. It is an action of its own: what the call has waited for came no later than this
// clock, so others may know that nothing which it does comes before the next tick.
void tell(Comm& comm) {
  g_clock += 1;
  comm.transport->board.quit(g_clock);
  notify_all(comm);
  g_engine.announce();
}

template <typename Find>
int quit_for(Comm& comm, Find&& find) {
  if (!has_quit(comm)) {
    tell(comm);
    const Mismatch found = find();
    comm.transport->quit_with = {found.error_class, found.text};
  }
  return quit_code(comm);
}

}  // namespace

int quit(Comm& comm, const Sides& sides) {
  return quit_for(comm, [&] { return find_mismatch(comm, g_clock, sides); });
}

int quit_uneven(Comm& comm, uint64_t sent, uint64_t received) {
  return quit_for(comm, [&] { return uneven(comm, sent, received); });
}

}  // namespace detmpi
