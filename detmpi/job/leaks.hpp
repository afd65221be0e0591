// What the program has at MPI_Finalize and should not (detmpirun --leaks): objects that it has not freed, requests that
// it has not waited for, messages that nobody has received.
#pragma once

namespace detmpi {

// From now on it is noted where each handle was made: a walk over the stack in each such call.
void keep_account();

// All ranks are in MPI_Finalize, and behind a barrier. Collective: the first rank tells what all of them have.
void tell_leaks();

}  // namespace detmpi
