! What the Fortran programs of the tests share, whatever the interface: checks that end the job.
module checks
  implicit none
contains
  subroutine expect(holds, what)
    logical, intent(in) :: holds
    character(len=*), intent(in) :: what
    external :: mpi_abort
    integer :: ierr
    if (holds) return
    write (0, '(2a)') 'not true: ', what
    flush (0)
    call mpi_abort(1140850688, 99, ierr)  ! MPI_COMM_WORLD
  end subroutine
end module
