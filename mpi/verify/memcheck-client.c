/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests to valgrind's memcheck, by the macros of its headers. */
#include "mpi/verify/memcheck.h"

#include <string.h>
#include <valgrind/memcheck.h>

/* What VALGRIND_GET_VBITS returns. */
enum { BITS_DONE = 1 };

bool mpi_memcheck_is_built(void)
{
	return true;
}

bool mpi_memcheck_is_running(void)
{
	return RUNNING_ON_VALGRIND > 0;
}

uint64_t mpi_memcheck_n_errors(void)
{
	return VALGRIND_COUNT_ERRORS;
}

void mpi_memcheck_get(uintptr_t at, size_t size_B, bool is_there[], uint8_t bits[])
{
	if (VALGRIND_GET_VBITS(at, bits, size_B) == BITS_DONE) {
		memset(is_there, true, size_B);
		return;
	}
	memset(bits, 0, size_B);
	for (size_t i = 0; i < size_B; i++)
		is_there[i] = VALGRIND_GET_VBITS(at + i, bits + i, 1) == BITS_DONE;
}

void mpi_memcheck_set(uintptr_t at, size_t size_B, const bool is_there[], const uint8_t bits[])
{
	for (size_t i = 0, n; i < size_B; i += n) {
		for (n = 1; i + n < size_B && is_there[i + n] == is_there[i];)
			n++;
		if (!is_there[i])
			continue;
		VALGRIND_MAKE_MEM_DEFINED(at + i, n);
		VALGRIND_SET_VBITS(at + i, bits + i, n);
	}
}

void mpi_memcheck_declare(uintptr_t at, size_t size_B)
{
	VALGRIND_MAKE_MEM_DEFINED_IF_ADDRESSABLE(at, size_B);
}

void mpi_memcheck_hide(uintptr_t at, size_t size_B)
{
	VALGRIND_MAKE_MEM_NOACCESS(at, size_B);
}

void mpi_memcheck_pause(void)
{
	VALGRIND_DISABLE_ERROR_REPORTING;
}

void mpi_memcheck_resume(void)
{
	VALGRIND_ENABLE_ERROR_REPORTING;
}
