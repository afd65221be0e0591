! A program that was built with another library (other_fortran.c). Special arguments are known by the addresses of
! commons, which lie in the program.
program built_for_another
  implicit none
  include 'mpif.h'
  integer :: ierr, rank, total, left
  ierr = 0
  call mpi_init(ierr)
  if (ierr /= MPI_SUCCESS) then
    print '(a)', 'with the other library'
    stop 1
  end if
  call mpi_comm_rank(MPI_COMM_WORLD, rank, ierr)
  total = rank
  call mpi_allreduce(MPI_IN_PLACE, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
  call mpi_sendrecv(rank, 1, MPI_INTEGER, mod(rank + 1, 4), 0, left, 1, MPI_INTEGER, mod(rank + 3, 4), 0, &
                    MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  if (rank == 0 .and. left == 3) print '(a, i0)', 'with DetMPI: ', total
  call mpi_finalize(ierr)
end program
