! Module mpi_f08 with integers of MPI_COUNT_KIND: the generic names take them, and those in _c where a compiler could not
! tell the functions apart.
module large_callbacks
  use mpi_f08
  implicit none
contains
  subroutine multiply(invec, inoutvec, len, datatype)
    use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
    type(c_ptr), value :: invec, inoutvec
    integer(kind=MPI_COUNT_KIND) :: len
    type(MPI_Datatype) :: datatype
    integer, pointer :: in(:), inout(:)
    call c_f_pointer(invec, in, [len])
    call c_f_pointer(inoutvec, inout, [len])
    inout = in * inout
    if (datatype /= MPI_INTEGER) inout = -1
  end subroutine
end module

program large_f08
  use mpi_f08
  use large_callbacks
  use f08_ring
  use checks
  implicit none
  integer, parameter :: large = MPI_COUNT_KIND
  integer(kind=large), parameter :: many = 3000000000_large
  call enter_ring()
  call messages()
  call sections()
  call collective_operations()
  call operations()
  call types_and_statuses()
  call packing()
  if (rank == 0) print *, 'large counts hold on', ranks
  call MPI_Finalize()
contains
  subroutine messages()
    type(MPI_Status) :: status
    type(MPI_Request) :: request
    integer(kind=large) :: count
    integer :: got, ierr
    call MPI_Sendrecv(rank, 1_large, MPI_INTEGER, right, 7, got, 1_large, MPI_INTEGER, left, 7, MPI_COMM_WORLD, status, ierr)
    call expect(ierr == MPI_SUCCESS .and. got == left, 'the left neighbour')
    call MPI_Get_count(status, MPI_INTEGER, count)
    call expect(count == 1, 'one integer')
    call MPI_Irecv(got, 1_large, MPI_INTEGER, left, 1, MPI_COMM_WORLD, request)
    call MPI_Send(10 * rank, 1_large, MPI_INTEGER, right, 1, MPI_COMM_WORLD)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call expect(got == 10 * left, 'a message')
  end subroutine

  subroutine sections()
    integer :: out(8), in(8)
    type(MPI_Request) :: request
    out = rank
    in = -1
    call MPI_Irecv(in(1:8:2), 4_large, MPI_INTEGER, left, 2, MPI_COMM_WORLD, request)
    call MPI_Send(out(2:8:2), 4_large, MPI_INTEGER, right, 2, MPI_COMM_WORLD)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call expect(all(in(1:8:2) == left) .and. all(in(2:8:2) == -1), 'every other element')
  end subroutine

  subroutine collective_operations()
    integer :: i, all_ranks(0:2*ranks-1), mine
    integer(kind=large) :: counts(0:ranks-1)
    integer(kind=MPI_ADDRESS_KIND) :: places(0:ranks-1)
    type(MPI_Request) :: request
    counts = 1
    places = [(2_MPI_ADDRESS_KIND * i, i = 0, ranks - 1)]
    all_ranks = -1
    call MPI_Allgatherv(rank, 1_large, MPI_INTEGER, all_ranks, counts, places, MPI_INTEGER, MPI_COMM_WORLD)
    call expect(all(all_ranks == [(merge(i / 2, -1, mod(i, 2) == 0), i = 0, 2 * ranks - 1)]), 'all ranks')
    mine = rank
    call MPI_Ibcast(mine, 1_large, MPI_INTEGER, ranks - 1, MPI_COMM_WORLD, request)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call expect(mine == ranks - 1, 'a broadcast')
    call MPI_Allreduce(MPI_IN_PLACE, mine, 1_large, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    call expect(mine == ranks * (ranks - 1), 'a sum')
  end subroutine

  subroutine operations()
    type(MPI_Op) :: op
    integer :: product
    call MPI_Op_create_c(multiply, .true., op)
    call MPI_Allreduce(2, product, 1, MPI_INTEGER, op, MPI_COMM_WORLD)
    call expect(product == 2**ranks, 'an operation of large counts')
    call MPI_Op_free(op)
  end subroutine

  subroutine types_and_statuses()
    type(MPI_Datatype) :: type, parts(1)
    type(MPI_Status) :: status
    integer :: size, combiner, none(1)
    integer(kind=MPI_ADDRESS_KIND) :: nowhere(1)
    integer(kind=large) :: large_size, integers, addresses, counts, types, made_from(1), lb, extent
    call MPI_Type_contiguous(many, MPI_CHARACTER, type)
    call MPI_Type_size(type, size)
    call MPI_Type_size(type, large_size)
    call expect(size == MPI_UNDEFINED .and. large_size == many, 'a size')
    call MPI_Type_get_extent_c(type, lb, extent)
    call expect(lb == 0 .and. extent == many, 'an extent')
    call MPI_Type_get_envelope(type, integers, addresses, counts, types, combiner)
    call expect(integers == 0 .and. counts == 1 .and. types == 1 .and. combiner == MPI_COMBINER_CONTIGUOUS, 'an envelope')
    call MPI_Type_get_contents(type, integers, addresses, counts, types, none, nowhere, made_from, parts)
    call expect(made_from(1) == many .and. parts(1) == MPI_CHARACTER, 'its contents')
    call MPI_Type_free(type)
    status%count_lo = 0
    status%count_hi_and_cancelled = 0
    call MPI_Status_set_elements(status, MPI_INTEGER, many)
    call MPI_Get_elements(status, MPI_INTEGER, large_size)
    call expect(large_size == many, 'elements of a status')
  end subroutine

  subroutine packing()
    use, intrinsic :: iso_c_binding, only: c_ptr, c_associated
    character :: room(64)
    type(c_ptr) :: buffer
    integer(kind=large) :: position, size
    integer :: got
    position = 8
    call MPI_Pack(rank, 1_large, MPI_INTEGER, room, 64_large, position, MPI_COMM_WORLD)
    position = 8
    call MPI_Unpack(room, 64_large, position, got, 1_large, MPI_INTEGER, MPI_COMM_WORLD)
    call expect(got == rank .and. position == 12, 'packed and unpacked')
    call MPI_Buffer_attach(room, 64_large)
    call MPI_Buffer_detach(buffer, size)
    call expect(c_associated(buffer) .and. size == 64, 'a buffer of the same size')
  end subroutine
end program
