! Writes a line before MPI_Init to standard output, one in every rank, and both kinds to a file; then rank 1 ends the job,
! while the others wait: early_end abort FILE, or early_end inside FILE: from within a statement that writes; or because
! it does something else than they do: early_end mismatch FILE, or waits for a message: early_end stuck FILE, or crashes:
! early_end crash FILE.
program early_end
  use, intrinsic :: iso_c_binding
  use mpi
  implicit none
  integer :: ierr, rank, all, unit
  integer(c_intptr_t), volatile :: place = 16
  integer, pointer, volatile :: nowhere
  character(len=8) :: how
  character(len=256) :: name
  call get_command_argument(1, how)
  call get_command_argument(2, name)
  open (newunit=unit, file=name)
  write (unit, '(a)') 'before'
  write (*, '(a)') 'before'
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  write (*, '(a, i0)') 'rank ', rank
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  if (how == 'mismatch') write (unit, '(a)') 'differs'
  if (rank == 1) then
    write (unit, '(a)') 'rank 1 gives up'
    if (how == 'inside') write (unit, '(i0)') given_up()
    if (how == 'mismatch') call MPI_Allreduce(rank, all, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
    if (how == 'stuck') call MPI_Recv(all, 1, MPI_INTEGER, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    if (how == 'crash') then
      call c_f_pointer(transfer(place, c_null_ptr), nowhere)
      nowhere = 1
    end if
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
