! SPDX-License-Identifier: BSD-3-Clause
! Variables that Fortran keeps: COMMON blocks, SAVE, modules, DATA.
module shared_numbers
  implicit none
  integer :: in_module = 10
  real(8) :: field(1000) = 1d0
end module

subroutine step(times)
  implicit none
  integer, intent(out) :: times
  integer, save :: calls = 0
  integer :: in_common, more
  common /block/ in_common, more
  calls = calls + 1
  in_common = in_common + 2
  more = more + in_common
  times = calls
end subroutine

program common_blocks
  use iso_c_binding
  use shared_numbers
  implicit none
  interface
    integer(c_int) function usleep(microseconds) bind(c)
      import c_int
      integer(c_int), value :: microseconds
    end function
  end interface
  integer :: i, times, in_common, more, ignored
  character(len=20) :: argument
  common /block/ in_common, more
  do i = 1, 10
    call step(times)
    in_module = in_module + 3
    field = field * 2
    ignored = usleep(1_c_int)
  end do
  call get_command_argument(1, argument)
  print '(4(I0,1X),F0.1,1X,A)', times, in_common, more, in_module, sum(field), trim(argument)
  if (times /= 10) stop 3
  stop 4
end program
