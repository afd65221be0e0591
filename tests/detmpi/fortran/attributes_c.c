/* The part in C of attributes.f90. */
#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

/* Read as int, too, as attributes of MPI-1 are. */
static MPI_Aint g_seven = 7, g_nine = 9;
static int g_deleted;

/* What is no address is returned as it is. */
static void* place_of(MPI_Comm comm, int key) {
  void* value = NULL;
  int flag = 0;
  MPI_Comm_get_attr(comm, key, &value, &flag);
  return flag && (uintptr_t)value > 4096 ? value : NULL;
}

MPI_Aint c_gets_(const MPI_Fint* comm, const MPI_Fint* key) {
  const MPI_Aint* place = place_of(MPI_Comm_f2c(*comm), *key);
  return place != NULL ? *place : -1;
}

MPI_Fint c_gets_int_(const MPI_Fint* comm, const MPI_Fint* key) {
  const int* place = place_of(MPI_Comm_f2c(*comm), *key);
  return place != NULL ? *place : -1;
}

MPI_Aint c_gets_of_type_(const MPI_Fint* type, const MPI_Fint* key) {
  void* value = NULL;
  int flag = 0;
  MPI_Type_get_attr(MPI_Type_f2c(*type), *key, &value, &flag);
  return flag && (uintptr_t)value > 4096 ? *(MPI_Aint*)value : -1;
}

MPI_Aint c_sets_(const MPI_Fint* comm, const MPI_Fint* key) {
  MPI_Comm_set_attr(MPI_Comm_f2c(*comm), *key, &g_seven);
  return (MPI_Aint)&g_seven;
}

static int copy_another(MPI_Comm comm, int key, void* extra, void* in, void* out, int* flag) {
  (void)comm, (void)key, (void)extra, (void)in;
  *(void**)out = &g_nine;
  *flag = 1;
  return MPI_SUCCESS;
}

static int count_deleted(MPI_Comm comm, int key, void* value, void* extra) {
  (void)comm, (void)key, (void)extra;
  g_deleted += (uintptr_t)value > 4096 && *(MPI_Aint*)value == 5000000000;
  return MPI_SUCCESS;
}

MPI_Fint c_key_(const MPI_Fint* other) {
  int key = MPI_KEYVAL_INVALID;
  MPI_Comm_create_keyval(*other ? copy_another : MPI_COMM_DUP_FN, count_deleted, &key, NULL);
  return key;
}

MPI_Fint c_deleted_(void) { return g_deleted; }
