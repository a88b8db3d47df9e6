/* SPDX-License-Identifier: BSD-3-Clause */
/* Collectives of the shadow: who has called which. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/comm/group.h"
#include "mpi/verify/shadow.h"

/* MPI_Finalize is a collective, too, but has no place among the others. */
#define NUMBER_OF_FINALIZE UINT32_MAX
#define NO_ROOT (-1) /* of mpi_shadow_plan.root */

/* --- who has called --- */

static uint64_t key_of(uint32_t context, uint32_t number)
{
	return (uint64_t)context << 32 | number;
}

static struct mpi_shadow_together *find(const struct mpi_shadow *shadow, uint32_t context,
					uint32_t number)
{
	const struct util_map_slot *slot =
	    util_map_find(&shadow->numbered, key_of(context, number));

	return slot ? slot->item : NULL;
}

static int *members_of(struct mpi_shadow *shadow, const struct mpi_comm *comm, int *out_n)
{
	const struct mpi_group *groups[] = {comm->group, comm->remote};
	int n = comm->group->size + (comm->remote ? comm->remote->size : 0), k = 0;
	int *members = mpi_shadow_allocate(shadow, (size_t)n, sizeof *members);

	for (int g = 0; g < 2; g++)
		for (int i = 0; groups[g] && i < groups[g]->size; i++)
			members[k++] = mpi_group_world_rank(groups[g], i);
	*out_n = n;
	return members;
}

static struct mpi_shadow_together *open(struct mpi_shadow *shadow, const struct mpi_comm *comm,
					uint32_t number, const char *operation, int root)
{
	struct mpi_shadow_together *t = mpi_shadow_allocate(shadow, 1, sizeof *t);

	t->operation = operation;
	t->context = comm->context;
	t->number = number;
	t->root = root;
	t->is_between_groups = comm->remote != NULL;
	t->first[0] = t->first[1] = t->sender = -1;
	t->members = members_of(shadow, comm, &t->n_members);
	t->n_first = comm->remote ? comm->group->size : t->n_members;
	t->parts = mpi_shadow_allocate(shadow, (size_t)t->n_members, sizeof *t->parts);
	t->is_posted = mpi_shadow_allocate(shadow, (size_t)t->n_members, sizeof *t->is_posted);
	util_list_prepend(&shadow->open, t);
	if (util_map_put(&shadow->numbered, key_of(t->context, number), t))
		mpi_shadow_fail_memory(shadow);
	return t;
}

static void close(struct mpi_shadow *shadow, struct mpi_shadow_together *together)
{
	util_map_remove(&shadow->numbered, key_of(together->context, together->number), together);
	util_list_remove(&shadow->open, together);
	util_list_prepend(&shadow->closed, together);
}

void mpi_shadow_destroy_together(struct mpi_shadow *shadow, struct mpi_shadow_together *together)
{
	for (int i = 0; i < together->n_members; i++)
		mpi_shadow_release_blocks(together->parts[i].blocks);
	free(together->parts);
	free(together->members);
	free(together->is_posted);
	free(together);
}

void mpi_shadow_leave_together(struct mpi_shadow *shadow, struct mpi_shadow_together *together)
{
	if (--together->n_references > 0 || together->n_called < together->n_members)
		return;
	util_list_remove(&shadow->closed, together);
	mpi_shadow_destroy_together(shadow, together);
}

static int place_of(const struct mpi_shadow_together *together, int rank)
{
	int i = 0;

	while (i < together->n_members && together->members[i] != rank)
		i++;
	return i;
}

static bool is_end(const struct mpi_shadow_together *together)
{
	return together->number == NUMBER_OF_FINALIZE;
}

/* MPI_Finalize of a member, where others call something else. */
static void report_end(struct mpi_shadow *shadow, const struct mpi_finding_call *end,
		       const struct mpi_shadow_together *other)
{
	const struct mpi_shadow_part *part = other->parts;
	char text[160];

	while (!part->has_called)
		part++;
	snprintf(text, sizeof text,
		 "rank %d ends MPI, and never calls MPI_%s, as rank %d does on a communicator of "
		 "both",
		 end->rank, other->operation, part->call.rank);
	mpi_verify_report(shadow->world,
			  &(struct mpi_finding){
			      .class_name = "collective-mismatch",
			      .severity = MPI_FINDING_ERROR,
			      .calls = {part->call, *end},
			      .n_calls = 2,
			      .found = text,
			      .wanted = "every rank of a communicator calls the same collectives",
			      .why = "a rank may wait for one that has ended",
			  });
}

/* A rank ends: has it missed what others have called? */
static void compare_end(struct mpi_shadow *shadow, int rank)
{
	for (const struct mpi_shadow_together *t = shadow->open.first; t; t = t->link.next) {
		int place = is_end(t) ? t->n_members : place_of(t, rank);

		if (place < t->n_members && !t->parts[place].has_called)
			report_end(shadow, &shadow->ranks[rank].end, t);
	}
}

/* The first call of a collective: has a member ended already? */
static void compare_with_ended(struct mpi_shadow *shadow, const struct mpi_shadow_together *t)
{
	for (int i = 0; i < t->n_members; i++)
		if (shadow->ranks[t->members[i]].has_ended) {
			report_end(shadow, &shadow->ranks[t->members[i]].end, t);
			return;
		}
}

static void compare_ends(struct mpi_shadow *shadow, const struct mpi_shadow_together *t,
			 const struct mpi_finding_call *call)
{
	if (is_end(t)) {
		shadow->has_end = shadow->ranks[call->rank].has_ended = true;
		shadow->ranks[call->rank].end = *call;
	}
	if (!mpi_verify_wants(shadow->world, MPI_VERIFY_MATCHING))
		return;
	if (is_end(t))
		compare_end(shadow, call->rank);
	else if (shadow->has_end && t->n_called == 1)
		compare_with_ended(shadow, t);
}

/* Between two groups one rank of one group is the root, and says so by MPI_ROOT (MPI 4.1, §6.2.3). */
static void compare_roots(struct mpi_shadow *shadow, const struct mpi_shadow_together *t)
{
	char text[160];

	if (!t->is_between_groups || t->root == NO_ROOT || t->has_root ||
	    !mpi_verify_wants(shadow->world, MPI_VERIFY_MATCHING))
		return;
	snprintf(text, sizeof text,
		 "MPI_%s between two groups, and no rank of either gives MPI_ROOT as root",
		 t->operation);
	mpi_verify_report(shadow->world,
			  &(struct mpi_finding){
			      .class_name = "root-mismatch",
			      .severity = MPI_FINDING_ERROR,
			      .calls = {t->parts[0].call},
			      .n_calls = 1,
			      .found = text,
			      .wanted =
				  "MPI_ROOT at the root, MPI_PROC_NULL at the other ranks of its "
				  "group, the root's rank in the other group",
			      .why = "all wait for data that nobody sends",
			  });
}

/* One rank only may be the root. */
static void compare_senders(struct mpi_shadow *shadow, struct mpi_shadow_together *t, int place)
{
	const struct mpi_finding_call *call = &t->parts[place].call;
	char text[160];

	if (t->sender < 0) {
		t->sender = place;
		return;
	}
	if (!mpi_verify_wants(shadow->world, MPI_VERIFY_MATCHING))
		return;
	snprintf(text, sizeof text, "MPI_%s between two groups: ranks %d and %d both give MPI_ROOT",
		 t->operation, t->parts[t->sender].call.rank, call->rank);
	mpi_verify_report(
	    shadow->world,
	    &(struct mpi_finding){
		.class_name = "root-mismatch",
		.severity = MPI_FINDING_ERROR,
		.calls = {t->parts[t->sender].call, *call},
		.n_calls = 2,
		.found = text,
		.wanted = "MPI_ROOT at one rank, MPI_PROC_NULL at the others of its group",
		.why = "whose data the other group gets is not defined",
	    });
}

struct mpi_shadow_op *mpi_shadow_call_together(struct mpi_shadow *shadow, struct mpi_rank *me,
					       struct mpi_comm *comm, const char *operation,
					       int root, struct mpi_shadow_part *part)
{
	struct mpi_shadow_queue *queue = mpi_shadow_queue(shadow, me->rank, comm->context);
	bool ends = strcmp(operation, "Finalize") == 0;
	uint32_t number = ends ? NUMBER_OF_FINALIZE : queue->n_together++;
	struct mpi_shadow_together *t = find(shadow, comm->context, number);
	struct mpi_shadow_op *op = mpi_shadow_op(shadow, me, SHADOW_COLL);

	if (!t)
		t = open(shadow, comm, number, operation, root);
	op->context = comm->context;
	op->together = t;
	op->place = comm->remote ? place_of(t, me->rank) : comm->rank;
	op->n_references = 1;
	t->n_references++;
	part->call = mpi_shadow_call_of(op);
	part->has_called = true;
	t->parts[op->place] = *part;
	if (operation == t->operation || strcmp(operation, t->operation) == 0) {
		if (t->first[op->place >= t->n_first] < 0)
			t->first[op->place >= t->n_first] = op->place;
		mpi_shadow_compare_member(shadow, t, op->place);
		mpi_shadow_compare_given(shadow, t, op->place);
	}
	t->n_called++;
	if (comm->remote && root == MPI_ROOT)
		compare_senders(shadow, t, op->place);
	compare_ends(shadow, t, &part->call);
	/* a root that is no rank is an error of its own */
	t->has_root |= root == MPI_ROOT || (comm->remote && root >= comm->remote->size);
	if (t->n_called == t->n_members) {
		compare_roots(shadow, t);
		close(shadow, t);
	}
	return op;
}
