/* SPDX-License-Identifier: BSD-3-Clause */
/* What is looked for from time to time, and what can be said only when the run is over. */
#include <stdio.h>

#include "mpi/coll/order.h"
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

/* Libraries let them pass; others may end the run. */
static void tell_mixed_accesses(struct mpi_world *world)
{
	int n;
	const struct mpi_coll_mixed *mixed = mpi_coll_order_mixed(world, &n);
	char found[160];

	for (int i = 0; i < n && mpi_verify_wants(world, MPI_VERIFY_MATCHING); i++) {
		const struct mpi_coll_mixed *one = &mixed[i];

		snprintf(found, sizeof found, "rank %d called %s where rank %d called %s",
			 one->ranks[0], one->functions[0], one->ranks[1], one->functions[1]);
		mpi_verify_report(
		    world,
		    &(struct mpi_finding){
			.class_name = "collective-mismatch",
			.severity = MPI_FINDING_WARNING,
			.calls = {{one->ranks[0], one->functions[0], one->sites[0]},
				  {one->ranks[1], one->functions[1], one->sites[1]}},
			.n_calls = 2,
			.found = found,
			.wanted = "every rank that has the file open calls the same function",
			.why = "libraries may let it pass, and need not",
		    });
	}
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
	tell_mixed_accesses(world);
	if (verify->shadow && !verify->is_blind)
		mpi_shadow_end(verify->shadow);
	for (int i = 0; world->leaks && i < world->leaks->n; i++)
		mpi_verify_leak(world, &world->leaks->entries[i]);
}
