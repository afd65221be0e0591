! A program that was built with another library (other_fortran.c). Special arguments are known by the addresses of
! commons, which lie in the program. With module mpi the other library compares handles by functions of names of its own.
program built_for_another
  use, intrinsic :: iso_c_binding, only: c_int
  implicit none
  include 'mpif.h'
  interface
    integer(c_int) function same_comm(left, right) bind(C, name='__mpi_constants_MOD_commeq')
      import
      integer(c_int) :: left, right
    end function
    integer(c_int) function other_request(left, right) bind(C, name='__mpi_constants_MOD_requestneq')
      import
      integer(c_int) :: left, right
    end function
  end interface
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
  if (same_comm(MPI_COMM_WORLD, MPI_COMM_SELF) /= 0 .or. other_request(MPI_REQUEST_NULL, MPI_REQUEST_NULL) /= 0) stop 2
  if (same_comm(MPI_COMM_SELF, MPI_COMM_SELF) == 0 .or. other_request(0, MPI_REQUEST_NULL) == 0) stop 3
  if (rank == 0 .and. left == 3) print '(a, i0)', 'with DetMPI: ', total
  call mpi_finalize(ierr)
end program
