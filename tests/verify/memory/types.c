/* SPDX-License-Identifier: BSD-3-Clause */
/* Variables and the datatypes that they are given as: `types CASE` on 2 ranks. Names of wrong cases begin with "wrong". */
#include <complex.h>
#include <mpi.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static int rank;

/* Rank 0 sends, rank 1 receives into bytes, for which all types are right. */
#define SEND(buf, count, type)                                                                   \
	do {                                                                                     \
		char any[4096];                                                                  \
		if (rank == 0)                                                                   \
			MPI_Send(buf, count, type, 1, 0, MPI_COMM_WORLD);                        \
		else                                                                             \
			MPI_Recv(any, count, type, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); \
	} while (0)

static double numbers[100];
static long counters[10];
struct particle {
	int kind;
	double x[3];
	struct {
		short a, b;
	} pair;
};
static struct particle particles[10];
enum color { RED, GREEN };

static void wrong_global(void)
{
	SEND(numbers + 1, 10, MPI_INT); /* wrong-global */
}

static void wrong_stack(void)
{
	double local[10] = {0};

	SEND(local, 10, MPI_FLOAT); /* wrong-stack */
}

static void wrong_heap(void)
{
	double *p = calloc(10, sizeof *p);

	SEND(p + 2, 4, MPI_INT); /* wrong-heap */
	free(p);
}

static __attribute__((noinline)) void send_some(double *p)
{
	SEND(p, 4, MPI_INT); /* wrong-argument */
}

static void wrong_argument(void)
{
	send_some(numbers);
}

static void wrong_size(void)
{
	SEND(counters, 10, MPI_INT); /* wrong-size */
}

static MPI_Datatype particle_type(MPI_Datatype of_x)
{
	int lengths[] = {1, 3, 2};
	MPI_Aint places[] = {offsetof(struct particle, kind), offsetof(struct particle, x),
			     offsetof(struct particle, pair)};
	MPI_Datatype types[] = {MPI_INT, of_x, MPI_SHORT}, inner, outer;

	MPI_Type_create_struct(3, lengths, places, types, &inner);
	MPI_Type_create_resized(inner, 0, sizeof(struct particle), &outer);
	MPI_Type_commit(&outer);
	MPI_Type_free(&inner);
	return outer;
}

static void wrong_member(void)
{
	MPI_Datatype type = particle_type(MPI_FLOAT);

	SEND(particles, 3, type); /* wrong-member */
	MPI_Type_free(&type);
}

static void wrong_receive(void)
{
	float few[4];
	char any[16] = {0};

	if (rank == 0)
		MPI_Send(any, 4, MPI_INT, 1, 0, MPI_COMM_WORLD);
	else
		MPI_Recv(few, 4, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* wrong-receive */
}

static void wrong_sum(void)
{
	int mine[2] = {0}, sum[2];

	MPI_Allreduce(mine, sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); /* wrong-sum */
}

/* The pointer is to a member that comes before the buffer. */
static __attribute__((noinline)) void send_later_member(const void *buf, const short *earlier)
{
	SEND(buf, 3, MPI_DOUBLE);
	if (earlier[0] != 0)
		abort();
}

static void structures(void)
{
	MPI_Datatype type = particle_type(MPI_DOUBLE);
	struct particle local = {0}, *p = particles + 2, *q = calloc(2, sizeof *q);

	send_later_member(q[1].x, &q[0].pair.a);
	free(q);

	SEND(particles, 3, type);
	SEND(&local, 1, type);
	SEND(p, 3, type);
	SEND(p->x, 3, MPI_DOUBLE);
	SEND(&local.pair.b, 1, MPI_SHORT);
	SEND(&local, (int)sizeof local, MPI_BYTE);
	MPI_Type_free(&type);
}

static void numbers_of_one_kind(void)
{
	unsigned u[3] = {0};
	enum color color = RED;
	double complex z[2] = {0};
	long double wide = 0;
	MPI_Aint address = 0;
	const int constant = 3;

	SEND(u, 3, MPI_INT);
	SEND(&color, 1, MPI_INT);
	SEND(z, 4, MPI_DOUBLE);
	SEND(z, 2, MPI_C_DOUBLE_COMPLEX);
	SEND(&wide, 1, MPI_LONG_DOUBLE);
	SEND(counters, 2, MPI_INT64_T);
	SEND(counters, 2, MPI_LONG_LONG);
	SEND(&address, 1, MPI_AINT);
	SEND(&constant, 1, MPI_INT);
}

static void raw_memory(void)
{
	char bytes[64] = {0};
	void *p = calloc(8, 8);
	union {
		int i;
		double d;
	} either = {.d = 0};

	SEND(bytes + 8, 4, MPI_DOUBLE);
	SEND(p, 8, MPI_DOUBLE);
	SEND(&either, 1, MPI_INT);
	SEND(&either, 1, MPI_DOUBLE);
	SEND(numbers, 80, MPI_CHAR);
	free(p);
}

struct header {
	int n;
	double values[];
};

static void memory_with_two_names(void)
{
	struct header *header = calloc(1, sizeof *header + 80);
	double *old = calloc(10, sizeof *old);
	double *kept = old;
	int *new;

	SEND(header->values, 10, MPI_DOUBLE);
	new = (int *)kept;
	memset(new, 0, 80);
	SEND(new, 10, MPI_INT);
	free(kept);
	free(header);
}

static void columns(void)
{
	double grid[4][8] = {{0}};
	MPI_Datatype column;

	MPI_Type_vector(4, 1, 8, MPI_DOUBLE, &column);
	MPI_Type_commit(&column);
	SEND(&grid[0][7], 1, column);
	SEND(grid[2], 8, MPI_DOUBLE);
	MPI_Type_free(&column);
}

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
    {"wrong-global", wrong_global},
    {"wrong-stack", wrong_stack},
    {"wrong-heap", wrong_heap},
    {"wrong-argument", wrong_argument},
    {"wrong-size", wrong_size},
    {"wrong-member", wrong_member},
    {"wrong-receive", wrong_receive},
    {"wrong-sum", wrong_sum},
    {"structures", structures},
    {"kinds", numbers_of_one_kind},
    {"raw", raw_memory},
    {"names", memory_with_two_names},
    {"columns", columns},
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
