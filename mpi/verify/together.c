/* SPDX-License-Identifier: BSD-3-Clause */
/* Collectives of the shadow: who has called which, and whether their data agrees. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/comm/group.h"
#include "mpi/verify/shadow.h"

/* MPI_Finalize is a collective, too, but has no place among the others. */
#define NUMBER_OF_FINALIZE UINT32_MAX

/* --- signatures of the arguments --- */

static int64_t integer(const struct mpi_verify_call *call, enum mpi_argument argument)
{
	return mpi_verify_value(call, argument).i;
}

static bool has(const struct mpi_verify_call *call, enum mpi_argument argument)
{
	return mpi_verify_has(call, argument);
}

static MPI_Count count_at(const struct mpi_verify_call *call, enum mpi_argument argument, int i)
{
	const void *counts = mpi_verify_value(call, argument).p;

	if (!counts)
		return 0;
	return call->function->is_large ? ((const MPI_Count *)counts)[i] : ((const int *)counts)[i];
}

static struct mpi_signature signature(const struct mpi_verify_call *call, const void *handle,
				      MPI_Count count)
{
	const struct mpi_datatype *type =
	    mpi_datatype_get(call->me, (MPI_Datatype)(uintptr_t)handle);

	if (!type || count <= 0)
		return (struct mpi_signature){.n = 0};
	return mpi_signature_of(type, count);
}

/* One side of a function that has counts for each member. */
static void describe_each(const struct mpi_verify_call *call, enum mpi_argument counts,
			  enum mpi_argument type, enum mpi_argument types, int n,
			  struct mpi_signature **each, struct mpi_signature *all)
{
	const MPI_Datatype *handles = has(call, types) ? mpi_verify_value(call, types).p : NULL;

	*each = calloc((size_t)n, sizeof **each);
	*all = (struct mpi_signature){.n = 0};
	for (int i = 0; *each && i < n; i++) {
		(*each)[i] = signature(call, handles ? handles[i] : mpi_verify_value(call, type).p,
				       count_at(call, counts, i));
		*all = mpi_signature_join(*all, (*each)[i]);
	}
}

static bool is_root(const struct mpi_verify_call *call, const struct mpi_comm *comm)
{
	return !has(call, MPI_ARG_ROOT) || integer(call, MPI_ARG_ROOT) == comm->rank;
}

static void describe_send(const struct mpi_verify_call *call, const struct mpi_comm *comm,
			  struct mpi_shadow_part *out)
{
	bool is_scatter = strncmp(call->function->operation, "Scatter", 7) == 0;

	if ((is_scatter && !is_root(call, comm)) ||
	    mpi_verify_value(call, MPI_ARG_SENDBUF).p == MPI_IN_PLACE)
		return;
	out->has_send = true;
	if (has(call, MPI_ARG_SENDCOUNTS))
		describe_each(call, MPI_ARG_SENDCOUNTS, MPI_ARG_SENDTYPE, MPI_ARG_SENDTYPES,
			      comm->size, &out->each_send, &out->send);
	else
		out->send = signature(call, mpi_verify_value(call, MPI_ARG_SENDTYPE).p,
				      integer(call, MPI_ARG_SENDCOUNT));
}

static void describe_recv(const struct mpi_verify_call *call, const struct mpi_comm *comm,
			  struct mpi_shadow_part *out)
{
	bool is_gather = strncmp(call->function->operation, "Gather", 6) == 0;

	if ((is_gather && !is_root(call, comm)) ||
	    mpi_verify_value(call, MPI_ARG_RECVBUF).p == MPI_IN_PLACE)
		return;
	out->has_recv = true;
	if (has(call, MPI_ARG_RECVCOUNTS))
		describe_each(call, MPI_ARG_RECVCOUNTS, MPI_ARG_RECVTYPE, MPI_ARG_RECVTYPES,
			      comm->size, &out->each_recv, &out->recv);
	else
		out->recv = signature(call, mpi_verify_value(call, MPI_ARG_RECVTYPE).p,
				      integer(call, MPI_ARG_RECVCOUNT));
}

void mpi_shadow_describe_part(const struct mpi_verify_call *call, const struct mpi_comm *comm,
			      struct mpi_shadow_part *out)
{
	const char *operation = call->function->operation;

	if (comm->remote || strncmp(operation, "Neighbor", 8) == 0)
		return;
	if (has(call, MPI_ARG_SENDTYPE) || has(call, MPI_ARG_SENDTYPES)) {
		describe_send(call, comm, out);
		describe_recv(call, comm, out);
		return;
	}
	if (!has(call, MPI_ARG_DATATYPE))
		return;
	out->has_send = out->is_uniform = true; /* Bcast and the reductions */
	if (has(call, MPI_ARG_RECVCOUNTS)) {
		describe_each(call, MPI_ARG_RECVCOUNTS, MPI_ARG_DATATYPE, MPI_ARG_SENDTYPES,
			      comm->size, &out->each_send, &out->send);
		return;
	}
	out->send = signature(
	    call, mpi_verify_value(call, MPI_ARG_DATATYPE).p,
	    integer(call, has(call, MPI_ARG_RECVCOUNT) ? MPI_ARG_RECVCOUNT : MPI_ARG_COUNT));
}

/* --- comparing --- */

static void report(struct mpi_shadow *shadow, const struct mpi_shadow_together *together,
		   const struct mpi_shadow_part *a, const struct mpi_shadow_part *b,
		   struct mpi_signature sig_a, struct mpi_signature sig_b)
{
	bool is_type = sig_a.n == sig_b.n || sig_a.size_B == sig_b.size_B;
	char text[256];

	snprintf(text, sizeof text,
		 "MPI_%s on rank %d has %llu basic elements, %lld B, where rank %d has %llu, %lld "
		 "B%s",
		 together->operation, a->call.rank, (unsigned long long)sig_a.n,
		 (long long)sig_a.size_B, b->call.rank, (unsigned long long)sig_b.n,
		 (long long)sig_b.size_B, is_type ? ", of other datatypes" : "");
	mpi_verify_report(shadow->world,
			  &(struct mpi_finding){
			      .class_name = is_type ? "datatype-mismatch" : "count-mismatch",
			      .severity = MPI_FINDING_ERROR,
			      .calls = {a->call, b->call},
			      .n_calls = 2,
			      .found = text,
			      .wanted = "counts and datatypes that agree between the ranks",
			      .why = "data is lost, or what was not sent is taken for data",
			  });
}

/* What `a` sends to the member `to` against what `b`, the member `from`… receives from `a`. */
static bool compare(struct mpi_shadow *shadow, const struct mpi_shadow_together *together,
		    const struct mpi_shadow_part *a, const struct mpi_shadow_part *b,
		    struct mpi_signature sig_a, struct mpi_signature sig_b)
{
	if (mpi_signature_is_equal(sig_a, sig_b))
		return true;
	report(shadow, together, a, b, sig_a, sig_b);
	return false;
}

static struct mpi_signature sent_to(const struct mpi_shadow_part *part, int member)
{
	return part->each_send ? part->each_send[member] : part->send;
}

static struct mpi_signature received_from(const struct mpi_shadow_part *part, int member)
{
	return part->each_recv ? part->each_recv[member] : part->recv;
}

/* `a` sends to `b`. */
static bool compare_pair(struct mpi_shadow *shadow, const struct mpi_shadow_together *together,
			 int a, int b)
{
	const struct mpi_shadow_part *from = &together->parts[a], *to = &together->parts[b];

	if (!from->has_send || !to->has_recv)
		return true;
	return compare(shadow, together, from, to, sent_to(from, b), received_from(to, a));
}

/* Every rank has the same: the first that called is whom all are compared with. */
static void compare_with_first(struct mpi_shadow *shadow,
			       const struct mpi_shadow_together *together, int member)
{
	const struct mpi_shadow_part *part = &together->parts[member];

	for (int i = 0; i < together->n_members; i++) {
		const struct mpi_shadow_part *other = &together->parts[i];

		if (i == member || !other->has_called || !other->is_uniform)
			continue;
		if (part->each_send && other->each_send)
			for (int k = 0; k < together->n_members; k++)
				if (!compare(shadow, together, part, other, part->each_send[k],
					     other->each_send[k]))
					return;
		compare(shadow, together, part, other, part->send, other->send);
		return;
	}
}

/* What the member sends to and receives from those that have called. */
static void compare_with_all(struct mpi_shadow *shadow, const struct mpi_shadow_together *together,
			     int member)
{
	for (int i = 0; i < together->n_members; i++) {
		if (!together->parts[i].has_called)
			continue;
		if (!compare_pair(shadow, together, member, i) ||
		    (i != member && !compare_pair(shadow, together, i, member)))
			return;
	}
}

static void compare_member(struct mpi_shadow *shadow, const struct mpi_shadow_together *together,
			   int member)
{
	const struct mpi_shadow_part *part = &together->parts[member];

	if ((!part->has_send && !part->has_recv) ||
	    !mpi_verify_wants(shadow->world, MPI_VERIFY_MATCHING))
		return;
	if (part->is_uniform)
		compare_with_first(shadow, together, member);
	else
		compare_with_all(shadow, together, member);
}

/* --- who has called --- */

static struct mpi_shadow_together **list_of(struct mpi_shadow *shadow, uint32_t context)
{
	if (context >= shadow->n_contexts) {
		uint32_t n = 2 * context + 16;
		struct mpi_shadow_together **larger =
		    mpi_shadow_allocate(shadow, n, sizeof *larger);

		if (shadow->n_contexts > 0)
			memcpy(larger, shadow->of_context, shadow->n_contexts * sizeof *larger);
		free(shadow->of_context);
		shadow->of_context = larger;
		shadow->n_contexts = n;
	}
	return &shadow->of_context[context];
}

static struct mpi_shadow_together *find(struct mpi_shadow *shadow, uint32_t context,
					uint32_t number)
{
	struct mpi_shadow_together *together = *list_of(shadow, context);

	while (together && together->number != number)
		together = together->next_of_context;
	return together;
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
	struct mpi_shadow_together *t = mpi_shadow_allocate(shadow, 1, sizeof *t), **first;

	t->operation = operation;
	t->context = comm->context;
	t->number = number;
	t->root = root;
	t->members = members_of(shadow, comm, &t->n_members);
	t->parts = mpi_shadow_allocate(shadow, (size_t)t->n_members, sizeof *t->parts);
	t->is_posted = mpi_shadow_allocate(shadow, (size_t)t->n_members, sizeof *t->is_posted);
	t->next = shadow->open;
	if (t->next)
		t->next->prev = t;
	shadow->open = t;
	first = list_of(shadow, comm->context);
	t->next_of_context = *first;
	if (*first)
		(*first)->prev_of_context = t;
	*first = t;
	t->next_of_all = shadow->all;
	if (t->next_of_all)
		t->next_of_all->prev_of_all = t;
	shadow->all = t;
	return t;
}

static void close(struct mpi_shadow *shadow, struct mpi_shadow_together *together)
{
	*(together->prev ? &together->prev->next : &shadow->open) = together->next;
	if (together->next)
		together->next->prev = together->prev;
	*(together->prev_of_context ? &together->prev_of_context->next_of_context
				    : list_of(shadow, together->context)) =
	    together->next_of_context;
	if (together->next_of_context)
		together->next_of_context->prev_of_context = together->prev_of_context;
	together->next = together->prev = NULL;
}

void mpi_shadow_destroy_together(struct mpi_shadow *shadow, struct mpi_shadow_together *together)
{
	for (int i = 0; i < together->n_members; i++) {
		free(together->parts[i].each_send);
		free(together->parts[i].each_recv);
	}
	free(together->parts);
	free(together->members);
	free(together->is_posted);
	free(together);
}

void mpi_shadow_leave_together(struct mpi_shadow *shadow, struct mpi_shadow_together *together)
{
	if (--together->n_references > 0 || together->n_called < together->n_members)
		return;
	*(together->prev_of_all ? &together->prev_of_all->next_of_all : &shadow->all) =
	    together->next_of_all;
	if (together->next_of_all)
		together->next_of_all->prev_of_all = together->prev_of_all;
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
	for (const struct mpi_shadow_together *t = shadow->open; t; t = t->next) {
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
	part->call = op->call;
	part->has_called = true;
	t->parts[op->place] = *part;
	if (strcmp(operation, t->operation) == 0)
		compare_member(shadow, t, op->place);
	t->n_called++;
	compare_ends(shadow, t, &op->call);
	if (t->n_called == t->n_members)
		close(shadow, t);
	return op;
}
