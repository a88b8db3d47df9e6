/* SPDX-License-Identifier: BSD-3-Clause */
/* Three collective operations of all ranks, at sizes at which libraries take different algorithms. */
#include <math.h>

#include "calibrate.h"

struct operation {
	const char *name;
	int64_t size_B; /* of a block */
	enum { BCAST, ALLREDUCE, ALLTOALL } kind;
};

static void call(const struct cal *cal, const struct operation *operation)
{
	int n = (int)operation->size_B;

	if (operation->kind == BCAST)
		MPI_Bcast(cal->send_buf, n, MPI_BYTE, 0, MPI_COMM_WORLD);
	else if (operation->kind == ALLREDUCE)
		MPI_Allreduce(cal->send_buf, cal->recv_buf, n, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD);
	else
		MPI_Alltoall(cal->send_buf, n, MPI_BYTE, cal->recv_buf, n, MPI_BYTE,
			     MPI_COMM_WORLD);
}

/* Until the last rank has left it, each counted from its own leaving of a barrier. */
static double measure(struct cal *cal, void *context)
{
	double begin, time_s, slowest_s;

	MPI_Barrier(MPI_COMM_WORLD);
	if (cal->is_simulated) /* its messages are over then, even where latencies share links */
		load_pause(10 * fmax(cal->empty_s[BETWEEN_NODES], cal->empty_s[WITHIN_NODE]));
	begin = MPI_Wtime();
	call(cal, context);
	time_s = MPI_Wtime() - begin;
	MPI_Reduce(&time_s, &slowest_s, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
	return slowest_s;
}

void probe_collectives(struct cal *cal)
{
	struct operation list[] = {{"coll_bcast", 512 << 10, BCAST},
				   {"coll_allreduce", 32 << 10, ALLREDUCE},
				   {"coll_alltoall", 2 << 10, ALLTOALL}};
	enum { N = sizeof(list) / sizeof(list[0]) };
	int64_t most_B = cal->settings.max_size_B / cal->n_ranks;
	int where = cal->far >= 0 ? BETWEEN_NODES : WITHIN_NODE;

	if (cal->n_ranks < 3) /* all algorithms are the same */
		return;
	cal->until = 1;
	cal_group(cal, "collective operations", N);
	for (int k = 0; k < N; k++) {
		if (list[k].size_B > most_B)
			list[k].size_B = most_B;
		call(cal, &list[k]); /* connects */
		cal_repeat(cal, list[k].name, where, list[k].size_B, cal->n_ranks, measure,
			   &list[k]);
	}
}
