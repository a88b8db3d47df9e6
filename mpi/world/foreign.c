/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/core/foreign.h"

#include <limits.h>

#include "mpi/comm/comm.h"
#include "mpi/comm/topology.h"

_Static_assert((int)FOREIGN_COMM == (int)KIND_COMM && (int)FOREIGN_OP == (int)KIND_OP &&
		   (int)FOREIGN_MESSAGE == (int)KIND_MESSAGE &&
		   (int)FOREIGN_SESSION == (int)KIND_SESSION,
	       "the kinds of bindings are those of handles");

static struct mpi_rank *current(void)
{
	return pd_current ? pd_current->mpi : NULL;
}

void mpisim_foreign_call(const void *site)
{
	struct mpi_rank *me = current();

	if (!me || me->depth > 0)
		return;
	me->depth = MPI_DEPTH_FOREIGN;
	me->foreign_site = site;
	me->language = MPI_LANGUAGE_C;
}

void mpisim_foreign_language(int language)
{
	struct mpi_rank *me = current();

	if (me)
		me->language = (enum mpi_language)language;
}

enum mpi_language mpi_foreign_take_language(struct mpi_rank *me)
{
	enum mpi_language language = me->language;

	me->language = MPI_LANGUAGE_C;
	return language;
}

int mpisim_foreign_number(const void *handle)
{
	struct mpi_rank *me = current();
	int64_t number = mpi_handle_number((uintptr_t)handle);

	if (number > INT_MAX && me)
		pd_fail(me->pd, PD_FAILURE_MEMORY, "more handles than an int can number");
	return (int)number;
}

void *mpisim_foreign_handle(int kind, int number)
{
	struct mpi_rank *me = current();
	uintptr_t handle = 0;

	if (me)
		handle = mpi_handle_of_number(me, (enum mpi_kind)kind, number);
	else if (number > 0 && number <= MPI_HANDLE_PREDEFINED_MAX)
		handle = (uintptr_t)number;
	return handle ? (void *)handle : FOREIGN_NO_HANDLE;
}

int mpisim_foreign_n_types(MPI_Comm comm, int what)
{
	struct mpi_rank *me = current();
	const struct mpi_comm *c = me ? mpi_comm_get(me, comm) : NULL;

	if (!c || (what > 0 && !c->topology))
		return 0;
	if (what == 0)
		return mpi_comm_n_peers(c);
	return what == 1 ? mpi_topology_n_destinations(c->topology, c->rank)
			 : mpi_topology_n_sources(c->topology, c->rank);
}

bool mpisim_foreign_is_root(MPI_Comm comm, int root)
{
	struct mpi_rank *me = current();
	const struct mpi_comm *c = me ? mpi_comm_get(me, comm) : NULL;

	return c && c->rank == root;
}

void mpisim_foreign_fail(const char *function, const char *text)
{
	struct mpi_rank *me;

	if (!current())
		return; /* the call itself says that there is no simulator */
	me = mpi_enter_anytime(function, NULL);
	pd_fail(me->pd, PD_FAILURE_UNSUPPORTED, "%s", text);
}
