! Who a rank of a program with module mpi_f08 is, and its neighbours in a ring.
module f08_ring
  use mpi_f08
  implicit none
  integer :: rank, ranks, left, right
contains
  subroutine enter_ring()
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    right = mod(rank + 1, ranks)
    left = mod(rank + ranks - 1, ranks)
  end subroutine
end module
