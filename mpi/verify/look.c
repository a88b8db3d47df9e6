/* SPDX-License-Identifier: BSD-3-Clause */
/* Which look is taken at which call. */
#include "mpi/env/leaks.h"
#include "mpi/verify/internal.h"

void mpi_verify_before(struct mpi_verify_call *call)
{
	(void)call;
}

void mpi_verify_after(struct mpi_verify_call *call, int code)
{
	(void)call;
	(void)code;
}

void mpi_verify_end(struct mpi_world *world)
{
	struct mpi_verify *verify = world->verify;

	if (!verify || verify->has_ended)
		return;
	verify->has_ended = true;
	mpi_verify_failure(verify);
	for (int i = 0; world->leaks && i < world->leaks->n; i++)
		mpi_verify_leak(world, &world->leaks->entries[i]);
}
