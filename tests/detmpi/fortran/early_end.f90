! Writes a line before MPI_Init, and one in rank 1, which then ends the job: early_end abort, or early_end inside: from
! within a statement that writes. The runtime library of Fortran holds both lines.
program early_end
  use mpi
  implicit none
  integer :: ierr, rank
  character(len=8) :: how
  call get_command_argument(1, how)
  write (*, '(a)') 'before'
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  if (rank == 1) then
    write (*, '(a)') 'rank 1 gives up'
    if (how == 'inside') write (*, '(i0)') given_up()
    call give_up()
  end if
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  call MPI_Finalize(ierr)
contains
  subroutine give_up()
    call MPI_Abort(MPI_COMM_WORLD, 5, ierr)
  end subroutine
  integer function given_up()
    call give_up()
    given_up = rank
  end function
end program
