! SPDX-License-Identifier: BSD-3-Clause
! One program for the three Fortran interfaces: F08 and MODULE choose, else mpif.h. For 3 ranks or more.
! Their libraries convert handles and statuses, and what they call then is what a recorder sees.
#ifdef F08
#define HANDLE(kind) type(kind)
#define STATUS(name) type(MPI_Status) :: name
#define STATUSES(name, n) type(MPI_Status) :: name(n)
#define SOURCE_OF(status) status%MPI_SOURCE
#define TAG_OF(status) status%MPI_TAG
#define USE_MPI use mpi_f08
#define INCLUDE_MPI
#else
#define HANDLE(kind) integer
#define STATUS(name) integer :: name(MPI_STATUS_SIZE)
#define STATUSES(name, n) integer :: name(MPI_STATUS_SIZE, n)
#define SOURCE_OF(status) status(MPI_SOURCE)
#define TAG_OF(status) status(MPI_TAG)
#ifdef MODULE
#define USE_MPI use mpi
#define INCLUDE_MPI
#else
#define USE_MPI
#define INCLUDE_MPI include 'mpif.h'
#endif
#endif
subroutine check(holds, claim)
  logical, intent(in) :: holds
  character(*), intent(in) :: claim
  if (.not. holds) then
    print '(2a)', 'not ok: ', claim
    stop 1
  end if
end subroutine check

subroutine messages(rank, n)
  USE_MPI
  implicit none
  INCLUDE_MPI
  integer, intent(in) :: rank, n
  integer, parameter :: many = 40
  integer :: i, ierr, x, values(2 * many), indices(many), n_done, next, prev
  HANDLE(MPI_Request) :: requests(2 * many)
  STATUS(status)
  STATUSES(statuses, 2 * many)
  logical :: flag

  next = mod(rank + 1, n)
  prev = mod(rank + n - 1, n)
  if (rank == 0) then
    do i = 1, n - 1
      call MPI_Recv(x, 1, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, status, ierr)
      call check(SOURCE_OF(status) == x .and. TAG_OF(status) == x + 7, 'a status tells who sent')
    end do
  else
    call MPI_Send(rank, 1, MPI_INTEGER, 0, rank + 7, MPI_COMM_WORLD, ierr)
  end if
  call MPI_Barrier(MPI_COMM_WORLD, ierr) ! what follows would match the wildcards, too
  values = rank
  do i = 1, many
    call MPI_Isend(values(i), 1, MPI_INTEGER, next, i, MPI_COMM_WORLD, requests(i), ierr)
    call MPI_Irecv(values(many + i), 1, MPI_INTEGER, MPI_ANY_SOURCE, i, MPI_COMM_WORLD, requests(many + i), ierr)
  end do
  call MPI_Waitany(many, requests, x, MPI_STATUS_IGNORE, ierr)
  call MPI_Waitsome(many, requests, n_done, indices, MPI_STATUSES_IGNORE, ierr)
  call MPI_Waitall(2 * many, requests, statuses, ierr)
  call check(all(values(many + 1:) == prev), 'values arrive')
  call MPI_Sendrecv(rank, 1, MPI_INTEGER, next, 1, x, 1, MPI_INTEGER, prev, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  call MPI_Send_init(values, 5, MPI_INTEGER, next, 2, MPI_COMM_WORLD, requests(1), ierr)
  call MPI_Recv_init(values(many), 5, MPI_INTEGER, prev, 2, MPI_COMM_WORLD, requests(2), ierr)
  do i = 1, 3
    call MPI_Startall(2, requests, ierr)
    call MPI_Wait(requests(2), status, ierr)
    flag = .false.
    do while (.not. flag)
      call MPI_Test(requests(1), flag, MPI_STATUS_IGNORE, ierr)
    end do
  end do
  call MPI_Request_free(requests(1), ierr)
  call MPI_Request_free(requests(2), ierr)
end subroutine messages

subroutine together(rank, n)
  USE_MPI
  implicit none
  INCLUDE_MPI
  integer, intent(in) :: rank, n
  integer :: ierr, i, counts(n), places(n), half_rank, left, right
  double precision :: sums(4), all(n)
  HANDLE(MPI_Comm) :: half, ring
  HANDLE(MPI_Datatype) :: column
  HANDLE(MPI_Request) :: request
  HANDLE(MPI_Win) :: window
  double precision :: matrix(6, 4)

  sums = rank
  call MPI_Allreduce(MPI_IN_PLACE, sums, 4, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
  call check(sums(1) == n * (n - 1) / 2, 'a sum in place')
  call MPI_Bcast(sums, 4, MPI_DOUBLE_PRECISION, 1, MPI_COMM_WORLD, ierr)
  counts = 1
  places = [(i - 1, i = 1, n)]
  call MPI_Gatherv(sums, 1, MPI_DOUBLE_PRECISION, all, counts, places, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierr)
  call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), rank, half, ierr)
  call MPI_Comm_rank(half, half_rank, ierr)
  call MPI_Iallreduce(half_rank, i, 1, MPI_INTEGER, MPI_MAX, half, request, ierr)
  call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
  call MPI_Comm_free(half, ierr)
  call MPI_Cart_create(MPI_COMM_WORLD, 1, [n], [.true.], .false., ring, ierr)
  call MPI_Cart_shift(ring, 0, 1, left, right, ierr)
  call MPI_Type_vector(4, 1, 6, MPI_DOUBLE_PRECISION, column, ierr)
  call MPI_Type_commit(column, ierr)
  matrix = rank
  call MPI_Sendrecv(matrix, 1, column, right, 0, matrix(2, 1), 1, column, left, 0, ring, MPI_STATUS_IGNORE, ierr)
  call check(matrix(2, 3) == mod(rank + n - 1, n), 'a column goes round')
  call MPI_Type_free(column, ierr)
  call MPI_Barrier(ring, ierr)
  call MPI_Win_create(matrix, int(8 * size(matrix), MPI_ADDRESS_KIND), 8, MPI_INFO_NULL, MPI_COMM_WORLD, window, ierr)
  call MPI_Win_fence(0, window, ierr)
  call MPI_Put(sums, 4, MPI_DOUBLE_PRECISION, right, 0_MPI_ADDRESS_KIND, 4, MPI_DOUBLE_PRECISION, window, ierr)
  call MPI_Win_fence(0, window, ierr)
  call MPI_Win_free(window, ierr)
end subroutine together

program fortran
  USE_MPI
  implicit none
  INCLUDE_MPI
  integer :: ierr, rank, n

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, n, ierr)
  call messages(rank, n)
  call together(rank, n)
  if (command_argument_count() > 0) call MPI_File_delete('/nowhere/x', MPI_INFO_NULL, ierr) ! no such file: no harm
  call MPI_Finalize(ierr)
end program fortran
