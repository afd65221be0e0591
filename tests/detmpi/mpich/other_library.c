/* Stands for the MPI library that a program was built with; under detmpirun it must not be used. */
int MPI_Init(int *argc, char ***argv) {
  (void)argc, (void)argv;
  return 99;
}
int MPI_Comm_rank(int comm, int *rank) { return comm + *rank; }
int MPI_Allreduce(const void *send, void *receive, int count, int type, int op, int comm) {
  return send == receive ? comm : count + type + op;
}
int MPI_Finalize(void) { return 99; }
