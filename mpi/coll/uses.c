/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/coll/uses.h"

#include <stdlib.h>

#include "util/array.h"

void mpi_coll_note_use(struct mpi_coll_uses *uses, const struct mpi_coll *coll)
{
	if (coll->rank != 0)
		return;
	for (int i = 0; i < uses->n; i++)
		if (uses->list[i].algorithm == coll->algorithm &&
		    uses->list[i].kind == coll->kind) {
			uses->list[i].n++;
			return;
		}
	if (!util_array_room(&uses->list, (size_t)uses->n, sizeof *uses->list))
		return;
	uses->list[uses->n++] =
	    (struct mpi_coll_use){.kind = coll->kind, .algorithm = coll->algorithm, .n = 1};
}

void mpi_coll_uses_mark(struct mpi_coll_uses *uses)
{
	for (int i = 0; i < uses->n; i++)
		uses->list[i].n_at_mark = uses->list[i].n;
}

void mpi_coll_uses_repeat(struct mpi_coll_uses *uses, uint64_t n)
{
	for (int i = 0; i < uses->n; i++)
		uses->list[i].n += n * (uses->list[i].n - uses->list[i].n_at_mark);
}

void mpi_coll_uses_finish(struct mpi_coll_uses *uses)
{
	free(uses->list);
	*uses = (struct mpi_coll_uses){.list = NULL};
}
