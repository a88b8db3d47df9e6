/* SPDX-License-Identifier: BSD-3-Clause */
/* What can be said only when the run is over. */
#include "mpi/env/leaks.h"
#include "mpi/verify/internal.h"
#include "mpi/verify/memory.h"
#include "mpi/verify/shadow.h"

void mpi_verify_end(struct mpi_world *world)
{
	struct mpi_verify *verify = world->verify;

	if (!verify || verify->has_ended)
		return;
	verify->has_ended = true;
	if (verify->memory)
		mpi_memory_end(verify->memory);
	mpi_verify_failure(verify);
	if (verify->shadow && !verify->is_blind)
		mpi_shadow_end(verify->shadow);
	for (int i = 0; world->leaks && i < world->leaks->n; i++)
		mpi_verify_leak(world, &world->leaks->entries[i]);
}
