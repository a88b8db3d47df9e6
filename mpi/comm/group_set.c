/* SPDX-License-Identifier: BSD-3-Clause */
/* Constructors of groups: set operations, lists and ranges. */
#include <stdlib.h>

#include "mpi/abi/mpi-calls.h"
#include "mpi/comm/group.h"
#include "mpi/comm/group_recall.h"

/* A list of world ranks that becomes a group. */
struct members {
	int *ranks; /* NULL: out of memory */
	int n;
	MPI_Session session;
};

static struct members members_create(int capacity, MPI_Session session)
{
	return (struct members){.ranks = malloc(((size_t)capacity + 1) * sizeof(int)),
				.session = session};
}

/* Gives the group (taken over; NULL: out of memory) to the application. */
static int give(struct mpi_rank *me, struct mpi_group *group, MPI_Group *newgroup)
{
	*newgroup = group ? (MPI_Group)mpi_handle_create(me, KIND_GROUP, group) : 0;
	if (*newgroup)
		return MPI_SUCCESS;
	mpi_group_release(me, group);
	*newgroup = MPI_GROUP_NULL;
	return mpi_raise(me, NULL, MPI_ERR_NO_MEM, "out of memory for a group");
}

/* The same of a list (taken over) that was made by `recipe`. */
static int publish(struct mpi_rank *me, struct members members,
		   const struct mpi_group_recipe *recipe, MPI_Group *newgroup)
{
	struct mpi_group *group;

	if (members.ranks && members.n == 0) {
		free(members.ranks);
		*newgroup = MPI_GROUP_EMPTY;
		return MPI_SUCCESS;
	}
	group = members.ranks ? mpi_group_create(members.n, members.ranks) : NULL;
	if (group) {
		group->session = members.session;
		mpi_group_remember(me, recipe, group);
	}
	return give(me, group, newgroup);
}

/* Appends the members of `from` that are (or are not) in `other`. */
static void append_if(struct members *members, const struct mpi_group *from,
		      const struct mpi_group *other, bool is_in)
{
	for (int i = 0; i < from->size; i++) {
		int world_rank = mpi_group_world_rank(from, i);

		if ((mpi_group_index(other, world_rank) != MPI_UNDEFINED) == is_in)
			members->ranks[members->n++] = world_rank;
	}
}

int mpi_group_combine(struct mpi_rank *me, int operation, struct mpi_group *a, struct mpi_group *b,
		      MPI_Group *newgroup)
{
	struct mpi_group_recipe recipe = {operation, a, b, 0, NULL};
	struct mpi_group *known = mpi_group_recall(me, &recipe);
	struct members members;

	if (known)
		return give(me, known, newgroup);
	members = members_create(a->size + b->size, a->session);
	if (members.ranks) {
		if (operation == GROUP_UNION) {
			append_if(&members, a, a, true);
			append_if(&members, b, a, false);
		} else {
			append_if(&members, a, b, operation == GROUP_INTERSECTION);
		}
	}
	return publish(me, members, &recipe, newgroup);
}

/* Marks a listed rank; the error when it is out of range or was listed before. */
static int mark(struct mpi_rank *me, const struct mpi_group *group, bool *is_listed,
		const char *what, int i, int rank)
{
	if (rank < 0 || rank >= group->size)
		return mpi_raise(me, NULL, MPI_ERR_RANK,
				 "%s[%d] names rank %d, it must be in 0 … %d", what, i, rank,
				 group->size - 1);
	if (is_listed[rank])
		return mpi_raise(me, NULL, MPI_ERR_RANK, "%s[%d] names rank %d a second time", what,
				 i, rank);
	is_listed[rank] = true;
	return MPI_SUCCESS;
}

/* Appends the members whose mark is not set. */
static void append_unmarked(struct members *members, const struct mpi_group *group,
			    const bool *is_listed)
{
	for (int i = 0; i < group->size; i++)
		if (!is_listed[i])
			members->ranks[members->n++] = mpi_group_world_rank(group, i);
}

/* Lists: n ranks; ranges: n triplets (first, last, stride). One of the two arrays is NULL. */
struct selection {
	int n;
	const int *ranks;
	int (*ranges)[3];
};

static int select_range(struct mpi_rank *me, const struct mpi_group *group, const int range[3],
			int i, bool *is_listed, struct members *members)
{
	int first = range[0], last = range[1], stride = range[2];

	if (stride == 0)
		return mpi_raise(me, NULL, MPI_ERR_ARG, "ranges[%d] has stride 0", i);
	if ((last > first && stride < 0) || (last < first && stride > 0))
		return mpi_raise(me, NULL, MPI_ERR_ARG,
				 "ranges[%d] does not reach %d from %d with stride %d", i, last,
				 first, stride);
	if (last < 0 ||
	    last >= group->size) /* first is checked below; so the sequence stays within int */
		return mpi_raise(me, NULL, MPI_ERR_RANK,
				 "ranges[%d] ends at rank %d, it must be in 0 … %d", i, last,
				 group->size - 1);
	for (long long rank = first; stride > 0 ? rank <= last : rank >= last; rank += stride) {
		int code = mark(me, group, is_listed, "ranges", i, (int)rank);

		if (code != MPI_SUCCESS)
			return code;
		members->ranks[members->n++] = mpi_group_world_rank(group, (int)rank);
	}
	return MPI_SUCCESS;
}

static int select_members(struct mpi_rank *me, const struct mpi_group *group,
			  const struct selection *selection, bool *is_listed,
			  struct members *members)
{
	int code = MPI_SUCCESS;

	for (int i = 0; i < selection->n && code == MPI_SUCCESS; i++) {
		if (selection->ranges) {
			code = select_range(me, group, selection->ranges[i], i, is_listed, members);
			continue;
		}
		code = mark(me, group, is_listed, "ranks", i, selection->ranks[i]);
		if (code == MPI_SUCCESS)
			members->ranks[members->n++] =
			    mpi_group_world_rank(group, selection->ranks[i]);
	}
	return code;
}

/* Makes the list; the error when the selection is wrong or memory is out. */
static int pick_members(struct mpi_rank *me, const struct mpi_group *group,
			const struct selection *selection, bool is_excluding,
			struct members *members)
{
	bool *is_listed = calloc((size_t)group->size + 1, sizeof *is_listed);
	int code = MPI_SUCCESS;

	*members = members_create(group->size, group->session);
	if (!members->ranks || !is_listed)
		code = mpi_raise(me, NULL, MPI_ERR_NO_MEM, "out of memory for a group");
	if (code == MPI_SUCCESS)
		code = select_members(me, group, selection, is_listed, members);
	if (code == MPI_SUCCESS && is_excluding) {
		members->n = 0;
		append_unmarked(members, group, is_listed);
	}
	free(is_listed);
	if (code != MPI_SUCCESS)
		free(members->ranks);
	return code;
}

static struct mpi_group_recipe recipe_of(struct mpi_group *group, const struct selection *selection,
					 bool is_excluding)
{
	if (selection->ranges)
		return (struct mpi_group_recipe){is_excluding ? GROUP_RANGE_EXCL : GROUP_RANGE_INCL,
						 group, NULL, 3 * (int64_t)selection->n,
						 selection->ranges[0]};
	return (struct mpi_group_recipe){is_excluding ? GROUP_EXCL : GROUP_INCL, group, NULL,
					 selection->n, selection->ranks};
}

static int pick(struct mpi_rank *me, struct mpi_group *group, const struct selection *selection,
		bool is_excluding, MPI_Group *newgroup)
{
	struct mpi_group_recipe recipe = recipe_of(group, selection, is_excluding);
	struct mpi_group *known = mpi_group_recall(me, &recipe);
	struct members members;
	int code;

	if (known)
		return give(me, known, newgroup);
	code = pick_members(me, group, selection, is_excluding, &members);
	return code == MPI_SUCCESS ? publish(me, members, &recipe, newgroup) : code;
}

int mpi_group_pick_ranks(struct mpi_rank *me, int is_excluding, struct mpi_group *group, int n,
			 const int ranks[], MPI_Group *newgroup)
{
	return pick(me, group, &(struct selection){.n = n, .ranks = ranks}, is_excluding, newgroup);
}

int mpi_group_pick_ranges(struct mpi_rank *me, int is_excluding, struct mpi_group *group, int n,
			  int ranges[][3], MPI_Group *newgroup)
{
	return pick(me, group, &(struct selection){.n = n, .ranges = ranges}, is_excluding,
		    newgroup);
}
