/* SPDX-License-Identifier: BSD-3-Clause */
/* Small programs whose blocking messages need not block: the first argument says which. */
#include <mpi.h>
#include <mpisim.h>
#include <stdio.h>
#include <string.h>

static int rank, other;

static void compute_us(double us)
{
	mpisim_add_compute_time(us * 1e-6);
}

static void exchange(void *out, void *in, int count, MPI_Datatype type, int tag, MPI_Status *status)
{
	MPI_Sendrecv(out, count, type, other, tag, in, count, type, other, tag, MPI_COMM_WORLD, status);
}

/* Four tiny messages to each other, then 100 us that use them from `fraction` on. */
static void four(double fraction, MPI_Status *status)
{
	static int out[4], in[4];

	for (int i = 0; i < 4; i++)
		exchange(&out[i], &in[i], 1, MPI_INT, i, status);
	mpisim_touch(in, 4, MPI_INT, MPISIM_READ, fraction);
	mpisim_touch(out, 4, MPI_INT, MPISIM_WRITE, fraction);
	compute_us(100);
}

static void ping_pong(void)
{
	static int ball;

	for (int i = 0; i < 10; i++) {
		if (rank == i % 2)
			MPI_Send(&ball, 1, MPI_INT, other, 0, MPI_COMM_WORLD);
		else
			MPI_Recv(&ball, 1, MPI_INT, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
}

static void count(void)
{
	static unsigned char out[128], in[128];
	MPI_Status status;
	int n, sum = 0;

	memset(out, 255, sizeof out);
	exchange(out, in, 128, MPI_UNSIGNED_CHAR, 0, &status);
	MPI_Get_count(&status, MPI_UNSIGNED_CHAR, &n);
	mpisim_touch(in, 128, MPI_UNSIGNED_CHAR, MPISIM_READ, 0);
	compute_us(1);
	for (int i = 0; i < n; i++)
		sum += in[i];
	printf("rank %d: %d, %d\n", rank, n, sum);
}

static void loop(int n)
{
	static int a = 1, b = 0, c = 2, d = 0;

	for (int i = 0; i < n; i++) {
		MPI_Send(&c, 1, MPI_INT, other, 0, MPI_COMM_WORLD); /* line of the chain that is not the first */
		MPI_Recv(&d, 1, MPI_INT, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		mpisim_touch(&c, 1, MPI_INT, MPISIM_WRITE, 0);
		mpisim_touch(&d, 1, MPI_INT, MPISIM_READ, 0);
		mpisim_touch(&b, 1, MPI_INT, MPISIM_READ, 0);
		mpisim_touch(&a, 1, MPI_INT, MPISIM_READ | MPISIM_WRITE, 0);
		c = a;
		a = c + d + b;
		MPI_Send(&a, 1, MPI_INT, other, 1, MPI_COMM_WORLD); /* the chain begins */
		MPI_Recv(&b, 1, MPI_INT, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	mpisim_touch(&b, 1, MPI_INT, MPISIM_READ, 0); /* the final print */
	printf("%d\n", b);
}

/* Rank 0 gets A of rank 1, sent at once, and B of rank 2, sent after 90 us; it uses A at 20 us, and tells
 * rank 3. */
static void pages(int distance)
{
	static _Alignas(4096) int memory[4096];
	int *a = memory, *b = memory + distance;

	if (rank == 2)
		compute_us(90);
	if (rank == 1 || rank == 2)
		MPI_Send(a, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	if (rank == 0) {
		MPI_Recv(a, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Recv(b, 1, MPI_INT, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		mpisim_touch(a, 1, MPI_INT, MPISIM_READ, 1);
		compute_us(20);
		MPI_Send(memory + 2048, 1, MPI_INT, 3, 1, MPI_COMM_WORLD);
	}
	if (rank == 3)
		MPI_Recv(a, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Borders of 1 MB: top and left are needed at once, right after the first row, bottom at the last. */
static void borders(void)
{
	enum { N = 125000 };
	static double out[4][N], in[4][N];
	static const double needed[] = {0, 0, 1e-6, 1};

	for (int i = 0; i < 4; i++)
		exchange(out[i], in[i], N, MPI_DOUBLE, i, MPI_STATUS_IGNORE);
	for (int i = 0; i < 4; i++)
		mpisim_touch(in[i], N, MPI_DOUBLE, MPISIM_READ, needed[i]);
	compute_us(100000);
}

static void at_once(void)
{
	static int x;

	if (rank == 0) {
		compute_us(100);
		MPI_Send(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
	} else {
		MPI_Recv(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		mpisim_touch(&x, 1, MPI_INT, MPISIM_READ, 0);
		compute_us(100);
	}
}

/* Rows 0 to 3 of 8 come. Then a column goes that crosses them, one comes that crosses those that went, and
 * columns of the rows below go and come beside each other. */
static void columns(void)
{
	static double x[8][8], y[4];
	MPI_Datatype column;

	MPI_Type_vector(4, 1, 8, MPI_DOUBLE, &column);
	MPI_Type_commit(&column);
	exchange(x[4], x[0], 32, MPI_DOUBLE, 0, MPI_STATUS_IGNORE);
	MPI_Send(&x[0][1], 1, column, other, 1, MPI_COMM_WORLD); /* crosses */
	MPI_Recv(y, 4, MPI_DOUBLE, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* elsewhere */
	MPI_Send(y, 4, MPI_DOUBLE, other, 2, MPI_COMM_WORLD); /* what has come */
	MPI_Recv(&x[4][2], 1, column, other, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* writes what is sent */
	MPI_Send(&x[4][4], 1, column, other, 3, MPI_COMM_WORLD); /* beside it */
	MPI_Recv(&x[4][6], 1, column, other, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* beside both */
	MPI_Type_free(&column);
}

/* Both send first: that ends only where messages go before they are asked for. */
static void head_on(void)
{
	static double out[100], in[100];

	MPI_Send(out, 100, MPI_DOUBLE, other, 0, MPI_COMM_WORLD);
	MPI_Recv(in, 100, MPI_DOUBLE, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Rank 1 waits for what rank 0 sends after it has used what it got. */
static void after_use(void)
{
	static int x, y;

	if (rank == 0) {
		MPI_Recv(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		mpisim_touch(&x, 1, MPI_INT, MPISIM_READ, 0);
		compute_us(10);
		MPI_Send(&y, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
		MPI_Recv(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	} else {
		MPI_Send(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
		MPI_Recv(&y, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* what is used first */
		MPI_Send(&y, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	}
}

/* Rank 1 needs the second message later than the first, and before it sends what rank 0 needs. */
static void answer(void)
{
	static int x, y, z;

	if (rank == 0) {
		MPI_Send(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
		MPI_Send(&y, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
		MPI_Recv(&z, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		mpisim_touch(&z, 1, MPI_INT, MPISIM_READ, 0);
		compute_us(10);
	} else {
		MPI_Recv(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Recv(&y, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		mpisim_touch(&x, 1, MPI_INT, MPISIM_READ, 0);
		mpisim_touch(&y, 1, MPI_INT, MPISIM_READ, 0.5);
		compute_us(20);
		MPI_Send(&z, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
	}
}

/* Two calls of one line; the memory of one of them is freed. */
static void freed(void)
{
	int *memory, x = 0;

	MPI_Alloc_mem(sizeof *memory, MPI_INFO_NULL, &memory);
	*memory = 0;
	/* clang-format off */
	MPI_Send(&x, 1, MPI_INT, other, 0, MPI_COMM_WORLD); MPI_Send(memory, 1, MPI_INT, other, 0, MPI_COMM_WORLD); /* two of a line */
	/* clang-format on */
	MPI_Free_mem(memory);
	MPI_Recv(&x, 1, MPI_INT, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Recv(&x, 1, MPI_INT, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* One of several may be first: that is warned of. */
static void gather(int n)
{
	int x = 0;

	if (rank > 0)
		MPI_Send(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	for (int i = 1; rank == 0 && i < n; i++)
		MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Rank 0 puts 1 MB to rank 1, which computes 3 ms. */
static void put(void)
{
	static char memory[1000000];
	MPI_Win win;

	MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 0) {
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
		MPI_Put(memory, sizeof memory, MPI_BYTE, 1, 0, sizeof memory, MPI_BYTE, win);
		MPI_Win_unlock(1, win);
	} else {
		compute_us(3000);
	}
	MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
	const char *name;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	other = 1 - rank;
	name = argv[1];
	if (strcmp(name, "four") == 0)
		four(0, MPI_STATUS_IGNORE);
	if (strcmp(name, "four_late") == 0)
		four(0.5, MPI_STATUS_IGNORE);
	if (strcmp(name, "four_status") == 0)
		four(0.5, &(MPI_Status){.MPI_TAG = 0});
	if (strcmp(name, "ping_pong") == 0)
		ping_pong();
	if (strcmp(name, "count") == 0)
		count();
	if (strncmp(name, "loop", 4) == 0)
		loop(name[4] - '0');
	if (strcmp(name, "one_page") == 0)
		pages(1);
	if (strcmp(name, "two_pages") == 0)
		pages(1024);
	if (strcmp(name, "borders") == 0)
		borders();
	if (strcmp(name, "at_once") == 0)
		at_once();
	if (strcmp(name, "columns") == 0)
		columns();
	if (strcmp(name, "put") == 0)
		put();
	if (strcmp(name, "head_on") == 0)
		head_on();
	if (strcmp(name, "after_use") == 0)
		after_use();
	if (strcmp(name, "answer") == 0)
		answer();
	if (strcmp(name, "freed") == 0)
		freed();
	if (strcmp(name, "fails") == 0)
		gather(3);
	MPI_Finalize();
	return strcmp(name, "fails") == 0;
}
