/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/comm/group.h"

#include <stdlib.h>

#include "mpi/comm/nodes.h"

static const struct mpi_group empty = {.handle = MPI_GROUP_EMPTY, .n_references = 1, .stride = 1};

int mpi_group_index(const struct mpi_group *group, int world_rank)
{
	int low = 0, high = group->size - 1;

	if (!group->ranks) {
		int offset = world_rank - group->first;

		if (group->size == 0 || offset % group->stride != 0)
			return MPI_UNDEFINED;
		offset /= group->stride;
		return offset >= 0 && offset < group->size ? offset : MPI_UNDEFINED;
	}
	while (low <= high) {
		int middle = low + (high - low) / 2;
		const struct mpi_group_entry *entry = &group->sorted[middle];

		if (entry->world_rank == world_rank)
			return entry->index;
		if (entry->world_rank < world_rank)
			low = middle + 1;
		else
			high = middle - 1;
	}
	return MPI_UNDEFINED;
}

struct mpi_group *mpi_group_get(const struct mpi_rank *me, MPI_Group handle)
{
	if (handle == MPI_GROUP_EMPTY)
		return (struct mpi_group *)&empty; /* nobody changes a group but for its references,
						      and not those of this one */
	return mpi_handle_object(me, KIND_GROUP, (uintptr_t)handle);
}

struct mpi_group *mpi_group_create_sequence(int size, int first, int stride)
{
	struct mpi_group *group = calloc(1, sizeof *group);

	if (!group)
		return NULL;
	group->n_references = 1;
	group->size = size;
	group->first = first;
	group->stride = stride;
	return group;
}

static bool is_sequence(int size, const int *ranks)
{
	for (int i = 2; i < size; i++)
		if (ranks[i] - ranks[i - 1] != ranks[1] - ranks[0])
			return false;
	return true;
}

static int compare_entries(const void *a, const void *b)
{
	const struct mpi_group_entry *left = a, *right = b;

	return (left->world_rank > right->world_rank) - (left->world_rank < right->world_rank);
}

static struct mpi_group_entry *sort(int size, const int *ranks)
{
	struct mpi_group_entry *sorted = malloc((size_t)size * sizeof *sorted);

	if (!sorted)
		return NULL;
	for (int i = 0; i < size; i++)
		sorted[i] = (struct mpi_group_entry){ranks[i], i};
	qsort(sorted, (size_t)size, sizeof *sorted, compare_entries);
	return sorted;
}

struct mpi_group *mpi_group_create(int size, int *ranks)
{
	struct mpi_group *group;

	if (is_sequence(size, ranks)) {
		group = mpi_group_create_sequence(size, size > 0 ? ranks[0] : 0,
						  size > 1 ? ranks[1] - ranks[0] : 1);
		free(ranks);
		return group;
	}
	group = calloc(1, sizeof *group);
	if (group)
		group->sorted = sort(size, ranks);
	if (!group || !group->sorted) {
		free(group);
		free(ranks);
		return NULL;
	}
	group->n_references = 1;
	group->size = size;
	group->ranks = ranks;
	return group;
}

void mpi_group_retain(struct mpi_group *group)
{
	if (group->handle != MPI_GROUP_EMPTY)
		group->n_references++;
}

void mpi_group_release(struct mpi_rank *me, struct mpi_group *group)
{
	if (!group || group->handle == MPI_GROUP_EMPTY || --group->n_references > 0)
		return;
	free(group->ranks);
	free(group->sorted);
	mpi_nodes_destroy(group->nodes);
	free(group);
}

int mpi_group_compare(const struct mpi_group *a, const struct mpi_group *b)
{
	bool is_same_order = true;

	if (a == b)
		return MPI_IDENT;
	if (a->size != b->size)
		return MPI_UNEQUAL;
	if (!a->ranks && !b->ranks && a->first == b->first && a->stride == b->stride)
		return MPI_IDENT;
	for (int i = 0; i < a->size; i++) {
		int world_rank = mpi_group_world_rank(a, i);

		if (world_rank == mpi_group_world_rank(b, i))
			continue;
		is_same_order = false;
		if (mpi_group_index(b, world_rank) == MPI_UNDEFINED)
			return MPI_UNEQUAL;
	}
	return is_same_order ? MPI_IDENT : MPI_SIMILAR;
}
