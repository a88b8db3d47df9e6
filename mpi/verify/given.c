/* SPDX-License-Identifier: BSD-3-Clause */
/* What ranks that make a call together have to give alike: the column `same` of mpi/abi/functions.txt. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/comm/group.h"
#include "mpi/info/info.h"
#include "mpi/verify/memory.h"
#include "mpi/verify/shadow.h"
#include "util/map.h"

struct mpi_shadow_given {
	const struct mpi_call_info *function;
	struct mpi_rank *me;
	struct mpi_group *group; /* retained; NULL: none is to be compared */
	int n;
	int64_t values[]; /* [n] of each parameter: how many, then these */
};

/* --- taking --- */

/* The pairs, in whatever order. */
static int64_t sum_of(const struct mpi_info *info)
{
	uint64_t sum = 0;

	for (int i = 0; info && i < info->n_pairs; i++)
		sum += util_hash(info->pairs[i].key, strlen(info->pairs[i].key),
				 util_hash(info->pairs[i].value, strlen(info->pairs[i].value), 1));
	return (int64_t)sum;
}

/* Whether the window's maker says that ranks give the same: "same_" and the name is true. */
static bool is_promised(const struct mpi_verify_call *call, const struct mpi_parameter *p)
{
	int at = mpi_memory_parameter(call->function, PARAMETER_INFO);
	const struct mpi_info *info =
	    mpi_info_get(call->me, (MPI_Info)(uintptr_t)call->values[at].p);
	char key[64];
	const char *value;

	snprintf(key, sizeof key, "same_%s", p->name);
	value = info ? mpi_info_value(info, key) : NULL;
	return value && strcmp(value, "true") == 0;
}

/* Of a parameter that is no array: how many values, 0 or 1. */
static int take_one(const struct mpi_verify_call *call, const struct mpi_parameter *p,
		    union mpi_value value, int64_t *out)
{
	*out = value.i;
	switch (p->same) {
	case SAME_TRUTH:
	case SAME_SIDE:
		*out = value.i != 0;
		return 1;
	case SAME_DEFINED:
		return value.i != MPI_UNDEFINED;
	case SAME_WEIGHTED:
		*out = value.p != MPI_UNWEIGHTED;
		return 1;
	case SAME_FENCE:
		*out = value.i & (MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED);
		return 1;
	case SAME_PROMISED:
		return is_promised(call, p);
	default:
		if (p->kind == PARAMETER_INFO)
			*out = sum_of(mpi_info_get(call->me, (MPI_Info)(uintptr_t)value.p));
		return p->same != SAME_MEMBERS;
	}
}

static int length_of(const struct mpi_verify_call *call, const struct mpi_comm *comm, int i)
{
	const struct mpi_parameter *p = &call->function->parameters[i];
	MPI_Count n = 1;

	if (p->same == SAME_NOT)
		return 0;
	if (p->is_array && p->same != SAME_WEIGHTED)
		n = call->values[i].p ? mpi_memory_length(call, comm, p) : 0;
	return n > 0 ? 1 + (int)n : 1;
}

static void take(const struct mpi_verify_call *call, const struct mpi_comm *comm, int i,
		 struct mpi_shadow_given *out)
{
	const struct mpi_parameter *p = &call->function->parameters[i];
	union mpi_value value = call->values[i];
	int64_t *to = &out->values[out->n];
	int n = length_of(call, comm, i) - 1;

	if (!p->is_array || p->same == SAME_WEIGHTED)
		n = take_one(call, p, value, to + 1);
	else
		for (int k = 0; k < n; k++)
			to[1 + k] = p->same == SAME_TRUTH ? ((const int *)value.p)[k] != 0
							  : ((const int *)value.p)[k];
	if (p->same == SAME_MEMBERS && !out->group) {
		out->group = mpi_group_get(call->me, (MPI_Group)(uintptr_t)value.p);
		if (out->group)
			mpi_group_retain(out->group);
	}
	*to = n;
	out->n += 1 + n;
}

struct mpi_shadow_given *mpi_shadow_take_given(const struct mpi_verify_call *call,
					       const struct mpi_comm *comm)
{
	const struct mpi_call_info *function = call->function;
	struct mpi_shadow_given *given;
	int n = 0;

	for (int i = 0; function->has_same && i < function->n_parameters; i++)
		n += length_of(call, comm, i);
	given = n > 0 ? calloc(1, sizeof *given + (size_t)n * sizeof *given->values) : NULL;
	if (!given)
		return NULL;
	given->function = function;
	given->me = call->me;
	for (int i = 0; i < function->n_parameters; i++)
		if (function->parameters[i].same != SAME_NOT)
			take(call, comm, i, given);
	return given;
}

void mpi_shadow_release_given(struct mpi_shadow_given *given)
{
	if (given)
		mpi_group_release(given->me, given->group);
	free(given);
}

/* --- comparing --- */

struct two {
	const struct mpi_shadow_given *a, *b;
	const struct mpi_finding_call *call_a, *call_b;
};

static void report(struct mpi_shadow *shadow, const struct two *two, const char *found)
{
	char text[256];

	snprintf(text, sizeof text, "%s: %s", two->a->function->name, found);
	mpi_verify_report(shadow->world, &(struct mpi_finding){
					     .class_name = "collective-argument",
					     .severity = MPI_FINDING_ERROR,
					     .calls = {*two->call_a, *two->call_b},
					     .n_calls = 2,
					     .found = text,
					     .wanted = "the same on all ranks that make the call",
					     .why = "ranks make different things of one call",
					 });
}

static void report_values(struct mpi_shadow *shadow, const struct two *two,
			  const struct mpi_parameter *p, const int64_t *a, const int64_t *b)
{
	int i = 1, rank_a = two->call_a->rank, rank_b = two->call_b->rank;
	char text[192], item[24] = "";

	while (i < *a && a[i] == b[i])
		i++;
	if (p->is_array && p->same != SAME_WEIGHTED)
		snprintf(item, sizeof item, "[%d]", i - 1);
	if (*a != *b || p->kind == PARAMETER_INFO)
		snprintf(text, sizeof text, "%s on rank %d is not that of rank %d", p->name, rank_a,
			 rank_b);
	else if (p->same == SAME_WEIGHTED)
		snprintf(text, sizeof text, "%s is MPI_UNWEIGHTED on rank %d, and not on rank %d",
			 p->name, a[1] ? rank_b : rank_a, a[1] ? rank_a : rank_b);
	else
		snprintf(text, sizeof text, "%s%s is %lld on rank %d and %lld on rank %d%s",
			 p->name, item, (long long)a[i], rank_a, (long long)b[i], rank_b,
			 p->same == SAME_FENCE ? ", of MPI_MODE_NOPRECEDE and MPI_MODE_NOSUCCEED"
					       : "");
	report(shadow, two, text);
}

static bool is_member(const struct mpi_group *group, int rank)
{
	return group && mpi_group_index(group, rank) != MPI_UNDEFINED;
}

/* A member of the group that `a` gives has to give the same, and the other way round. */
static bool groups_agree(struct mpi_shadow *shadow, const struct two *two)
{
	const struct mpi_group *a = two->a->group, *b = two->b->group;
	int rank_a = two->call_a->rank, rank_b = two->call_b->rank;
	bool is_b_in_a;
	char text[192];

	if (a == b || (a && b && mpi_group_compare(a, b) == MPI_IDENT))
		return true;
	is_b_in_a = is_member(a, rank_b);
	if (!is_b_in_a && !is_member(b, rank_a))
		return true;
	snprintf(text, sizeof text,
		 "rank %d gives a group of %d in which rank %d is, and that one another group",
		 is_b_in_a ? rank_a : rank_b, (is_b_in_a ? a : b)->size,
		 is_b_in_a ? rank_b : rank_a);
	report(shadow, two, text);
	return false;
}

/* False: a finding is told. */
static bool compare(struct mpi_shadow *shadow, const struct two *two, bool is_one_side)
{
	const struct mpi_call_info *function = two->a->function;
	const int64_t *a = two->a->values, *b = two->b->values;

	if (function->name != two->b->function->name)
		return true; /* told otherwise */
	for (int i = 0; i < function->n_parameters; i++) {
		const struct mpi_parameter *p = &function->parameters[i];

		if (p->same == SAME_NOT)
			continue;
		if (*a > 0 && *b > 0 && (p->same != SAME_SIDE || is_one_side) &&
		    (*a != *b || memcmp(a + 1, b + 1, (size_t)*a * sizeof *a) != 0)) {
			report_values(shadow, two, p, a, b);
			return false;
		}
		a += 1 + *a;
		b += 1 + *b;
	}
	return groups_agree(shadow, two);
}

static const struct mpi_shadow_given *given_of(const struct mpi_shadow_part *part)
{
	return part->blocks ? part->blocks->given : NULL;
}

static bool are_equal(const struct mpi_shadow_given *a, const struct mpi_shadow_given *b)
{
	return a && b && a->function == b->function && a->n == b->n &&
	       memcmp(a->values, b->values, (size_t)a->n * sizeof *a->values) == 0 &&
	       (a->group == b->group ||
		(a->group && b->group && mpi_group_compare(a->group, b->group) == MPI_IDENT));
}

/* Where all give the same, as they mostly do, one is compared with the first. */
void mpi_shadow_compare_given(struct mpi_shadow *shadow, struct mpi_shadow_together *together,
			      int member)
{
	const struct mpi_shadow_part *part = &together->parts[member];
	const struct mpi_shadow_given *given = given_of(part);
	int first = together->first[0] >= 0 ? together->first[0] : together->first[1];

	if (!given || !mpi_verify_wants(shadow->world, MPI_VERIFY_MATCHING))
		return;
	if (!together->differs && first >= 0 && are_equal(given, given_of(&together->parts[first])))
		return;
	together->differs = true;
	for (int i = 0; i < together->n_members; i++) {
		const struct mpi_shadow_part *other = &together->parts[i];
		const struct two two = {given, given_of(other), &part->call, &other->call};

		if (i != member && other->has_called && two.b &&
		    !compare(shadow, &two, (i < together->n_first) == (member < together->n_first)))
			return;
	}
}
