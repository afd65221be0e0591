! A tool in C (profiled_c.c) has its own MPI_Barrier, MPI_Bcast and MPI_Wtime: it sees what Fortran calls by the names
! that begin with MPI_, and nothing else.
subroutine with_module_mpi()
  use mpi
  use checks
  implicit none
  integer, external :: calls_seen
  integer :: ierr, value
  double precision :: time
  value = 0
  call PMPI_Barrier(MPI_COMM_SELF, ierr)
  call PMPI_Bcast(value, 1, MPI_INTEGER, 0, MPI_COMM_SELF, ierr)
  time = PMPI_Wtime()
  call expect(calls_seen() == 0, 'calls by the profiling names are not seen')
  call MPI_Barrier(MPI_COMM_SELF, ierr)
  call MPI_Bcast(value, 1, MPI_INTEGER, 0, MPI_COMM_SELF, ierr)
  time = MPI_Wtime() - time
  call expect(calls_seen() == 3, 'others are')
end subroutine

subroutine with_module_mpi_f08()
  use mpi_f08
  use checks
  implicit none
  integer, external :: calls_seen
  integer :: values(4)
  values = 0
  call PMPI_Barrier(MPI_COMM_SELF)
  call PMPI_Bcast(values(1:4:2), 2, MPI_INTEGER, 0, MPI_COMM_SELF)
  call expect(calls_seen() == 3, 'calls of mpi_f08 by the profiling names are not seen')
  call MPI_Barrier(MPI_COMM_SELF)
  call MPI_Bcast(values(1:4:2), 2, MPI_INTEGER, 0, MPI_COMM_SELF)
  call expect(calls_seen() == 5, 'others of mpi_f08 are')
end subroutine

! Functions of MPI-1 call those that have replaced them.
subroutine with_old_functions()
  use checks
  implicit none
  integer, external :: calls_seen
  external :: mpi_type_extent, pmpi_type_extent
  integer :: extent, ierr
  call pmpi_type_extent(1275069467, extent, ierr)  ! MPI_INTEGER
  call expect(calls_seen() == 5 .and. extent == 4, 'old calls by the profiling names are not seen')
  call mpi_type_extent(1275069467, extent, ierr)
  call expect(calls_seen() == 6 .and. extent == 4, 'other old ones are')
end subroutine

program profiled
  use mpi
  implicit none
  integer :: ierr
  call MPI_Init(ierr)
  call with_module_mpi()
  call with_module_mpi_f08()
  call with_old_functions()
  print *, 'profiling names hold'
  call MPI_Finalize(ierr)
end program
