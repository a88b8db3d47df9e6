! SPDX-License-Identifier: BSD-3-Clause
! Levels of a multigrid cycle; the cluster makes a node slow.
module work
  use mpi
  use mpisim
  implicit none
contains
  subroutine smooth(level)
    integer, intent(in) :: level
    call mpisim_add_compute_time(4d-4 / level)
  end subroutine
  subroutine vcycle(x)
    double precision, intent(inout) :: x(:)
    double precision :: s
    integer :: level, ierr
    do level = 1, 4
      call smooth(level)
      call MPI_Allreduce(x(1), s, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
    end do
    call MPI_Bcast(x, size(x), MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierr)
  end subroutine
end module
program two
  use work
  double precision :: x(300)
  integer :: ierr, k
  call MPI_Init(ierr)
  x = 1
  do k = 1, 25
    call vcycle(x)
  end do
  call MPI_Finalize(ierr)
end program
