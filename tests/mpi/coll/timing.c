/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * When collectives return, in simulated time, against derivations by hand on ../timing.yaml: L = 1
 * ms, b = 1 byte per us, o = 100 us, eager up to 1000 B. Run as `timing CASE` on 4 ranks, one per
 * node, --compute modelled; exit 1 when a time is off by more than 10 ps.
 */
#include <mpi.h>
#include <mpisim.h>
#include <stdio.h>
#include <string.h>

static int rank, failures;
static char buf[1000];

static void expect_ms(const char *what, double wanted_ms)
{
	double found_ms = MPI_Wtime() * 1e3;

	if (found_ms - wanted_ms > 1e-8 || wanted_ms - found_ms > 1e-8) {
		printf("rank %d: %s: found %.9f ms, wanted %.9f ms\n", rank, what, found_ms,
		       wanted_ms);
		failures++;
	}
}

/* Two rounds; in each, a rank sends (o), its message travels (L), the other takes it (o). */
static void barrier(void)
{
	MPI_Barrier(MPI_COMM_WORLD);
	expect_ms("barrier", 2 * (0.1 + 1 + 0.1));
}

/*
 * Rank 0 sends to 2, then to 1, o each. Bytes leave it from 0.1 + 1 and 0.2 + 1 ms on: 100 B to 2
 * alone, then both at half rate until 2 has the other 400 B, at 1.2 + 0.8 = 2.0; then 1 gets its
 * last 100 B alone, at 2.1. Each takes its message (o). 2 sends on to 3: o, L + 0.5, o.
 */
static void bcast(void)
{
	static const double wanted_ms[] = {0.2, 2.1 + 0.1, 2.0 + 0.1 + 0.1, 2.2 + 1.5 + 0.1};

	MPI_Bcast(buf, 500, MPI_BYTE, 0, MPI_COMM_WORLD);
	expect_ms("broadcast", wanted_ms[rank]);
}

/*
 * The first round's message is taken, and the second round begins, only in MPI_Wait: o + 10, then o
 * (take), o (send), L, o.
 */
static void no_progress_outside_mpi(void)
{
	MPI_Request request;

	MPI_Ibarrier(MPI_COMM_WORLD, &request);
	expect_ms("start", 0.1);
	mpisim_add_compute_time(0.010);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	expect_ms("barrier", 0.1 + 10 + 0.1 + 0.1 + 1 + 0.1);
}

/*
 * A test halfway moves it on: after o + 5 it takes (o) and sends (o); after 5 more the second
 * message is there: o.
 */
static void tests_make_progress(void)
{
	MPI_Request request;
	int flag;

	MPI_Ibarrier(MPI_COMM_WORLD, &request);
	mpisim_add_compute_time(0.005);
	MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
	expect_ms("test", 5.3);
	mpisim_add_compute_time(0.005);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	expect_ms("barrier", 10.3 + 0.1);
	failures += flag;
}

/*
 * Any call that waits moves it on too: 0 and 1 exchange a message (o, and o to take it) while the
 * barrier of all goes on.
 */
static void other_waits_make_progress(void)
{
	MPI_Request request;

	MPI_Ibarrier(MPI_COMM_WORLD, &request);
	mpisim_add_compute_time(0.002);
	if (rank % 2 == 0) {
		mpisim_add_compute_time(0.008);
		MPI_Send(buf, 0, MPI_BYTE, rank + 1, 0, MPI_COMM_WORLD);
	} else {
		MPI_Recv(buf, 0, MPI_BYTE, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		/*
		 * taken at 2.1 + o, sent on at 2.3, long before the even ranks come at 10.1 with o
		 * for the send: L, o
		 */
		expect_ms("receive", 10.1 + 0.1 + 1 + 0.1);
	}
	MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* All ranks go on at 100 ms; times below are from there. */
static void start_together(void)
{
	mpisim_add_compute_time(0.100 - MPI_Wtime());
}

/*
 * A ring. A rank sends 100 B upwards (o), then downwards (o). The link carries the first from 1.1
 * to 1.2 ms, the second from 1.2 to 1.3; what comes from below is taken at 1.2 + o, from above
 * at 1.3 + o.
 */
static void neighbors(void)
{
	int size = 4, is_periodic = 1;
	MPI_Comm ring;

	MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &is_periodic, 0, &ring);
	start_together();
	MPI_Neighbor_allgather(buf, 100, MPI_BYTE, buf + 200, 100, MPI_BYTE, ring);
	expect_ms("neighbours", 100 + 1.4);
	MPI_Comm_free(&ring);
}

/* Ranks 0, 1 and ranks 2, 3. */
static MPI_Comm make_groups(void)
{
	MPI_Comm half, inter;

	MPI_Comm_split(MPI_COMM_WORLD, rank / 2, 0, &half);
	start_together();
	MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank < 2 ? 2 : 0, 5, &inter);
	MPI_Comm_free(&half);
	return inter;
}

/*
 * The leaders swap two numbers, then two ranks (8 B each): o, L + 8 us, o, twice. They pass on
 * three numbers, then two ranks: o each. Those are there at 3.528 and 3.624: taken one after the
 * other.
 */
static void inter_create(void)
{
	MPI_Comm inter = make_groups();

	expect_ms("intercommunicator", rank % 2 ? 100 + 3.528 + 0.2 : 100 + 2 * 1.208 + 0.2);
	MPI_Comm_free(&inter);
}

/* Each group (o, L, o), then the leaders (the same), who tell the other one. */
static void inter_barrier(void)
{
	MPI_Comm inter = make_groups();

	mpisim_add_compute_time(0.200 - MPI_Wtime());
	MPI_Barrier(inter);
	expect_ms("barrier", rank % 2 ? 200 + 3 * 1.2 : 200 + 2 * 1.2 + 0.1);
	MPI_Comm_free(&inter);
}

/* Rank 0 to the other leader (o, L + 0.5, o), that one to rank 3. */
static void inter_bcast(void)
{
	static const double wanted_ms[] = {0.1, 0, 1.7 + 0.1, 2 * 1.7};
	MPI_Comm inter = make_groups();

	mpisim_add_compute_time(0.200 - MPI_Wtime());
	MPI_Bcast(buf, 500, MPI_BYTE, rank == 0 ? MPI_ROOT : rank == 1 ? MPI_PROC_NULL : 0, inter);
	expect_ms("broadcast", 200 + wanted_ms[rank]);
	MPI_Comm_free(&inter);
}

/*
 * Ranks 0 and 1 exchange three messages, both ways at once: they agree on their communicator (4 B,
 * recursive doubling), then swap two numbers (8 B) and their one rank (4 B). Each time o, L and the
 * bytes, o.
 */
static void port_meeting(void)
{
	char port[MPI_MAX_PORT_NAME] = "";
	MPI_Comm inter;

	if (rank == 0)
		MPI_Open_port(MPI_INFO_NULL, port);
	MPI_Bcast(port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, MPI_COMM_WORLD);
	start_together();
	if (rank > 1)
		return;
	if (rank == 0)
		MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter);
	else
		MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter);
	expect_ms("meeting", 100 + 1.204 + 1.208 + 1.204);
	MPI_Comm_disconnect(&inter);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} cases[] = {
	    {"barrier", barrier},
	    {"bcast", bcast},
	    {"no_progress_outside_mpi", no_progress_outside_mpi},
	    {"tests_make_progress", tests_make_progress},
	    {"other_waits_make_progress", other_waits_make_progress},
	    {"neighbors", neighbors},
	    {"inter_create", inter_create},
	    {"inter_barrier", inter_barrier},
	    {"inter_bcast", inter_bcast},
	    {"port_meeting", port_meeting},
	};
	int n_run = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0] && argc > 1; i++)
		if (strcmp(cases[i].name, argv[1]) == 0) {
			cases[i].run();
			n_run++;
		}
	MPI_Finalize();
	return failures > 0 || n_run != 1;
}
