! SPDX-License-Identifier: BSD-3-Clause
! mpif.h in free form: collectives, operations of the program's own, Fortran's datatypes.
program collectives
  implicit none
  include 'mpif.h'
  integer :: rank, n, ierr
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, n, ierr)
  call moving()
  call section('moving')
  call varying()
  call section('varying')
  call reducing()
  call section('reducing')
  call own_operations()
  call section('own operations')
  call nonblocking()
  call section('nonblocking')
  call clocks()
  call section('clocks')
  call MPI_Finalize(ierr)

contains

  subroutine moving()
    integer :: a(2), every(2, n), i, to(n), from(n)
    character(len=12) :: word
    word = ''
    if (rank == n - 1) word = 'from the end'
    call MPI_Bcast(word, 12, MPI_CHARACTER, n - 1, MPI_COMM_WORLD, ierr)
    call check(word == 'from the end', 'bcast')
    a = [rank, -rank]
    call MPI_Allgather(a, 2, MPI_INTEGER, every, 2, MPI_INTEGER, MPI_COMM_WORLD, ierr)
    call check(all(every(1, :) == [(i, i = 0, n - 1)]), 'allgather')
    every = -1
    every(:, rank + 1) = a
    call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, every, 2, MPI_INTEGER, MPI_COMM_WORLD, ierr)
    call check(all(every(2, :) == [(-i, i = 0, n - 1)]), 'allgather in place')
    every = -1
    call MPI_Gather(a, 2, MPI_INTEGER, every, 2, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
    if (rank == 0) call check(every(2, n) == 1 - n, 'gather')
    call MPI_Scatter(every, 2, MPI_INTEGER, a, 2, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
    call check(a(1) == rank .and. a(2) == -rank, 'scatter')
    to = [(100 * rank + i, i = 1, n)]
    call MPI_Alltoall(to, 1, MPI_INTEGER, from, 1, MPI_INTEGER, MPI_COMM_WORLD, ierr)
    call check(all(from == [(100 * i + rank + 1, i = 0, n - 1)]), 'alltoall')
  end subroutine

  subroutine varying()
    integer :: counts(n), displs(n), mine(rank + 1), every(n * (n + 1) / 2), i, types(n), bytes(n), from(n), to(n), ones(n)
    counts = [(i, i = 1, n)]
    displs = [(i * (i - 1) / 2, i = 1, n)]
    mine = rank
    call MPI_Allgatherv(mine, rank + 1, MPI_INTEGER, every, counts, displs, MPI_INTEGER, MPI_COMM_WORLD, ierr)
    do i = 1, n
      call check(all(every(displs(i) + 1:displs(i) + i) == i - 1), 'allgatherv')
    end do
    mine = -7
    call MPI_Scatterv(every, counts, displs, MPI_INTEGER, mine, rank + 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
    call check(all(mine == rank), 'scatterv')
    ones = 1
    types = MPI_INTEGER
    bytes = [(4 * (i - 1), i = 1, n)]
    to = [(rank * 10 + i, i = 1, n)]
    call MPI_Alltoallw(to, ones, bytes, types, from, ones, bytes, types, MPI_COMM_WORLD, ierr)
    call check(all(from == [(i * 10 + rank + 1, i = 0, n - 1)]), 'alltoallw')
  end subroutine

  subroutine reducing()
    real(8) :: pair(2), best(2)
    real :: x(3), y(3)
    logical :: truth, answer
    integer :: number(2), least(2), counts(n), mine(1), every(n)
    complex(8) :: z, w
    integer(8) :: big, sum_of_big
    x = [1., real(rank), -1.]
    call MPI_Allreduce(x, y, 3, MPI_REAL, MPI_SUM, MPI_COMM_WORLD, ierr)
    call check(y(1) == n .and. y(2) == n * (n - 1) / 2, 'allreduce')
    call MPI_Allreduce(MPI_IN_PLACE, x, 3, MPI_REAL, MPI_MAX, MPI_COMM_WORLD, ierr)
    call check(x(2) == n - 1, 'allreduce in place')
    pair = [real(mod(rank * 3, n), 8), real(rank, 8)]
    call MPI_Reduce(pair, best, 1, MPI_2DOUBLE_PRECISION, MPI_MINLOC, 0, MPI_COMM_WORLD, ierr)
    if (rank == 0) call check(best(1) == 0d0 .and. best(2) == 0d0, 'minloc')
    number = [rank, n - rank]
    call MPI_Allreduce(number, least, 1, MPI_2INTEGER, MPI_MAXLOC, MPI_COMM_WORLD, ierr)
    call check(all(least == [n - 1, 1]), 'maxloc')
    truth = rank == 0
    call MPI_Allreduce(truth, answer, 1, MPI_LOGICAL, MPI_LOR, MPI_COMM_WORLD, ierr)
    call check(answer, 'one is true')
    call MPI_Allreduce(truth, answer, 1, MPI_LOGICAL, MPI_LAND, MPI_COMM_WORLD, ierr)
    call check(answer .eqv. n == 1, 'not all are')
    call MPI_Allreduce(truth, answer, 1, MPI_LOGICAL, MPI_LXOR, MPI_COMM_WORLD, ierr)
    call check(answer, 'an odd number is')
    z = (1, 2)
    call MPI_Allreduce(z, w, 1, MPI_DOUBLE_COMPLEX, MPI_SUM, MPI_COMM_WORLD, ierr)
    call check(w == n * z, 'complex')
    big = 2_8**40
    call MPI_Allreduce(big, sum_of_big, 1, MPI_INTEGER8, MPI_SUM, MPI_COMM_WORLD, ierr)
    call check(sum_of_big == n * big, 'eight bytes')
    counts = 1
    every = rank
    call MPI_Reduce_scatter(every, mine, counts, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
    call check(mine(1) == n * (n - 1) / 2, 'reduce_scatter')
    call MPI_Scan(rank, mine, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
    call check(mine(1) == rank * (rank + 1) / 2, 'scan')
    mine = 0
    call MPI_Exscan(rank, mine, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
    call check(mine(1) == rank * (rank - 1) / 2, 'exscan')
  end subroutine

  subroutine own_operations()
    external :: concatenate
    integer :: op, pair(2), result(2), type
    logical :: commutes
    ! matrices of one row: (a, b) then (c, d) gives (a c, a d + b), which does not commute
    call MPI_Type_contiguous(2, MPI_INTEGER, type, ierr)
    call MPI_Type_commit(type, ierr)
    call MPI_Op_create(concatenate, .false., op, ierr)
    call MPI_Op_commutative(op, commutes, ierr)
    call check(.not. commutes, 'it does not commute')
    pair = [2, rank + 1]
    call MPI_Allreduce(pair, result, 1, type, op, MPI_COMM_WORLD, ierr)
    call check(result(1) == 2**n .and. result(2) == sum_by_hand(), 'the order of ranks')
    call MPI_Reduce_local(pair, result, 1, type, op, ierr)
    call check(result(2) == 2 * sum_by_hand() + rank + 1, 'reduce_local')
    call MPI_Op_free(op, ierr)
    call check(op == MPI_OP_NULL, 'freed')
    call MPI_Type_free(type, ierr)
  end subroutine

  integer function sum_by_hand()
    integer :: i
    sum_by_hand = sum([(2**i * (i + 1), i = 0, n - 1)])
  end function

  subroutine nonblocking()
    integer, volatile :: b, every(n), flag
    integer :: requests(3), a
    logical :: done
    a = rank
    flag = 0
    if (rank == 0) flag = 5
    call MPI_Iallreduce(a, b, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, requests(1), ierr)
    call MPI_Ibcast(flag, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, requests(2), ierr)
    call MPI_Iallgather(a, 1, MPI_INTEGER, every, 1, MPI_INTEGER, MPI_COMM_WORLD, requests(3), ierr)
    call MPI_Waitall(3, requests, MPI_STATUSES_IGNORE, ierr)
    call check(b == n * (n - 1) / 2 .and. flag == 5 .and. every(n) == n - 1, 'three at a time')
    call MPI_Ibarrier(MPI_COMM_WORLD, requests(1), ierr)
    done = .false.
    do while (.not. done)
      call MPI_Test(requests(1), done, MPI_STATUS_IGNORE, ierr)
    end do
  end subroutine

  subroutine clocks()
    double precision :: before
    character(len=MPI_MAX_PROCESSOR_NAME) :: name
    character(len=MPI_MAX_ERROR_STRING) :: text
    character(len=MPI_MAX_LIBRARY_VERSION_STRING) :: version
    character(len=3) :: short
    integer :: length, code, class, major, minor
    logical :: yes
    before = MPI_Wtime()
    call check(MPI_Wtime() >= before .and. MPI_Wtick() > 0 .and. MPI_Wtick() < 1, 'wtime')
    call MPI_Get_processor_name(name, length, ierr)
    call check(len_trim(name) == length .and. length > 0, 'processor name')
    call MPI_Error_string(MPI_ERR_RANK, text, length, ierr)
    call check(len_trim(text) == length .and. length > 0, 'error string')
    call MPI_Get_library_version(version, length, ierr)
    call check(length > 0 .and. version(1:length) /= '', 'library version')
    call MPI_Get_version(major, minor, ierr)
    call check(major >= 3 .and. minor >= 0, 'version')
    call MPI_Initialized(yes, ierr)
    call check(yes, 'initialized')
    call MPI_Finalized(yes, ierr)
    call check(.not. yes, 'not finalized')
    call MPI_Add_error_class(class, ierr)
    call MPI_Add_error_code(class, code, ierr)
    call MPI_Add_error_string(code, 'abcdef   ', ierr)
    text = 'x'
    call MPI_Error_string(code, text, length, ierr)
    call check(length == 6 .and. text == 'abcdef', 'a string of its own')
    short = text(1:3)
    call check(short == 'abc', 'short')
    call MPI_Pcontrol(1)
  end subroutine
end program

subroutine concatenate(in, inout, n, type)
  implicit none
  include 'mpif.h'
  integer :: n, type, in(2, n), inout(2, n), i, bytes, ierr
  call MPI_Type_size(type, bytes, ierr)
  if (bytes /= 8) stop 9
  do i = 1, n
    inout(:, i) = [in(1, i) * inout(1, i), in(1, i) * inout(2, i) + in(2, i)]
  end do
end subroutine
