// Programs that poll in loops.
#pragma once

namespace detmpi {

// After a test or probe that found nothing. The clock moves on, the further the more of them come in a row: so a rank
// that polls does not need thousands of calls to get to the time of what it waits for. Lets others run.
void failed_poll();

}  // namespace detmpi
