/* SPDX-License-Identifier: BSD-3-Clause */
/* Buffers that are touched while MPI has them, and others: the case is the argument. Comments name
 * the lines that findings have to name. Two ranks. Several cases may run after each other. */
#include <mpi.h>
#include <mpisim.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* clang-format off */
static int rank;
static volatile int sink;

static void send_number(void)
{
	int number = 5;

	MPI_Send(&number, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
}

static void recv_number(void)
{
	int number;

	MPI_Recv(&number, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	sink += number;
}

static void e1(void)
{
	char b[16];

	if (rank == 0) {
		char *s = malloc(5);

		memset(s, 0, 5);
		MPI_Send(s, 10, MPI_CHAR, 1, 0, MPI_COMM_WORLD); /* E1 call */
		free(s);
	} else {
		MPI_Recv(b, 16, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
}

static void e2(void)
{
	char s[16] = "";

	if (rank == 0) {
		MPI_Send(s, 16, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
	} else {
		char *b = malloc(15);

		MPI_Recv(b, 16, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* E2 call */
		sink = b[0];
		free(b);
	}
}

static void e3(void)
{
	int b[10];

	if (rank == 0) {
		int *s = malloc(40);

		s[0] = 1;
		MPI_Send(s, 10, MPI_INT, 1, 0, MPI_COMM_WORLD); /* E3 call */
		free(s);
	} else {
		MPI_Recv(b, 10, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
}

static void e5(void)
{
	volatile int buf = 0;
	MPI_Request q;

	if (rank == 1) {
		send_number();
		return;
	}
	MPI_Irecv((void *)&buf, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &q); /* E5 post */
	buf = 4711;						       /* E5 access */
	MPI_Wait(&q, MPI_STATUS_IGNORE);			       /* E5 wait */
}

static void isend(int what)
{
	volatile int x = 3, y = 4;
	MPI_Request q;

	if (rank == 1) {
		recv_number();
		return;
	}
	MPI_Isend((void *)&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &q); /* E7 post */
	if (what == 6)
		y += x;
	else
		x = 7;			 /* E7 access */
	MPI_Wait(&q, MPI_STATUS_IGNORE); /* E7 wait */
	sink = y;
}

static void e6(void)
{
	isend(6);
}

static void e7(void)
{
	isend(7);
}

static void e8(void)
{
	volatile int buf = 0, y;
	MPI_Request q;

	if (rank == 1) {
		send_number();
		return;
	}
	MPI_Irecv((void *)&buf, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &q); /* E8 post */
	y = buf;						       /* E8 access */
	MPI_Wait(&q, MPI_STATUS_IGNORE);
	sink = y;
}

static void e9(void)
{
	volatile int buf = 0;
	MPI_Request q;

	if (rank == 1) {
		send_number();
		return;
	}
	MPI_Recv_init((void *)&buf, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &q); /* E9 post */
	MPI_Start(&q);
	buf = 1;			 /* E9 access */
	MPI_Wait(&q, MPI_STATUS_IGNORE); /* E9 wait */
	buf = 2;
	MPI_Request_free(&q);
}

static void e10(void)
{
	volatile char b[2];

	if (rank == 0) {
		MPI_Send("ab", 2, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
		return;
	}
	MPI_Recv((void *)b, 2, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* E10 call */
	b[0] = sizeof(long);							    /* E10 access */
	sink = b[1] * 1000;
}

static void e11(void)
{
	volatile char b[2];

	for (int i = 0; i < 10; i++) {
		if (rank == 0) {
			MPI_Send("ab", 2, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
			continue;
		}
		MPI_Recv((void *)b, 2, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* E11 call */
		sink += b[1];
	}
}

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

/* Right programs. */
static void e17(void)
{
	int b[3] = {1, 2, 3}, x = 4;
	double column[8] = {0};
	MPI_Datatype type;
	MPI_Request q;

	MPI_Type_vector(4, 1, 2, MPI_DOUBLE, &type);
	MPI_Type_commit(&type);
	if (rank == 0) {
		MPI_Isend(column, 1, type, 1, 0, MPI_COMM_WORLD, &q);
		column[1] = 3; /* a hole */
	} else {
		MPI_Irecv(column, 1, type, 0, 0, MPI_COMM_WORLD, &q);
		column[1] = 3;
	}
	MPI_Wait(&q, MPI_STATUS_IGNORE);
	MPI_Type_free(&type);
	if (rank == 0) {
		MPI_Send(b, 3, MPI_INT, 1, 0, MPI_COMM_WORLD);
		MPI_Send(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD);
	} else {
		MPI_Recv(b, 3, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Recv(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	b[0] += x;
	MPI_Isend(b, 3, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &q);
	b[1] = 3;
	MPI_Wait(&q, MPI_STATUS_IGNORE);
	MPI_Allreduce(MPI_IN_PLACE, b, 3, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	sink = b[0];
}

/* A datatype by addresses, over two blocks of the heap, and one that reaches beyond the first. */
static void send_blocks(int far_B)
{
	int *a = calloc(4, sizeof *a), *b = calloc(4, sizeof *b);
	MPI_Aint displs[2] = {0, far_B ? far_B : (char *)b - (char *)a};
	MPI_Datatype type;

	MPI_Type_create_hindexed_block(2, 4, displs, MPI_INT, &type);
	MPI_Type_commit(&type);
	if (rank == 0)
		MPI_Send(a, 1, type, 1, 0, MPI_COMM_WORLD);
	if (rank == 1)
		MPI_Recv((int[8]){0}, 8, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Type_free(&type);
	free(a);
	free(b);
}

/* In place: of each rank its own block is read, and in MPI_Gather none. */
static void in_place(void)
{
	int *all = malloc(4 * sizeof *all), counts[] = {2, 2}, displs[] = {0, 2}, own[2] = {1, 2};

	all[2 * rank] = all[2 * rank + 1] = rank;
	MPI_Allgather(MPI_IN_PLACE, 0, MPI_INT, all, 2, MPI_INT, MPI_COMM_WORLD);
	free(all);
	all = malloc(4 * sizeof *all);
	all[2 * rank] = all[2 * rank + 1] = rank;
	MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_INT, all, counts, displs, MPI_INT, MPI_COMM_WORLD);
	free(all);
	all = malloc(4 * sizeof *all);
	MPI_Gather(rank == 0 ? MPI_IN_PLACE : own, 2, MPI_INT, all, 2, MPI_INT, 0, MPI_COMM_WORLD);
	free(all);
}

static void in_place_unwritten(void)
{
	int *all = malloc(40 * sizeof *all);

	if (rank == 0)
		memset(all, 0, 80);
	MPI_Allgather(MPI_IN_PLACE, 0, MPI_INT, all, 20, MPI_INT, MPI_COMM_WORLD); /* in-place-unwritten call */
	free(all);
}

static void two_blocks(void)
{
	send_blocks(0);
}

static void beyond_block(void)
{
	send_blocks(8);
}

static void e19(void)
{
	volatile int x = 3;
	MPI_Request q[2];

	if (rank == 1) {
		recv_number();
		recv_number();
		return;
	}
	MPI_Isend((void *)&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &q[0]);
	MPI_Isend((void *)&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &q[1]); /* E19 post */
	MPI_Wait(&q[0], MPI_STATUS_IGNORE);
	x = 9;				     /* E19 access */
	MPI_Wait(&q[1], MPI_STATUS_IGNORE); /* E19 wait */
}

static void e20(void)
{
	MPI_Request q;
	int *p;

	if (rank == 1) {
		send_number();
		return;
	}
	p = malloc(sizeof *p);
	MPI_Irecv(p, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &q); /* E20 post */
	free(p);					    /* E20 access */
	MPI_Wait(&q, MPI_STATUS_IGNORE);
}

static __attribute__((noinline)) void post_local(MPI_Request *q)
{
	int local = 0;

	MPI_Irecv(&local, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, q); /* E21 post */
}

static void e21(void)
{
	MPI_Request q;

	if (rank == 1) {
		send_number();
		return;
	}
	post_local(&q);
	MPI_Wait(&q, MPI_STATUS_IGNORE); /* E21 wait */
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

static void overlap(void)
{
	int b[4] = {0};

	MPI_Sendrecv(b, 2, MPI_INT, 1 - rank, 0, b + 1, 2, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* overlap call */
}

static void collective(void)
{
	int b[2] = {rank, rank}, sum[2];
	MPI_Request q;

	MPI_Iallreduce(b, sum, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &q); /* collective post */
	if (rank == 0)
		b[1] = 17; /* collective access */
	MPI_Wait(&q, MPI_STATUS_IGNORE); /* collective wait */
	sink = sum[0];
}

static void file_write(void)
{
	volatile int b[2] = {1, 2};
	MPI_Request q;
	MPI_File file;

	if (rank == 1)
		return;
	MPI_File_open(MPI_COMM_SELF, "memory.dat", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
	MPI_File_iwrite(file, (void *)b, 2, MPI_INT, &q); /* file-write post */
	sink = b[0];			   /* right */
	b[1] = 17;			   /* file-write access */
	MPI_Wait(&q, MPI_STATUS_IGNORE); /* file-write wait */
	MPI_File_close(&file);
}

static void file_read(int is_read)
{
	volatile int b[2] = {1, 2};
	MPI_Request q;
	MPI_File file;

	if (rank == 1)
		return;
	MPI_File_open(MPI_COMM_SELF, "memory.dat", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
	MPI_File_write(file, (void *)b, 2, MPI_INT, MPI_STATUS_IGNORE);
	MPI_File_seek(file, 0, MPI_SEEK_SET);
	MPI_File_iread(file, (void *)b, 2, MPI_INT, &q); /* file-read post */
	if (is_read)
		sink = b[0]; /* file-read read */
	else
		b[1] = 17; /* file-read access */
	MPI_Wait(&q, MPI_STATUS_IGNORE); /* file-read wait */
	MPI_File_close(&file);
}

static void file_read_write(void)
{
	file_read(0);
}

static void file_read_read(void)
{
	file_read(1);
}

static void check(int is_right)
{
	if (!is_right)
		MPI_Abort(MPI_COMM_WORLD, 3);
}

/* Messages shorter than the buffer, which keeps what lies behind them, holes too. */
static void shorter(void)
{
	int b[6] = {-1, -2, -3, -4, -5, -6}, s[6] = {1, 2, 3, 4, 5, 6};
	MPI_Datatype pairs;
	MPI_Message message;
	MPI_Request q;

	MPI_Type_vector(2, 1, 2, MPI_INT, &pairs);
	MPI_Type_commit(&pairs);
	if (rank == 0) {
		MPI_Send(s, 2, MPI_INT, 1, 0, MPI_COMM_WORLD);
		MPI_Send(s, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
		MPI_Send(s, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
		MPI_Send(s + 3, 3, MPI_INT, 1, 2, MPI_COMM_WORLD);
	} else {
		MPI_Recv_init(b, 6, MPI_INT, 0, 0, MPI_COMM_WORLD, &q);
		MPI_Start(&q);
		MPI_Wait(&q, MPI_STATUS_IGNORE);
		check(b[0] == 1 && b[1] == 2 && b[2] == -3 && b[5] == -6);
		b[1] = 7;
		MPI_Start(&q);
		MPI_Wait(&q, MPI_STATUS_IGNORE);
		check(b[0] == 1 && b[1] == 7 && b[2] == -3);
		MPI_Request_free(&q);
		MPI_Irecv(b + 1, 1, pairs, 0, 1, MPI_COMM_WORLD, &q);
		MPI_Wait(&q, MPI_STATUS_IGNORE);
		check(b[1] == 1 && b[2] == -3 && b[3] == -4);
		MPI_Mprobe(0, 2, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
		MPI_Imrecv(b, 5, MPI_INT, &message, &q);
		MPI_Wait(&q, MPI_STATUS_IGNORE);
		check(b[0] == 4 && b[2] == 6 && b[3] == -4 && b[5] == -6);
		MPI_Irecv(b, 6, MPI_INT, 0, 3, MPI_COMM_WORLD, &q);
		MPI_Cancel(&q);
		MPI_Wait(&q, MPI_STATUS_IGNORE);
		check(b[0] == 4 && b[5] == -6);
	}
	MPI_Type_free(&pairs);
}

/* A large buffer that was never touched, but for one number while MPI has it. */
static void untouched(void)
{
	int number = 5;
	volatile int *b;
	MPI_Request q;

	if (rank == 1) {
		MPI_Send(&number, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
		return;
	}
	b = calloc(10000, sizeof *b);
	MPI_Irecv((void *)b, 10000, MPI_INT, 1, 0, MPI_COMM_WORLD, &q); /* untouched post */
	b[5000] = 3;			   /* untouched access */
	MPI_Wait(&q, MPI_STATUS_IGNORE); /* untouched wait */
	check(b[0] == 5 && b[5000] == 3);
	free((void *)b);
}

/* Right: what a receive gets that the program has given up is there when a later message is. */
static void given_up(void)
{
	int x = 5, y = 6;
	MPI_Request q;

	if (rank == 1) {
		MPI_Send(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
		MPI_Send(&y, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
		return;
	}
	x = 0;
	MPI_Irecv(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &q);
	MPI_Request_free(&q);
	MPI_Recv(&y, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	check(x == 5);
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

/* Right: a kernel, which may be skipped, writes what is sent. */
static void kernel(void)
{
	int b[10];

	if (rank == 0) {
		int *s = malloc(40);

		if (mpisim_kernel_begin("fill", 0, NULL))
			memset(s, 0, 40);
		mpisim_kernel_end();
		MPI_Send(s, 10, MPI_INT, 1, 0, MPI_COMM_WORLD); /* kernel call */
		free(s);
	} else {
		MPI_Recv(b, 10, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
}

/* The kernel says what it writes: the whole of a part of what is sent. */
static void kernel_that_writes(int n)
{
	int b[10];

	if (rank == 0) {
		int *s = malloc(40);

		if (mpisim_kernel_begin("fill", 0, NULL))
			memset(s, 0, 4 * (size_t)n);
		mpisim_touch(s, n, MPI_INT, MPISIM_WRITE, 0.5);
		mpisim_kernel_end();
		MPI_Send(s, 10, MPI_INT, 1, 0, MPI_COMM_WORLD); /* kernel-part call */
		free(s);
	} else {
		MPI_Recv(b, 10, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
}

static void kernel_all(void)
{
	kernel_that_writes(10);
}

static void kernel_part(void)
{
	kernel_that_writes(5);
}

/* A kernel reads every second item of what comes, after it is there, or too early. */
static void kernel_that_reads(int is_early)
{
	MPI_Request request;
	MPI_Datatype even;
	static int b[10];

	MPI_Type_vector(5, 1, 2, MPI_INT, &even);
	MPI_Type_commit(&even);
	if (rank == 0) {
		MPI_Send(b, 10, MPI_INT, 1, 0, MPI_COMM_WORLD);
	} else {
		MPI_Irecv(b, 10, MPI_INT, 0, 0, MPI_COMM_WORLD, &request); /* kernel-early post */
		if (!is_early)
			MPI_Wait(&request, MPI_STATUS_IGNORE);
		if (mpisim_kernel_begin("fill", 0, NULL))
			b[1] = b[0] + 7;
		mpisim_touch(b, 1, even, MPISIM_READ, 0); /* kernel-early access */
		mpisim_kernel_end();
		if (is_early)
			MPI_Wait(&request, MPI_STATUS_IGNORE);
	}
	MPI_Type_free(&even);
}

static void kernel_reads(void)
{
	kernel_that_reads(0);
}

static void kernel_early(void)
{
	kernel_that_reads(1);
}

/* Right: variables that are far apart, by their addresses. */
static void bottom(void)
{
	static int first[3];
	int second = 4;
	MPI_Aint places[2];
	const int lengths[] = {3, 1};
	MPI_Datatype type;

	MPI_Get_address(first, &places[0]);
	MPI_Get_address(&second, &places[1]);
	MPI_Type_create_hindexed(2, lengths, places, MPI_INT, &type);
	MPI_Type_commit(&type);
	if (rank == 0)
		MPI_Send(MPI_BOTTOM, 1, type, 1, 0, MPI_COMM_WORLD);
	else
		MPI_Recv(MPI_BOTTOM, 1, type, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Type_free(&type);
}

/* A split collective access: its buffer is MPI's until the second half. */
static void split_access(int is_write, int is_early)
{
	MPI_File file;
	MPI_Status status;
	static int b[2], sum;

	MPI_File_open(MPI_COMM_WORLD, "memory.split", MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE,
		      MPI_INFO_NULL, &file);
	b[0] = b[1] = rank + 1;
	MPI_File_write_at_all(file, 8 * rank, b, 2, MPI_INT, MPI_STATUS_IGNORE);
	b[0] = b[1] = 0;
	if (is_write)
		MPI_File_write_at_all_begin(file, 8 * rank, b, 2, MPI_INT); /* split-write post */
	else
		MPI_File_read_at_all_begin(file, 8 * rank, b, 2, MPI_INT); /* split-read post */
	if (is_early && rank == 0)
		b[1] = 7; /* split access */
	if (is_write)
		MPI_File_write_at_all_end(file, b, &status); /* split-write wait */
	else
		MPI_File_read_at_all_end(file, b, &status); /* split-read wait */
	sum += b[1];
	if (!is_write && b[0] != rank + 1)
		MPI_Abort(MPI_COMM_WORLD, 4);
	b[0] = sum;
	MPI_File_close(&file);
}

static void split_read(void)
{
	split_access(0, 1);
}

static void split_write(void)
{
	split_access(1, 1);
}

static void split(void)
{
	split_access(0, 0);
	split_access(1, 0);
}

/* Collectives between two groups of one rank each; buffers are as large as has to be. */
static MPI_Comm two_groups(void)
{
	MPI_Comm inter;

	MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, 1 - rank, 0, &inter);
	return inter;
}

static void inter(void)
{
	MPI_Comm comm = two_groups();
	int root = rank == 0 ? MPI_ROOT : 0;
	int *one = calloc(1, sizeof *one), *other = calloc(1, sizeof *other);
	int *out = rank == 0 ? one : NULL, *in = rank == 0 ? NULL : one;
	MPI_Request request;

	MPI_Bcast(one, 1, MPI_INT, root, comm);
	MPI_Gather(in, rank, MPI_INT, out, 1, MPI_INT, root, comm);
	MPI_Scatter(out, 1, MPI_INT, in, rank, MPI_INT, root, comm);
	MPI_Reduce(in, out, 1, MPI_INT, MPI_SUM, root, comm);
	MPI_Allreduce(one, other, 1, MPI_INT, MPI_SUM, comm);
	MPI_Allgather(one, 1, MPI_INT, other, 1, MPI_INT, comm);
	MPI_Alltoall(one, 1, MPI_INT, other, 1, MPI_INT, comm);
	MPI_Reduce_scatter_block(one, other, 1, MPI_INT, MPI_SUM, comm);
	MPI_Ibcast(one, 1, MPI_INT, root, comm, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	free(one);
	free(other);
	MPI_Comm_free(&comm);
}

static void inter_short(void)
{
	MPI_Comm comm = two_groups();
	int many[2];
	int *one = malloc(sizeof *one);

	*one = rank;
	MPI_Gather(rank == 1 ? one : NULL, 2, MPI_INT, many, 2, MPI_INT, rank == 0 ? MPI_ROOT : 0, comm); /* inter-short call */
	free(one);
	MPI_Comm_free(&comm);
}

static void inter_root(void)
{
	MPI_Comm comm = two_groups();
	MPI_Request request;
	static int b[2];

	MPI_Ibcast(b, 2, MPI_INT, rank == 0 ? MPI_ROOT : 0, comm, &request); /* inter-root post */
	if (rank == 0)
		b[1] = 7; /* inter-root access */
	MPI_Wait(&request, MPI_STATUS_IGNORE); /* inter-root wait */
	MPI_Comm_free(&comm);
}

static void inter_early(void)
{
	MPI_Comm comm = two_groups();
	MPI_Request request;
	static int b[2];

	MPI_Ibcast(b, 2, MPI_INT, rank == 0 ? MPI_ROOT : 0, comm, &request); /* inter-early post */
	if (rank == 1)
		b[1] = 7; /* inter-early access */
	MPI_Wait(&request, MPI_STATUS_IGNORE); /* inter-early wait */
	MPI_Comm_free(&comm);
}

/* What comes of a store to a buffer that is being sent: rank 1 prints it, registers it, or does not care. */
static int sent_too_late(void)
{
	MPI_Request request;
	int x = 1;

	if (rank == 0) {
		MPI_Isend(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
		x = 7;
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		return 0;
	}
	MPI_Recv(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	return x;
}

static void impact_output(void)
{
	printf("%d\n", sent_too_late());
}

static void impact_memory(void)
{
	static int x;

	x = sent_too_late();
	mpisim_state("x", &x, 1, MPI_INT);
}

static void impact_none(void)
{
	sent_too_late();
}

/* Rank 0 gives up when its own store is there in the end; what comes last, stays. */
static void impact_end(void)
{
	MPI_Request request;
	volatile int x = 1;

	if (rank == 0) {
		MPI_Irecv((void *)&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
		x = 4711;
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		if (x == 4711)
			MPI_Abort(MPI_COMM_WORLD, 3);
	} else {
		MPI_Send((void *)&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	}
}

static void impact_clock(void)
{
	printf("%.17g %d\n", mpisim_real_time(), sent_too_late());
}

static void touch_late(void)
{
	mpisim_touch(&rank, 1, MPI_INT, MPISIM_READ, 1.5);
}

static void touch_nothing(void)
{
	mpisim_touch(&rank, 1, MPI_DATATYPE_NULL, MPISIM_READ, 1);
}

static void touch_idly(void)
{
	mpisim_touch(&rank, 1, MPI_INT, 0, 1);
}

/* Rank 1 takes what rank 0 sends, whatever it is. */
static void take_any(void)
{
	static char b[1000];

	MPI_Recv(b, sizeof b, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	sink = b[0];
}

static void freed(void)
{
	char *volatile p = malloc(40);

	memset(p, 0, 40);
	free(p); /* freed free */
	if (rank == 0)
		MPI_Send(p, 40, MPI_BYTE, 1, 0, MPI_COMM_WORLD); /* freed call */
	else
		take_any();
}

static void freed_recv(void)
{
	char *volatile p = malloc(40);

	free(p); /* freed-recv free */
	if (rank == 0)
		MPI_Send("abc", 4, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
	else
		MPI_Recv(p + 8, 4, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* freed-recv call */
}

static void reallocated(void)
{
	char *volatile p = malloc(40), *volatile q;

	memset(p, 7, 40);
	q = realloc(p, 80); /* reallocated free */
	check(q[39] == 7);
	if (rank == 0)
		MPI_Send(p, 40, MPI_BYTE, 1, 0, MPI_COMM_WORLD); /* reallocated call */
	else
		take_any();
	free(q);
}

static int table[4] = {1, 2, 3, 4}, behind_table[4] = {1, 2, 3, 4};

static void global(void)
{
	if (rank == 0)
		MPI_Send(table + 1, 5, MPI_INT, 1, 0, MPI_COMM_WORLD); /* global call */
	else
		take_any();
	sink = behind_table[0];
}

/* Right enough: each part of it is a variable. */
static void two_globals(void)
{
	int lengths[] = {4, 4};
	MPI_Aint displacements[] = {0, (char *)behind_table - (char *)table};
	MPI_Datatype types[] = {MPI_INT, MPI_INT}, both;

	MPI_Type_create_struct(2, lengths, displacements, types, &both);
	MPI_Type_commit(&both);
	if (rank == 0)
		MPI_Send(table, 1, both, 1, 0, MPI_COMM_WORLD);
	else
		take_any();
	MPI_Type_free(&both);
}

static __attribute__((noinline)) int *volatile *keep_local(void)
{
	static int *volatile kept;
	volatile int local[200] = {5};

	kept = (int *)local;
	return &kept;
}

static void dead_send(void)
{
	if (rank == 0)
		MPI_Send(*keep_local(), 1, MPI_INT, 1, 0, MPI_COMM_WORLD); /* dead-send call */
	else
		take_any();
}

/* Bytes that the program cannot write but with the whole. */
static void padding(void)
{
	struct mixed {
		int n;
		double d;
		int k;
	} *m;

	if (rank == 1) {
		take_any();
		return;
	}
	m = malloc(sizeof *m);
	m->n = 1;
	m->d = 2;
	m->k = 3;
	MPI_Send(m, sizeof *m, MPI_BYTE, 1, 0, MPI_COMM_WORLD); /* padding call */
	free(m);
}

/* The error of a status is set by calls that complete several, where one of them failed. */
static void e4(int is_after_error)
{
	int x[2] = {3, 4};
	MPI_Request q[2];
	MPI_Status st[2];

	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	if (rank == 0) {
		MPI_Send(x, 2, MPI_INT, 1, 0, MPI_COMM_WORLD);
		MPI_Send(x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
	} else if (is_after_error) {
		MPI_Irecv(x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &q[0]); /* too short */
		MPI_Irecv(x + 1, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &q[1]);
		MPI_Waitall(2, q, st);
		if (st[0].MPI_ERROR != MPI_SUCCESS)
			sink = 1;
	} else {
		MPI_Irecv(x, 2, MPI_INT, 0, 0, MPI_COMM_WORLD, &q[0]);
		MPI_Wait(&q[0], &st[0]);
		if (st[0].MPI_ERROR != MPI_SUCCESS) /* E4 access */
			sink = 1;
		MPI_Recv(x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

static void e4_single(void)
{
	e4(0);
}

static void e4_waitall(void)
{
	e4(1);
}

static void e18(void)
{
	int b[10];

	if (rank == 0) {
		int *s = malloc(40); /* E18 block */

		s[0] = 1;
		MPI_Send(s, 10, MPI_INT, 1, 0, MPI_COMM_WORLD); /* E18 call */
		free(s);
	} else {
		MPI_Recv(b, 10, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		if (b[5] > 0) /* E18 access */
			sink = 2;
	}
}

static void e22(void)
{
	MPI_Request q;
	int *s;

	if (rank == 1) {
		take_any();
		return;
	}
	s = malloc(40); /* E22 block */
	s[0] = 1;
	MPI_Isend(s, 10, MPI_INT, 1, 0, MPI_COMM_WORLD, &q); /* E22 call */
	MPI_Wait(&q, MPI_STATUS_IGNORE);
	if (s[0] > 0)
		sink = 1;
	if (s[5] > 0) /* E22 access */
		sink = 2;
	free(s);
}

/* Valgrind knows of variables on the stack, too, and of what is behind the message that came. */
static void undefined(void)
{
	int b[4], local; /* undefined block */
	MPI_Request q;

	if (rank == 0) {
		MPI_Send(&local, 1, MPI_INT, 1, 0, MPI_COMM_WORLD); /* undefined call */
		return;
	}
	b[1] = 7;
	MPI_Irecv(b, 4, MPI_INT, 0, 0, MPI_COMM_WORLD, &q);
	MPI_Wait(&q, MPI_STATUS_IGNORE);
	if (b[1] > 0)
		sink = 1;
	if (b[2] > 0) /* undefined access */
		sink = 2;
}

/* Errors of the program that have nothing to do with MPI. */
static void no_mpi(void)
{
	volatile char *volatile p = malloc(64);

	memset((void *)p, 0, 64);
	if (rank == 0)
		sink = p[64]; /* no-mpi read */
	free((void *)p); /* no-mpi free */
	if (rank == 0)
		p[40] = 1; /* no-mpi write */
}

/* A structure is sent as it is, with its padding and a pointer. */
static void e16(void)
{
	struct list {
		int n;
		double *p;
		int k;
	};
	static double local[2];
	volatile struct list all = {0};

	if (rank == 0) {
		all.n = 2;
		all.p = malloc(2 * sizeof *all.p);
		all.k = 3;
	}
	MPI_Bcast((void *)&all, sizeof all, MPI_BYTE, 0, MPI_COMM_WORLD); /* E16 call */
	if (rank == 1)
		all.p = local; /* E16 access */
	sink = all.n + all.k;
	if (rank == 0)
		free(all.p);
}

static __attribute__((noinline)) void recv_into_frame(void)
{
	volatile char b[64];

	MPI_Recv((void *)b, sizeof b, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* frames call */
	sink = b[0];
}

static __attribute__((noinline)) void write_frame(void)
{
	volatile char b[64];

	for (int i = 0; i < 64; i++)
		b[i] = 0;
	sink = b[3];
}

static void plus(void)
{
	volatile int b = 3;

	if (rank == 0)
		MPI_Send((void *)&b, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
	else
		MPI_Recv((void *)&b, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	b += sink;
}

/* All is read, by another call of MPI and by memcpy; or lies in a function that has returned. */
static void read_all(void)
{
	static char b[64], copy[64];
	MPI_Request q;

	if (rank == 0) {
		MPI_Send(b, 64, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
		MPI_Send(b, 64, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
		MPI_Recv(copy, 64, MPI_CHAR, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	} else {
		MPI_Irecv(b, 64, MPI_CHAR, 0, 0, MPI_COMM_WORLD, &q);
		MPI_Wait(&q, MPI_STATUS_IGNORE);
		MPI_Send(b, 64, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
		MPI_Irecv(b, 64, MPI_CHAR, 0, 0, MPI_COMM_WORLD, &q);
		MPI_Wait(&q, MPI_STATUS_IGNORE);
	}
	memcpy(copy, rank == 1 ? b : copy, 64);
	for (int i = 0; i < 64; i++)
		sink += copy[i];
}

static void half(void)
{
	char *b = calloc(800000, 1);

	if (rank == 0)
		MPI_Send(b, 800000, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
	else
		MPI_Recv(b, 800000, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* half call */
	for (int i = 0; i < 400000; i++)
		sink += b[i];
	free(b);
}

static void frames(void)
{
	char s[64] = {0};

	if (rank == 0) {
		MPI_Send(s, 64, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
		return;
	}
	recv_into_frame();
	write_frame();
}

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
    {"E16", e16}, {"read-all", read_all}, {"plus", plus}, {"half", half}, {"frames", frames},
    {"E4", e4_single}, {"E4-waitall", e4_waitall}, {"E18", e18}, {"E22", e22},
    {"undefined", undefined}, {"no-mpi", no_mpi},
    {"freed", freed},
    {"freed-recv", freed_recv},
    {"reallocated", reallocated},
    {"global", global},
    {"two-globals", two_globals},
    {"dead-send", dead_send},
    {"two-blocks", two_blocks},
    {"in-place", in_place},
    {"in-place-unwritten", in_place_unwritten},
    {"beyond-block", beyond_block},
    {"padding", padding},
    {"E1", e1},   {"E2", e2},	{"E3", e3},   {"E5", e5},   {"E6", e6},	  {"E7", e7},
    {"E8", e8},   {"E9", e9},	{"E10", e10}, {"E11", e11}, {"E12", e12}, {"E12-read", e12_read},
    {"E13", e13}, {"E13-read", e13_read},     {"E17", e17}, {"E19", e19}, {"E20", e20},
    {"E21", e21}, {"E23", e23}, {"overlap", overlap},	    {"collective", collective},
    {"puts", window_puts},
    {"accumulates", window_accumulates},
    {"types", window_types},
    {"flush", window_flush},
    {"exclusive", window_exclusive},
    {"post", window_post},
    {"too-early", window_too_early},
    {"file-write", file_write},
    {"file-read", file_read_write},
    {"file-read-read", file_read_read},
    {"shorter", shorter},
    {"untouched", untouched},
    {"kernel", kernel},
    {"impact-output", impact_output},
    {"impact-memory", impact_memory},
    {"impact-none", impact_none},
    {"impact-end", impact_end},
    {"impact-clock", impact_clock},
    {"bottom", bottom},
    {"split", split},
    {"split-read", split_read},
    {"split-write", split_write},
    {"inter", inter},
    {"inter-short", inter_short},
    {"inter-early", inter_early},
    {"inter-root", inter_root},
    {"touch-late", touch_late},
    {"touch-nothing", touch_nothing},
    {"touch-idly", touch_idly},
    {"kernel-all", kernel_all},
    {"kernel-part", kernel_part},
    {"kernel-reads", kernel_reads},
    {"kernel-early", kernel_early},
    {"reused", reused},
    {"given-up", given_up},
};

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		for (int k = 1; k < argc; k++)
			if (strcmp(argv[k], cases[i].name) == 0)
				cases[i].run();
	MPI_Finalize();
	return 0;
}
