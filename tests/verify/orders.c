/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Programs whose orders are known (orders.py has the verdicts). Run as `orders CASE`. Each message
 * carries a number that names its sender and its place among the sender's.
 */
#include <mpi.h>
#include <mpisim.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ANY MPI_ANY_SOURCE
#define WORLD MPI_COMM_WORLD

static int rank, n_ranks, n_sent, value[64], n_received;
static MPI_Request requests[64];
static int n_requests;
static MPI_Comm dup, pair; /* pair: of ranks 1 and 2 */

static void S(int to)
{
	int x = 100 * rank + n_sent++;

	MPI_Send(&x, 1, MPI_INT, to, 0, WORLD);
}

static void SS(int to)
{
	int x = 100 * rank + n_sent++;

	MPI_Ssend(&x, 1, MPI_INT, to, 0, WORLD);
}

static void R(int from)
{
	MPI_Recv(&value[n_received++], 1, MPI_INT, from, 0, WORLD, MPI_STATUS_IGNORE);
}

static void IS(int to)
{
	static int x[64];

	x[n_sent] = 100 * rank + n_sent;
	MPI_Isend(&x[n_sent++], 1, MPI_INT, to, 0, WORLD, &requests[n_requests++]);
}

static void IR(int from)
{
	MPI_Irecv(&value[n_received++], 1, MPI_INT, from, 0, WORLD, &requests[n_requests++]);
}

static void W(void)
{
	MPI_Waitall(n_requests, requests, MPI_STATUSES_IGNORE);
	n_requests = 0;
}

static void wait_any(void)
{
	int i;

	MPI_Waitany(n_requests, requests, &i, MPI_STATUS_IGNORE);
}

static void B(MPI_Comm comm)
{
	MPI_Barrier(comm);
}

static void BC(MPI_Comm comm)
{
	int x = 1;

	MPI_Bcast(&x, 1, MPI_INT, 0, comm);
}

/* --- T1 … T20 --- */

static void t1(void)
{
	if (rank == 0)
		S(1);
	else
		R(0);
}

static void t2(void)
{
	if (rank == 0)
		S(1);
	else
		R(0);
}

static void t3(void)
{
	B(rank == 2 ? dup : WORLD);
}

static void t4(void)
{
	if (rank == 0)
		IS(1), B(WORLD), W();
	else if (rank == 1)
		IR(ANY), B(WORLD), W(), R(ANY);
	else
		B(WORLD), S(1);
}

static void t5(void)
{
	if (rank == 0)
		IS(1), B(WORLD), W();
	else if (rank == 1)
		IR(ANY), W(), B(WORLD), R(ANY);
	else
		B(WORLD), S(1);
}

static void t6(void)
{
	if (rank == 0)
		SS(1);
	else if (rank == 1)
		R(ANY), R(2);
	else
		S(1);
}

/* The order that the run takes goes on. */
static void t6_late(void)
{
	if (rank == 2)
		nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
	t6();
}

static void t7(void)
{
	if (rank == 0)
		BC(WORLD), S(1);
	else if (rank == 1)
		R(ANY), BC(WORLD), R(ANY);
	else
		S(1), BC(WORLD);
}

static void t8(void)
{
	if (rank == 0)
		IS(0), R(ANY), R(ANY), W();
	else
		S(0);
}

static void t9(void)
{
	BC(rank == 2 ? dup : WORLD);
}

static void t10(void)
{
	S((rank + 1) % n_ranks);
	R((rank + n_ranks - 1) % n_ranks);
}

static void t11(void)
{
	if (rank == 0)
		R(n_ranks - 1), S(1);
	else
		t10();
}

static void t12(void)
{
	if (rank == 0)
		IS(1), IS(2), W(), R(1), R(2);
	else
		S(0), R(0);
}

static void t13(void)
{
	IS(0), R(0), W();
}

static void t13b(void)
{
	IS(0), W(), R(0);
}

static void t13c(void)
{
	S(0), R(0);
}

static void t14(void)
{
	if (rank == 0)
		IR(ANY), W(), R(1);
	else
		S(0);
}

static void t15(void)
{
	if (rank == 0)
		IR(1), IR(2), wait_any(), wait_any();
	else
		S(0);
}

static void t15b(void)
{
	if (rank == 0)
		R(ANY), R(ANY);
	else
		S(0);
}

static void four(void)
{
	R(ANY), R(ANY), R(ANY), R(ANY);
}

static void t16(void)
{
	if (rank == 0)
		four();
	else
		SS(0), B(pair), S(0);
}

static void t16_no_barrier(void)
{
	if (rank == 0)
		four();
	else
		SS(0), S(0);
}

static void t16_send(void)
{
	if (rank == 0)
		four();
	else
		S(0), B(pair), S(0);
}

static void t17(void)
{
	if (rank == 0)
		S(1);
	else if (rank == 1)
		R(ANY), R(ANY), R(ANY);
	else
		S(1), S(1);
}

static void t18(void)
{
	if (rank == 0)
		S(1), S(1);
	else
		R(0);
}

static void t19(void)
{
	if (rank == 0)
		R(ANY), B(WORLD), R(ANY);
	else if (rank == 1)
		S(0), B(WORLD);
	else
		B(WORLD), S(0);
}

static void t19_no_barrier(void)
{
	if (rank == 0)
		R(ANY), R(ANY);
	else
		S(0);
}

static void t20(void)
{
	if (rank == 0)
		R(1), B(WORLD);
	else if (rank == 1)
		S(0), B(WORLD);
	else
		B(WORLD);
}

/* --- T23, T24, and more --- */

/* Borders go down the chain and then up, 3 times. */
static void t23(void)
{
	for (int i = 0; i < 3; i++) {
		int a = rank, b;

		if (rank == 0) {
			MPI_Send(&a, 1, MPI_INT, 1, 0, WORLD);
			MPI_Recv(&b, 1, MPI_INT, 1, 0, WORLD, MPI_STATUS_IGNORE);
		} else if (rank == n_ranks - 1) {
			MPI_Recv(&b, 1, MPI_INT, rank - 1, 0, WORLD, MPI_STATUS_IGNORE);
			MPI_Send(&a, 1, MPI_INT, rank - 1, 0, WORLD);
		} else {
			MPI_Sendrecv(&a, 1, MPI_INT, rank + 1, 0, &b, 1, MPI_INT, rank - 1, 0,
				     WORLD, MPI_STATUS_IGNORE);
			MPI_Sendrecv(&a, 1, MPI_INT, rank - 1, 0, &b, 1, MPI_INT, rank + 1, 0,
				     WORLD, MPI_STATUS_IGNORE);
		}
	}
}

/* All others send one number each to rank 0, which puts them together. */
static void gather(int (*join)(int, int))
{
	static int r;

	mpisim_state("r", &r, 1, MPI_INT);
	for (int i = 1; rank == 0 && i < n_ranks; i++) {
		int x;

		MPI_Recv(&x, 1, MPI_INT, ANY, 0, WORLD, MPI_STATUS_IGNORE);
		r = join(r, x);
	}
	if (rank > 0)
		MPI_Send(&rank, 1, MPI_INT, 0, 0, WORLD);
}

static int twice(int r, int x)
{
	return 2 * r + x;
}

static int plus(int r, int x)
{
	return r + x;
}

static void t24(void)
{
	gather(twice);
}

static void t24_sum(void)
{
	gather(plus);
}

static void t24_float(void)
{
	static float r;
	float x = rank == 1 ? 1 : 6e-8f; /* a bit more than half a unit in the last place of 1 */

	mpisim_state("r", &r, 1, MPI_FLOAT);
	for (int i = 1; rank == 0 && i < n_ranks; i++) {
		float y;

		MPI_Recv(&y, 1, MPI_FLOAT, ANY, 0, WORLD, MPI_STATUS_IGNORE);
		r += y;
	}
	if (rank > 0)
		MPI_Send(&x, 1, MPI_FLOAT, 0, 0, WORLD);
}

/* 3 senders, 3 messages each, into wildcards. */
static void three(void)
{
	static int sum, i;

	mpisim_state("sum", &sum, 1, MPI_INT);
	mpisim_state("i", &i, 1, MPI_INT);
	for (i = 0; rank == 0 && i < 9; i++) {
		int x;

		MPI_Recv(&x, 1, MPI_INT, ANY, 0, WORLD, MPI_STATUS_IGNORE);
		sum += x;
	}
	for (i = 0; rank > 0 && i < 3; i++)
		S(0);
}

/* Two pairs that know nothing of each other: their choices commute. */
static void commute(void)
{
	if (rank == 0 || rank == 3)
		R(ANY), R(ANY);
	else
		S(rank < 3 ? 0 : 3);
}

static void probe(void)
{
	MPI_Status status;

	if (rank > 0) {
		S(0);
		return;
	}
	for (int i = 1; i < n_ranks; i++) {
		MPI_Probe(ANY, 0, WORLD, &status);
		R(status.MPI_SOURCE);
	}
	printf("%d first\n", value[0] / 100);
}

/* Whether the first poll finds the message is open. */
static void iprobe(void)
{
	int flag;

	if (rank == 1)
		S(0);
	if (rank > 0)
		return;
	MPI_Iprobe(1, 0, WORLD, &flag, MPI_STATUS_IGNORE);
	printf("found %d\n", flag);
	R(1);
}

static void test_loop(void)
{
	int flag = 0;

	if (rank == 1)
		S(0);
	if (rank > 0)
		return;
	IR(1);
	while (!flag)
		MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
}

static void poll_for_ever(void)
{
	int flag = 0;

	while (rank == 0 && !flag)
		MPI_Iprobe(ANY, 0, WORLD, &flag, MPI_STATUS_IGNORE);
}

/* Who gets the lock first is not said. */
static void locks(void)
{
	static int x, seen;
	MPI_Win win;

	mpisim_state("seen", &seen, 1, MPI_INT);
	MPI_Win_create(&x, sizeof x, sizeof x, MPI_INFO_NULL, WORLD, &win);
	if (rank > 0) {
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
		MPI_Get(&seen, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
		MPI_Win_flush(0, win);
		MPI_Put(&rank, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
		MPI_Win_unlock(0, win);
	}
	MPI_Win_free(&win);
}

/* Clocks do not tell one order from another. */
/* Races where standard input says so. */
static void reads_input(void)
{
	int n = 0;

	if (rank == 0 && scanf("%d", &n) != 1)
		n = 0;
	MPI_Bcast(&n, 1, MPI_INT, 0, WORLD);
	if (n != 42)
		return;
	if (rank == 0)
		R(ANY), R(ANY);
	else
		S(0);
}

/* Nothing depends on when the first message is received. */
static void ssend(void)
{
	if (rank == 0) {
		SS(1);
		SS(1);
	} else {
		R(0);
		R(0);
	}
}

/* When the message was received rank 2 may send, and no earlier. */
static void ssend_orders(void)
{
	if (rank == 0)
		SS(1);
	if (rank == 0)
		S(2);
	if (rank == 1) {
		R(ANY);
		R(ANY);
	}
	if (rank == 2) {
		R(0);
		S(1);
	}
}

/* The receive is cancelled, or the message comes first; nothing is lost. */
static void cancel(void)
{
	static int is_cancelled;
	MPI_Status status;

	mpisim_state("cancelled", &is_cancelled, 1, MPI_INT);
	if (rank == 1)
		S(0);
	if (rank != 0)
		return;
	IR(1);
	MPI_Cancel(&requests[0]);
	MPI_Wait(&requests[0], &status);
	MPI_Test_cancelled(&status, &is_cancelled);
	if (is_cancelled)
		R(1);
}

/* It computes for longer than the message takes. */
static void cancel_late(void)
{
	volatile double sum = 0;

	if (rank == 0)
		for (int i = 1; i < 3000000; i++)
			sum += 1.0 / i;
	cancel();
}

/* Nobody sends: it can only be cancelled. */
static void cancel_unmatched(void)
{
	IR(1 - rank);
	MPI_Cancel(&requests[0]);
	W();
}

/* Who sends a number of its own first. */
static void accept_two(void)
{
	static int first;
	char port[MPI_MAX_PORT_NAME];
	MPI_Comm inter;

	mpisim_state("first", &first, 1, MPI_INT);
	if (rank == 0)
		MPI_Open_port(MPI_INFO_NULL, port);
	MPI_Bcast(port, sizeof port, MPI_CHAR, 0, WORLD);
	for (int i = 0; i < (rank ? 1 : n_ranks - 1); i++) {
		if (rank == 0)
			MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter);
		else
			MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter);
		if (rank == 0)
			MPI_Recv(i ? &value[1] : &first, 1, MPI_INT, 0, 0, inter,
				 MPI_STATUS_IGNORE);
		else
			MPI_Send(&rank, 1, MPI_INT, 0, 0, inter);
		MPI_Comm_disconnect(&inter);
	}
	MPI_Barrier(WORLD);
	if (rank == 0)
		MPI_Close_port(port);
}

static void clocks(void)
{
	static double at;

	mpisim_state("at", &at, 1, MPI_DOUBLE);
	if (rank == 0)
		R(ANY), R(ANY), at = MPI_Wtime();
	else
		S(0);
}

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
    {"t1", t1},
    {"t2", t2},
    {"t3", t3},
    {"t4", t4},
    {"t5", t5},
    {"t6", t6},
    {"t6_late", t6_late},
    {"t7", t7},
    {"t8", t8},
    {"t9", t9},
    {"t10", t10},
    {"t11", t11},
    {"t12", t12},
    {"t13", t13},
    {"t13b", t13b},
    {"t13c", t13c},
    {"t14", t14},
    {"t15", t15},
    {"t15b", t15b},
    {"t16", t16},
    {"t16_no_barrier", t16_no_barrier},
    {"t16_send", t16_send},
    {"t17", t17},
    {"t18", t18},
    {"t19", t19},
    {"t19_no_barrier", t19_no_barrier},
    {"t20", t20},
    {"t23", t23},
    {"t24", t24},
    {"t24_sum", t24_sum},
    {"t24_float", t24_float},
    {"three", three},
    {"commute", commute},
    {"probe", probe},
    {"iprobe", iprobe},
    {"test_loop", test_loop},
    {"poll_for_ever", poll_for_ever},
    {"clocks", clocks},
    {"reads_input", reads_input},
    {"locks", locks},
    {"cancel", cancel},
    {"cancel_late", cancel_late},
    {"ssend", ssend},
    {"ssend_orders", ssend_orders},
    {"cancel_unmatched", cancel_unmatched},
    {"accept", accept_two},
};

static void make_pair(void)
{
	MPI_Comm_split(WORLD, rank == 1 || rank == 2 ? 1 : MPI_UNDEFINED, rank, &pair);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(WORLD, &rank);
	MPI_Comm_size(WORLD, &n_ranks);
	MPI_Comm_dup(WORLD, &dup);
	make_pair();
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		if (argc == 2 && strcmp(argv[1], cases[i].name) == 0) {
			cases[i].run();
			if (pair != MPI_COMM_NULL)
				MPI_Comm_free(&pair);
			MPI_Comm_free(&dup);
			MPI_Finalize();
			return 0;
		}
	fprintf(stderr, "orders: wanted a case, found \"%s\"\n", argc > 1 ? argv[1] : "");
	return 2;
}
