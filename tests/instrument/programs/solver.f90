! Work in Fortran, called from C.
function solve(n) bind(c) result(total)
  use iso_c_binding
  implicit none
  integer(c_int), value :: n
  real(c_double) :: total, u(n, n)
  integer :: i, j
  do j = 1, n
    do i = 1, n
      u(i, j) = 1.0d0 / (i + j)
    end do
  end do
  total = 0
  i = n
  do while (i > 1)
    total = total + sum(u(:, i))
    if (mod(i, 2) == 0) then
      i = i / 2
    else
      i = 3 * i + 1
      if (i > n) i = mod(i, n) + 1
    end if
    if (total > 1d6) exit
  end do
end function
