! SPDX-License-Identifier: BSD-3-Clause
! The annotation API (include/mpisim.h) for Fortran; the same under a real MPI. docs/fortran.md
!
!     if (mpisim_kernel_begin('dgemm', 3, [m, n, k])) call dgemm(...)
!     call mpisim_kernel_end()
module mpisim
  use, intrinsic :: iso_c_binding, only: c_double, c_int, c_ptr, c_size_t
  implicit none
  private
  public :: mpisim_add_compute_time, add_compute_time, mpisim_kernel_begin, mpisim_kernel_end, mpisim_kernel_time, &
            mpisim_phase_begin, mpisim_phase_end, mpisim_alloc, mpisim_alloc_part, mpisim_free, &
            mpisim_node_release, mpisim_node_acquire, &
            mpisim_is_simulated, mpisim_real_time, mpisim_state, mpisim_touch, &
            mpisim_kernel_memory, MPISIM_READ, MPISIM_WRITE, &
            mpisim_stream_kernel_begin, mpisim_stream_copy, mpisim_stream_wait, mpisim_stream_synchronize, &
            mpisim_device_synchronize, mpisim_device_alloc, mpisim_device_free, MPISIM_MAX_STREAMS

  integer, parameter :: MPISIM_READ = 1, MPISIM_WRITE = 2
  integer, parameter :: MPISIM_MAX_STREAMS = 32

  interface
    ! `seconds` of computation on the reference CPU for this rank; negative ones take time out again
    subroutine mpisim_add_compute_time(seconds) bind(C)
      import :: c_double
      real(c_double), value :: seconds
    end subroutine
    subroutine add_compute_time(seconds) bind(C)
      import :: c_double
      real(c_double), value :: seconds
    end subroutine

    ! .true.: execute the kernel; .false.: skip it, its time is charged. An end follows in both cases. At most 4 parameters.
    logical function mpisim_kernel_begin(name, n_params, params)
      import :: c_double
      character(len=*), intent(in) :: name
      integer, intent(in) :: n_params
      real(c_double), intent(in) :: params(*)
    end function
    subroutine mpisim_kernel_end() bind(C)
    end subroutine
    ! Within a kernel: it reads and writes so many bytes of memory in all, beyond its caches.
    subroutine mpisim_kernel_memory(bytes) bind(C)
      import :: c_double
      real(c_double), value, intent(in) :: bytes
    end subroutine
    ! The time that the store or model has, in seconds; negative when there is none.
    real(c_double) function mpisim_kernel_time(name, n_params, params)
      import :: c_double
      character(len=*), intent(in) :: name
      integer, intent(in) :: n_params
      real(c_double), intent(in) :: params(*)
    end function

    ! Accelerators: streams are queues of work, kernels and copies; mpisim_kernel_end ends their kernels, too. One end of a copy
    ! lies in memory of mpisim_device_alloc, which c_f_pointer makes an array; c_loc gives its address.
    logical function mpisim_stream_kernel_begin(name, n_params, params, stream)
      import :: c_double
      character(len=*), intent(in) :: name
      integer, intent(in) :: n_params, stream
      real(c_double), intent(in) :: params(*)
    end function
    subroutine mpisim_stream_copy(to, from, size_B, stream) bind(C)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: to, from
      integer(c_size_t), value :: size_B
      integer(c_int), value :: stream
    end subroutine
    ! What is handed to `stream` from now on begins after all that was handed to `other`.
    subroutine mpisim_stream_wait(stream, other) bind(C)
      import :: c_int
      integer(c_int), value :: stream, other
    end subroutine
    ! Wait for the stream, or all of the rank.
    subroutine mpisim_stream_synchronize(stream) bind(C)
      import :: c_int
      integer(c_int), value :: stream
    end subroutine
    subroutine mpisim_device_synchronize() bind(C)
    end subroutine
    type(c_ptr) function mpisim_device_alloc(size_B) bind(C)
      import :: c_ptr, c_size_t
      integer(c_size_t), value :: size_B
    end function
    subroutine mpisim_device_free(buf) bind(C)
      import :: c_ptr
      type(c_ptr), value :: buf
    end subroutine

    ! Regions for the report; they nest.
    subroutine mpisim_phase_begin(name)
      character(len=*), intent(in) :: name
    end subroutine
    subroutine mpisim_phase_end() bind(C)
    end subroutine

    ! Memory that takes none with --no-alloc; for c_f_pointer.
    type(c_ptr) function mpisim_alloc(size_B) bind(C)
      import :: c_ptr, c_size_t
      integer(c_size_t), value :: size_B
    end function
    ! ... but for its bytes [from_B, from_B + there_B).
    type(c_ptr) function mpisim_alloc_part(size_B, from_B, there_B) bind(C)
      import :: c_ptr, c_size_t
      integer(c_size_t), value :: size_B, from_B, there_B
    end function
    subroutine mpisim_free(buf) bind(C)
      import :: c_ptr
      type(c_ptr), value :: buf
    end subroutine

    ! Memory that is a result of this rank, `count` items of a datatype (docs/verify-orders.md); again with the name: instead of that.
    subroutine mpisim_state(name, buf, count, datatype)
      character(len=*), intent(in) :: name
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count, datatype
    end subroutine

    ! Memory that the open kernel, or the computation until the next MPI call, accesses: MPISIM_READ, MPISIM_WRITE or their sum; first when
    ! `fraction` (0 to 1) of it is over. Predefined datatypes only.
    subroutine mpisim_touch(buf, count, datatype, use, fraction)
      import :: c_double
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count, datatype, use
      real(c_double), intent(in) :: fraction
    end subroutine

    ! This rank no longer needs its node, and does again.
    subroutine mpisim_node_release() bind(C)
    end subroutine
    subroutine mpisim_node_acquire() bind(C)
    end subroutine
    ! The host's clock, in seconds.
    real(c_double) function mpisim_real_time() bind(C)
      import :: c_double
    end function
    ! .false. under a real MPI
    logical function mpisim_is_simulated()
    end function
  end interface
end module mpisim
