/* SPDX-License-Identifier: BSD-3-Clause */
/* Without valgrind's headers; memcheck-client.c is the other choice of mpi/verify/meson.build. */
#include "mpi/verify/memcheck.h"

bool mpi_memcheck_is_built(void)
{
	return false;
}

bool mpi_memcheck_is_running(void)
{
	return false;
}

uint64_t mpi_memcheck_n_errors(void)
{
	return 0;
}

void mpi_memcheck_get(uintptr_t at, size_t size_B, bool is_there[], uint8_t bits[])
{
}

void mpi_memcheck_set(uintptr_t at, size_t size_B, const bool is_there[], const uint8_t bits[])
{
}

void mpi_memcheck_declare(uintptr_t at, size_t size_B)
{
}

void mpi_memcheck_hide(uintptr_t at, size_t size_B)
{
}

void mpi_memcheck_pause(void)
{
}

void mpi_memcheck_resume(void)
{
}
