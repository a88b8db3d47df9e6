/* SPDX-License-Identifier: BSD-3-Clause */
/* Point-to-point matching: order, wildcards, tags, probes, MPI_PROC_NULL, messages to oneself, status. */
#include "check.h"

enum { BIG = 60000 }; /* ints: rendezvous in every library */
static int big_out[BIG], big_in[BIG];
static int left, right;

static void messages_of_one_sender_do_not_overtake(void)
{
	enum { N = 40 };
	int value, *next;
	MPI_Status status;

	if (me != 0) {
		for (int k = 0; k < N; k++)
			MPI_Send(&k, 1, MPI_INT, 0, 3, MPI_COMM_WORLD);
		return;
	}
	next = calloc((size_t)n_ranks, sizeof(*next));
	for (int k = 0; k < N * (n_ranks - 1); k++) {
		MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &status);
		CHECK(status.MPI_SOURCE > 0 && status.MPI_SOURCE < n_ranks);
		CHECK_INT(value, next[status.MPI_SOURCE]++);
	}
	for (int r = 1; r < n_ranks; r++)
		CHECK_INT(next[r], N);
	free(next);
}

/* A big message goes by rendezvous, the small one behind it eagerly: it arrives first and still matches second. */
static void a_small_message_does_not_overtake_a_big_one(void)
{
	MPI_Request req[2];
	MPI_Status status;
	int small = -me, got = 1, count;

	for (int i = 0; i < BIG; i++)
		big_out[i] = me + i;
	for (int wildcard = 0; wildcard < 2; wildcard++) {
		int tag = wildcard ? MPI_ANY_TAG : 4;
		int source = wildcard ? MPI_ANY_SOURCE : left;

		MPI_Isend(big_out, BIG, MPI_INT, right, 4, MPI_COMM_WORLD, &req[0]);
		MPI_Isend(&small, 1, MPI_INT, right, 4, MPI_COMM_WORLD, &req[1]);
		MPI_Recv(big_in, BIG, MPI_INT, source, tag, MPI_COMM_WORLD, &status);
		MPI_Get_count(&status, MPI_INT, &count);
		CHECK_INT(count, BIG);
		CHECK_INT(big_in[BIG - 1], left + BIG - 1);
		MPI_Recv(&got, 1, MPI_INT, source, tag, MPI_COMM_WORLD, &status);
		CHECK_INT(got, -left);
		MPI_Waitall(2, req, MPI_STATUSES_IGNORE);
	}
}

static void receives_match_in_the_order_posted(void)
{
	MPI_Request recv[4], send[4];
	MPI_Status status[4];
	int got[4] = {-1, -1, -1, -1}, value[4];

	MPI_Irecv(&got[0], 1, MPI_INT, left, MPI_ANY_TAG, MPI_COMM_WORLD, &recv[0]);
	MPI_Irecv(&got[1], 1, MPI_INT, left, 5, MPI_COMM_WORLD, &recv[1]);
	MPI_Irecv(&got[2], 1, MPI_INT, MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, &recv[2]);
	MPI_Irecv(&got[3], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &recv[3]);
	for (int k = 0; k < 4; k++) {
		static const int tag[4] = {5, 6, 5, 6};

		value[k] = 10 * me + k;
		MPI_Isend(&value[k], 1, MPI_INT, right, tag[k], MPI_COMM_WORLD, &send[k]);
	}
	MPI_Waitall(4, recv, status);
	MPI_Waitall(4, send, MPI_STATUSES_IGNORE);
	/* the first with tag 5 goes to the first wildcard, then 6 to [2], 5 to [1], and what is left to [3] */
	CHECK_INT(got[0], 10 * left + 0);
	CHECK_INT(got[1], 10 * left + 2);
	CHECK_INT(got[2], 10 * left + 1);
	CHECK_INT(got[3], 10 * left + 3);
	CHECK_INT(status[3].MPI_TAG, 6);
	CHECK_INT(status[0].MPI_TAG, 5);
}

static void tags_select_out_of_order(void)
{
	enum { N = 8 };
	MPI_Request req[N];
	int value[N], got;

	for (int k = 0; k < N; k++) {
		value[k] = me * N + k;
		MPI_Isend(&value[k], 1, MPI_INT, right, k, MPI_COMM_WORLD, &req[k]);
	}
	for (int k = 0; k < N; k++) {
		int tag = (5 * k + 3) % N;

		MPI_Recv(&got, 1, MPI_INT, left, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		CHECK_INT(got, left * N + tag);
	}
	MPI_Waitall(N, req, MPI_STATUSES_IGNORE);
}

static void the_largest_tag_is_a_tag(void)
{
	int *tag_ub, flag, got = -1;
	MPI_Status status;
	MPI_Request req[2];

	MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &tag_ub, &flag);
	CHECK(flag);
	CHECK(*tag_ub >= 32767);
	MPI_Isend(&me, 1, MPI_INT, right, 0, MPI_COMM_WORLD, &req[0]);
	MPI_Isend(&n_ranks, 1, MPI_INT, right, *tag_ub, MPI_COMM_WORLD, &req[1]);
	MPI_Recv(&got, 1, MPI_INT, left, *tag_ub, MPI_COMM_WORLD, &status);
	CHECK_INT(got, n_ranks);
	CHECK_INT(status.MPI_TAG, *tag_ub);
	MPI_Recv(&got, 1, MPI_INT, left, 0, MPI_COMM_WORLD, &status);
	CHECK_INT(got, left);
	CHECK_INT(status.MPI_TAG, 0);
	MPI_Waitall(2, req, MPI_STATUSES_IGNORE);
}

static void check_null_status(const MPI_Status *status)
{
	int count = -1;

	CHECK_INT(status->MPI_SOURCE, MPI_PROC_NULL);
	CHECK_INT(status->MPI_TAG, MPI_ANY_TAG);
	MPI_Get_count(status, MPI_INT, &count);
	CHECK_INT(count, 0);
}

static void proc_null_does_nothing_at_once(void)
{
	MPI_Request req[2];
	MPI_Status status;
	MPI_Message message;
	int value = 42, flag = 0;

	MPI_Send(&value, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD);
	MPI_Ssend(&value, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD);
	MPI_Rsend(&value, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD);
	MPI_Recv(&value, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &status);
	check_null_status(&status);
	CHECK_INT(value, 42);
	MPI_Isend(&value, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &req[0]);
	MPI_Irecv(&value, 1, MPI_INT, MPI_PROC_NULL, MPI_ANY_TAG, MPI_COMM_WORLD, &req[1]);
	MPI_Wait(&req[1], &status);
#ifndef MPICH_VERSION /* 4.0 completes it with an all-zero status */
	check_null_status(&status);
#endif
	MPI_Wait(&req[0], MPI_STATUS_IGNORE);
	MPI_Sendrecv(&value, 1, MPI_INT, MPI_PROC_NULL, 0, &value, 1, MPI_INT, MPI_PROC_NULL, 0,
		     MPI_COMM_WORLD, &status);
	check_null_status(&status);
	MPI_Probe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &status);
	check_null_status(&status);
	MPI_Iprobe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &flag, &status);
	CHECK(flag);
	check_null_status(&status);
	MPI_Mprobe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &message, &status);
	CHECK(message == MPI_MESSAGE_NO_PROC);
	MPI_Mrecv(&value, 1, MPI_INT, &message, &status);
	CHECK(message == MPI_MESSAGE_NULL);
	check_null_status(&status);
	CHECK_INT(value, 42);
}

/* The ends of a line: half of the pair is MPI_PROC_NULL. */
static void shifts_along_a_line_end_in_proc_null(void)
{
	int up = me + 1 < n_ranks ? me + 1 : MPI_PROC_NULL, down = me ? me - 1 : MPI_PROC_NULL, got = -7;
	MPI_Status status;

	MPI_Sendrecv(&me, 1, MPI_INT, up, 1, &got, 1, MPI_INT, down, 1, MPI_COMM_WORLD, &status);
	CHECK_INT(got, me ? me - 1 : -7);
	CHECK_INT(status.MPI_SOURCE, down);
	got = me;
	MPI_Sendrecv_replace(&got, 1, MPI_INT, down, 2, up, 2, MPI_COMM_WORLD, &status);
	CHECK_INT(got, me + 1 < n_ranks ? me + 1 : me);
}

static void a_rank_talks_to_itself(void)
{
	MPI_Request req[2];
	MPI_Status status;
	int value = me + 5, got = -1, flag = 0;

	MPI_Irecv(&got, 1, MPI_INT, me, 9, MPI_COMM_WORLD, &req[0]);
	MPI_Send(&value, 1, MPI_INT, me, 9, MPI_COMM_WORLD);
	MPI_Wait(&req[0], &status);
	CHECK_INT(got, me + 5);
	CHECK_INT(status.MPI_SOURCE, me);
	MPI_Isend(big_out, BIG, MPI_INT, me, 9, MPI_COMM_WORLD, &req[1]);
	while (!flag)
		MPI_Iprobe(me, 9, MPI_COMM_WORLD, &flag, &status);
	MPI_Recv(big_in, BIG, MPI_INT, me, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Wait(&req[1], MPI_STATUS_IGNORE);
	CHECK(!memcmp(big_in, big_out, sizeof(big_in)));
	MPI_Sendrecv(&value, 1, MPI_INT, 0, 1, &got, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &status);
	CHECK_INT(status.MPI_SOURCE, 0);
	MPI_Sendrecv_replace(big_in, BIG, MPI_INT, me, 2, me, 2, MPI_COMM_WORLD, &status);
	CHECK(!memcmp(big_in, big_out, sizeof(big_in)));
}

static void sendrecv_shifts_by_every_distance(void)
{
	for (int shift = 0; shift < n_ranks; shift++) {
		int to = (me + shift) % n_ranks, from = (me - shift + n_ranks) % n_ranks, got = -1;
		MPI_Status status;

		MPI_Sendrecv(&me, 1, MPI_INT, to, shift, &got, 1, MPI_INT, from, shift, MPI_COMM_WORLD,
			     &status);
		CHECK_INT(got, from);
		CHECK_INT(status.MPI_SOURCE, from);
		for (int i = 0; i < BIG; i++)
			big_in[i] = me * 3 + i;
		MPI_Sendrecv_replace(big_in, BIG, MPI_INT, to, shift, from, shift, MPI_COMM_WORLD,
				     MPI_STATUS_IGNORE);
		CHECK_INT(big_in[0], from * 3);
		CHECK_INT(big_in[BIG - 1], from * 3 + BIG - 1);
	}
}

static void probe_tells_size_and_sender(void)
{
	MPI_Status status;
	int count;

	if (me != 0) {
		MPI_Send(big_out, 10 * me, MPI_INT, 0, 100 + me, MPI_COMM_WORLD);
		return;
	}
	for (int k = 1; k < n_ranks; k++) {
		MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
		CHECK_INT(status.MPI_TAG, 100 + status.MPI_SOURCE);
		MPI_Get_count(&status, MPI_INT, &count);
		CHECK_INT(count, 10 * status.MPI_SOURCE);
		MPI_Recv(big_in, count, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, &status);
		MPI_Get_count(&status, MPI_INT, &count);
		CHECK_INT(count, 10 * status.MPI_SOURCE);
	}
}

static void iprobe_sees_what_comes_and_leaves_it(void)
{
	MPI_Request req;
	MPI_Status status;
	int flag = 1, got = -1;

	MPI_Iprobe(left, 55, MPI_COMM_WORLD, &flag, &status);
	CHECK(!flag);
	section_end("iprobe (nothing yet)");
	MPI_Isend(&me, 1, MPI_INT, right, 55, MPI_COMM_WORLD, &req);
	for (flag = 0; !flag;)
		MPI_Iprobe(MPI_ANY_SOURCE, 55, MPI_COMM_WORLD, &flag, &status);
	CHECK_INT(status.MPI_SOURCE, left);
	MPI_Iprobe(left, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
	CHECK(flag);
	MPI_Recv(&got, 1, MPI_INT, left, 55, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	CHECK_INT(got, left);
	MPI_Iprobe(left, 55, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
	CHECK(!flag);
	MPI_Wait(&req, MPI_STATUS_IGNORE);
}

/* A probed message is out of the queue: later receives get the later ones. */
static void a_matched_probe_owns_its_message(void)
{
	MPI_Request req[3], late;
	MPI_Message first, second;
	MPI_Status status;
	int value[3], got = -1, flag = 0, count;

	for (int k = 0; k < 3; k++) {
		value[k] = 10 * me + k;
		MPI_Isend(&value[k], 1, MPI_INT, right, 20, MPI_COMM_WORLD, &req[k]);
	}
	MPI_Mprobe(left, 20, MPI_COMM_WORLD, &first, &status);
	MPI_Get_count(&status, MPI_INT, &count);
	CHECK_INT(count, 1);
	CHECK(first != MPI_MESSAGE_NULL);
	while (!flag)
		MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &second, &status);
	CHECK_INT(status.MPI_SOURCE, left);
	MPI_Recv(&got, 1, MPI_INT, left, 20, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	CHECK_INT(got, 10 * left + 2);
	MPI_Imrecv(&got, 1, MPI_INT, &second, &late);
	CHECK(second == MPI_MESSAGE_NULL);
	MPI_Wait(&late, &status);
	CHECK_INT(got, 10 * left + 1);
	MPI_Mrecv(&got, 1, MPI_INT, &first, &status);
	CHECK(first == MPI_MESSAGE_NULL);
	CHECK_INT(got, 10 * left);
	CHECK_INT(status.MPI_TAG, 20);
	MPI_Waitall(3, req, MPI_STATUSES_IGNORE);
	MPI_Improbe(left, 20, MPI_COMM_WORLD, &flag, &first, &status);
	CHECK(!flag);
}

static void status_counts_in_other_types(void)
{
	MPI_Datatype pair;
	MPI_Status status;
	int three[3] = {1, 2, 3}, got[4] = {0}, count;
	MPI_Count elements;

	MPI_Type_contiguous(2, MPI_INT, &pair);
	MPI_Type_commit(&pair);
	MPI_Sendrecv(three, 3, MPI_INT, right, 30, got, 2, pair, left, 30, MPI_COMM_WORLD, &status);
	MPI_Get_count(&status, pair, &count);
	CHECK_INT(count, MPI_UNDEFINED);
	MPI_Get_elements(&status, pair, &count);
	CHECK_INT(count, 3);
	MPI_Get_elements_x(&status, pair, &elements);
	CHECK_INT(elements, 3);
	MPI_Get_count(&status, MPI_INT, &count);
	CHECK_INT(count, 3);
	CHECK_INT(got[2], 3);
	CHECK_INT(got[3], 0);
	MPI_Type_free(&pair);
	MPI_Status_set_elements(&status, MPI_INT, 17);
	MPI_Get_elements(&status, MPI_INT, &count);
	CHECK_INT(count, 17);
	MPI_Status_set_cancelled(&status, 1);
	MPI_Test_cancelled(&status, &count);
	CHECK(count);
}

static void a_shorter_message_leaves_the_rest_of_the_buffer(void)
{
	int value[3] = {me, me, me}, got[6] = {-1, -1, -1, -1, -1, -1}, count;
	MPI_Status status;

	MPI_Sendrecv(value, 3, MPI_INT, right, 31, got, 6, MPI_INT, left, 31, MPI_COMM_WORLD, &status);
	MPI_Get_count(&status, MPI_INT, &count);
	CHECK_INT(count, 3);
	CHECK_INT(got[2], left);
	CHECK_INT(got[3], -1);
	MPI_Sendrecv(NULL, 0, MPI_DOUBLE, right, 32, NULL, 0, MPI_INT, left, 32, MPI_COMM_WORLD, &status);
	MPI_Get_count(&status, MPI_INT, &count);
	CHECK_INT(count, 0);
	CHECK_INT(status.MPI_SOURCE, left);
}

static void everyone_writes_to_everyone(void)
{
	MPI_Request *req = malloc(2 * (size_t)n_ranks * sizeof(*req));
	MPI_Status *status = malloc(2 * (size_t)n_ranks * sizeof(*status));
	int *got = malloc((size_t)n_ranks * 100 * sizeof(int)), count;

	for (int r = 0; r < n_ranks; r++) /* any source: the status says who */
		MPI_Irecv(&got[100 * r], 100, MPI_INT, MPI_ANY_SOURCE, 40, MPI_COMM_WORLD, &req[r]);
	for (int r = 0; r < n_ranks; r++)
		MPI_Isend(big_out, 1 + (me + r) % 100, MPI_INT, r, 40, MPI_COMM_WORLD, &req[n_ranks + r]);
	MPI_Waitall(2 * n_ranks, req, status);
	for (int r = 0, seen = 0; r < n_ranks; r++) {
		int source = status[r].MPI_SOURCE;

		CHECK(source >= 0 && source < n_ranks && !(seen & 1 << source));
		seen |= 1 << source;
		MPI_Get_count(&status[r], MPI_INT, &count);
		CHECK_INT(count, 1 + (me + source) % 100);
		CHECK_INT(got[100 * r], source);
	}
	free(got);
	free(status);
	free(req);
}

int main(int argc, char **argv)
{
	check_init(&argc, &argv);
	left = (me + n_ranks - 1) % n_ranks;
	right = (me + 1) % n_ranks;
	for (int i = 0; i < BIG; i++)
		big_out[i] = me + i;
	messages_of_one_sender_do_not_overtake();
	section_end("no overtaking");
	a_small_message_does_not_overtake_a_big_one();
	section_end("no overtaking across protocols");
	receives_match_in_the_order_posted();
	tags_select_out_of_order();
	the_largest_tag_is_a_tag();
	section_end("tags");
	proc_null_does_nothing_at_once();
	shifts_along_a_line_end_in_proc_null();
	section_end("MPI_PROC_NULL");
	a_rank_talks_to_itself();
	section_end("self messages");
	sendrecv_shifts_by_every_distance();
	section_end("sendrecv");
	probe_tells_size_and_sender();
	section_end("probe");
	iprobe_sees_what_comes_and_leaves_it();
	section_end("iprobe");
	a_matched_probe_owns_its_message();
	section_end("matched probe");
	status_counts_in_other_types();
	a_shorter_message_leaves_the_rest_of_the_buffer();
	section_end("status");
	everyone_writes_to_everyone();
	section_end("everyone to everyone");
	return check_finish();
}
