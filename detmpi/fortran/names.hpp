// The names under which Fortran compilers look for one function: in lower case with no, one or two underscores, in
// upper case; with and without P; and what mpi_f08 has them called.
#pragma once

#define DETMPI_FORTRAN_EXPORT __attribute__((visibility("default")))
#define DETMPI_FORTRAN_ALIAS(name, target) \
  extern "C" DETMPI_FORTRAN_EXPORT __attribute__((weak, alias(#target))) decltype(target) name

#define DETMPI_FORTRAN_LOWER(lower, target)     \
  DETMPI_FORTRAN_ALIAS(mpi_##lower, target);    \
  DETMPI_FORTRAN_ALIAS(mpi_##lower##_, target); \
  DETMPI_FORTRAN_ALIAS(mpi_##lower##__, target)

#define DETMPI_FORTRAN_BEGIN(type, lower, UPPER, params)        \
  extern "C" DETMPI_FORTRAN_EXPORT type pmpi_##lower##_ params; \
  DETMPI_FORTRAN_LOWER(lower, pmpi_##lower##_);                 \
  DETMPI_FORTRAN_ALIAS(MPI_##UPPER, pmpi_##lower##_);           \
  DETMPI_FORTRAN_ALIAS(pmpi_##lower, pmpi_##lower##_);          \
  DETMPI_FORTRAN_ALIAS(pmpi_##lower##__, pmpi_##lower##_);      \
  DETMPI_FORTRAN_ALIAS(PMPI_##UPPER, pmpi_##lower##_)

// A function that takes the same arguments from all interfaces.
#define DETMPI_FORTRAN(type, lower, UPPER, params)             \
  DETMPI_FORTRAN_BEGIN(type, lower, UPPER, params);            \
  DETMPI_FORTRAN_ALIAS(mpi_##lower##_f08_, pmpi_##lower##_);   \
  DETMPI_FORTRAN_ALIAS(pmpir_##lower##_f08_, pmpi_##lower##_); \
  extern "C" DETMPI_FORTRAN_EXPORT type pmpi_##lower##_ params

// A function with buffers, which come as addresses from mpif.h and module mpi ...
#define DETMPI_FORTRAN_BUFFERS(type, lower, UPPER, params) \
  DETMPI_FORTRAN_BEGIN(type, lower, UPPER, params);        \
  extern "C" DETMPI_FORTRAN_EXPORT type pmpi_##lower##_ params

// ... and with descriptors from mpi_f08.
#define DETMPI_FORTRAN_DESCRIBED(type, lower, UPPER, params) DETMPI_FORTRAN_F08(type, lower##_f08ts, params)

// A function of mpi_f08 alone, as those for large counts are.
#define DETMPI_FORTRAN_F08(type, name, params)                  \
  extern "C" DETMPI_FORTRAN_EXPORT type pmpir_##name##_ params; \
  DETMPI_FORTRAN_ALIAS(mpi_##name##_, pmpir_##name##_);         \
  extern "C" DETMPI_FORTRAN_EXPORT type pmpir_##name##_ params

// The same function for a TYPE(C_PTR) in place of an integer that holds an address.
#define DETMPI_FORTRAN_POINTER(lower)                         \
  DETMPI_FORTRAN_ALIAS(mpi_##lower##_cptr_, pmpi_##lower##_); \
  DETMPI_FORTRAN_ALIAS(pmpi_##lower##_cptr_, pmpi_##lower##_)
