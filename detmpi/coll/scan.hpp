// Folds that travel along the ranks.
#pragma once

#include "../object/comm.hpp"
#include "../ops/op.hpp"
#include "../types/datatype.hpp"
#include "signature.hpp"

namespace detmpi {

// out = a0 OP a1 OP ... up to this member's contribution `in`, both laid out as in a program's memory; they may be the
// same. Part of the operation of that signature, which has begun. Returns an error code.
int fold_along_ranks(const void* in, void* out, int64_t count, const Datatype& type, const Op& op, Comm& comm,
                     const Signature& signature);

}  // namespace detmpi
