! mpif.h in the fixed form: sentinels, statuses, strings, attributes, callbacks, MPI-1 names.
      program include_file
      use checks
      implicit none
      include 'mpif.h'
      integer ierr, rank, ranks
      call MPI_Init(ierr)
      call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
      call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
      call messages(rank, ranks)
      call sentinels(rank, ranks)
      call strings
      call attributes
      call operations(rank, ranks)
      call errors
      call requests
      call partitions(rank, ranks)
      call old_names(rank)
      if (rank .eq. 0) print *, 'mpif.h holds on', ranks
      call MPI_Pcontrol(1)
      call MPI_Finalize(ierr)
      end

      subroutine messages(rank, ranks)
      use checks
      implicit none
      include 'mpif.h'
      integer rank, ranks, right, left, got, count, which, ierr, i
      integer status(MPI_STATUS_SIZE), requests(2), indices(2)
      integer statuses(MPI_STATUS_SIZE, 2), values(2)
      double precision reals(3)
      logical flag
      right = mod(rank + 1, ranks)
      left = mod(rank + ranks - 1, ranks)
      call MPI_Sendrecv(rank, 1, MPI_INTEGER, right, 7, got, 1,
     &  MPI_INTEGER, left, 7, MPI_COMM_WORLD, status, ierr)
      call expect(got .eq. left, 'the left neighbour')
      call expect(status(MPI_SOURCE) .eq. left, 'its rank')
      call expect(status(MPI_TAG) .eq. 7, 'its tag')
      call MPI_Get_count(status, MPI_INTEGER, count, ierr)
      call expect(count .eq. 1, 'one integer')

      ! Indices count from 1; the request that is null is not meant.
      call MPI_Irecv(reals, 3, MPI_DOUBLE_PRECISION, left, 8,
     &  MPI_COMM_WORLD, requests(2), ierr)
      requests(1) = MPI_REQUEST_NULL
      call MPI_Send([1d0, 2d0, 3d0], 3, MPI_DOUBLE_PRECISION, right, 8,
     &  MPI_COMM_WORLD, ierr)
      call MPI_Waitany(2, requests, which, status, ierr)
      call expect(which .eq. 2, 'the second request')
      call expect(nint(reals(3)) .eq. 3, 'the last real')
      call MPI_Waitany(2, requests, which, MPI_STATUS_IGNORE, ierr)
      call expect(which .eq. MPI_UNDEFINED, 'no request is left')

      do i = 1, 2
        call MPI_Irecv(values(i), 1, MPI_INTEGER, left, i,
     &    MPI_COMM_WORLD, requests(i), ierr)
      end do
      call MPI_Send(20, 1, MPI_INTEGER, right, 2, MPI_COMM_WORLD, ierr)
      call MPI_Waitsome(2, requests, count, indices, statuses, ierr)
      call expect(count .eq. 1 .and. indices(1) .eq. 2, 'the second')
      call expect(statuses(MPI_TAG, 1) .eq. 2, 'with tag 2')
      call MPI_Send(10, 1, MPI_INTEGER, right, 1, MPI_COMM_WORLD, ierr)
      call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierr)
      call expect(values(1) .eq. 10 .and. values(2) .eq. 20, 'both')
      call MPI_Testall(2, requests, flag, MPI_STATUSES_IGNORE, ierr)
      call expect(flag, 'all are complete')
      end

      subroutine sentinels(rank, ranks)
      use checks
      implicit none
      include 'mpif.h'
      integer rank, ranks, total, place, kind, ierr
      integer(kind=MPI_ADDRESS_KIND) address(1)
      total = rank + 1
      call MPI_Allreduce(MPI_IN_PLACE, total, 1, MPI_INTEGER, MPI_SUM,
     &  MPI_COMM_WORLD, ierr)
      call expect(total .eq. ranks * (ranks + 1) / 2, 'MPI_IN_PLACE')
      place = merge(5, 0, rank .eq. 0)
      call MPI_Get_address(place, address(1), ierr)
      call MPI_Type_create_hindexed(1, [1], address, MPI_INTEGER, kind,
     &  ierr)
      call MPI_Type_commit(kind, ierr)
      call MPI_Bcast(MPI_BOTTOM, 1, kind, 0, MPI_COMM_WORLD, ierr)
      call MPI_Type_free(kind, ierr)
      call seen(place)
      end

      ! The compiler does not know that MPI_Bcast has changed it.
      subroutine seen(place)
      use checks
      implicit none
      integer place
      call expect(place .eq. 5, 'MPI_BOTTOM')
      end

      subroutine strings
      use checks
      implicit none
      include 'mpif.h'
      character(len=MPI_MAX_OBJECT_NAME) name
      character(len=8) value, other
      integer length, info, keys, ierr
      logical flag
      call MPI_Comm_set_name(MPI_COMM_WORLD, ' all of us  ', ierr)
      name = repeat('x', MPI_MAX_OBJECT_NAME)
      call MPI_Comm_get_name(MPI_COMM_WORLD, name, length, ierr)
      call expect(length .eq. 10, 'trailing blanks do not count')
      call expect(name .eq. ' all of us', 'padded with blanks')
      call MPI_Info_create(info, ierr)
      call MPI_Info_set(info, ' colour ', ' red ', ierr)
      value = 'xxxxxxxx'
      call MPI_Info_get(info, 'colour', 8, value, flag, ierr)
      call expect(flag .and. value .eq. 'red', 'a value of info')
      other = 'kept'
      call MPI_Info_get(info, 'size', 8, other, flag, ierr)
      call expect(.not. flag .and. other .eq. 'kept', 'no such key')
      call MPI_Info_get_nkeys(info, keys, ierr)
      call expect(keys .eq. 1, 'one key')
      call MPI_Info_free(info, ierr)
      end

      subroutine attributes
      use checks
      implicit none
      include 'mpif.h'
      integer keyval, comm, ierr, calls
      integer(kind=MPI_ADDRESS_KIND) extra, value
      logical flag
      external copy_attribute, delete_attribute
      common /counted/ calls
      calls = 0
      call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, value, flag,
     &  ierr)
      call expect(flag .and. value .ge. 32767, 'MPI_TAG_UB')
      extra = 1000
      call MPI_Comm_create_keyval(copy_attribute, delete_attribute,
     &  keyval, extra, ierr)
      value = 2_8 ** 40
      call MPI_Comm_set_attr(MPI_COMM_SELF, keyval, value, ierr)
      call MPI_Comm_dup(MPI_COMM_SELF, comm, ierr)
      call MPI_Comm_get_attr(comm, keyval, value, flag, ierr)
      call expect(flag .and. value .eq. 2_8 ** 40 + 1000, 'the copy')
      call MPI_Comm_free(comm, ierr)
      call MPI_Comm_delete_attr(MPI_COMM_SELF, keyval, ierr)
      call expect(calls .eq. 2, 'two attributes deleted')
      call MPI_Comm_free_keyval(keyval, ierr)
      call MPI_Comm_create_keyval(MPI_COMM_DUP_FN,
     &  MPI_COMM_NULL_DELETE_FN, keyval, extra, ierr)
      call MPI_Comm_set_attr(MPI_COMM_SELF, keyval, extra, ierr)
      call MPI_Comm_dup(MPI_COMM_SELF, comm, ierr)
      call MPI_Comm_get_attr(comm, keyval, value, flag, ierr)
      call expect(flag .and. value .eq. 1000, 'MPI_COMM_DUP_FN')
      call MPI_Comm_free(comm, ierr)
      end

      subroutine copy_attribute(comm, keyval, extra, in, out, flag,
     &  ierror)
      implicit none
      include 'mpif.h'
      integer comm, keyval, ierror
      integer(kind=MPI_ADDRESS_KIND) extra, in, out
      logical flag
      out = in + extra
      flag = .true.
      ierror = MPI_SUCCESS
      end

      subroutine delete_attribute(comm, keyval, value, extra, ierror)
      implicit none
      include 'mpif.h'
      integer comm, keyval, ierror, calls
      integer(kind=MPI_ADDRESS_KIND) value, extra
      common /counted/ calls
      calls = calls + 1
      ierror = MPI_SUCCESS
      end

      subroutine operations(rank, ranks)
      use checks
      implicit none
      include 'mpif.h'
      integer rank, ranks, op, last, ierr
      logical commutes
      external take_right
      call MPI_Op_create(take_right, .false., op, ierr)
      call MPI_Op_commutative(op, commutes, ierr)
      call expect(.not. commutes, 'the operation does not commute')
      call MPI_Allreduce(rank, last, 1, MPI_INTEGER, op,
     &  MPI_COMM_WORLD, ierr)
      call expect(last .eq. ranks - 1, 'the last rank')
      call MPI_Op_free(op, ierr)
      call expect(op .eq. MPI_OP_NULL, 'the operation is gone')
      end

      subroutine take_right(in, inout, count, datatype)
      use checks
      implicit none
      include 'mpif.h'
      integer count, datatype, in(count), inout(count)
      call expect(datatype .eq. MPI_INTEGER, 'integers are reduced')
      if (in(1) .gt. inout(1)) inout(1) = in(1)
      end

      subroutine errors
      use checks
      implicit none
      include 'mpif.h'
      integer handler, comm, class, seen, ierr
      external on_error
      common /noticed/ seen
      seen = 0
      call MPI_Comm_dup(MPI_COMM_SELF, comm, ierr)
      call MPI_Comm_create_errhandler(on_error, handler, ierr)
      call MPI_Comm_set_errhandler(comm, handler, ierr)
      call MPI_Send(0, 1, MPI_INTEGER, 5, 0, comm, ierr)
      call MPI_Error_class(ierr, class, ierr)
      call expect(class .eq. MPI_ERR_RANK, 'no rank 5')
      call expect(seen .eq. 1, 'the handler was called')
      call MPI_Errhandler_free(handler, ierr)
      call MPI_Comm_free(comm, ierr)
      end

      subroutine on_error(comm, code)
      implicit none
      integer comm, code, seen
      common /noticed/ seen
      seen = seen + 1
      end

      subroutine requests
      use checks
      implicit none
      include 'mpif.h'
      integer request, status(MPI_STATUS_SIZE), ierr
      integer(kind=MPI_ADDRESS_KIND), save :: extra
      external query, free, cancel
      logical cancelled
      extra = 7
      call MPI_Grequest_start(query, free, cancel, extra, request,
     &  ierr)
      call MPI_Cancel(request, ierr)
      call MPI_Grequest_complete(request, ierr)
      call MPI_Wait(request, status, ierr)
      call MPI_Test_cancelled(status, cancelled, ierr)
      call expect(cancelled, 'a request of the program')
      call expect(status(MPI_TAG) .eq. 8, 'its status')
      call expect(extra .eq. 18, 'freed once')
      end

      subroutine query(extra, status, ierror)
      implicit none
      include 'mpif.h'
      integer(kind=MPI_ADDRESS_KIND) extra
      integer status(MPI_STATUS_SIZE), ierror
      status(MPI_SOURCE) = MPI_UNDEFINED
      status(MPI_TAG) = int(extra)
      call MPI_Status_set_elements(status, MPI_BYTE, 0, ierror)
      call MPI_Status_set_cancelled(status, extra .eq. 8, ierror)
      end

      subroutine free(extra, ierror)
      implicit none
      include 'mpif.h'
      integer(kind=MPI_ADDRESS_KIND) extra
      integer ierror
      extra = extra + 10
      ierror = MPI_SUCCESS
      end

      subroutine cancel(extra, complete, ierror)
      implicit none
      include 'mpif.h'
      integer(kind=MPI_ADDRESS_KIND) extra
      integer ierror
      logical complete
      if (.not. complete) extra = extra + 1
      ierror = MPI_SUCCESS
      end

      subroutine partitions(rank, ranks)
      use checks
      implicit none
      include 'mpif.h'
      integer rank, ranks, out(4), in(4), requests(2), ierr, i
      integer(kind=MPI_COUNT_KIND) count
      logical flag
      count = 2
      do i = 1, 4
        out(i) = 100 * rank + i
      end do
      call MPI_Psend_init(out, 2, count, MPI_INTEGER,
     &  mod(rank + 1, ranks), 1, MPI_COMM_WORLD, MPI_INFO_NULL,
     &  requests(1), ierr)
      call MPI_Precv_init(in, 2, count, MPI_INTEGER,
     &  mod(rank + ranks - 1, ranks), 1, MPI_COMM_WORLD, MPI_INFO_NULL,
     &  requests(2), ierr)
      call MPI_Startall(2, requests, ierr)
      call MPI_Pready_list(2, [1, 0], requests(1), ierr)
      call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierr)
      call MPI_Parrived(requests(2), 1, flag, ierr)
      call expect(flag .and. in(4) .eq.
     &  100 * mod(rank + ranks - 1, ranks) + 4, 'partitions')
      call MPI_Request_free(requests(1), ierr)
      call MPI_Request_free(requests(2), ierr)
      end

      subroutine old_names(rank)
      use checks
      implicit none
      include 'mpif.h'
      integer rank, extent, kind, size, keyval, value, ierr
      logical flag
      external MPI_Type_extent, MPI_Type_struct
      call MPI_Type_extent(MPI_DOUBLE_PRECISION, extent, ierr)
      call expect(extent .eq. 8, 'MPI_Type_extent')
      call MPI_Type_struct(2, [1, 2], [0, 8], [MPI_INTEGER,
     &  MPI_DOUBLE_PRECISION], kind, ierr)
      call MPI_Type_size(kind, size, ierr)
      call expect(size .eq. 20, 'MPI_Type_struct')
      call MPI_Type_free(kind, ierr)
      call MPI_Keyval_create(MPI_NULL_COPY_FN, MPI_NULL_DELETE_FN,
     &  keyval, 0, ierr)
      call MPI_Attr_put(MPI_COMM_WORLD, keyval, -rank, ierr)
      call MPI_Attr_get(MPI_COMM_WORLD, keyval, value, flag, ierr)
      call expect(flag .and. value .eq. -rank, 'MPI_Attr_get')
      call MPI_Attr_delete(MPI_COMM_WORLD, keyval, ierr)
      call MPI_Keyval_free(keyval, ierr)
      end
