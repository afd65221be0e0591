! Sections with gaps where each rank's part of the buffer would have to be told apart.
program refused_section
  use mpi_f08
  implicit none
  integer, asynchronous :: from(6), to(6)
  type(MPI_Request) :: request
  from = 1
  call MPI_Init()
  call MPI_Iallreduce(from(1:6:2), to(1:6:2), 3, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, request)
  call MPI_Finalize()
end program
