// What the constructors write into envelopes.
#pragma once

#include <utility>
#include <vector>

#include "datatype.hpp"

namespace detmpi {

inline Envelope describe(int combiner, std::vector<int> integers, const Datatype& type) {
  return {combiner, std::move(integers), {}, {TypeRef(type)}};
}

inline void append(std::vector<int>& list, const int array[], int count) {
  list.insert(list.end(), array, array + count);
}

}  // namespace detmpi
