/* Stands for the Fortran library that a program was built with; under detmpirun it must not be used. Since it has the
 * commons too, the linker makes those of the program known to all libraries. */
int mpipriv1_[7], mpipriv2_[6], mpifcmb5_, mpifcmb9_;
char mpiprivc_[2];
int __mpi_constants_MOD_commeq(const int *left, const int *right) { return *left + *right; }
int __mpi_constants_MOD_requestneq(const int *left, const int *right) { return *left + *right; }

void mpi_init_(int* error) { *error = 99; }
void mpi_comm_rank_(void) {}
void mpi_allreduce_(void) {}
void mpi_sendrecv_(void) {}
void mpi_finalize_(void) {}
