! SPDX-License-Identifier: BSD-3-Clause
! Forces take longer the higher the rank; the integration does not.
module phases
  use mpi_f08
  use mpisim
  implicit none
  integer :: rank, n
  logical :: bad
contains
  subroutine forces(k)
    integer, intent(in) :: k
    if (bad) then
      call mpisim_add_compute_time(2d-4 * 2 * (rank + 1) / (n + 1) * 4)
    else
      call mpisim_add_compute_time(2d-4 * 4)
    end if
  end subroutine
  subroutine integrate()
    call mpisim_add_compute_time(3d-4)
  end subroutine
  subroutine timestep(k, f)
    integer, intent(in) :: k
    double precision, intent(inout) :: f(:)
    call forces(k)
    call MPI_Allreduce(MPI_IN_PLACE, f, size(f), MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
    call integrate()
    call MPI_Barrier(MPI_COMM_WORLD)
  end subroutine
end module
program md
  use phases
  double precision :: f(64)
  character(16) :: how
  integer :: k
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, n)
  call get_command_argument(1, how)
  bad = how == "planted"
  f = 0
  do k = 1, 60
    call timestep(k, f)
  end do
  call MPI_Finalize()
end program
