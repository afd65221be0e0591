// What the forms of the broadcast share.
#pragma once

#include <cstddef>

namespace detmpi {

// The root has sent that many bytes, and there are as many here? Returns an error code.
int check_bcast(size_t sent, size_t here);

}  // namespace detmpi
