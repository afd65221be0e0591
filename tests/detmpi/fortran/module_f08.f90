! Module mpi_f08: types, optional error codes, sentinels, array sections, callbacks, strings.
module f08_callbacks
  use mpi_f08
  implicit none
  integer :: deleted = 0, noticed = 0
contains
  subroutine add_pairs(invec, inoutvec, len, datatype)
    use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
    type(c_ptr), value :: invec, inoutvec
    integer :: len
    type(MPI_Datatype) :: datatype
    integer, pointer :: in(:), inout(:)
    call c_f_pointer(invec, in, [2 * len])
    call c_f_pointer(inoutvec, inout, [2 * len])
    inout = in + inout
    if (datatype == MPI_DATATYPE_NULL) inout = -1
  end subroutine

  subroutine copy_twice(oldcomm, keyval, extra_state, attribute_val_in, attribute_val_out, flag, ierror)
    type(MPI_Comm) :: oldcomm
    integer :: keyval, ierror
    integer(kind=MPI_ADDRESS_KIND) :: extra_state, attribute_val_in, attribute_val_out
    logical :: flag
    attribute_val_out = 2 * attribute_val_in + extra_state
    flag = oldcomm == MPI_COMM_SELF .and. keyval /= MPI_KEYVAL_INVALID
    ierror = MPI_SUCCESS
  end subroutine

  subroutine count_deleted(comm, keyval, attribute_val, extra_state, ierror)
    type(MPI_Comm) :: comm
    integer :: keyval, ierror
    integer(kind=MPI_ADDRESS_KIND) :: attribute_val, extra_state
    if (comm /= MPI_COMM_NULL .and. keyval /= 0 .and. attribute_val >= extra_state) deleted = deleted + 1
    ierror = MPI_SUCCESS
  end subroutine

  subroutine notice(comm, error_code)
    type(MPI_Comm) :: comm
    integer :: error_code
    if (comm /= MPI_COMM_WORLD .and. error_code /= MPI_SUCCESS) noticed = noticed + 1
  end subroutine
end module

program module_f08
  use mpi_f08
  use f08_callbacks
  use f08_ring
  use checks
  implicit none
  call enter_ring()
  call handles()
  call messages()
  call partitions()
  call cancelled()
  call sections_in_blocking_calls()
  call sections_to_pack_into()
  call sections_in_other_calls()
  call sections_of_two_buffers()
  call empty_sections()
  call any_type()
  call sections_that_do_not_fit()
  call sentinels()
  call callbacks()
  call strings()
  call graphs()
  call sizes()
  if (rank == 0) print *, 'module mpi_f08 holds on', ranks
  call MPI_Pcontrol(1)
  call MPI_Finalize()
contains
  subroutine handles()
    type(MPI_Comm) :: comm
    call MPI_Comm_dup(MPI_COMM_WORLD, comm)
    call expect(comm /= MPI_COMM_WORLD, 'another communicator')
    call expect(comm == comm%MPI_VAL .and. MPI_COMM_WORLD%MPI_VAL == MPI_COMM_WORLD, 'the same as integers')
    call MPI_Comm_free(comm)
    call expect(comm == MPI_COMM_NULL, 'null')
  end subroutine

  subroutine messages()
    type(MPI_Status) :: status, statuses(2)
    type(MPI_Request) :: requests(2)
    integer :: got, count, ierr, old(MPI_STATUS_SIZE), values(2)
    call MPI_Sendrecv(rank, 1, MPI_INTEGER, right, 7, got, 1, MPI_INTEGER, left, 7, MPI_COMM_WORLD, status, ierr)
    call expect(ierr == MPI_SUCCESS .and. got == left, 'the left neighbour')
    call expect(status%MPI_SOURCE == left .and. status%MPI_TAG == 7, 'its rank and tag')
    call MPI_Get_count(status, MPI_INTEGER, count)
    call expect(count == 1, 'one integer')
    call MPI_Status_f082f(status, old)
    call expect(old(3) == left, 'a status of mpif.h')
    call MPI_Irecv(values(1), 1, MPI_INTEGER, left, 1, MPI_COMM_WORLD, requests(1))
    call MPI_Irecv(values(2), 1, MPI_INTEGER, left, 2, MPI_COMM_WORLD, requests(2))
    call MPI_Send(20, 1, MPI_INTEGER, right, 2, MPI_COMM_WORLD)
    call MPI_Waitany(2, requests, got, status)
    call expect(got == 2 .and. values(2) == 20, 'the second request')
    call MPI_Send(10, 1, MPI_INTEGER, right, 1, MPI_COMM_WORLD)
    call MPI_Waitall(2, requests, statuses)
    call expect(values(1) == 10 .and. statuses(1)%MPI_TAG == 1, 'the first')
  end subroutine

  subroutine partitions()
    type(MPI_Request) :: requests(2), exchange
    type(MPI_Status) :: status
    integer :: out(3, 4), in(6, 2), got, i
    logical :: flag
    out = reshape([(100 * rank + i, i = 1, 12)], [3, 4])
    call MPI_Psend_init(out, 4, 3_MPI_COUNT_KIND, MPI_INTEGER, right, 1, MPI_COMM_WORLD, MPI_INFO_NULL, requests(1))
    call MPI_Precv_init(in, 2, 6_MPI_COUNT_KIND, MPI_INTEGER, left, 1, MPI_COMM_WORLD, MPI_INFO_NULL, requests(2))
    call MPI_Startall(2, requests)
    call MPI_Pready(3, requests(1))
    call MPI_Parrived(requests(2), 0, flag)
    call expect(.not. flag, 'not there yet')
    call MPI_Pready_list(1, [2], requests(1))
    do while (.not. flag)
      call MPI_Parrived(requests(2), 1, flag)
    end do
    call expect(all(in(:, 2) == 100 * left + [7, 8, 9, 10, 11, 12]), 'the second partition')
    call MPI_Pready_range(0, 1, requests(1))
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
    call expect(in(1, 1) == 100 * left + 1, 'the first partition')
    call MPI_Request_free(requests(1))
    call MPI_Request_free(requests(2))
    call MPI_Isendrecv(rank, 1, MPI_INTEGER, right, 2, got, 1, MPI_INTEGER, left, 2, MPI_COMM_WORLD, exchange)
    call MPI_Wait(exchange, status)
    call expect(got == left .and. status%MPI_SOURCE == left, 'both in one')
    call MPI_Isendrecv_replace(got, 1, MPI_INTEGER, left, 3, right, 3, MPI_COMM_WORLD, exchange)
    call MPI_Wait(exchange, status)
    call expect(got == rank, 'and back')
  end subroutine

  subroutine cancelled()
    type(MPI_Request) :: request
    type(MPI_Status) :: status
    integer :: got
    logical :: flag
    call MPI_Irecv(got, 1, MPI_INTEGER, left, 9, MPI_COMM_WORLD, request)
    call cancel(request)
    call MPI_Wait(request, status)
    call MPI_Test_cancelled(status, flag)
    call expect(flag, 'cancelled')
  end subroutine

  subroutine cancel(request)
    type(MPI_Request), intent(in) :: request
    call MPI_Cancel(request)
  end subroutine

  subroutine sections_in_blocking_calls()
    integer :: grid(4, 6), corner(2, 3), i
    type point
      sequence
      real(8) :: x, y
    end type
    type(point) :: points(5)
    grid = reshape([(100 * rank + i, i = 1, 24)], [4, 6])
    ! Rows 2 and 4, every other column: into another section.
    call MPI_Sendrecv(grid(2:4:2, 1:6:2), 6, MPI_INTEGER, right, 0, corner(2:1:-1, :), 6, MPI_INTEGER, left, 0, &
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call expect(all(corner(2, :) == 100 * left + [2, 10, 18]), 'the second row')
    call expect(all(corner(1, :) == 100 * left + [4, 12, 20]), 'the fourth row')
    call MPI_Allreduce(MPI_IN_PLACE, grid(1, :), 6, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD)
    call expect(grid(1, 6) == 100 * (ranks - 1) + 21 .and. grid(2, 6) == 100 * rank + 22, 'reduced in a section')
    points = point(rank, -1)
    call MPI_Bcast(points%x, 5, MPI_DOUBLE_PRECISION, ranks - 1, MPI_COMM_WORLD)
    call expect(all(nint(points%x) == ranks - 1) .and. all(nint(points%y) == -1), 'components')
  end subroutine

  subroutine sections_to_pack_into()
    integer :: places(8), at
    integer(kind=MPI_ADDRESS_KIND) :: byte
    places = -1
    at = 4
    call MPI_Pack([11, 22], 2, MPI_INTEGER, places(1:8:2), 16, at, MPI_COMM_WORLD)
    call expect(at == 12 .and. all(places == [-1, -1, 11, -1, 22, -1, -1, -1]), 'packed into a section')
    byte = 0
    call MPI_Pack_external('external32', [0, -1], 2, MPI_INTEGER, places(2:8:3), 12_MPI_ADDRESS_KIND, byte)
    call expect(byte == 8 .and. all(places(2:8:3) == [0, -1, -1]), 'packed for other machines')
  end subroutine

  subroutine sections_in_other_calls()
    integer, asynchronous :: grid(4, 6), column(6)
    type(MPI_Request) :: requests(2)
    integer :: i
    grid = reshape([(i, i = 1, 24)], [4, 6])
    column = -1
    call MPI_Irecv(column(6:1:-2), 3, MPI_INTEGER, left, 0, MPI_COMM_WORLD, requests(1))
    call MPI_Isend(grid(3, 2:6:2), 3, MPI_INTEGER, right, 0, MPI_COMM_WORLD, requests(2))
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
    call expect(all(column == [-1, 23, -1, 15, -1, 7]), 'sections of pending messages')
    call MPI_Irecv(column(1:6:2), 1, MPI_2INTEGER, left, 0, MPI_COMM_WORLD, requests(1))
    call MPI_Isend(grid(3, 1:6:2), 1, MPI_2INTEGER, right, 0, MPI_COMM_WORLD, requests(2))
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
    call expect(all(column == [3, 23, 11, 15, -1, 7]), 'pairs')
  end subroutine

  ! Where the elements of each are those that count and datatype say.
  subroutine sections_of_two_buffers()
    integer, asynchronous :: out(4), in(4), all_in(0:63)
    type(MPI_Request) :: request
    integer :: i
    out = 10 * rank + [1, 2, 3, 4]
    in = -1
    call MPI_Isendrecv(out(1:4:2), 2, MPI_INTEGER, right, 0, in(4:1:-2), 2, MPI_INTEGER, left, 0, MPI_COMM_WORLD, request)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call expect(all(in == [-1, 10 * left + 3, -1, 10 * left + 1]), 'sent and received in sections')
    call MPI_Iallgather(out(2:4:2), 2, MPI_INTEGER, all_in, 2, MPI_INTEGER, MPI_COMM_WORLD, request)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call expect(all(all_in(0:2 * ranks - 1:2) == [(10 * i + 2, i = 0, ranks - 1)]), 'gathered from sections')
    call MPI_Iscatter(all_in, 2, MPI_INTEGER, in(1:3:2), 2, MPI_INTEGER, 0, MPI_COMM_WORLD, request)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call expect(all(in(1:3) == 10 * [rank, left, rank] + [2, 3, 4]), 'scattered into sections')
  end subroutine

  subroutine empty_sections()
    integer, asynchronous :: from(4, 2), to(4, 2)
    type(MPI_Request) :: request
    integer :: none
    none = 0
    call MPI_Iallreduce(from(1:none, :), to(1:none, :), 0, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, request)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call MPI_Allreduce(from(1:4:2, 1:none), to(1:4:2, 1:none), 0, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  end subroutine

  subroutine any_type()
    integer, asynchronous :: out(5), in(5)
    integer :: i
    out = 10 * rank + [(i, i = 1, 5)]
    in = -1
    call exchange(out, in, 5)
    call expect(all(in == 10 * left + [(i, i = 1, 5)]), 'arrays of any type')
    in = -1
    call exchange(out(5:1:-2), in(1:5:2), 3)
    call expect(all(in == [10 * left + 5, -1, 10 * left + 3, -1, 10 * left + 1]), 'sections of any type')
  end subroutine

  ! Half of the elements, or nearly so, by each kind of call.
  subroutine exchange(out, in, n)
    class(*), asynchronous :: out(:), in(:)
    integer, intent(in) :: n
    type(MPI_Request) :: requests(2)
    integer :: half
    half = n / 2
    call MPI_Sendrecv(out, half, MPI_INTEGER, right, 0, in, half, MPI_INTEGER, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call MPI_Irecv(in(half + 1:), n - half, MPI_INTEGER, left, 0, MPI_COMM_WORLD, requests(1))
    call MPI_Isend(out(half + 1:), n - half, MPI_INTEGER, right, 0, MPI_COMM_WORLD, requests(2))
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
  end subroutine

  subroutine sections_that_do_not_fit()
    integer :: values(6), ierr, class
    type(MPI_Request) :: request
    type(MPI_Errhandler) :: handler
    type(MPI_Comm) :: comm
    character(len=MPI_MAX_ERROR_STRING) :: text
    call MPI_Comm_dup(MPI_COMM_SELF, comm)
    call MPI_Comm_create_errhandler(notice, handler)
    call MPI_Comm_set_errhandler(comm, handler)
    call MPI_Irecv(values(1:6:2), 4, MPI_INTEGER, 0, 0, comm, request, ierr)
    call MPI_Error_class(ierr, class)
    call expect(class == MPI_ERR_BUFFER .and. noticed == 1, 'more elements than the section has')
    call MPI_Irecv(values(1:6:2), 1, MPI_DOUBLE_PRECISION, 0, 0, comm, request, ierr)
    call MPI_Error_class(ierr, class)
    call expect(class == MPI_ERR_BUFFER .and. noticed == 2, 'elements of another size')
    call MPI_Iallreduce(values(1:6:2), values(2:6:2), 3, MPI_INTEGER, MPI_SUM, comm, request, ierr)
    call MPI_Error_string(ierr, text, class)
    call expect(noticed == 3 .and. index(text, 'sendbuf is an array section with gaps') > 0, 'what to do')
    call MPI_Errhandler_free(handler)
    call MPI_Comm_free(comm)
  end subroutine

  subroutine sentinels()
    integer :: total, place, ierr
    integer(kind=MPI_ADDRESS_KIND) :: address(1)
    type(MPI_Datatype) :: kind
    total = 1
    call MPI_Allreduce(MPI_IN_PLACE, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    call expect(total == ranks, 'MPI_IN_PLACE')
    place = merge(5, 0, rank == 0)
    call MPI_Get_address(place, address(1))
    call MPI_Type_create_hindexed(1, [1], address, MPI_INTEGER, kind)
    call MPI_Type_commit(kind)
    call MPI_Bcast(MPI_BOTTOM, 1, kind, 0, MPI_COMM_WORLD, ierr)
    call MPI_F_sync_reg(place)
    call expect(place == 5, 'MPI_BOTTOM')
    call MPI_Type_free(kind)
    call MPI_Recv(place, 0, MPI_INTEGER, MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
  end subroutine

  subroutine callbacks()
    type(MPI_Op) :: op
    type(MPI_Datatype) :: pair
    type(MPI_Comm) :: comm
    integer :: values(2), keyval
    integer(kind=MPI_ADDRESS_KIND) :: value
    logical :: flag
    call MPI_Type_contiguous(2, MPI_INTEGER, pair)
    call MPI_Type_commit(pair)
    call MPI_Op_create(add_pairs, .true., op)
    call MPI_Allreduce([1, rank], values, 1, pair, op, MPI_COMM_WORLD)
    call expect(all(values == [ranks, ranks * (ranks - 1) / 2]), 'an operation of the program')
    call MPI_Op_free(op)
    call MPI_Type_free(pair)
    call MPI_Comm_create_keyval(copy_twice, count_deleted, keyval, 1_MPI_ADDRESS_KIND)
    call MPI_Comm_set_attr(MPI_COMM_SELF, keyval, 21_MPI_ADDRESS_KIND)
    call MPI_Comm_dup(MPI_COMM_SELF, comm)
    call MPI_Comm_get_attr(comm, keyval, value, flag)
    call expect(flag .and. value == 43, 'the copy of an attribute')
    call MPI_Comm_free(comm)
    call MPI_Comm_delete_attr(MPI_COMM_SELF, keyval)
    call expect(deleted == 2, 'two attributes deleted')
    call MPI_Comm_free_keyval(keyval)
    call MPI_COMM_DUP_FN(oldcomm=comm, comm_keyval=keyval, extra_state=value, attribute_val_in=7_MPI_ADDRESS_KIND, &
                         attribute_val_out=value, flag=flag, ierror=values(1))
    call expect(flag .and. value == 7, 'MPI_COMM_DUP_FN')
    call MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, keyval, 0_MPI_ADDRESS_KIND)
    call MPI_Comm_set_attr(MPI_COMM_SELF, keyval, 1_MPI_ADDRESS_KIND)
    call MPI_Comm_dup(MPI_COMM_SELF, comm)
    call MPI_Comm_get_attr(comm, keyval, value, flag)
    call expect(.not. flag, 'MPI_COMM_NULL_COPY_FN')
    call MPI_Comm_free(comm)
  end subroutine

  subroutine strings()
    character(len=MPI_MAX_LIBRARY_VERSION_STRING) :: version
    character(len=MPI_MAX_ERROR_STRING) :: text
    integer :: length, size
    call MPI_Get_library_version(version, length)
    call expect(index(version, 'D') > 0 .and. len_trim(version) == length, 'the version')
    call MPI_Error_string(MPI_ERR_RANK, text, length)
    call expect(len_trim(text) == length, 'the text of an error')
    call MPI_Sizeof(text, size)
    call expect(size == 1, 'the size of a character')
  end subroutine

  subroutine graphs()
    type(MPI_Comm) :: comm
    integer :: ends(1), edges(1)
    call MPI_Graph_create(comm_old=MPI_COMM_SELF, nnodes=1, index=[1], edges=[0], reorder=.false., comm_graph=comm)
    call MPI_Graph_get(comm, 1, 1, index=ends, edges=edges)
    call expect(ends(1) == 1 .and. edges(1) == 0, 'a graph of one node')
    call MPI_Comm_free(comm)
  end subroutine

  subroutine sizes()
    integer, parameter :: long = selected_real_kind(18), longest = selected_real_kind(33), large = selected_int_kind(38)
    real(long) :: number
    complex(longest) :: pair
    integer(large) :: whole
    integer :: size
    call MPI_Sizeof(number, size)
    call expect(8 * size == storage_size(number), 'the size of an extended number')
    call MPI_Sizeof(cmplx(number, number, long), size)
    call expect(8 * size == 2 * storage_size(number), 'the size of a pair of them')
    call MPI_Sizeof(pair, size)
    call expect(8 * size == storage_size(pair), 'the size of the longest complex number')
    call MPI_Sizeof(whole, size)
    call expect(8 * size == storage_size(whole), 'the size of the longest integer')
  end subroutine
end program
