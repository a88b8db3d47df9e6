! SPDX-License-Identifier: BSD-3-Clause
! mpi_f08: sections of arrays with gaps as buffers of what goes on after the call; MPI_SUBARRAYS_SUPPORTED promises them.
program gaps
  use mpi_f08
  implicit none
  integer :: rank, n, left, right, i
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, n)
  left = mod(rank + n - 1, n)
  right = mod(rank + 1, n)
  call check(MPI_SUBARRAYS_SUPPORTED, 'promised')
  call reductions()
  call section('reductions')
  call blocks()
  call section('blocks')
  call what_is_not_received()
  call section('what is not received')
  call persistent()
  call section('persistent')
  call types()
  call section('types')
  call partitions()
  call section('partitions')
  call MPI_Finalize()

contains

  subroutine reductions()
    integer, asynchronous :: from(3, 5), to(4, 5)
    type(MPI_Request) :: requests(3)
    type(MPI_Status) :: status
    logical :: flag
    from = 7
    to = -1
    from(2, :) = [(rank + i, i=1, 5)]
    call MPI_Iallreduce(from(2, :), to(3, :), 5, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, requests(1))
    call MPI_Iscan(from(2, 1:5:2), to(1, 1:5:2), 3, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, requests(2))
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
    call check(all(to(3, :) == [(n * i + n * (n - 1) / 2, i=1, 5)]), 'iallreduce')
    call check(all(to(1, 1:5:2) == [((rank + 1) * i + rank * (rank + 1) / 2, i=1, 5, 2)]), 'iscan')
    call check(all(to(2, :) == -1) .and. all(to(4, :) == -1) .and. all(to(1, 2:4:2) == -1), 'what lies between')
    call MPI_Iallreduce(MPI_IN_PLACE, from(2, :), 5, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, requests(3))
    flag = .false.
    do while (.not. flag)
      call MPI_Request_get_status(requests(3), flag, MPI_STATUS_IGNORE)
    end do
    call check(all(from(2, :) == [(n - 1 + i, i=1, 5)]), 'it is there when MPI_Request_get_status tells so')
    from(2, 1) = 0
    call MPI_Wait(requests(3), status)
    call check(from(2, 1) == 0 .and. all(from(2, 2:) == [(n - 1 + i, i=2, 5)]), 'once')
    call check(all(from(1, :) == 7) .and. all(from(3, :) == 7), 'around it')
  end subroutine

  ! A block for each process, in the order of array elements of a section of two dimensions.
  subroutine blocks()
    integer, asynchronous :: to(2, 3, 0:n - 1), from(2, 2, 0:n - 1), counts(n), places(n)
    type(MPI_Request) :: requests(2)
    integer :: k
    to = -1
    from = -1
    do k = 0, n - 1
      from(1, :, k) = [100 * rank + k, 1000 + k]
    end do
    call MPI_Iallgather(from(1, :, 0), 2, MPI_INTEGER, to(2, 1:3:2, :), 2, MPI_INTEGER, MPI_COMM_WORLD, requests(1))
    counts = 1
    places = [(2 * (n - 1 - i), i=0, n - 1)]
    call MPI_Ialltoallv(from(1, :, :), counts, [(2 * i, i=0, n - 1)], MPI_INTEGER, to(1, 1:3:2, :), counts, places, MPI_INTEGER, &
                        MPI_COMM_WORLD, requests(2))
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
    do k = 0, n - 1
      call check(all(to(2, 1:3:2, k) == [100 * k, 1000]), 'iallgather')
      call check(all(to(1, 1:3:2, k) == [100 * (n - 1 - k) + rank, -1]), 'ialltoallv')
    end do
    call check(all(to(:, 2, :) == -1), 'between blocks')
  end subroutine

  ! Elements of a section that no operation names are the program's meanwhile, and others' operations'.
  subroutine what_is_not_received()
    integer, asynchronous :: a(2, 4), one
    type(MPI_Request) :: requests(2)
    a = -1
    one = rank
    call MPI_Iallreduce(rank, a(1, :), 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, requests(1))
    call MPI_Irecv(a(1, 2), 1, MPI_INTEGER, left, 1, MPI_COMM_WORLD, requests(2))
    a(1, 3) = 99
    call MPI_Send(one, 1, MPI_INTEGER, right, 1, MPI_COMM_WORLD)
    call MPI_Wait(requests(2), MPI_STATUS_IGNORE)
    call MPI_Wait(requests(1), MPI_STATUS_IGNORE)
    call check(all(a(1, :) == [n * (n - 1) / 2, left, 99, -1]), 'the rest of the section')
    call MPI_Irecv(a(1, 2), 1, MPI_INTEGER, left, 2, MPI_COMM_WORLD, requests(2))
    call MPI_Sendrecv(one, 1, MPI_INTEGER, right, 2, a(2, 4), 0, MPI_INTEGER, MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call MPI_Sendrecv(one, 1, MPI_INTEGER, right, 3, a(1, :), 1, MPI_INTEGER, left, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call MPI_Wait(requests(2), MPI_STATUS_IGNORE)
    call check(all(a(1, :) == [left, left, 99, -1]), 'of a call that returns when it is complete')
  end subroutine

  subroutine persistent()
    real, asynchronous :: from(2, 3), to(3, 3)
    type(MPI_Request) :: request
    integer :: round
    to = -1
    call MPI_Allreduce_init(from(2, :), to(2, :), 3, MPI_REAL, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, request)
    do round = 1, 3
      from(2, :) = [round + rank, 2 * round, 3]
      call MPI_Start(request)
      call MPI_Wait(request, MPI_STATUS_IGNORE)
      call check(all(to(2, :) == [n * round + n * (n - 1) / 2, 2 * n * round, 3 * n]), 'allreduce_init')
    end do
    call MPI_Request_free(request)
    call check(all(to(1, :) == -1) .and. all(to(3, :) == -1), 'nothing else')
  end subroutine

  ! Items that are no elements: every other one of the section's.
  subroutine types()
    integer, asynchronous :: from(2, 6), to(3, 6)
    type(MPI_Datatype) :: every_other
    type(MPI_Request) :: requests(2)
    from(1, :) = [(10 * rank + i, i=1, 6)]
    from(2, :) = 0
    to = -1
    call MPI_Type_vector(3, 1, 2, MPI_INTEGER, every_other)
    call MPI_Type_commit(every_other)
    call MPI_Irecv(to(2, :), 1, every_other, left, 0, MPI_COMM_WORLD, requests(1))
    call MPI_Isend(from(1, :), 1, every_other, right, 0, MPI_COMM_WORLD, requests(2))
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
    call check(all(to(2, :) == [(merge(10 * left + i, -1, mod(i, 2) == 1), i=1, 6)]), 'a vector of a section')
    call check(all(to(1, :) == -1) .and. all(to(3, :) == -1), 'its neighbours')
    call MPI_Type_free(every_other)
    call neighbours()
  end subroutine

  ! As many datatypes as a process has neighbours, of which it has more than there are processes, where there is one.
  subroutine neighbours()
    integer :: to(2), from(2)
    type(MPI_Comm) :: ring
    type(MPI_Datatype) :: types(2)
    call MPI_Cart_create(MPI_COMM_WORLD, 1, [n], [.true.], .false., ring)
    to = [10 * rank, 10 * rank + 1]
    types = MPI_INTEGER
    call MPI_Neighbor_alltoallw(to, [1, 1], [0_MPI_ADDRESS_KIND, 4_MPI_ADDRESS_KIND], types, &
                                from, [1, 1], [0_MPI_ADDRESS_KIND, 4_MPI_ADDRESS_KIND], types, ring)
    call check(all(from == [10 * left + 1, 10 * right]), 'neighbor_alltoallw')
    call MPI_Comm_free(ring)
  end subroutine

  subroutine partitions()
    integer, asynchronous :: from(2, 2, 3), to(3, 4, 3)
    type(MPI_Request) :: requests(2)
    integer :: round, k
    logical :: flag
    to = -1
    call MPI_Psend_init(from(2, :, :), 3, 2_MPI_COUNT_KIND, MPI_INTEGER, right, 5, MPI_COMM_WORLD, MPI_INFO_NULL, requests(1))
    call MPI_Precv_init(to(2, 2:4:2, :), 3, 2_MPI_COUNT_KIND, MPI_INTEGER, left, 5, MPI_COMM_WORLD, MPI_INFO_NULL, requests(2))
    do round = 1, 2
      call MPI_Startall(2, requests)
      do k = 3, 1, -1
        from(2, :, k) = [100 * rank + 10 * round + k, k]
        call MPI_Pready(k - 1, requests(1))
      end do
      flag = .false.
      do while (.not. flag)
        call MPI_Parrived(requests(2), 2, flag)
      end do
      call check(all(to(2, 2:4:2, 3) == [100 * left + 10 * round + 3, 3]), 'a partition')
      call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
      do k = 1, 3
        call check(all(to(2, 2:4:2, k) == [100 * left + 10 * round + k, k]), 'partitions')
      end do
    end do
    call check(all(to(1, :, :) == -1) .and. all(to(2, 1:3:2, :) == -1) .and. all(to(3, :, :) == -1), 'around them')
    call MPI_Request_free(requests(1))
    call MPI_Request_free(requests(2))
  end subroutine
end program
