! SPDX-License-Identifier: BSD-3-Clause
! The module mpi_f08: handles with types, error codes left out, sections of arrays, callbacks, windows, memory, profiling names.
module modern_callbacks
  use mpi_f08
  use, intrinsic :: iso_c_binding
  implicit none
  integer :: n_deletes = 0, n_errors = 0, n_frees = 0
contains
  subroutine multiply(invec, inoutvec, len, datatype)
    type(c_ptr), value :: invec, inoutvec
    integer :: len
    type(MPI_Datatype) :: datatype
    integer, pointer :: a(:), b(:)
    if (datatype /= MPI_INTEGER) stop 9
    call c_f_pointer(invec, a, [len])
    call c_f_pointer(inoutvec, b, [len])
    b = a * b
  end subroutine
  subroutine delete(comm, comm_keyval, attribute_val, extra_state, ierror)
    type(MPI_Comm) :: comm
    integer :: comm_keyval, ierror
    integer(kind=MPI_ADDRESS_KIND) :: attribute_val, extra_state
    n_deletes = n_deletes + int(attribute_val + extra_state)
    ierror = MPI_SUCCESS
  end subroutine
  subroutine handler(comm, error_code)
    type(MPI_Comm) :: comm
    integer :: error_code, size
    call MPI_Comm_size(comm, size)
    n_errors = n_errors + size
  end subroutine
  subroutine win_handler(win, error_code)
    type(MPI_Win) :: win
    integer :: error_code
    if (win /= MPI_WIN_NULL) n_errors = n_errors + 1000
  end subroutine
  subroutine query(extra_state, status, ierror)
    integer(kind=MPI_ADDRESS_KIND) :: extra_state
    type(MPI_Status) :: status
    integer :: ierror
    call MPI_Status_set_elements(status, MPI_REAL, int(extra_state))
    call MPI_Status_set_cancelled(status, .false.)
    status%MPI_SOURCE = MPI_UNDEFINED
    status%MPI_TAG = MPI_UNDEFINED
    ierror = MPI_SUCCESS
  end subroutine
  subroutine release(extra_state, ierror)
    integer(kind=MPI_ADDRESS_KIND) :: extra_state
    integer :: ierror
    n_frees = n_frees + int(extra_state)
    ierror = MPI_SUCCESS
  end subroutine
  subroutine cancel(extra_state, complete, ierror)
    integer(kind=MPI_ADDRESS_KIND) :: extra_state
    logical :: complete
    integer :: ierror
    ierror = MPI_SUCCESS
  end subroutine
end module

program modern
  use mpi_f08
  use modern_callbacks
  implicit none
  integer :: rank, n, left, right
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, n)
  left = mod(rank + n - 1, n)
  right = mod(rank + 1, n)
  call messages()
  call section('messages')
  call handles()
  call section('handles')
  call sections()
  call section('sections')
  call collectives()
  call section('collectives')
  call callbacks()
  call section('callbacks')
  call windows()
  call section('windows')
  call memory()
  call section('memory')
  call others()
  call section('others')
  call MPI_Finalize()

contains

  subroutine messages()
    type(MPI_Request) :: requests(4)
    type(MPI_Status) :: status, statuses(4)
    type(MPI_Message) :: message
    integer, volatile :: from(2)
    integer :: to(2), at, ierr, n_done, indices(4), count
    logical :: flag
    to = [rank, rank + 1000]
    call MPI_Irecv(from(1), 1, MPI_INTEGER, left, 1, MPI_COMM_WORLD, requests(1))
    call MPI_Irecv(from(2), 1, MPI_INTEGER, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, requests(2), ierr)
    call check(ierr == MPI_SUCCESS, 'an error code, when it is wanted')
    call MPI_Isend(to(1), 1, MPI_INTEGER, right, 1, MPI_COMM_WORLD, requests(3))
    call MPI_Issend(to(2), 1, MPI_INTEGER, right, 2, MPI_COMM_WORLD, requests(4))
    call MPI_Waitall(4, requests, statuses)
    call check(from(1) == left .and. from(2) == left + 1000, 'what came')
    call check(statuses(2)%MPI_SOURCE == left .and. statuses(2)%MPI_TAG == 2, 'statuses')
    call check(requests(1) == MPI_REQUEST_NULL .and. .not. requests(1) /= MPI_REQUEST_NULL, 'no requests')
    call MPI_Isend(to, 2, MPI_INTEGER, right, 3, MPI_COMM_WORLD, requests(1))
    call MPI_Mprobe(left, 3, MPI_COMM_WORLD, message, status)
    call MPI_Get_count(status, MPI_INTEGER, count)
    call check(count == 2 .and. message /= MPI_MESSAGE_NULL, 'mprobe')
    call MPI_Mrecv(from, 2, MPI_INTEGER, message, MPI_STATUS_IGNORE)
    call MPI_Waitany(4, requests, at, MPI_STATUS_IGNORE)
    call check(at == 1, 'waitany')
    call MPI_Testsome(4, requests, n_done, indices, MPI_STATUSES_IGNORE)
    call check(n_done == MPI_UNDEFINED, 'testsome')
    call MPI_Testall(4, requests, flag, MPI_STATUSES_IGNORE)
    call check(flag, 'testall')
  end subroutine

  subroutine handles()
    type(MPI_Comm) :: comm, none
    type(MPI_Group) :: group
    type(MPI_Datatype) :: type, contained(1)
    type(MPI_Info) :: info
    type(MPI_Errhandler) :: errhandler
    character(len=MPI_MAX_OBJECT_NAME) :: name
    character(len=5) :: value
    integer :: length, result, n_integers, n_addresses, n_types, combiner, integers(1)
    integer(kind=MPI_ADDRESS_KIND) :: addresses(1), lb, extent
    logical :: flag
    call MPI_Comm_dup(MPI_COMM_WORLD, comm)
    none = MPI_COMM_NULL
    call check(comm /= MPI_COMM_WORLD .and. comm /= none .and. comm%MPI_VAL /= MPI_COMM_WORLD%MPI_VAL, 'they differ')
    call MPI_Comm_compare(comm, MPI_COMM_WORLD, result)
    call check(result == MPI_CONGRUENT, 'congruent')
    call MPI_Comm_set_name(comm, 'mine')
    call MPI_Comm_get_name(comm, name, length)
    call check(name == 'mine' .and. length == 4, 'name')
    call MPI_Comm_group(comm, group)
    call MPI_Group_free(group)
    call check(group == MPI_GROUP_NULL, 'a group')
    call MPI_Comm_get_errhandler(comm, errhandler)
    call check(errhandler == MPI_ERRORS_ARE_FATAL, 'an error handler')
    call MPI_Comm_free(comm)
    call check(comm == none, 'freed')
    call MPI_Info_create(info)
    call MPI_Info_set(info, 'key', 'value')
    call MPI_Info_get(info, 'key', 5, value, flag)
    call check(flag .and. value == 'value', 'info')
    call MPI_Info_free(info)
    call MPI_Type_contiguous(3, MPI_REAL8, type)
    call MPI_Type_commit(type)
    call MPI_Type_get_extent(type, lb, extent)
    call check(lb == 0 .and. extent == 24, 'extent')
    call MPI_Type_get_envelope(type, n_integers, n_addresses, n_types, combiner)
    call MPI_Type_get_contents(type, n_integers, n_addresses, n_types, integers, addresses, contained)
    call check(contained(1) == MPI_REAL8 .and. integers(1) == 3, 'contents')
    call MPI_Type_free(type)
  end subroutine

  ! Calls that return when all is done may be given any section.
  subroutine sections()
    integer :: a(4, 6), b(4, 6), line(6), i
    a = reshape([(i, i = 1, 24)], [4, 6])
    b = 0
    call MPI_Sendrecv(a(2, :), 6, MPI_INTEGER, right, 1, line, 6, MPI_INTEGER, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call check(all(line == a(2, :)), 'a line')
    call MPI_Sendrecv(line, 6, MPI_INTEGER, right, 1, b(3, :), 6, MPI_INTEGER, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call check(all(b(3, :) == line) .and. sum(b) == sum(line), 'into a line')
    b = rank
    call MPI_Allreduce(MPI_IN_PLACE, b(1:3:2, 2:6:2), 6, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    call check(all(b(1:3:2, 2:6:2) == n * (n - 1) / 2) .and. all(b(2, :) == rank), 'each second')
    call MPI_Bcast(b(4:1:-1, 1), 4, MPI_INTEGER, 0, MPI_COMM_WORLD)
    call check(all(b(:, 1) == 0), 'backwards')
  end subroutine

  subroutine collectives()
    integer :: every(n), counts(n), displs(n), i, mine(2)
    type(MPI_Request) :: request
    integer, volatile :: total
    type(MPI_Datatype) :: types(n)
    call MPI_Allgather(rank, 1, MPI_INTEGER, every, 1, MPI_INTEGER, MPI_COMM_WORLD)
    call check(all(every == [(i, i = 0, n - 1)]), 'allgather')
    call MPI_Iallreduce(rank, total, 1, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, request)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call check(total == n - 1, 'iallreduce')
    counts = 1
    displs = [(n - i, i = 1, n)]
    call MPI_Gatherv(rank, 1, MPI_INTEGER, every, counts, displs, MPI_INTEGER, 0, MPI_COMM_WORLD)
    if (rank == 0) call check(all(every == [(n - i, i = 1, n)]), 'gatherv')
    every = [(rank * 100 + i, i = 1, n)]
    displs = [(4 * i, i = 0, n - 1)]
    types = MPI_INTEGER
    call MPI_Alltoallw(MPI_IN_PLACE, counts, displs, types, every, counts, displs, types, MPI_COMM_WORLD)
    call check(all(every == [(100 * i + rank + 1, i = 0, n - 1)]), 'alltoallw')
    mine = [rank, 1]
    call MPI_Scan(MPI_IN_PLACE, mine, 2, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    call check(mine(2) == rank + 1, 'scan')
  end subroutine

  subroutine callbacks()
    type(MPI_Op) :: op
    type(MPI_Comm) :: comm
    type(MPI_Errhandler) :: errhandler
    type(MPI_Request) :: request
    type(MPI_Status) :: status
    integer :: keyval, factor, result, ierr, class, count
    integer(kind=MPI_ADDRESS_KIND) :: value, state
    logical :: flag
    call MPI_Op_create(multiply, .true., op)
    factor = 2
    call MPI_Allreduce(factor, result, 1, MPI_INTEGER, op, MPI_COMM_WORLD)
    call check(result == 2**n, 'an operation')
    call MPI_Op_free(op)
    state = 1
    call MPI_Comm_create_keyval(MPI_COMM_DUP_FN, delete, keyval, state)
    call MPI_Comm_dup(MPI_COMM_SELF, comm)
    value = 41
    call MPI_Comm_set_attr(comm, keyval, value)
    value = 0
    call MPI_Comm_get_attr(comm, keyval, value, flag)
    call check(flag .and. value == 41, 'an attribute')
    call MPI_Comm_free(comm)
    call check(n_deletes == 42, 'it was deleted')
    call MPI_Comm_free_keyval(keyval)
    call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, value, flag)
    call check(flag .and. value >= 32767, 'tag_ub')
    call MPI_Comm_dup(MPI_COMM_WORLD, comm)
    call MPI_Comm_create_errhandler(handler, errhandler)
    call MPI_Comm_set_errhandler(comm, errhandler)
    call MPI_Errhandler_free(errhandler)
    call MPI_Send(factor, 1, MPI_INTEGER, n, 0, comm, ierr)
    call MPI_Error_class(ierr, class)
    call check(n_errors == n .and. class == MPI_ERR_RANK, 'an error handler')
    call MPI_Comm_free(comm)
    state = 3
    call MPI_Grequest_start(query, release, cancel, state, request)
    call MPI_Grequest_complete(request)
    call MPI_Wait(request, status)
    call MPI_Get_count(status, MPI_REAL, count)
    call check(count == 3 .and. n_frees == 3, 'a request')
  end subroutine

  subroutine windows()
    type(MPI_Win) :: win
    type(MPI_Errhandler) :: errhandler
    type(MPI_Group) :: group
    type(c_ptr) :: base
    integer, pointer :: shared(:)
    integer, volatile :: local(4)
    integer :: got, old, one, bytes, ierr
    integer(kind=MPI_ADDRESS_KIND) :: size, value
    logical :: flag
    local = rank
    one = 1
    size = 16
    call MPI_Win_create(local, size, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win)
    call MPI_Win_fence(0, win)
    call MPI_Put(rank, 1, MPI_INTEGER, right, 1_MPI_ADDRESS_KIND, 1, MPI_INTEGER, win)
    call MPI_Win_fence(0, win)
    call check(local(2) == left, 'put')
    call MPI_Accumulate(one, 1, MPI_INTEGER, right, 2_MPI_ADDRESS_KIND, 1, MPI_INTEGER, MPI_SUM, win)
    call MPI_Win_fence(0, win)
    call check(local(3) == rank + 1, 'accumulate')
    call MPI_Win_get_attr(win, MPI_WIN_SIZE, value, flag)
    call check(flag .and. value == 16, 'the size')
    call MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, value, flag)
    call check(flag .and. value == 4, 'the unit')
    call MPI_Win_get_group(win, group)
    call MPI_Group_free(group)
    call MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win)
    call MPI_Fetch_and_op(one, old, MPI_INTEGER, 0, 3_MPI_ADDRESS_KIND, MPI_SUM, win)
    call MPI_Win_flush(0, win)
    call check(old >= 0 .and. old < n, 'fetch_and_op')
    call MPI_Win_unlock(0, win)
    call MPI_Win_create_errhandler(win_handler, errhandler)
    call MPI_Win_set_errhandler(win, errhandler)
    call MPI_Errhandler_free(errhandler)
    call MPI_Win_call_errhandler(win, MPI_ERR_OTHER, ierr)
    call check(n_errors == n + 1000, 'its error handler')
    call MPI_Win_free(win)
    call check(win == MPI_WIN_NULL, 'freed')
    size = 40
    call MPI_Win_allocate(size, 4, MPI_INFO_NULL, MPI_COMM_WORLD, base, win)
    call c_f_pointer(base, shared, [10])
    shared = rank * 10
    call MPI_Win_fence(0, win)
    call MPI_Get(got, 1, MPI_INTEGER, left, 9_MPI_ADDRESS_KIND, 1, MPI_INTEGER, win)
    call MPI_Win_fence(0, win)
    call check(got == left * 10, 'get')
    call MPI_Win_free(win)
    call MPI_Type_size(MPI_INTEGER, bytes)
    call check(bytes == 4, 'four bytes')
  end subroutine

  subroutine memory()
    type(c_ptr) :: base, there
    real(8), pointer :: x(:)
    integer(kind=MPI_ADDRESS_KIND) :: size, first, second
    character, pointer :: space(:)
    integer :: bytes, into
    size = 80
    call MPI_Alloc_mem(size, MPI_INFO_NULL, base)
    call c_f_pointer(base, x, [10])
    x = 1
    call MPI_Get_address(x(1), first)
    call MPI_Get_address(x(10), second)
    call check(MPI_Aint_diff(second, first) == 72 .and. MPI_Aint_add(first, 72_MPI_ADDRESS_KIND) == second, 'addresses')
    call MPI_Free_mem(x)
    call MPI_Pack_size(1, MPI_INTEGER, MPI_COMM_WORLD, bytes)
    allocate (space(bytes + MPI_BSEND_OVERHEAD))
    call MPI_Buffer_attach(space, bytes + MPI_BSEND_OVERHEAD)
    call MPI_Bsend(rank, 1, MPI_INTEGER, right, 1, MPI_COMM_WORLD)
    call MPI_Recv(into, 1, MPI_INTEGER, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call MPI_Buffer_detach(base, bytes)
    there = c_loc(space(1))
    call check(c_associated(base, there) .and. into == left, 'detach')
    deallocate (space)
  end subroutine

  subroutine others()
    integer :: size, dims(2), position, i
    integer(kind=MPI_ADDRESS_KIND) :: at
    character :: space(100)
    type(MPI_Comm) :: grid
    logical :: periods(2)
    call PMPI_Comm_size(comm=MPI_COMM_WORLD, size=size)
    call check(size == n .and. PMPI_Wtime() >= 0, 'profiling names and keywords')
    call MPI_Sizeof(at, size)
    call check(size == 8, 'sizeof')
    call check(MPI_ADDRESS_KIND == 8 .and. MPI_COUNT_KIND == 8 .and. MPI_OFFSET_KIND == 8, 'kinds')
    dims = [n, 1]
    call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, [.true., .true.], .false., grid)
    call MPI_Cart_get(grid, 2, dims, periods, dims)
    call check(all(periods), 'logicals')
    call MPI_Comm_free(grid)
    at = 0
    call MPI_Pack_external('external32', rank, 1, MPI_INTEGER, space, 100_MPI_ADDRESS_KIND, at)
    call check(at == 4 .and. ichar(space(4)) == rank, 'external32')
    at = 0
    call MPI_Unpack_external('external32', space, 100_MPI_ADDRESS_KIND, at, i, 1, MPI_INTEGER)
    call check(i == rank, 'and back')
    position = 0
    call MPI_Pack(rank, 1, MPI_INTEGER, space, 100, position, MPI_COMM_WORLD)
    call check(position == 4, 'pack')
  end subroutine
end program
