! SPDX-License-Identifier: BSD-3-Clause
! Variables of Fortran that are sent as another type, by the name of the case; "right" sends all kinds as they are.
module data
  real(8) :: shared_numbers(10) = 1
end module
program types
  use mpi
  use data
  implicit none
  integer :: ierr, rank, i
  real(8) :: a(10)
  real(8), allocatable :: h(:), m2(:,:)
  real :: r(10)
  integer :: k(10)
  integer(8) :: k8(10)
  complex(8) :: z(5)
  double precision, pointer :: p(:)
  logical :: flags(4)
  integer :: pairs(2, 4)
  real :: few(10)
  character(20) :: which
  common /block/ few
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call get_command_argument(1, which)
  allocate(h(10), p(10), m2(4,4))
  a = 1; h = 1; r = 1; k = 1; k8 = 1; z = 1; p = 1; m2 = 1; flags = .true.; pairs = 1; few = 1
  select case (which)
  case ('module'); if (rank == 0) call MPI_Send(shared_numbers, 10, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, ierr)
    if (rank == 1) call MPI_Recv(k, 10, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  case ('common'); if (rank == 0) call MPI_Send(few, 10, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, ierr)
    if (rank == 1) call MPI_Recv(k, 10, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  case ('local'); if (rank == 0) call MPI_Send(a, 10, MPI_REAL, 1, 0, MPI_COMM_WORLD, ierr)
    if (rank == 1) call MPI_Recv(r, 10, MPI_REAL, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  case ('alloc'); if (rank == 0) call MPI_Send(h, 10, MPI_REAL, 1, 0, MPI_COMM_WORLD, ierr)
    if (rank == 1) call MPI_Recv(r, 10, MPI_REAL, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  case ('pointer'); if (rank == 0) call MPI_Send(p, 10, MPI_REAL, 1, 0, MPI_COMM_WORLD, ierr)
    if (rank == 1) call MPI_Recv(r, 10, MPI_REAL, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  case ('element'); if (rank == 0) call MPI_Send(h(3), 5, MPI_REAL, 1, 0, MPI_COMM_WORLD, ierr)
    if (rank == 1) call MPI_Recv(r, 5, MPI_REAL, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  case ('column'); if (rank == 0) call MPI_Send(m2(1,2), 4, MPI_REAL, 1, 0, MPI_COMM_WORLD, ierr)
    if (rank == 1) call MPI_Recv(r, 4, MPI_REAL, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  case ('dummy'); call explicit(a, 10)
  case ('shape'); call assumed(h)
  case ('star'); call star(a)
  case ('right')
    if (rank == 0) then
      call MPI_Send(a, 10, MPI_DOUBLE_PRECISION, 1, 0, MPI_COMM_WORLD, ierr)
      call MPI_Send(h, 10, MPI_REAL8, 1, 0, MPI_COMM_WORLD, ierr)
      call MPI_Send(r, 10, MPI_REAL, 1, 0, MPI_COMM_WORLD, ierr)
      call MPI_Send(k8, 10, MPI_INTEGER8, 1, 0, MPI_COMM_WORLD, ierr)
      call MPI_Send(z, 5, MPI_DOUBLE_COMPLEX, 1, 0, MPI_COMM_WORLD, ierr)
      call MPI_Send(m2(1,2), 4, MPI_DOUBLE_PRECISION, 1, 0, MPI_COMM_WORLD, ierr)
      call MPI_Send(m2(2,1:4), 4, MPI_DOUBLE_PRECISION, 1, 0, MPI_COMM_WORLD, ierr)
      call MPI_Send(flags, 4, MPI_LOGICAL, 1, 0, MPI_COMM_WORLD, ierr)
      call MPI_Send(pairs, 4, MPI_2INTEGER, 1, 0, MPI_COMM_WORLD, ierr)
      call MPI_Send(few, 10, MPI_REAL4, 1, 0, MPI_COMM_WORLD, ierr)
      call MPI_Send(shared_numbers, 5, MPI_2DOUBLE_PRECISION, 1, 0, MPI_COMM_WORLD, ierr)
      call MPI_Send(which, 20, MPI_CHARACTER, 1, 0, MPI_COMM_WORLD, ierr)
    else if (rank == 1) then
      call MPI_Recv(a, 10, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
      call MPI_Recv(h, 10, MPI_REAL8, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
      call MPI_Recv(r, 10, MPI_REAL, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
      call MPI_Recv(k8, 10, MPI_INTEGER8, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
      call MPI_Recv(z, 5, MPI_DOUBLE_COMPLEX, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
      call MPI_Recv(m2(1,2), 4, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
      call MPI_Recv(m2(1,3), 4, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
      call MPI_Recv(flags, 4, MPI_LOGICAL, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
      call MPI_Recv(pairs, 4, MPI_2INTEGER, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
      call MPI_Recv(few, 10, MPI_REAL4, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
      call MPI_Recv(shared_numbers, 5, MPI_2DOUBLE_PRECISION, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
      call MPI_Recv(which, 20, MPI_CHARACTER, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    end if
  end select
  call MPI_Finalize(ierr)
contains
  subroutine explicit(x, n)
    integer :: n
    real(8) :: x(n)
    if (rank == 0) call MPI_Send(x, n, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, ierr)
    if (rank == 1) call MPI_Recv(k, n, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  end subroutine
  subroutine assumed(x)
    real(8) :: x(:)
    if (rank == 0) call MPI_Send(x, 10, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, ierr)
    if (rank == 1) call MPI_Recv(k, 10, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  end subroutine
  subroutine star(x)
    real(8) :: x(*)
    if (rank == 0) call MPI_Send(x, 9, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, ierr)
    if (rank == 1) call MPI_Recv(k, 9, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  end subroutine
end program
