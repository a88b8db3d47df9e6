/* SPDX-License-Identifier: BSD-3-Clause */
/* T1 to T20 and others that need no more than the letters of orders.h. */
#include "tests/verify/orders/orders.h"

#include <stdio.h>
#include <time.h>

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
	B(rank == 2 ? copy : WORLD);
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
	BC(rank == 2 ? copy : WORLD);
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

/* Two pairs that know nothing of each other: their choices commute. */
static void commute(void)
{
	if (rank == 0 || rank == 3)
		R(ANY), R(ANY);
	else
		S(rank < 3 ? 0 : 3);
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

const struct order_case letters_cases[] = {
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
    {"commute", commute},
    {"reads_input", reads_input},
    {"ssend", ssend},
    {"ssend_orders", ssend_orders},
    {0},
};
