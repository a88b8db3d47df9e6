/* SPDX-License-Identifier: BSD-3-Clause */
/* Intercommunicators: construction, point-to-point, parts and copies of them, merge, collectives.
 */
#include "check.h"

/* The world in two: ranks whose number divides by three, and the others. One rank alone has none.
 */
static MPI_Comm half, inter;
static int is_low, my_rank, my_size, other_size;

#define OTHER_LEADER (is_low ? 1 : 0)
/* Rank in the world of rank r of a group. */
#define LOW(r) (3 * (r))
#define HIGH(r) ((r) / 2 * 3 + (r) % 2 + 1)
#define OTHER(r) (is_low ? HIGH(r) : LOW(r))
#define MINE(r) (is_low ? LOW(r) : HIGH(r))

static void make_intercommunicator(void)
{
	MPI_Group group, remote;
	int flag = 0, size, result, found;

	is_low = me % 3 == 0;
	MPI_Comm_split(MPI_COMM_WORLD, is_low, 0, &half);
	MPI_Comm_rank(half, &my_rank);
	MPI_Comm_size(half, &my_size);
	other_size = n_ranks - my_size;
	MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, OTHER_LEADER, 12, &inter);
	MPI_Comm_test_inter(inter, &flag);
	CHECK_INT(flag, 1);
	MPI_Comm_test_inter(half, &flag);
	CHECK_INT(flag, 0);
	MPI_Comm_size(inter, &size);
	CHECK_INT(size, my_size);
	MPI_Comm_remote_size(inter, &size);
	CHECK_INT(size, other_size);
	MPI_Comm_rank(inter, &size);
	CHECK_INT(size, my_rank);
	MPI_Comm_group(inter, &group);
	MPI_Comm_remote_group(inter, &remote);
	MPI_Group_size(remote, &size);
	CHECK_INT(size, other_size);
	MPI_Group_compare(group, remote, &result);
	CHECK_INT(result, MPI_UNEQUAL);
	MPI_Group_rank(remote, &found);
	CHECK_INT(found, MPI_UNDEFINED);
	MPI_Group_free(&group);
	MPI_Group_free(&remote);
}

/* Each to each of the other group; ranks in statuses are those of the other group. */
static void messages_between_groups(void)
{
	MPI_Request *requests = malloc((size_t)other_size * sizeof(*requests));
	MPI_Status status;
	int value;

	for (int i = 0; i < other_size; i++)
		MPI_Isend(&me, 1, MPI_INT, i, 7 + i, inter, &requests[i]);
	for (int i = other_size - 1; i >= 0; i--) {
		MPI_Recv(&value, 1, MPI_INT, i, 7 + my_rank, inter, &status);
		CHECK_INT(value, OTHER(i));
		CHECK_INT(status.MPI_SOURCE, i);
	}
	MPI_Waitall(other_size, requests, MPI_STATUSES_IGNORE);
	for (int i = 0; i < other_size; i++)
		MPI_Isend(&i, 0, MPI_INT, i, 3, inter, &requests[i]);
	for (int i = 0; i < other_size; i++) {
		MPI_Probe(MPI_ANY_SOURCE, 3, inter, &status);
		MPI_Recv(NULL, 0, MPI_INT, status.MPI_SOURCE, 3, inter, &status);
	}
	MPI_Waitall(other_size, requests, MPI_STATUSES_IGNORE);
	MPI_Sendrecv(&me, 1, MPI_INT, MPI_PROC_NULL, 0, &value, 1, MPI_INT, MPI_PROC_NULL, 0, inter,
		     &status);
	CHECK_INT(status.MPI_SOURCE, MPI_PROC_NULL);
	free(requests);
}

static void copies_are_congruent(void)
{
	MPI_Comm copy, nonblocking;
	MPI_Request request;
	int result, sum = 0, want = 0;

	MPI_Comm_dup(inter, &copy);
	MPI_Comm_compare(inter, copy, &result);
	CHECK_INT(result, MPI_CONGRUENT);
	MPI_Comm_compare(inter, inter, &result);
	CHECK_INT(result, MPI_IDENT);
	MPI_Comm_compare(inter, half, &result);
	CHECK_INT(result, MPI_UNEQUAL);
	MPI_Comm_idup(copy, &nonblocking, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, nonblocking);
	for (int i = 0; i < other_size; i++)
		want += OTHER(i);
	CHECK_INT(sum, want);
	MPI_Comm_free(&copy);
	MPI_Comm_free(&nonblocking);
}

static void merged_in_the_order_of_high(void)
{
	MPI_Comm merged;
	int rank, size, sum, is_inter;

	for (int high = 0; high < 2; high++) {
		MPI_Intercomm_merge(inter, is_low == high, &merged);
		MPI_Comm_test_inter(merged, &is_inter);
		CHECK_INT(is_inter, 0);
		MPI_Comm_size(merged, &size);
		CHECK_INT(size, n_ranks);
		MPI_Comm_rank(merged, &rank);
		CHECK_INT(rank, my_rank + (is_low == high ? other_size : 0));
		MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, merged);
		CHECK_INT(sum, n_ranks * (n_ranks - 1) / 2);
		MPI_Comm_free(&merged);
	}
	MPI_Intercomm_merge(inter, 1, &merged); /* any order */
	MPI_Comm_size(merged, &size);
	CHECK_INT(size, n_ranks);
	MPI_Comm_free(&merged);
}

/* Odd and even ranks of both groups; the order within a part turned around. */
static void split_into_intercommunicators(void)
{
	MPI_Comm part;
	int rank, size, flag, value = -1, color = my_rank % 2;
	int n_mine = (my_size + 1 - color) / 2, n_others = (other_size + 1 - color) / 2;

	MPI_Comm_split(inter, color, -my_rank, &part);
	CHECK((part == MPI_COMM_NULL) == (n_others == 0));
	if (part == MPI_COMM_NULL)
		return;
	MPI_Comm_test_inter(part, &flag);
	CHECK_INT(flag, 1);
	MPI_Comm_rank(part, &rank);
	CHECK_INT(rank, n_mine - 1 - my_rank / 2);
	MPI_Comm_remote_size(part, &size);
	CHECK_INT(size, n_others);
	if (rank == 0)
		MPI_Sendrecv(&me, 1, MPI_INT, 0, 1, &value, 1, MPI_INT, 0, 1, part,
			     MPI_STATUS_IGNORE);
	if (rank == 0)
		CHECK_INT(value, OTHER(2 * (n_others - 1) + color));
	MPI_Comm_free(&part);
}

/* The last rank of each group; and nobody when one group gives none. */
static void create_from_subgroups(void)
{
	MPI_Group group, last;
	MPI_Comm pair, none;
	int size, value, rank = my_size - 1;

	MPI_Comm_group(inter, &group);
	MPI_Group_incl(group, 1, &rank, &last);
	MPI_Comm_create(inter, last, &pair);
	CHECK((pair != MPI_COMM_NULL) == (my_rank == rank));
	if (pair != MPI_COMM_NULL) {
		MPI_Comm_remote_size(pair, &size);
		CHECK_INT(size, 1);
		MPI_Sendrecv(&me, 1, MPI_INT, 0, 1, &value, 1, MPI_INT, 0, 1, pair,
			     MPI_STATUS_IGNORE);
		CHECK_INT(value, OTHER(other_size - 1));
		MPI_Comm_free(&pair);
	}
	MPI_Comm_create(inter, is_low ? last : MPI_GROUP_EMPTY, &none);
	CHECK(none == MPI_COMM_NULL);
	MPI_Group_free(&group);
	MPI_Group_free(&last);
}

/* --- collectives: data goes to the other group --- */

static int root_of(int is_mine, int rank)
{
	return !is_mine ? rank : my_rank == rank ? MPI_ROOT : MPI_PROC_NULL;
}

#define MAX 16

/* The last rank of the low, then of the high group. */
static void rooted(void)
{
	int value, buf[MAX], want = 0;

	for (int side = 0; side < 2; side++) {
		int is_mine = is_low == (side == 0), rank = (is_mine ? my_size : other_size) - 1;
		int root = root_of(is_mine, rank), sum = 0;

		value = me;
		MPI_Bcast(&value, 1, MPI_INT, root, inter);
		CHECK_INT(value, is_mine ? me : OTHER(rank));
		memset(buf, -1, sizeof(buf));
		MPI_Gather(&me, 1, MPI_INT, buf, 1, MPI_INT, root, inter);
		for (int i = 0; i < other_size && root == MPI_ROOT; i++)
			CHECK_INT(buf[i], OTHER(i));
		for (int i = 0; i < other_size; i++)
			buf[i] = 100 * me + i;
		value = -1;
		MPI_Scatter(buf, 1, MPI_INT, &value, 1, MPI_INT, root, inter);
		CHECK_INT(value, is_mine ? -1 : 100 * OTHER(rank) + my_rank);
		MPI_Reduce(&me, &sum, 1, MPI_INT, MPI_SUM, root, inter);
		want = 0;
		for (int i = 0; i < other_size; i++)
			want += OTHER(i);
		CHECK_INT(sum, root == MPI_ROOT ? want : 0);
	}
}

/* Rank i contributes i + 1 items, each its rank in the world. */
static void rooted_with_counts(void)
{
	int counts[MAX], displs[MAX], *buf = malloc(MAX * MAX * sizeof(*buf)), own[MAX], total = 0;

	for (int i = 0; i < other_size; i++) {
		counts[i] = i + 1;
		displs[i] = total + i; /* a gap after each */
		total += i + 1;
	}
	for (int side = 0; side < 2; side++) {
		int is_mine = is_low == (side == 0), root = root_of(is_mine, 0);

		for (int i = 0; i < MAX; i++)
			own[i] = me;
		memset(buf, -1, MAX * MAX * sizeof(*buf));
		MPI_Gatherv(own, my_rank + 1, MPI_INT, buf, counts, displs, MPI_INT, root, inter);
		for (int i = 0; i < other_size && root == MPI_ROOT; i++)
			for (int k = 0; k <= counts[i]; k++)
				CHECK_INT(buf[displs[i] + k], k < counts[i] ? OTHER(i) : -1);
		if (root == MPI_ROOT)
			for (int i = 0; i < other_size; i++)
				buf[displs[i]] = 1000 + i;
		MPI_Scatterv(buf, counts, displs, MPI_INT, own, my_rank + 1, MPI_INT, root, inter);
		CHECK_INT(own[0], is_mine ? me : 1000 + my_rank);
		if (!is_mine && my_rank > 0)
			CHECK_INT(own[1], MINE(my_rank));
	}
	free(buf);
}

static void all_to_all_of_the_other_group(void)
{
	int buf[MAX], send[MAX], counts[MAX], displs[MAX], ones[MAX], sum = 0, want = 0;

	MPI_Allgather(&me, 1, MPI_INT, buf, 1, MPI_INT, inter);
	for (int i = 0; i < other_size; i++)
		CHECK_INT(buf[i], OTHER(i));
	for (int i = 0; i < other_size; i++) {
		counts[i] = OTHER(i) % 2; /* even ranks of the world give nothing */
		displs[i] = other_size - 1 - i;
		buf[i] = -1;
	}
	MPI_Allgatherv(&me, me % 2, MPI_INT, buf, counts, displs, MPI_INT, inter);
	for (int i = 0; i < other_size; i++)
		CHECK_INT(buf[displs[i]], OTHER(i) % 2 ? OTHER(i) : -1);
	for (int i = 0; i < other_size; i++)
		send[i] = 100 * me + i;
	MPI_Alltoall(send, 1, MPI_INT, buf, 1, MPI_INT, inter);
	for (int i = 0; i < other_size; i++)
		CHECK_INT(buf[i], 100 * OTHER(i) + my_rank);
	memset(buf, -1, sizeof(buf));
	for (int i = 0; i < other_size; i++)
		ones[i] = 1;
	MPI_Alltoallv(send, ones, displs, MPI_INT, buf, ones, displs, MPI_INT, inter);
	for (int i = 0; i < other_size; i++)
		CHECK_INT(buf[displs[i]], 100 * OTHER(i) + my_size - 1 - my_rank);
	MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, inter);
	for (int i = 0; i < other_size; i++)
		want += OTHER(i);
	CHECK_INT(sum, want);
	MPI_Barrier(inter);
}

/* Both groups have the same number of items in all: as many as both have ranks. */
static void reduce_scatter_of_the_other_group(void)
{
	int n = my_size * other_size, *send = malloc((size_t)n * sizeof(*send)), buf[MAX],
	    counts[MAX], want;

	for (int i = 0; i < n; i++)
		send[i] = me + 1000 * i;
	MPI_Reduce_scatter_block(send, buf, other_size, MPI_INT, MPI_SUM, inter);
	for (int k = 0; k < other_size; k++) {
		want = 0;
		for (int i = 0; i < other_size; i++)
			want += OTHER(i) + 1000 * (my_rank * other_size + k);
		CHECK_INT(buf[k], want);
	}
	for (int i = 0; i < my_size; i++)
		counts[i] = i == 0 ? n - (my_size - 1) : 1; /* one each, the rest for the first */
	if (n - (my_size - 1) <= MAX) {
		MPI_Reduce_scatter(send, buf, counts, MPI_INT, MPI_MAX, inter);
		want = 0;
		for (int i = 0; i < other_size; i++)
			if (OTHER(i) > want)
				want = OTHER(i);
		CHECK_INT(buf[0], want + (my_rank == 0 ? 0 : 1000 * (n - my_size + my_rank)));
	}
	free(send);
}

/* (from, to): joins only with what follows directly, so the order of ranks shows. */
static void join_ranges(void *in, void *inout, int *len, MPI_Datatype *type)
{
	int *left = in, *right = inout;

	for (int i = 0; i < *len; i++) {
		right[2 * i] =
		    left[2 * i + 1] == right[2 * i] && left[2 * i] >= 0 ? left[2 * i] : -1;
		(void)type;
	}
}

static void order_of_ranks_is_kept(void)
{
	int range[2] = {my_rank, my_rank + 1}, result[2];
	MPI_Datatype pair;
	MPI_Op join;

	MPI_Type_contiguous(2, MPI_INT, &pair);
	MPI_Type_commit(&pair);
	MPI_Op_create(join_ranges, 0, &join);
	MPI_Allreduce(range, result, 1, pair, join, inter);
	CHECK_INT(result[0], 0);
	CHECK_INT(result[1], other_size);
	MPI_Op_free(&join);
	MPI_Type_free(&pair);
}

/* Several at once, and messages between them; a group that is done does not wait for itself. */
static void nonblocking_ones(void)
{
	MPI_Request requests[5];
	int gathered[MAX], value = me, sum = 0, want = 0, other[MAX], send[MAX];
	int root = root_of(is_low, 0);

	for (int i = 0; i < MAX; i++)
		send[i] = 10 * me + i;
	MPI_Ibarrier(inter, &requests[0]);
	MPI_Iallgather(&me, 1, MPI_INT, gathered, 1, MPI_INT, inter, &requests[1]);
	MPI_Ibcast(&value, 1, MPI_INT, root, inter, &requests[2]);
	MPI_Iallreduce(&me, &sum, 1, MPI_INT, MPI_SUM, inter, &requests[3]);
	MPI_Ialltoall(send, 1, MPI_INT, other, 1, MPI_INT, inter, &requests[4]);
	messages_between_groups();
	MPI_Waitall(5, requests, MPI_STATUSES_IGNORE);
	for (int i = 0; i < other_size; i++) {
		CHECK_INT(gathered[i], OTHER(i));
		CHECK_INT(other[i], 10 * OTHER(i) + my_rank);
		want += OTHER(i);
	}
	CHECK_INT(value, is_low ? me : 0);
	CHECK_INT(sum, want);
}

static void errors_have_their_class(void)
{
	MPI_Comm wrong;
	int value = 0, result = 0;

	MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(half, MPI_ERRORS_RETURN);
#define CHECK_CLASS(call, want) (MPI_Error_class(call, &value), CHECK_INT(value, want))
	CHECK_CLASS(MPI_Scan(&me, &result, 1, MPI_INT, MPI_SUM, inter), MPI_ERR_COMM);
	CHECK_CLASS(MPI_Send(&me, 1, MPI_INT, other_size, 0, inter), MPI_ERR_RANK);
	CHECK_CLASS(MPI_Bcast(&result, 1, MPI_INT, other_size, inter), MPI_ERR_ROOT);
#if defined(OPEN_MPI) || defined(MPICH_VERSION) /* raise it elsewhere, not at all, or crash */
	(void)wrong;
#else
	CHECK_CLASS(MPI_Comm_remote_size(half, &result), MPI_ERR_COMM);
	CHECK_CLASS(MPI_Intercomm_merge(half, 0, &wrong), MPI_ERR_COMM);
	CHECK_CLASS(MPI_Intercomm_create(inter, 0, MPI_COMM_WORLD, 0, 0, &wrong), MPI_ERR_COMM);
#endif
	MPI_Comm_set_errhandler(half, MPI_ERRORS_ARE_FATAL);
	MPI_Comm_set_errhandler(inter, MPI_ERRORS_ARE_FATAL);
}

static void run(void (*section)(void), const char *name)
{
	if (n_ranks > 1)
		section();
	section_end(name);
}

int main(int argc, char **argv)
{
	check_init(&argc, &argv);
	run(make_intercommunicator, "construction");
	run(messages_between_groups, "messages");
	run(copies_are_congruent, "copies");
	run(merged_in_the_order_of_high, "merge");
	run(split_into_intercommunicators, "split");
	run(create_from_subgroups, "create");
	run(rooted, "rooted collectives");
	run(rooted_with_counts, "gatherv and scatterv");
	run(all_to_all_of_the_other_group, "all-to-all collectives");
	run(reduce_scatter_of_the_other_group, "reduce-scatter");
	run(order_of_ranks_is_kept, "operations that do not commute");
	run(nonblocking_ones, "nonblocking collectives");
	run(errors_have_their_class, "errors");
	if (n_ranks > 1) {
		MPI_Comm_free(&half);
		MPI_Comm_free(&inter);
	}
	return check_finish();
}
