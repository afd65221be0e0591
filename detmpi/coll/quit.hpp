// A rank that has been told that collective operations do not match takes part in none any more on that communicator:
// each of its calls there returns the same error, and those of members that wait for something from it do so, too. What
// it sent and published before stays, so who gets an error, and in which operation, depends on the program alone.
#pragma once

#include "../object/comm.hpp"
#include "mismatch.hpp"
#include "rounds.hpp"

namespace detmpi {

inline bool has_quit(const Comm& comm) { return !comm.transport->quit_with.text.empty(); }

// This rank quits, at its clock, unless it has; the error code, of the operations that do not match.
int quit(Comm& comm, const Sides& sides = {});
// The same where this rank's own call is wrong: see uneven().
int quit_uneven(Comm& comm, uint64_t sent, uint64_t received);
// The error code for a call of a rank that has quit.
int quit_code(const Comm& comm);

}  // namespace detmpi
