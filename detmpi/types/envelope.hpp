// What the constructors write into envelopes.
#pragma once

#include <mpi.h>

#include <utility>

#include "../object/integers.hpp"
#include "datatype.hpp"

namespace detmpi {

// A call of a constructor. Its arguments are added in their order; those that the form for large counts has as such go
// among these.
class ConstructorCall {
 public:
  ConstructorCall(int combiner, Form form) : form_(form) { envelope_.combiner = combiner; }

  ConstructorCall& integer(int64_t value) {
    if (form_ == Form::kLarge) envelope_.large_counts.push_back(value);
    else envelope_.integers.push_back(static_cast<int>(value));
    return *this;
  }
  ConstructorCall& address(int64_t value) {
    (form_ == Form::kLarge ? envelope_.large_counts : envelope_.addresses).push_back(value);
    return *this;
  }
  ConstructorCall& integers(Integers values, int64_t count) {
    for (int64_t i = 0; i < count; ++i) integer(values[i]);
    return *this;
  }
  ConstructorCall& addresses(Integers values, int64_t count) {
    for (int64_t i = 0; i < count; ++i) address(values[i]);
    return *this;
  }
  // Integers in both forms.
  ConstructorCall& plain(int value) {
    envelope_.integers.push_back(value);
    return *this;
  }
  ConstructorCall& plain(const int values[], int count) {
    envelope_.integers.insert(envelope_.integers.end(), values, values + count);
    return *this;
  }
  ConstructorCall& type(const Datatype& type) {
    envelope_.types.emplace_back(type);
    return *this;
  }

  // At last: nothing is left of it here.
  Envelope envelope() { return std::move(envelope_); }

 private:
  Form form_;
  Envelope envelope_;
};

}  // namespace detmpi
