/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_VERIFY_MEMCHECK_H
#define MPI_VERIFY_MEMCHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * The back end `valgrind` of mpi/verify/memory.h: the run goes on under valgrind's memcheck, which
 * sees each access of the program and of its libraries, and knows of each bit whether it was written
 * to. Client requests hide buffers that MPI writes to, and ask for bits; errors that memcheck finds in
 * the program become findings.
 *
 * Memcheck tells an error once for each place. So buffers that MPI reads, which the program may read,
 * too, are not hidden: else a first, right access would be told and a later, wrong one would not.
 */

/* --- memcheck-client.c; memcheck-none.c, where mpisim was built without valgrind's headers --- */
bool mpi_memcheck_is_built(void);
bool mpi_memcheck_is_running(void);
uint64_t mpi_memcheck_n_errors(void); /* that memcheck has found so far */
/* Of each byte at `at`: whether it is there, and its bits, 1 where nothing was written to. */
void mpi_memcheck_get(uintptr_t at, size_t size_B, bool is_there[], uint8_t bits[]);
/* Sets what mpi_memcheck_get gave. */
void mpi_memcheck_set(uintptr_t at, size_t size_B, const bool is_there[], const uint8_t bits[]);
/* What is there of it counts as written to. */
void mpi_memcheck_declare(uintptr_t at, size_t size_B);
void mpi_memcheck_hide(uintptr_t at, size_t size_B); /* whoever touches it makes an error */
/* Errors are not told between the two. */
void mpi_memcheck_pause(void);
void mpi_memcheck_resume(void);

/* --- memcheck.c --- */
struct mpi_memcheck;
struct mpi_memory;
struct mpi_memory_active;
struct mpi_memory_buffer;
struct mpi_rank;

/* `fd`: where memcheck writes its errors as XML. 0 or UTIL_ENOMEM. */
int mpi_memcheck_create(struct mpi_memory *memory, int fd, struct mpi_memcheck **out);
void mpi_memcheck_destroy(struct mpi_memcheck *memcheck); /* NULL is fine */
/* What memcheck has found since the last call becomes findings. `me`: who ran; NULL: unknown. */
void mpi_memcheck_look(struct mpi_memcheck *memcheck, struct mpi_rank *me);
/* A buffer that MPI writes to is hidden, and is there again as it was. */
void mpi_memcheck_lock(struct mpi_memory_active *active);
void mpi_memcheck_unlock(struct mpi_memory_active *active);

#endif
