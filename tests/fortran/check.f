! SPDX-License-Identifier: BSD-3-Clause
! What the test programs share, in the oldest form of all: a failed check ends the run, a section that passed is told.
      SUBROUTINE CHECK(OK, WHAT)
      INCLUDE 'mpif.h'
      LOGICAL OK
      CHARACTER*(*) WHAT
      INTEGER RANK, IERR
      IF (OK) RETURN
      CALL MPI_COMM_RANK(MPI_COMM_WORLD, RANK, IERR)
      PRINT *, 'rank', RANK, ': wrong: ', WHAT
      CALL FLUSH(6)
      CALL MPI_ABORT(MPI_COMM_WORLD, 1, IERR)
      END

      SUBROUTINE SECTION(WHAT)
      INCLUDE 'mpif.h'
      CHARACTER*(*) WHAT
      INTEGER RANK, IERR
      CALL MPI_BARRIER(MPI_COMM_WORLD, IERR)
      CALL CHECK(IERR .EQ. MPI_SUCCESS, 'barrier')
      CALL MPI_COMM_RANK(MPI_COMM_WORLD, RANK, IERR)
      IF (RANK .EQ. 0) PRINT '(A,A)', 'OK ', WHAT
      END
