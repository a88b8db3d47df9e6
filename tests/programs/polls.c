/* SPDX-License-Identifier: BSD-3-Clause */
/* Loops that look for a long time before there is anything, and what else is asked in between. */
#include "check.h"
#include <unistd.h>

enum { LATE_US = 20000, OFTEN = 500 };

static long n_probes;

/* Rank 0 sends the others a message each, after a while. */
static void send_late(void)
{
	usleep(LATE_US);
	for (int i = 1; i < n_ranks; i++)
		MPI_Send(&i, 1, MPI_INT, i, 7, MPI_COMM_WORLD);
}

static void receive(void)
{
	int got;

	MPI_Recv(&got, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	CHECK_INT(got, me);
}

static void probes(void)
{
	MPI_Status status;
	int flag = 0, n = -1;

	if (me == 0) {
		send_late();
	} else {
		for (; !flag; n_probes++)
			MPI_Iprobe(MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &flag, &status);
		MPI_Get_count(&status, MPI_INT, &n);
		CHECK_INT(n, 1);
		CHECK_INT(status.MPI_SOURCE, 0);
		receive();
	}
	section_end("probes");
}

static void matched_probes(void)
{
	MPI_Message message;
	int flag = 0, got = -1;

	if (me == 0) {
		send_late();
	} else {
		while (!flag)
			MPI_Improbe(0, 7, MPI_COMM_WORLD, &flag, &message, MPI_STATUS_IGNORE);
		MPI_Mrecv(&got, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
		CHECK_INT(got, me);
	}
	section_end("matched probes");
}

/* What has an answer gets it at once, however often something else had none. */
static void others_in_between(void)
{
	MPI_Request none = MPI_REQUEST_NULL, recv, idle, own;
	int flag, index, n, indices[2], got = -1, sent = 5, round = 0, own_got = -1;
	MPI_Request pair[2];

	if (me == 0) {
		send_late();
	} else {
		MPI_Irecv(&got, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, &recv);
		MPI_Recv_init(&own_got, 1, MPI_INT, me, 9, MPI_COMM_WORLD, &idle);
		for (flag = 0; !flag; round++) {
			MPI_Test(&recv, &flag, MPI_STATUS_IGNORE);
			if (flag || round % OFTEN != OFTEN - 1)
				continue;
			MPI_Test(&none, &flag, MPI_STATUS_IGNORE);
			CHECK(flag);
			MPI_Test(&idle, &flag, MPI_STATUS_IGNORE);
			CHECK(flag);
			MPI_Iprobe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
			CHECK(flag);
			pair[0] = none;
			pair[1] = idle;
			MPI_Testany(2, pair, &index, &flag, MPI_STATUS_IGNORE);
			CHECK(flag && index == MPI_UNDEFINED);
			MPI_Testsome(2, pair, &n, indices, MPI_STATUSES_IGNORE);
			CHECK_INT(n, MPI_UNDEFINED);
			MPI_Isend(&sent, 1, MPI_INT, me, 9, MPI_COMM_WORLD, &own);
			MPI_Start(&idle);
			MPI_Wait(&idle, MPI_STATUS_IGNORE);
			MPI_Wait(&own, MPI_STATUS_IGNORE);
			CHECK_INT(own_got, 5);
			flag = 0;
		}
		CHECK_INT(got, me);
		MPI_Request_free(&idle);
	}
	section_end("others in between");
}

static void several_requests(void)
{
	MPI_Request requests[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
	int flag = 0, index = -1, n = 0, indices[3], got[2] = {-1, -1};

	if (me == 0) {
		send_late();
		send_late();
		send_late();
		send_late();
	} else {
		MPI_Irecv(&got[0], 1, MPI_INT, 0, 7, MPI_COMM_WORLD, &requests[1]);
		while (!flag)
			MPI_Testany(3, requests, &index, &flag, MPI_STATUS_IGNORE);
		CHECK_INT(index, 1);
		MPI_Irecv(&got[0], 1, MPI_INT, 0, 7, MPI_COMM_WORLD, &requests[2]);
		while (n == 0)
			MPI_Testsome(3, requests, &n, indices, MPI_STATUSES_IGNORE);
		CHECK(n == 1 && indices[0] == 2);
		MPI_Irecv(&got[0], 1, MPI_INT, 0, 7, MPI_COMM_WORLD, &requests[0]);
		MPI_Irecv(&got[1], 1, MPI_INT, 0, 7, MPI_COMM_WORLD, &requests[2]);
		for (flag = 0; !flag;)
			MPI_Testall(3, requests, &flag, MPI_STATUSES_IGNORE);
		CHECK(got[0] == me && got[1] == me);
		CHECK(requests[0] == MPI_REQUEST_NULL && requests[2] == MPI_REQUEST_NULL);
	}
	section_end("several requests");
}

/* A number of looks that is over before anything comes, and the clock in between. */
static void looks_that_end(void)
{
	double begin = MPI_Wtime();
	int flag = 0, n = 0;

	for (int i = 0; i < 3000; i++) {
		MPI_Iprobe(MPI_ANY_SOURCE, 8, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
		n += flag;
	}
	while (!flag && MPI_Wtime() < begin + 0.005)
		MPI_Iprobe(MPI_ANY_SOURCE, 8, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
	CHECK(n == 0 && !flag);
	section_end("looks that end");
}

/* With an argument: how often each rank probed. */
int main(int argc, char **argv)
{
	check_init(&argc, &argv);
	probes();
	if (argc > 1) {
		long total;

		MPI_Reduce(&n_probes, &total, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
		if (me == 0)
			printf("%ld\n", total);
		return check_finish();
	}
	matched_probes();
	others_in_between();
	several_requests();
	looks_that_end();
	return check_finish();
}
