! SPDX-License-Identifier: BSD-3-Clause
! The module mpi: groups, communicators, names, info, attributes, error handlers, topologies, datatypes, requests of the program's own.
module callbacks
  use mpi
  implicit none
  integer :: n_copies = 0, n_deletes = 0, n_errors = 0, last_error = -1, n_queries = 0, n_frees = 0, n_cancels = 0
  logical :: was_complete = .true.
contains
  subroutine copy(comm, keyval, extra_state, value_in, value_out, flag, ierror)
    integer :: comm, keyval, ierror
    integer(kind=MPI_ADDRESS_KIND) :: extra_state, value_in, value_out
    logical :: flag
    n_copies = n_copies + 1
    value_out = value_in + extra_state
    flag = value_in > 0
    ierror = MPI_SUCCESS
  end subroutine
  subroutine delete(comm, keyval, value, extra_state, ierror)
    integer :: comm, keyval, ierror
    integer(kind=MPI_ADDRESS_KIND) :: value, extra_state
    n_deletes = n_deletes + int(value)
    ierror = MPI_SUCCESS
  end subroutine
  subroutine handler(comm, code)
    integer :: comm, code, size, ierr
    call MPI_Comm_size(comm, size, ierr)
    n_errors = n_errors + size
    call MPI_Error_class(code, last_error, ierr)
  end subroutine
  subroutine query(extra_state, status, ierror)
    integer(kind=MPI_ADDRESS_KIND) :: extra_state
    integer :: status(MPI_STATUS_SIZE), ierror
    call MPI_Status_set_elements(status, MPI_INTEGER, int(extra_state), ierror)
    call MPI_Status_set_cancelled(status, .false., ierror)
    status(MPI_SOURCE) = 7
    status(MPI_TAG) = 8
    n_queries = n_queries + 1
  end subroutine
  subroutine release(extra_state, ierror)
    integer(kind=MPI_ADDRESS_KIND) :: extra_state
    integer :: ierror
    n_frees = n_frees + 1
    ierror = MPI_SUCCESS
  end subroutine
  subroutine cancel(extra_state, complete, ierror)
    integer(kind=MPI_ADDRESS_KIND) :: extra_state
    logical :: complete
    integer :: ierror
    n_cancels = n_cancels + 1
    was_complete = complete
    ierror = MPI_SUCCESS
  end subroutine
end module

program objects
  use mpi
  use callbacks
  implicit none
  integer :: rank, n, ierr
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, n, ierr)
  call groups()
  call section('groups')
  call communicators()
  call section('communicators')
  call information()
  call section('information')
  call attributes()
  call section('attributes')
  call errors()
  call section('errors')
  call grids()
  call section('grids')
  call graphs()
  call section('graphs')
  call types()
  call section('types')
  call kinds()
  call section('kinds')
  call generalized()
  call section('generalized')
  call MPI_Finalize(ierr)

contains

  subroutine groups()
    integer :: world, first, rest, both, size, result, ranges(3, 1), to(1)
    call MPI_Comm_group(MPI_COMM_WORLD, world, ierr)
    call MPI_Group_incl(world, 1, [0], first, ierr)
    call MPI_Group_excl(world, 1, [0], rest, ierr)
    call MPI_Group_size(rest, size, ierr)
    call check(size == n - 1, 'excl')
    call MPI_Group_union(first, rest, both, ierr)
    call MPI_Group_compare(both, world, result, ierr)
    call check(result == MPI_IDENT, 'union')
    call MPI_Group_free(both, ierr)
    call check(both == MPI_GROUP_NULL, 'freed')
    ranges(:, 1) = [n - 1, 0, -1]
    call MPI_Group_range_incl(world, 1, ranges, both, ierr)
    call MPI_Group_translate_ranks(both, 1, [0], world, to, ierr)
    call check(to(1) == n - 1, 'range_incl')
    call MPI_Group_rank(first, result, ierr)
    call check(result == merge(0, MPI_UNDEFINED, rank == 0), 'rank')
    call MPI_Group_free(both, ierr)
    call MPI_Group_free(first, ierr)
    call MPI_Group_free(rest, ierr)
    call MPI_Group_free(world, ierr)
  end subroutine

  subroutine communicators()
    integer :: half, copy_of_it, inter, merged, size, result, length, leader
    character(len=MPI_MAX_OBJECT_NAME) :: name
    logical :: flag
    call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), -rank, half, ierr)
    call MPI_Comm_size(half, size, ierr)
    call check(size == (n + 1 - mod(rank, 2)) / 2, 'split')
    call MPI_Comm_dup(half, copy_of_it, ierr)
    call MPI_Comm_compare(half, copy_of_it, result, ierr)
    call check(result == MPI_CONGRUENT, 'dup')
    call MPI_Comm_set_name(half, 'a name   ', ierr)
    call MPI_Comm_get_name(half, name, length, ierr)
    call check(name == 'a name' .and. length == 6, 'name')
    call MPI_Comm_get_name(MPI_COMM_WORLD, name, length, ierr)
    call check(name == 'MPI_COMM_WORLD' .and. length == 14, 'the name of all')
    if (n > 1) then
      leader = merge((n - 1) / 2 * 2, n - 1 - mod(n, 2), mod(rank, 2) == 1)
      call MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, leader, 9, inter, ierr)
      call MPI_Comm_test_inter(inter, flag, ierr)
      call check(flag, 'an intercommunicator')
      call MPI_Intercomm_merge(inter, mod(rank, 2) == 1, merged, ierr)
      call MPI_Comm_size(merged, size, ierr)
      call check(size == n, 'merge')
      call MPI_Comm_free(merged, ierr)
      call MPI_Comm_free(inter, ierr)
    end if
    call MPI_Comm_split(MPI_COMM_WORLD, merge(0, MPI_UNDEFINED, rank == 0), 0, inter, ierr)
    call check((inter == MPI_COMM_NULL) .neqv. rank == 0, 'undefined')
    if (rank == 0) call MPI_Comm_free(inter, ierr)
    call MPI_Comm_free(copy_of_it, ierr)
    call MPI_Comm_free(half, ierr)
    call check(half == MPI_COMM_NULL, 'freed')
  end subroutine

  subroutine information()
    integer :: info, n_keys, length
    character(len=10) :: value, key
    logical :: flag
    call MPI_Info_create(info, ierr)
    call MPI_Info_set(info, '  colour ', ' deep blue   ', ierr)
    call MPI_Info_set(info, 'size', '12', ierr)
    call MPI_Info_get(info, 'colour', 10, value, flag, ierr)
    call check(flag .and. value == 'deep blue', 'get')
    call MPI_Info_get(info, 'taste', 10, value, flag, ierr)
    call check(.not. flag, 'there is none')
    call MPI_Info_get_valuelen(info, 'colour', length, flag, ierr)
    call check(flag .and. length == 9, 'length')
    call MPI_Info_get_nkeys(info, n_keys, ierr)
    call check(n_keys == 2, 'nkeys')
    call MPI_Info_get_nthkey(info, 1, key, ierr)
    call check(key == 'size', 'nthkey')
    call MPI_Info_delete(info, 'size', ierr)
    call MPI_Info_get_nkeys(info, n_keys, ierr)
    call check(n_keys == 1, 'delete')
    call MPI_Info_free(info, ierr)
    call check(info == MPI_INFO_NULL, 'free')
  end subroutine

  subroutine attributes()
    integer :: keyval, other, type_keyval, comm, type, another
    integer(kind=MPI_ADDRESS_KIND) :: value, state
    logical :: flag
    call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, value, flag, ierr)
    call check(flag .and. value >= 32767, 'tag_ub is a value')
    state = 100
    call MPI_Comm_create_keyval(copy, delete, keyval, state, ierr)
    call MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, other, state, ierr)
    call MPI_Comm_dup(MPI_COMM_SELF, comm, ierr)
    value = 2_MPI_ADDRESS_KIND**40
    call MPI_Comm_set_attr(comm, other, value, ierr)
    value = 5
    call MPI_Comm_set_attr(comm, keyval, value, ierr)
    value = 0
    call MPI_Comm_get_attr(comm, keyval, value, flag, ierr)
    call check(flag .and. value == 5, 'get_attr')
    call MPI_Comm_dup(comm, another, ierr)
    call MPI_Comm_get_attr(another, keyval, value, flag, ierr)
    call check(flag .and. value == 105 .and. n_copies == 1, 'a copy')
    call MPI_Comm_get_attr(another, other, value, flag, ierr)
    call check(flag .and. value == 2_MPI_ADDRESS_KIND**40, 'the same')
    call MPI_Comm_free(another, ierr)
    call check(n_deletes == 105, 'deleted')
    value = -1
    call MPI_Comm_set_attr(comm, keyval, value, ierr)
    call check(n_deletes == 110, 'the old value')
    call MPI_Comm_dup(comm, another, ierr)
    call MPI_Comm_get_attr(another, keyval, value, flag, ierr)
    call check(.not. flag, 'not copied')
    call MPI_Comm_free(another, ierr)
    call MPI_Comm_delete_attr(comm, keyval, ierr)
    call check(n_deletes == 109, 'delete_attr')
    call MPI_Comm_free_keyval(keyval, ierr)
    call MPI_Comm_free_keyval(other, ierr)
    call check(keyval == MPI_KEYVAL_INVALID, 'free_keyval')
    call MPI_Comm_free(comm, ierr)
    call MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, delete, type_keyval, state, ierr)
    call MPI_Type_contiguous(2, MPI_REAL, type, ierr)
    value = 11
    call MPI_Type_set_attr(type, type_keyval, value, ierr)
    call MPI_Type_free(type, ierr)
    call check(n_deletes == 120, 'of a type')
    call MPI_Type_free_keyval(type_keyval, ierr)
  end subroutine

  subroutine errors()
    integer :: errhandler, comm, got, code
    call MPI_Comm_dup(MPI_COMM_WORLD, comm, ierr)
    call MPI_Comm_create_errhandler(handler, errhandler, ierr)
    call MPI_Comm_set_errhandler(comm, errhandler, ierr)
    call MPI_Send(rank, 1, MPI_INTEGER, n, 1, comm, code)
    call check(n_errors == n .and. last_error == MPI_ERR_RANK, 'the handler was called')
    call MPI_Comm_get_errhandler(comm, got, ierr)
    call check(got == errhandler, 'it is the same')
    call MPI_Errhandler_free(got, ierr)
    call MPI_Comm_call_errhandler(comm, MPI_ERR_OTHER, ierr)
    call check(n_errors == 2 * n .and. last_error == MPI_ERR_OTHER, 'called')
    call MPI_Errhandler_free(errhandler, ierr)
    call MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN, ierr)
    call MPI_Send(rank, -1, MPI_INTEGER, 0, 1, comm, code)
    call MPI_Error_class(code, got, ierr)
    call check(got == MPI_ERR_COUNT, 'returned')
    call MPI_Comm_free(comm, ierr)
  end subroutine

  subroutine grids()
    integer :: dims(2), grid, line, coords(2), got(2), at, down, up, kind
    logical :: periods(2), got_periods(2)
    dims = 0
    call MPI_Dims_create(n, 2, dims, ierr)
    call check(product(dims) == n, 'dims')
    periods = [.true., .false.]
    call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, .false., grid, ierr)
    call MPI_Topo_test(grid, kind, ierr)
    call check(kind == MPI_CART, 'cart')
    call MPI_Cart_get(grid, 2, got, got_periods, coords, ierr)
    call check(all(got == dims) .and. (got_periods(1) .and. .not. got_periods(2)), 'cart_get')
    call MPI_Cart_rank(grid, coords, at, ierr)
    call check(at == rank, 'cart_rank')
    call MPI_Cart_shift(grid, 1, 1, down, up, ierr)
    call check((down == MPI_PROC_NULL) .eqv. coords(2) == 0, 'cart_shift')
    call MPI_Cart_sub(grid, [.true., .false.], line, ierr)
    call MPI_Comm_size(line, at, ierr)
    call check(at == dims(1), 'cart_sub')
    call MPI_Comm_free(line, ierr)
    call MPI_Comm_free(grid, ierr)
  end subroutine

  subroutine graphs()
    integer :: ring, left(1), right(1), sources(1), targets(1), w_in(1), w_out(1), n_in, n_out, from, to
    logical :: weighted
    left = mod(rank + n - 1, n)
    right = mod(rank + 1, n)
    call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, left, MPI_UNWEIGHTED, 1, right, MPI_UNWEIGHTED, MPI_INFO_NULL, &
      .false., ring, ierr)
    call MPI_Dist_graph_neighbors_count(ring, n_in, n_out, weighted, ierr)
    call check(n_in == 1 .and. n_out == 1 .and. .not. weighted, 'without weights')
    to = rank
    call MPI_Neighbor_allgather(to, 1, MPI_INTEGER, from, 1, MPI_INTEGER, ring, ierr)
    call check(from == left(1), 'neighbor_allgather')
    call MPI_Comm_free(ring, ierr)
    call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, left, [rank + 1], 1, right, [right(1) + 1], MPI_INFO_NULL, &
      .false., ring, ierr)
    call MPI_Dist_graph_neighbors(ring, 1, sources, w_in, 1, targets, w_out, ierr)
    call check(sources(1) == left(1) .and. targets(1) == right(1) .and. w_in(1) == rank + 1, 'with weights')
    call MPI_Comm_free(ring, ierr)
  end subroutine

  subroutine types()
    type particle
      sequence
      real(8) :: x(3)
      integer :: number, more
    end type
    type(particle) :: here(2), there(2)
    integer :: type, resized, parts, size, combiner, n_integers, n_addresses, n_types
    integer :: integers(3), contained(2), i, matrix(4, 4), line(4), status(MPI_STATUS_SIZE), packed_elements
    integer(kind=MPI_ADDRESS_KIND) :: at(3), lb, extent, addresses(2), base
    character(len=MPI_MAX_OBJECT_NAME) :: name
    call MPI_Get_address(here(1)%x, base, ierr)
    call MPI_Get_address(here(1)%number, at(2), ierr)
    at(1) = 0
    at(2) = MPI_Aint_diff(at(2), base)
    call check(at(2) == 24 .and. MPI_Aint_add(base, at(2)) == base + 24, 'addresses')
    call MPI_Type_create_struct(2, [3, 2], at, [MPI_REAL8, MPI_INTEGER], type, ierr)
    call MPI_Type_create_resized(type, 0_MPI_ADDRESS_KIND, 32_MPI_ADDRESS_KIND, resized, ierr)
    call MPI_Type_commit(resized, ierr)
    call MPI_Type_get_extent(resized, lb, extent, ierr)
    call check(lb == 0 .and. extent == 32, 'extent')
    do i = 1, 2
      here(i) = particle([1d0, 2d0, 3d0] * i, i, -i)
    end do
    call MPI_Sendrecv(here, 2, resized, rank, 1, there, 2, resized, rank, 1, MPI_COMM_WORLD, status, ierr)
    call check(there(2)%x(3) == 6 .and. there(2)%more == -2, 'structures')
    call MPI_Get_elements(status, resized, packed_elements, ierr)
    call check(packed_elements == 10, 'get_elements')
    call MPI_Type_get_envelope(type, n_integers, n_addresses, n_types, combiner, ierr)
    call check(n_integers == 3 .and. n_addresses == 2 .and. n_types == 2 .and. combiner == MPI_COMBINER_STRUCT, 'envelope')
    call MPI_Type_get_contents(type, 3, 2, 2, integers, addresses, contained, ierr)
    call check(all(integers == [2, 3, 2]) .and. addresses(2) == 24 .and. contained(2) == MPI_INTEGER, 'contents')
    call MPI_Type_free(type, ierr)
    call MPI_Type_free(resized, ierr)
    call check(type == MPI_DATATYPE_NULL, 'freed')
    ! a line of a matrix that is stored by columns
    matrix = reshape([(i, i = 1, 16)], [4, 4])
    call MPI_Type_vector(4, 1, 4, MPI_INTEGER, type, ierr)
    call MPI_Type_commit(type, ierr)
    call MPI_Sendrecv(matrix(2, 1), 1, type, rank, 1, line, 4, MPI_INTEGER, rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    call check(all(line == matrix(2, :)), 'a line')
    call MPI_Type_set_name(type, 'line', ierr)
    call MPI_Type_get_name(type, name, size, ierr)
    call check(name == 'line' .and. size == 4, 'its name')
    call MPI_Type_free(type, ierr)
    call MPI_Type_create_subarray(2, [4, 4], [2, 2], [1, 1], MPI_ORDER_FORTRAN, MPI_INTEGER, parts, ierr)
    call MPI_Type_commit(parts, ierr)
    call MPI_Sendrecv(matrix, 1, parts, rank, 1, line, 4, MPI_INTEGER, rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    call check(all(line == [6, 7, 10, 11]), 'a part')
    call MPI_Type_free(parts, ierr)
    ! the same by absolute addresses
    call MPI_Get_address(matrix(3, 3), at(1), ierr)
    call MPI_Type_create_hindexed(1, [2], at, MPI_INTEGER, type, ierr)
    call MPI_Type_commit(type, ierr)
    call MPI_Sendrecv(MPI_BOTTOM, 1, type, rank, 1, line, 2, MPI_INTEGER, rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    call check(all(line(:2) == [11, 12]), 'bottom')
    call MPI_Type_free(type, ierr)
    ! compilers copy sections, which calls that return when all is done allow
    call MPI_Sendrecv(matrix(1, :), 4, MPI_INTEGER, rank, 1, line, 4, MPI_INTEGER, rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    call check(all(line == [1, 5, 9, 13]), 'a section')
  end subroutine

  subroutine kinds()
    integer, parameter :: wp = selected_real_kind(12, 100), ip = selected_int_kind(12)
    integer :: type, bytes, of_kind
    real(wp) :: x, y
    complex(8) :: z
    integer(ip) :: i
    character :: c
    logical :: l(3)
    x = 1 / 3._wp
    call MPI_Type_create_f90_real(12, 100, type, ierr)
    call MPI_Sendrecv(x, 1, type, rank, 1, y, 1, type, rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    call check(x == y, 'f90_real')
    call MPI_Type_create_f90_integer(12, type, ierr)
    call MPI_Type_size(type, bytes, ierr)
    call check(bytes == storage_size(i) / 8, 'f90_integer')
    call MPI_Type_create_f90_complex(15, MPI_UNDEFINED, type, ierr)
    call MPI_Type_size(type, bytes, ierr)
    call check(bytes == 16, 'f90_complex')
    call MPI_Sizeof(z, bytes, ierr)
    call check(bytes == 16, 'sizeof complex')
    call MPI_Sizeof(i, bytes, ierr)
    call check(bytes == 8, 'sizeof integer')
    call MPI_Sizeof(c, bytes, ierr)
    call check(bytes == 1, 'sizeof character')
    call MPI_Sizeof(l, bytes, ierr)
    call check(bytes == 4, 'sizeof an array')
    call MPI_Type_match_size(MPI_TYPECLASS_REAL, 8, of_kind, ierr)
    call MPI_Type_size(of_kind, bytes, ierr)
    call check(bytes == 8, 'match_size')
    call MPI_Type_size(MPI_2DOUBLE_PRECISION, bytes, ierr)
    call check(bytes == 16, '2double_precision')
    call MPI_Type_size(MPI_LOGICAL, bytes, ierr)
    call check(bytes == 4, 'logical')
  end subroutine

  subroutine generalized()
    integer :: request, status(MPI_STATUS_SIZE), count
    integer(kind=MPI_ADDRESS_KIND) :: state
    logical :: flag
    state = 6
    call MPI_Grequest_start(query, release, cancel, state, request, ierr)
    call MPI_Test(request, flag, status, ierr)
    call check(.not. flag, 'not complete')
    call MPI_Cancel(request, ierr)
    call check(n_cancels == 1 .and. .not. was_complete, 'cancel')
    call MPI_Grequest_complete(request, ierr)
    call MPI_Wait(request, status, ierr)
    call MPI_Get_count(status, MPI_INTEGER, count, ierr)
    call check(n_queries == 1 .and. n_frees == 1 .and. count == 6 .and. status(MPI_SOURCE) == 7, 'what the query said')
  end subroutine
end program
