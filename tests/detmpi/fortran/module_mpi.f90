! Module mpi: interfaces, buffers of any type and rank, MPI_Sizeof, memory, handles and statuses of mpi_f08.
program module_mpi
  use mpi
  use checks
  implicit none
  integer :: ierr, rank, ranks
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  call buffers()
  call sizes()
  call memory()
  call profiling_names()
  call statuses()
  call partitions()
  if (rank == 0) print *, 'module mpi holds on', ranks
  call MPI_Pcontrol(1)
  call MPI_Finalize(ierr)
contains
  subroutine buffers()
    type point
      sequence
      real(8) :: x, y
    end type
    type(point) :: points(2)
    integer :: grid(2, 3), gathered(2, 3, 0:63), section(4), counts(64), displs(64), i
    character(len=5) :: text
    logical :: truth
    grid = rank
    call MPI_Allgather(grid, 6, MPI_INTEGER, gathered, 6, MPI_INTEGER, MPI_COMM_WORLD, ierr)
    call expect(all([(gathered(2, 3, i) == i, i = 0, ranks - 1)]), 'arrays of three dimensions')
    text = merge('hello', '     ', rank == 0)
    call MPI_Bcast(text, 5, MPI_CHARACTER, 0, MPI_COMM_WORLD, ierr)
    call expect(text == 'hello', 'text')
    points = point(rank, rank)
    call MPI_Bcast(points, 4, MPI_DOUBLE_PRECISION, ranks - 1, MPI_COMM_WORLD, ierr)
    call expect(nint(points(2)%y) == ranks - 1, 'derived types')
    truth = rank == 0
    call MPI_Allreduce(MPI_IN_PLACE, truth, 1, MPI_LOGICAL, MPI_LOR, MPI_COMM_WORLD, ierr)
    call expect(truth, 'logical values')
    section = -1
    call MPI_Bcast(section(1:4:2), 2, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
    call expect(all(section == -1), 'sections in blocking calls')
    counts = 1
    displs = [(i, i = 0, 63)]
    gathered = 0
    call MPI_Gatherv(rank, 1, MPI_INTEGER, gathered, counts, displs, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
    if (rank == 0 .and. ranks > 1) call expect(gathered(2, 1, 0) == 1, 'gathered by displacement')
  end subroutine

  subroutine sizes()
    integer, parameter :: extended = selected_real_kind(18)
    integer :: size
    real(8) :: array(2, 2)
    complex :: number
    call MPI_Sizeof(array, size, ierr)
    call expect(size == 8, 'the size of a double')
    call MPI_Sizeof(number, size, ierr)
    call expect(size == 8, 'the size of a complex number')
    call MPI_Sizeof(1_2, size, ierr)
    call expect(size == 2, 'the size of a short integer')
    call MPI_Sizeof(1.0_extended, size, ierr)
    call expect(8 * size == storage_size(1.0_extended), 'the size of an extended number')
  end subroutine

  subroutine memory()
    use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer, c_associated
    integer(kind=MPI_ADDRESS_KIND) :: address, here
    type(c_ptr) :: pointer
    integer, pointer :: values(:)
    call MPI_Alloc_mem(400_MPI_ADDRESS_KIND, MPI_INFO_NULL, pointer, ierr)
    call expect(c_associated(pointer), 'memory by pointer')
    call c_f_pointer(pointer, values, [100])
    values = rank
    call MPI_Bcast(values, 100, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
    call expect(values(100) == 0, 'it can be used')
    call MPI_Get_address(values, here, ierr)
    call expect(here == transfer(pointer, here), 'its address')
    call MPI_Free_mem(values, ierr)
    call MPI_Alloc_mem(8_MPI_ADDRESS_KIND, MPI_INFO_NULL, address, ierr)
    call expect(address /= 0, 'memory by address')
    call expect(MPI_Aint_diff(MPI_Aint_add(address, 5_MPI_ADDRESS_KIND), address) == 5, 'arithmetic of addresses')
  end subroutine

  subroutine profiling_names()
    integer :: number
    real(8) :: time
    call PMPI_Comm_rank(MPI_COMM_WORLD, number, ierr)
    call expect(number == rank, 'PMPI_Comm_rank')
    time = MPI_Wtime()
    call expect(MPI_Wtime() >= time, 'time goes on')
    call expect(PMPI_Wtick() > 0, 'its resolution')
  end subroutine

  subroutine statuses()
    integer :: status(MPI_STATUS_SIZE), back(MPI_STATUS_SIZE)
    type(MPI_Status) :: new
    call MPI_Recv(ierr, 0, MPI_INTEGER, MPI_PROC_NULL, 0, MPI_COMM_WORLD, status, ierr)
    call MPI_Status_f2f08(status, new, ierr)
    call expect(new%MPI_SOURCE == MPI_PROC_NULL, 'a status of mpi_f08')
    call MPI_Status_f082f(new, back, ierr)
    call expect(all(back == status), 'and back')
    call expect(MPI_Comm(MPI_COMM_WORLD) == MPI_COMM_WORLD, 'a handle of mpi_f08')
  end subroutine

  subroutine partitions()
    integer :: requests(2), status(MPI_STATUS_SIZE), left, right, got, out(4), i
    real(8) :: in(2)
    logical :: flag
    right = mod(rank + 1, ranks)
    left = mod(rank + ranks - 1, ranks)
    out = [(100 * rank + i, i = 1, 4)]
    call MPI_Psend_init(out, 4, 1_MPI_COUNT_KIND, MPI_INTEGER, right, 1, MPI_COMM_WORLD, MPI_INFO_NULL, requests(1), ierr)
    call MPI_Precv_init(in, 2, 8_MPI_COUNT_KIND, MPI_BYTE, left, 1, MPI_COMM_WORLD, MPI_INFO_NULL, requests(2), ierr)
    call MPI_Startall(2, requests, ierr)
    call MPI_Pready(1, requests(1), ierr)
    call MPI_Pready_range(2, 3, requests(1), ierr)
    call MPI_Pready_list(1, [0], requests(1), ierr)
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierr)
    call MPI_Parrived(requests(2), 0, flag, ierr)
    call expect(flag .and. all(transfer(in, out) == [(100 * left + i, i = 1, 4)]), 'in partitions')
    call MPI_Request_free(requests(1), ierr)
    call MPI_Request_free(requests(2), ierr)
    call MPI_Isendrecv(rank, 1, MPI_INTEGER, right, 2, got, 1, MPI_INTEGER, left, 2, MPI_COMM_WORLD, requests(1), ierr)
    call MPI_Wait(requests(1), status, ierr)
    call expect(got == left .and. status(MPI_SOURCE) == left, 'both in one')
  end subroutine
end program
