// Integers of the program's that are ints, or of 64 bits: MPI_Send has the one, its form for large counts, MPI_Send_c,
// the other. Whatever implements both forms sees them through these, without a copy; single integers that are only read
// need nothing of the kind, and come as 64 bits.
#pragma once

#include <mpi.h>

#include <climits>
#include <concepts>
#include <cstdint>
#include <vector>

namespace detmpi {

// Which form of a function was called.
enum class Form : bool { kShort, kLarge };

// An array that is read.
class Integers {
 public:
  Integers(const int* list) : list_(list) {}
  Integers(const MPI_Count* list) : list_(list), form_(Form::kLarge) {}

  template <std::integral Index>
  int64_t operator[](Index i) const {
    return form_ == Form::kLarge ? static_cast<const MPI_Count*>(list_)[i] : static_cast<const int*>(list_)[i];
  }
  std::vector<int64_t> first(int n) const {
    std::vector<int64_t> values;
    for (int i = 0; i < n; ++i) values.push_back((*this)[i]);
    return values;
  }

 private:
  const void* list_;
  Form form_ = Form::kShort;
};

// One that is written.
class Integer {
 public:
  Integer(int* place) : place_(place) {}
  Integer(MPI_Count* place) : place_(place), form_(Form::kLarge) {}

  int64_t get() const {
    return form_ == Form::kLarge ? *static_cast<const MPI_Count*>(place_) : *static_cast<const int*>(place_);
  }
  bool holds(int64_t value) const { return form_ == Form::kLarge || (value >= INT_MIN && value <= INT_MAX); }
  // A negative value stands for a number that is not known. MPI_UNDEFINED is stored for that, and for one that is too
  // large.
  void set(int64_t value) const {
    if (value < 0 || !holds(value)) value = MPI_UNDEFINED;
    if (form_ == Form::kLarge) *static_cast<MPI_Count*>(place_) = value;
    else *static_cast<int*>(place_) = static_cast<int>(value);
  }

 private:
  void* place_;
  Form form_ = Form::kShort;
};

}  // namespace detmpi
