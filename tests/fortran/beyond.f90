! SPDX-License-Identifier: BSD-3-Clause
! mpi_f08: what MPI 4 added, and what this MPI allows beyond the standard.
module beyond_callbacks
  use mpi_f08
  use, intrinsic :: iso_c_binding
  implicit none
contains
  subroutine add(invec, inoutvec, len, datatype)
    type(c_ptr), value :: invec, inoutvec
    integer(kind=MPI_COUNT_KIND) :: len
    type(MPI_Datatype) :: datatype
    integer, pointer :: a(:), b(:)
    call c_f_pointer(invec, a, [len])
    call c_f_pointer(inoutvec, b, [len])
    b = a + b
  end subroutine
end module

program beyond
  use mpi_f08
  use beyond_callbacks
  implicit none
  integer :: rank, n, left, right
  call in_a_session()
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, n)
  left = mod(rank + n - 1, n)
  right = mod(rank + 1, n)
  call section('session')
  call sections()
  call section('sections')
  call large_counts()
  call section('large counts')
  call persistent()
  call section('persistent')
  call statuses()
  call section('statuses')
  call characters()
  call section('characters')
  call buffers()
  call section('buffers')
  call MPI_Finalize()

contains

  subroutine in_a_session()
    type(MPI_Session) :: session
    type(MPI_Group) :: group
    type(MPI_Comm) :: comm
    integer :: n_sets, length, i, size
    character(len=20) :: name
    logical :: found
    call MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, session)
    call MPI_Session_get_num_psets(session, MPI_INFO_NULL, n_sets)
    found = .false.
    do i = 0, n_sets - 1
      length = 0
      call MPI_Session_get_nth_pset(session, MPI_INFO_NULL, i, length, name)
      if (length == 11) then
        call MPI_Session_get_nth_pset(session, MPI_INFO_NULL, i, length, name)
        found = found .or. name == 'mpi://WORLD'
      end if
    end do
    if (.not. found) stop 7
    call MPI_Group_from_session_pset(session, 'mpi://WORLD  ', group)
    call MPI_Comm_create_from_group(group, 'tag', MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, comm)
    call MPI_Group_free(group)
    call MPI_Comm_size(comm, size)
    call MPI_Comm_free(comm)
    call MPI_Session_finalize(session)
    if (session /= MPI_SESSION_NULL) stop 8
  end subroutine

  ! Calls that go on after their return: the section becomes a datatype.
  subroutine sections()
    integer, target :: a(4, 6), b(4, 6)
    integer, volatile :: line(6)
    integer :: i
    complex(8) :: z(8)
    real(8) :: pairs(8)
    type(MPI_Request) :: requests(2)
    type(MPI_Win) :: win
    a = reshape([(i, i = 1, 24)], [4, 6])
    b = 0
    call MPI_Irecv(b(3, :), 6, MPI_INTEGER, left, 1, MPI_COMM_WORLD, requests(1))
    call MPI_Isend(a(2, 6:1:-1), 6, MPI_INTEGER, right, 1, MPI_COMM_WORLD, requests(2))
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
    call check(all(b(3, :) == a(2, 6:1:-1)) .and. sum(b) == sum(a(2, :)), 'lines')
    b = 0
    call MPI_Irecv(b(2:3, 2:5), 8, MPI_INTEGER, left, 1, MPI_COMM_WORLD, requests(1))
    call MPI_Isend(a(1:3:2, ::2), 5, MPI_INTEGER, right, 1, MPI_COMM_WORLD, requests(2))
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
    call check(all([b(2:3, 2:3), b(2, 4)] == [1, 3, 9, 11, 17]) .and. sum(b) == 41, 'the first five elements')
    z = 0
    do i = 1, 8
      pairs(i) = i
    end do
    call MPI_Irecv(z(1:8:2), 8, MPI_DOUBLE_PRECISION, left, 1, MPI_COMM_WORLD, requests(1))
    call MPI_Isend(pairs, 8, MPI_DOUBLE_PRECISION, right, 1, MPI_COMM_WORLD, requests(2))
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
    call check(all(z(1:8:2) == [(1, 2), (3, 4), (5, 6), (7, 8)]) .and. all(z(2:8:2) == 0), 'halves of elements')
    line = 0
    call MPI_Win_create(line, 24_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win)
    call MPI_Win_fence(0, win)
    call MPI_Put(a(3, :), 6, MPI_INTEGER, right, 0_MPI_ADDRESS_KIND, 6, MPI_INTEGER, win)
    call MPI_Win_fence(0, win)
    call check(all(line == a(3, :)), 'put')
    call MPI_Win_free(win)
  end subroutine

  subroutine large_counts()
    integer(kind=MPI_COUNT_KIND) :: count, size, lb, extent, counts(n), i
    integer(kind=MPI_ADDRESS_KIND) :: displs(n)
    integer :: into(3), from(3), every(n)
    type(MPI_Datatype) :: type
    type(MPI_Status) :: status
    type(MPI_Op) :: op
    count = 3
    from = rank
    call MPI_Sendrecv(from, count, MPI_INTEGER, right, 1, into, count, MPI_INTEGER, left, 1, MPI_COMM_WORLD, status)
    call check(all(into == left), 'sendrecv')
    call MPI_Get_count(status, MPI_INTEGER, count)
    call check(count == 3, 'get_count')
    call MPI_Type_contiguous(2_MPI_COUNT_KIND**33, MPI_INTEGER, type)
    call MPI_Type_size(type, size)
    call MPI_Type_get_extent(type, lb, extent)
    call check(size == 2_8**35 .and. extent == size, 'a large type')
    call MPI_Type_free(type)
    counts = 1
    displs = [(n - i, i = 1_MPI_COUNT_KIND, int(n, MPI_COUNT_KIND))]
    call MPI_Allgatherv(rank, 1_MPI_COUNT_KIND, MPI_INTEGER, every, counts, displs, MPI_INTEGER, MPI_COMM_WORLD)
    call check(every(1) == n - 1 .and. every(n) == 0, 'allgatherv')
    call MPI_Op_create_c(add, .true., op)
    call MPI_Allreduce(rank, into(1), 1_MPI_COUNT_KIND, MPI_INTEGER, op, MPI_COMM_WORLD)
    call check(into(1) == n * (n - 1) / 2, 'an operation')
    call MPI_Op_free(op)
  end subroutine

  subroutine persistent()
    type(MPI_Request) :: request, parts(2)
    integer, volatile :: total
    integer :: mine, i, give(4)
    integer, volatile :: take(4)
    logical :: flag
    real(16) :: long
    real(16), volatile :: longest
    call MPI_Allreduce_init(mine, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, request)
    do i = 1, 2
      mine = i
      call MPI_Start(request)
      call MPI_Wait(request, MPI_STATUS_IGNORE)
      call check(total == i * n, 'allreduce_init')
    end do
    call MPI_Request_free(request)
    give = rank
    call MPI_Psend_init(give, 2, 2_MPI_COUNT_KIND, MPI_INTEGER, right, 1, MPI_COMM_WORLD, MPI_INFO_NULL, parts(1))
    call MPI_Precv_init(take, 2, 2, MPI_INTEGER, left, 1, MPI_COMM_WORLD, MPI_INFO_NULL, parts(2))
    call MPI_Startall(2, parts)
    call MPI_Pready(1, parts(1))
    call MPI_Pready_list(1, [0], parts(1))
    call MPI_Waitall(2, parts, MPI_STATUSES_IGNORE)
    call MPI_Request_get_status(parts(1), flag, MPI_STATUS_IGNORE)
    call check(all([take(1), take(4)] == left) .and. flag, 'partitions')
    call MPI_Request_free(parts(1))
    call MPI_Request_free(parts(2))
    call MPI_Isendrecv(rank, 1, MPI_INTEGER, right, 1, total, 1, MPI_INTEGER, left, 1, MPI_COMM_WORLD, request)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call check(total == left, 'isendrecv')
    long = rank + 2._16**(-80)
    call MPI_Allreduce(long, longest, 1, MPI_REAL16, MPI_MAX, MPI_COMM_WORLD)
    call check(longest == n - 1 + 2._16**(-80), 'sixteen bytes')
  end subroutine

  subroutine statuses()
    type(MPI_Status) :: status, other
    integer :: f_status(MPI_STATUS_SIZE), number
    call MPI_Sendrecv(rank, 1, MPI_INTEGER, rank, 5, number, 1, MPI_INTEGER, rank, 5, MPI_COMM_WORLD, status)
    call MPI_Status_f082f(status, f_status)
    call check(f_status(MPI_SOURCE) == rank .and. f_status(MPI_TAG) == 5, 'as an array')
    call MPI_Status_f2f08(f_status, other)
    call check(other%MPI_TAG == 5, 'and back')
    call MPI_Get_count(other, MPI_INTEGER, number)
    call check(number == 1, 'with its count')
    call MPI_Status_set_tag(other, 77)
    call MPI_Status_get_tag(other, number)
    call check(number == 77 .and. other%MPI_TAG == 77, 'set_tag')
  end subroutine

  subroutine characters()
    type(MPI_Info) :: info
    character(len=3) :: short
    character(len=20) :: value
    integer :: length, major, minor
    logical :: flag
    call MPI_Info_create(info)
    call MPI_Info_set(info, 'word', 'abcdefg')
    length = 0
    call MPI_Info_get_string(info, 'word', length, short, flag)
    call check(flag .and. length == 7, 'its length')
    length = 3
    call MPI_Info_get_string(info, 'word', length, short, flag)
    call check(flag .and. length == 7 .and. short == 'abc', 'a part of it')
    length = 20
    call MPI_Info_get_string(info, 'word', length, value, flag)
    call check(value == 'abcdefg', 'all of it')
    call MPI_Info_free(info)
    call MPI_Info_create_env(info)
    call MPI_Info_free(info)
    call MPI_Abi_get_version(major, minor)
    call check(major == 1, 'abi')
  end subroutine

  subroutine buffers()
    type(c_ptr) :: where
    type(MPI_Comm) :: comm
    integer :: size, got
    call MPI_Comm_dup(MPI_COMM_WORLD, comm)
    call MPI_Comm_attach_buffer(comm, MPI_BUFFER_AUTOMATIC, 0)
    call MPI_Bsend(rank, 1, MPI_INTEGER, right, 1, comm)
    call MPI_Recv(got, 1, MPI_INTEGER, left, 1, comm, MPI_STATUS_IGNORE)
    call MPI_Comm_detach_buffer(comm, where, size)
    call check(got == left .and. c_associated(where), 'automatic')
    call MPI_Comm_free(comm)
  end subroutine

end program
