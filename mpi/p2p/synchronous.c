/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/p2p/synchronous.h"

#include "pdexec/image.h"

bool mpi_synchronous_is_turned(struct mpi_rank *me)
{
	struct mpi_synchronous *all = me->world->synchronous;
	uint64_t place = 0;
	int i = 0;

	if (!me->pd->site || me->world->pd->is_builtin ||
	    !pd_image_locate(me->pd->program->image, me->pd->site, &place))
		return false;
	while (i < all->n && all->places[i] != place)
		i++;
	if (i == MPI_MAX_SYNCHRONOUS)
		return false;
	if (i == all->n) {
		all->places[i] = place;
		all->functions[i] = me->pd->function;
		all->ranks[i] = me->rank;
		all->n++;
	}
	return all->turned == 1 + i;
}
