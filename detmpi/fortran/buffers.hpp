// Buffers of mpi_f08, which may be array sections with gaps. Where the array has none, all of these are its address.
#pragma once

#include <memory>

#include "descriptor.hpp"

namespace detmpi::fortran {

// For calls that are done with the buffer when they return: a section is copied to memory without gaps, and back where
// MPI may have written to it.
class CopiedBuffer {
 public:
  enum class Use { kRead, kWrite };

  CopiedBuffer(const Descriptor& array, Use use);
  ~CopiedBuffer();
  CopiedBuffer(const CopiedBuffer&) = delete;
  CopiedBuffer& operator=(const CopiedBuffer&) = delete;

  void* address() const { return copy_ ? copy_.get() : choice(array_.base); }
  static const char* problem() { return nullptr; }

 private:
  const Descriptor& array_;
  const Use use_;
  std::unique_ptr<char[]> copy_;
};

// For calls that start an operation and take all of the buffer as one row of elements: a section is described by a
// datatype, which lives as long as the operation does.
class TypedBuffer {
 public:
  TypedBuffer(const Descriptor& array, MPI_Count count, MPI_Datatype type);
  ~TypedBuffer();
  TypedBuffer(const TypedBuffer&) = delete;
  TypedBuffer& operator=(const TypedBuffer&) = delete;

  void* address() const { return choice(base_); }
  MPI_Count count() const { return made_ == MPI_DATATYPE_NULL ? count_ : 1; }
  MPI_Datatype type() const { return made_ == MPI_DATATYPE_NULL ? type_ : made_; }
  const char* problem() const { return problem_; }  // why there is no such type; null: there is one

 private:
  void* base_;
  MPI_Count count_;
  MPI_Datatype type_;
  MPI_Datatype made_ = MPI_DATATYPE_NULL;
  const char* problem_ = nullptr;
};

// For the others, which take arrays without gaps alone.
class WholeBuffer {
 public:
  explicit WholeBuffer(const Descriptor& array) : array_(array) {}

  void* address() const { return choice(array_.base); }
  const char* problem() const { return has_gaps(array_) ? "which this call does not take" : nullptr; }

 private:
  const Descriptor& array_;
};

// For what is not a buffer but a place in memory.
class AnyAddress {
 public:
  explicit AnyAddress(const Descriptor& array) : array_(array) {}

  void* address() const { return choice(array_.base); }
  static const char* problem() { return nullptr; }

 private:
  const Descriptor& array_;
};

// Raises the error of a call, which is not made: on the communicator, and returns its code.
int refuse_section(const char* function, MPI_Comm comm, const char* buffer, const char* problem);

}  // namespace detmpi::fortran
