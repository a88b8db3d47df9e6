/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What leaves on a connection while its sender computes, by what the connection has carried before.
 * Each measurement needs a connection that nothing large has used yet: another ordered pair of
 * nodes.
 */
#include "calibrate.h"

enum { TAG_CARRY = 30, TAG_GO, TAG_BULK, TAG_RESULT };
enum {
	N_POINTS = 6,
	LOOKS = 4 /* some libraries read an answer in one and act on it in the next */
};

static const int64_t carried_B[N_POINTS] = {0, 16000, 64000, 512000, 2000000, 8000000};

struct use {
	int source, dest; /* ranks */
	int64_t carried_B, size_B;
	double compute_s;
};

/*
 * The request and what travels with it arrive while both attend. Then the receiver answers, and the
 * sender computes, looks once, so that the bulk begins, computes again, and waits. Seconds from the
 * receiver's word that the request is there until it has everything; at the receiver.
 */
static double bulk_s(struct cal *cal, const struct use *use)
{
	MPI_Request request;
	double begin, time_s = 0;
	int is_done;

	if (cal->rank == use->dest) {
		MPI_Send(NULL, 0, MPI_BYTE, use->source, TAG_GO, MPI_COMM_WORLD);
		load_pause(use->compute_s);
		MPI_Send(NULL, 0, MPI_BYTE, use->source, TAG_GO, MPI_COMM_WORLD);
		begin = MPI_Wtime();
		load_pause(0.5 * use->compute_s); /* the sender computes when the answer comes */
		MPI_Recv(cal->recv_buf, (int)use->size_B, MPI_BYTE, use->source, TAG_BULK,
			 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		time_s = MPI_Wtime() - begin;
	} else if (cal->rank == use->source) {
		MPI_Recv(NULL, 0, MPI_BYTE, use->dest, TAG_GO, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Isend(cal->send_buf, (int)use->size_B, MPI_BYTE, use->dest, TAG_BULK,
			  MPI_COMM_WORLD, &request);
		MPI_Recv(NULL, 0, MPI_BYTE, use->dest, TAG_GO, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		load_compute(use->compute_s);
		for (int k = 0; k < LOOKS; k++)
			MPI_Test(&request, &is_done, MPI_STATUS_IGNORE);
		load_compute(use->compute_s);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	}
	return time_s;
}

static void carry(const struct cal *cal, const struct use *use)
{
	if (use->carried_B == 0)
		return;
	if (cal->rank == use->source)
		MPI_Send(cal->send_buf, (int)use->carried_B, MPI_BYTE, use->dest, TAG_CARRY,
			 MPI_COMM_WORLD);
	else if (cal->rank == use->dest)
		MPI_Recv(cal->recv_buf, (int)use->carried_B, MPI_BYTE, use->source, TAG_CARRY,
			 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void measure(struct cal *cal, const struct use *use)
{
	struct sample_key key = sample_key("used", BETWEEN_NODES, use->carried_B, use->size_B);
	double time_s;

	carry(cal, use);
	time_s = bulk_s(cal, use);
	if (cal->rank == use->dest && use->dest != 0)
		MPI_Send(&time_s, 1, MPI_DOUBLE, 0, TAG_RESULT, MPI_COMM_WORLD);
	if (cal->rank == 0 && use->dest != 0)
		MPI_Recv(&time_s, 1, MPI_DOUBLE, use->dest, TAG_RESULT, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
	if (cal->rank == 0)
		samples_add(&cal->samples, &key, time_s);
}

/* The k-th ordered pair of nodes but those between the first two, which are used; false: there are
 * no more. */
static bool next_pair(const struct cal *cal, int *k, struct use *use)
{
	for (; *k < cal->n_nodes * cal->n_nodes; ++*k) {
		int source = *k / cal->n_nodes, dest = *k % cal->n_nodes;

		if (source == dest || source + dest == 1)
			continue;
		use->source = cal->leader[source];
		use->dest = cal->leader[dest];
		++*k;
		return true;
	}
	return false;
}

void probe_used(struct cal *cal, double until)
{
	struct use use = {.size_B = 1 << 20};
	int k = 0, n_points = N_POINTS;

	if (cal->threshold_B == INT64_MAX || 4 * cal->threshold_B > cal->largest_B[BETWEEN_NODES] ||
	    cal->largest_B[BETWEEN_NODES] < use.size_B)
		return;
	if (use.size_B < 4 * cal->threshold_B)
		use.size_B = 4 * cal->threshold_B;
	use.compute_s = 1.2 * (cal->empty_s[BETWEEN_NODES] +
			       (double)use.size_B * cal->per_byte_s[BETWEEN_NODES]);
	while (n_points > 0 && carried_B[n_points - 1] > cal->settings.max_size_B)
		n_points--;
	cal_group(cal, "connections by use", until, 1);
	if (cal->rank == 0)
		samples_fact(&cal->samples, "used_compute_s", "%.12g", use.compute_s);
	for (int point = 0; next_pair(cal, &k, &use); point = (point + 1) % n_points) {
		if (cal_share(point == 0 && MPI_Wtime() > cal->group_end_s) > 0)
			return;
		use.carried_B = carried_B[point];
		measure(cal, &use);
	}
}
