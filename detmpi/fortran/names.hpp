// The names under which Fortran compilers look for one function: in lower case with no, one or two underscores, in
// upper case; with and without P; and what mpi_f08 has them called. A name with P leads on to the function of C with P,
// whose place no tool takes; both have one body, which no other library sees.
#pragma once

#define DETMPI_FORTRAN_EXPORT __attribute__((visibility("default")))
#define DETMPI_FORTRAN_ALIAS(name, target) \
  extern "C" DETMPI_FORTRAN_EXPORT __attribute__((weak, alias(#target))) decltype(target) name

#define DETMPI_FORTRAN_LOWER(lower, target)     \
  DETMPI_FORTRAN_ALIAS(mpi_##lower, target);    \
  DETMPI_FORTRAN_ALIAS(mpi_##lower##_, target); \
  DETMPI_FORTRAN_ALIAS(mpi_##lower##__, target)

// By the profiling name: the body learns it from a variable (binding.hpp), which leaves the arguments where they are,
// so this is a jump.
#define DETMPI_FORTRAN_PROFILING(type, name, body, params, arguments) \
  extern "C" DETMPI_FORTRAN_EXPORT type name params {                 \
    g_profiling_call = __builtin_return_address(0);                   \
    return body arguments;                                            \
  }

#define DETMPI_FORTRAN_BEGIN(type, lower, UPPER, params, arguments)                     \
  extern "C" [[gnu::noinline]] type detmpi_##lower##_ params;                           \
  DETMPI_FORTRAN_PROFILING(type, pmpi_##lower##_, detmpi_##lower##_, params, arguments) \
  DETMPI_FORTRAN_LOWER(lower, detmpi_##lower##_);                                       \
  DETMPI_FORTRAN_ALIAS(MPI_##UPPER, detmpi_##lower##_);                                 \
  DETMPI_FORTRAN_ALIAS(pmpi_##lower, pmpi_##lower##_);                                  \
  DETMPI_FORTRAN_ALIAS(pmpi_##lower##__, pmpi_##lower##_);                              \
  DETMPI_FORTRAN_ALIAS(PMPI_##UPPER, pmpi_##lower##_)

// A function that takes the same arguments from all interfaces. `arguments`: the names of its parameters.
#define DETMPI_FORTRAN(type, lower, UPPER, params, arguments)  \
  DETMPI_FORTRAN_BEGIN(type, lower, UPPER, params, arguments); \
  DETMPI_FORTRAN_ALIAS(mpi_##lower##_f08_, detmpi_##lower##_); \
  DETMPI_FORTRAN_ALIAS(pmpir_##lower##_f08_, pmpi_##lower##_); \
  extern "C" type detmpi_##lower##_ params

// A function with buffers, which come as addresses from mpif.h and module mpi ...
#define DETMPI_FORTRAN_BUFFERS(type, lower, UPPER, params, arguments) \
  DETMPI_FORTRAN_BEGIN(type, lower, UPPER, params, arguments);        \
  extern "C" type detmpi_##lower##_ params

// ... and with descriptors from mpi_f08.
#define DETMPI_FORTRAN_DESCRIBED(type, lower, UPPER, params, arguments) \
  DETMPI_FORTRAN_F08(type, lower##_f08ts, params, arguments)

// A function of mpi_f08 alone, as those for large counts are.
#define DETMPI_FORTRAN_F08(type, name, params, arguments)                              \
  extern "C" [[gnu::noinline]] type detmpi_##name##_ params;                           \
  DETMPI_FORTRAN_PROFILING(type, pmpir_##name##_, detmpi_##name##_, params, arguments) \
  DETMPI_FORTRAN_ALIAS(mpi_##name##_, detmpi_##name##_);                               \
  extern "C" type detmpi_##name##_ params

// The same function for a TYPE(C_PTR) in place of an integer that holds an address.
#define DETMPI_FORTRAN_POINTER(lower)                           \
  DETMPI_FORTRAN_ALIAS(mpi_##lower##_cptr_, detmpi_##lower##_); \
  DETMPI_FORTRAN_ALIAS(pmpi_##lower##_cptr_, pmpi_##lower##_)
