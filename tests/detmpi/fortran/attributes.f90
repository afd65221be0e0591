! Attributes that one language sets and the other one gets, with the functions of either for copies: attributes_c.c has
! the part in C. What Fortran has set is an integer, of which C gets the address; what C has set is an address.
module attribute_functions
  use mpi
  implicit none
  integer :: deleted = 0, deleted_old = 0
contains
  subroutine double(object, keyval, extra_state, attribute_in, attribute_out, flag, ierror)
    integer :: object, keyval, ierror
    integer(kind=MPI_ADDRESS_KIND) :: extra_state, attribute_in, attribute_out
    logical :: flag
    attribute_out = extra_state * attribute_in
    flag = .true.
    ierror = MPI_SUCCESS
  end subroutine

  subroutine sum_deleted(object, keyval, attribute, extra_state, ierror)
    integer :: object, keyval, ierror
    integer(kind=MPI_ADDRESS_KIND) :: attribute, extra_state
    deleted = deleted + int(attribute)
    ierror = MPI_SUCCESS
  end subroutine

  subroutine double_old(object, keyval, extra_state, attribute_in, attribute_out, flag, ierror)
    integer :: object, keyval, extra_state, attribute_in, attribute_out, ierror
    logical :: flag
    attribute_out = extra_state * attribute_in
    flag = .true.
    ierror = MPI_SUCCESS
  end subroutine

  subroutine sum_deleted_old(object, keyval, attribute, extra_state, ierror)
    integer :: object, keyval, attribute, extra_state, ierror
    deleted_old = deleted_old + attribute
    ierror = MPI_SUCCESS
  end subroutine
end module

program attributes
  use mpi
  use attribute_functions
  use checks
  implicit none
  interface
    ! The integer that C finds, as an MPI_Aint and as an int.
    integer(kind=MPI_ADDRESS_KIND) function c_gets(comm, keyval)
      import
      integer :: comm, keyval
    end function
    integer function c_gets_int(comm, keyval)
      integer :: comm, keyval
    end function
    integer(kind=MPI_ADDRESS_KIND) function c_gets_of_type(datatype, keyval)
      import
      integer :: datatype, keyval
    end function
    ! Stores the address of a variable of C's, which holds 7, and returns it.
    integer(kind=MPI_ADDRESS_KIND) function c_sets(comm, keyval)
      import
      integer :: comm, keyval
    end function
    ! A key with functions in C: the copy is of the same value, or of what C has at another address, 9.
    integer function c_key(other)
      integer :: other
    end function
    integer function c_deleted()
    end function
  end interface
  integer(kind=MPI_ADDRESS_KIND), parameter :: big = 5000000000_MPI_ADDRESS_KIND, two = 2, none = 0
  integer :: ierr
  call MPI_Init(ierr)
  call between_languages()
  call functions_in_fortran()
  call functions_of_mpi_1()
  call functions_in_c()
  call types()
  print *, 'attributes hold'
  call MPI_Finalize(ierr)
contains
  integer(kind=MPI_ADDRESS_KIND) function got(comm, key)
    integer, intent(in) :: comm, key
    logical :: flag
    got = -1
    call MPI_Comm_get_attr(comm, key, got, flag, ierr)
    call expect(flag, 'there is an attribute')
  end function

  subroutine between_languages()
    integer :: key, short
    integer(kind=MPI_ADDRESS_KIND) :: place
    logical :: flag
    call MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, key, none, ierr)
    call MPI_Comm_set_attr(MPI_COMM_SELF, key, big, ierr)
    call expect(c_gets(MPI_COMM_SELF, key) == big .and. got(MPI_COMM_SELF, key) == big, 'a large integer')
    call MPI_Attr_put(MPI_COMM_SELF, key, -43, ierr)
    call expect(c_gets_int(MPI_COMM_SELF, key) == -43, 'an integer of MPI-1, in C')
    call expect(got(MPI_COMM_SELF, key) == -43, 'its sign')
    call MPI_Attr_get(MPI_COMM_SELF, key, short, flag, ierr)
    call expect(flag .and. short == -43, 'and in MPI-1')
    place = c_sets(MPI_COMM_SELF, key)
    call expect(got(MPI_COMM_SELF, key) == place, 'an address from C')
    call expect(c_gets_int(MPI_COMM_SELF, key) == 7, 'what C has there')
    call MPI_Comm_delete_attr(MPI_COMM_SELF, key, ierr)
    call MPI_Comm_free_keyval(key, ierr)
  end subroutine

  subroutine functions_in_fortran()
    integer :: key, comm
    call MPI_Comm_create_keyval(double, sum_deleted, key, two, ierr)
    call MPI_Comm_set_attr(MPI_COMM_SELF, key, 21_MPI_ADDRESS_KIND, ierr)
    call MPI_Comm_dup(MPI_COMM_SELF, comm, ierr)
    call expect(c_gets(comm, key) == 42 .and. got(comm, key) == 42, 'the copy is an integer')
    call MPI_Comm_free(comm, ierr)
    call MPI_Comm_set_attr(MPI_COMM_SELF, key, 100_MPI_ADDRESS_KIND, ierr)
    call expect(c_gets(MPI_COMM_SELF, key) == 100, 'replaced')
    call MPI_Comm_delete_attr(MPI_COMM_SELF, key, ierr)
    call expect(deleted == 163, 'deleted by value')
    call MPI_Comm_free_keyval(key, ierr)
    call MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, key, none, ierr)
    call expect(c_sets(MPI_COMM_SELF, key) /= 0, 'set in C')
    call MPI_Comm_dup(MPI_COMM_SELF, comm, ierr)
    call expect(got(comm, key) == got(MPI_COMM_SELF, key) .and. c_gets_int(comm, key) == 7, 'an address stays one')
    call MPI_Comm_free(comm, ierr)
    call MPI_Comm_free_keyval(key, ierr)
  end subroutine

  subroutine functions_of_mpi_1()
    integer :: key, comm
    call MPI_Keyval_create(double_old, sum_deleted_old, key, 2, ierr)
    call MPI_Attr_put(MPI_COMM_SELF, key, -4, ierr)
    call MPI_Comm_dup(MPI_COMM_SELF, comm, ierr)
    call expect(c_gets_int(comm, key) == -8 .and. got(comm, key) == -8, 'the copy of an integer of MPI-1')
    call MPI_Comm_free(comm, ierr)
    call MPI_Attr_delete(MPI_COMM_SELF, key, ierr)
    call expect(deleted_old == -12, 'deleted by value in MPI-1')
    call MPI_Keyval_free(key, ierr)
    call MPI_Keyval_create(MPI_DUP_FN, MPI_NULL_DELETE_FN, key, 0, ierr)
    call MPI_Attr_put(MPI_COMM_SELF, key, -5, ierr)
    call MPI_Comm_dup(MPI_COMM_SELF, comm, ierr)
    call expect(got(comm, key) == -5, 'the same integer')
    call MPI_Comm_free(comm, ierr)
    call expect(c_sets(MPI_COMM_SELF, key) /= 0, 'set in C, with a key of MPI-1')
    call MPI_Comm_dup(MPI_COMM_SELF, comm, ierr)
    call expect(got(comm, key) == got(MPI_COMM_SELF, key) .and. c_gets_int(comm, key) == 7, 'all of the address')
    call MPI_Comm_free(comm, ierr)
    call MPI_Comm_delete_attr(MPI_COMM_SELF, key, ierr)
    call MPI_Keyval_free(key, ierr)
  end subroutine

  subroutine functions_in_c()
    integer :: key, comm, again
    key = c_key(0)
    call MPI_Comm_set_attr(MPI_COMM_SELF, key, big, ierr)
    call MPI_Comm_dup(MPI_COMM_SELF, comm, ierr)
    call MPI_Comm_delete_attr(MPI_COMM_SELF, key, ierr)
    call expect(c_deleted() == 1, 'C gets the address when it is deleted')
    call expect(c_gets(comm, key) == big .and. got(comm, key) == big, 'the copy has its own')
    call MPI_Comm_dup(comm, again, ierr)
    call MPI_Comm_free(comm, ierr)
    call expect(got(again, key) == big, 'and so has the copy of it')
    call MPI_Comm_free(again, ierr)
    call MPI_Comm_free_keyval(key, ierr)
    key = c_key(1)
    call MPI_Comm_set_attr(MPI_COMM_SELF, key, big, ierr)
    call MPI_Comm_dup(MPI_COMM_SELF, comm, ierr)
    call expect(c_gets_int(comm, key) == 9 .and. got(comm, key) > 4096, 'C makes another of it')
    call MPI_Comm_free(comm, ierr)
    call MPI_Comm_delete_attr(MPI_COMM_SELF, key, ierr)
    call MPI_Comm_free_keyval(key, ierr)
  end subroutine

  subroutine types()
    integer :: key, kind, copy
    integer(kind=MPI_ADDRESS_KIND) :: value
    logical :: flag
    call MPI_Type_create_keyval(MPI_TYPE_DUP_FN, MPI_TYPE_NULL_DELETE_FN, key, none, ierr)
    call MPI_Type_contiguous(2, MPI_INTEGER, kind, ierr)
    call MPI_Type_set_attr(kind, key, big, ierr)
    call MPI_Type_dup(kind, copy, ierr)
    call MPI_Type_free(kind, ierr)
    call MPI_Type_get_attr(copy, key, value, flag, ierr)
    call expect(flag .and. value == big .and. c_gets_of_type(copy, key) == big, 'an attribute of a type')
    call MPI_Type_free(copy, ierr)
    call MPI_Type_free_keyval(key, ierr)
  end subroutine
end program
