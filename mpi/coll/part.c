/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/coll/part.h"

void mpi_coll_part_choose(struct mpi_rank *me, struct mpi_coll *coll, enum mpi_coll_kind kind)
{
	const struct mpi_coll_selection *selection = me->world->coll_selection;
	struct mpi_coll operation = *coll;

	operation.kind = kind;
	operation.given = coll->call;
	operation.is_part = true;
	coll->part = mpi_coll_choose(selection, &operation);
	coll->segment_B = mpi_coll_choose_segment_B(selection, kind, coll->part);
}

bool mpi_coll_part_round(struct mpi_rank *me, struct mpi_coll *coll)
{
	return !coll->part || coll->part->stages[0].round(me, coll);
}
