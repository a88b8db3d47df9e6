/* SPDX-License-Identifier: BSD-3-Clause */
/* What is looked for from time to time, and what can be said only when the run is over. */
#include "mpi/env/leaks.h"
#include "mpi/verify/internal.h"
#include "mpi/verify/memory.h"
#include "mpi/verify/shadow.h"

/* Whether calls still wait is known by now: those that do because of the program are said, and
 * further steps are not kept. */
static void empty(struct mpi_shadow *shadow)
{
	shadow->is_full = false;
	if (mpi_verify_wants(shadow->world, MPI_VERIFY_DEADLOCK))
		mpi_shadow_look_for_potential(shadow);
	shadow->is_given_up = true;
}

void mpi_verify_look(struct mpi_shadow *shadow)
{
	if (shadow->n_to_look > 0)
		mpi_shadow_advance(shadow);
	if (shadow->is_full)
		empty(shadow);
	mpi_shadow_look_for_partial(shadow);
}

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
