/* SPDX-License-Identifier: BSD-3-Clause */
/* One-sided communication: its origins, and windows that several ranks use. */
#include "tests/verify/memory/cases/cases.h"

#include <unistd.h>

/* clang-format off */
/* 12: the origin of an accumulation is written; 120: read; 13: that of a get is written; 130: read */
static void one_sided(int what)
{
	static volatile double a[2][2], target[4];
	MPI_Win win;

	MPI_Win_create((void *)target, sizeof target, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	MPI_Win_fence(0, win);
	if (rank == 0) {
		if (what == 12 || what == 120)
			MPI_Accumulate((void *)a, 4, MPI_DOUBLE, 1, 0, 4, MPI_DOUBLE, MPI_SUM, win); /* E12 post */
		else
			MPI_Get((void *)a, 4, MPI_DOUBLE, 1, 0, 4, MPI_DOUBLE, win); /* E13 post */
		if (what == 12)
			a[0][1] = 4711; /* E12 access */
		if (what == 13)
			a[1][0] = 4711; /* E13 access */
		if (what == 120)
			sink = (int)a[0][0];
		if (what == 130)
			sink = (int)a[0][0]; /* E13 read */
	}
	MPI_Win_fence(0, win); /* E12 fence */
	MPI_Win_free(&win);
}

static void e12(void)
{
	one_sided(12);
}

static void e12_read(void)
{
	one_sided(120);
}

static void e13(void)
{
	one_sided(13);
}

static void e13_read(void)
{
	one_sided(130);
}

static void e23(void)
{
	static volatile int window[1];
	int number = 4;
	MPI_Win win;

	MPI_Win_create((void *)window, sizeof window, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	MPI_Win_fence(0, win);
	if (rank == 0)
		MPI_Put(&number, 1, MPI_INT, 1, 0, 1, MPI_INT, win); /* E23 put */
	else
		sink = window[0]; /* E23 access */
	MPI_Win_fence(0, win);
	MPI_Win_free(&win);
}

enum way { PUTS, ACCUMULATES, TYPES, FLUSH, EXCLUSIVE, POST, TOO_EARLY };

/* Both ranks use the window of rank 1. */
static void window(enum way way)
{
	int mine = rank + 1, *base, other = 1 - rank;
	short narrow = 1;
	MPI_Group world, partner;
	MPI_Win win;

	MPI_Win_allocate(2 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
	MPI_Comm_group(MPI_COMM_WORLD, &world);
	MPI_Group_incl(world, 1, &other, &partner);
	base[0] = 0;
	MPI_Barrier(MPI_COMM_WORLD);
	if (way == PUTS || way == ACCUMULATES || way == TYPES) {
		MPI_Win_fence(0, win);
		if (way == PUTS)
			MPI_Put(&mine, 1, MPI_INT, 1, 0, 1, MPI_INT, win); /* puts put */
		else if (way == TYPES && rank == 0)
			MPI_Accumulate(&narrow, 1, MPI_SHORT, 1, 0, 1, MPI_SHORT, MPI_SUM, win);
		else
			MPI_Accumulate(&mine, 1, MPI_INT, 1, 0, 1, MPI_INT, MPI_SUM, win);
		MPI_Win_fence(0, win);
	} else if (way == FLUSH || way == TOO_EARLY) {
		MPI_Win_lock_all(0, win);
		if (rank == 0)
			MPI_Put(&mine, 1, MPI_INT, 1, 0, 1, MPI_INT, win); /* too-early put */
		if (way == FLUSH && rank == 0)
			MPI_Win_flush(1, win);
		MPI_Barrier(MPI_COMM_WORLD);
		if (rank == 1)
			sink = *(volatile int *)base; /* too-early load */
		MPI_Win_unlock_all(win);
	} else if (way == EXCLUSIVE) {
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
		if (rank == 0)
			MPI_Put(&mine, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
		else
			++*(volatile int *)base;
		MPI_Win_unlock(1, win);
	} else if (rank == 0) {
		MPI_Win_start(partner, 0, win);
		MPI_Put(&mine, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
		MPI_Win_complete(win);
	} else {
		base[0] = 1;
		MPI_Win_post(partner, 0, win);
		MPI_Win_wait(win);
		sink = base[0];
	}
	MPI_Group_free(&world);
	MPI_Group_free(&partner);
	MPI_Win_free(&win);
}

static void window_puts(void)
{
	window(PUTS);
}

static void window_accumulates(void)
{
	window(ACCUMULATES);
}

static void window_types(void)
{
	window(TYPES);
}

static void window_flush(void)
{
	window(FLUSH);
}

static void window_exclusive(void)
{
	window(EXCLUSIVE);
}

static void window_post(void)
{
	window(POST);
}

static void window_too_early(void)
{
	window(TOO_EARLY);
}

/* Right: memory that was one rank's window may become another's. */
static void reused(void)
{
	MPI_Win win;
	int *base;

	usleep(100000 * (unsigned)rank);
	MPI_Win_allocate_shared(4, 4, MPI_INFO_NULL, MPI_COMM_SELF, &base, &win);
	*base = rank;
	MPI_Win_fence(0, win);
	MPI_Win_free(&win);
}

const struct memory_case onesided_cases[] = {
    {"E12", e12},
    {"E12-read", e12_read},
    {"E13", e13},
    {"E13-read", e13_read},
    {"E23", e23},
    {"puts", window_puts},
    {"accumulates", window_accumulates},
    {"types", window_types},
    {"flush", window_flush},
    {"exclusive", window_exclusive},
    {"post", window_post},
    {"too-early", window_too_early},
    {"reused", reused},
    {0},
};
