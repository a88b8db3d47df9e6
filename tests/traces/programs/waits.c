/* SPDX-License-Identifier: BSD-3-Clause */
/* Small programs whose waits, critical path and efficiencies can be derived by hand (explain*.py).
 */
#include <mpi.h>
#include <mpisim.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE_B = 1000000 };
static char buffer[SIZE_B], other[SIZE_B];
static int rank, n_ranks;

static void compute(const char *kernel, double seconds)
{
	mpisim_kernel_begin(kernel, 1, &seconds); /* explaining.py: takes its parameter */
	mpisim_kernel_end();
}

static void send(int to, int size_B)
{
	MPI_Send(buffer, size_B, MPI_BYTE, to, 0, MPI_COMM_WORLD);
}

static void recv(int from, int size_B)
{
	MPI_Recv(buffer, size_B, MPI_BYTE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Rank 0 computes 3 s and sends, rank 1 waits for it and computes 1 s. */
static void late_sender(void)
{
	if (rank == 0) {
		compute("before", 3);
		send(1, SIZE_B);
	} else {
		recv(0, SIZE_B);
		compute("after", 1);
	}
}

/* Rank 0 computes 3 s and sends, rank 1 probes for it first. */
static void probed(void)
{
	if (rank == 0) {
		compute("before", 3);
		send(1, SIZE_B);
	} else {
		MPI_Probe(0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		recv(0, SIZE_B);
	}
}

/* Rank 0 sends at once, rank 1 computes 2 s before it receives. */
static void late_receiver(void)
{
	if (rank == 0) {
		send(1, SIZE_B);
	} else {
		compute("before", 2);
		recv(0, SIZE_B);
	}
}

/* Nothing but messages: on an ideal network no time passes. */
static void only_messages(void)
{
	for (int i = 0; i < 1000; i++)
		if (rank == i % 2)
			send(1 - rank, SIZE_B);
		else
			recv(1 - rank, SIZE_B);
}

/* Rank r comes after r + 1 s. */
static void barrier(void)
{
	compute("before", rank + 1);
	MPI_Barrier(MPI_COMM_WORLD);
}

/* The root, rank 2, comes to a broadcast last; then rank 0 to a reduction in which all send to
 * rank 1. */
static void rooted(void)
{
	int one = 1, sum;

	compute("before", rank == 2 ? 2 : 1);
	MPI_Bcast(buffer, 1, MPI_BYTE, 2, MPI_COMM_WORLD);
	compute("between", rank == 0 ? 4 : 1);
	MPI_Reduce(&one, &sum, 1, MPI_INT, MPI_SUM, 1, MPI_COMM_WORLD);
}

/* Rank 1 comes to a scan last. */
static void scanned(void)
{
	int one = 1, sum;

	compute("before", rank == 1 ? 3 : rank == 2 ? 2 : 1);
	MPI_Scan(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

/* Ranks 0 and 1 send to rank 2 at once. */
static void shared(void)
{
	if (rank < 2)
		send(2, SIZE_B);
	for (int i = 0; rank == 2 && i < 2; i++)
		recv(i, SIZE_B);
}

/* A receive that is posted before a computation and waited for after it. */
static void overlap(void)
{
	MPI_Request request;

	if (rank == 0) {
		compute("sender", 5);
		send(1, SIZE_B);
		return;
	}
	MPI_Irecv(buffer, SIZE_B, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &request);
	compute("receiver", 6);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* A token goes round ten times; every rank computes with it. */
static void ring(void)
{
	for (int i = 0; i < 10; i++) {
		if (rank > 0 || i > 0)
			recv((rank + n_ranks - 1) % n_ranks, 1000);
		compute("step", 0.001);
		if (rank < n_ranks - 1 || i < 9)
			send((rank + 1) % n_ranks, 1000);
	}
}

/* Both compute 1 ms and then exchange a message of 10 ms; rank 0 does not wait for it before it
 * goes on with the next phase and 5 ms of computation. */
static void ahead(void)
{
	MPI_Request request;

	mpisim_phase_begin("message");
	compute("before", 1e-3);
	if (rank == 0)
		MPI_Isend(buffer, SIZE_B, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &request);
	else
		recv(0, SIZE_B);
	mpisim_phase_end();
	mpisim_phase_begin("work");
	compute("after", 5e-3);
	if (rank == 0)
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	mpisim_phase_end();
}

/* Rank 0 sends three messages in its phase while rank 1 computes 2 s in another one. Then they
 * compute up to 3 s by an ideal clock, and exchange two messages. */
static void crossed(void)
{
	MPI_Request requests[3];

	for (int i = 0; i < 3 && rank == 1; i++)
		MPI_Irecv(buffer, SIZE_B, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &requests[i]);
	mpisim_phase_begin(rank ? "near" : "far");
	for (int i = 0; i < 3 && rank == 0; i++)
		send(1, SIZE_B);
	if (rank == 1)
		compute("before", 2);
	mpisim_phase_end();
	if (rank == 1)
		MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
	compute("after", rank ? 1 : 3);
	for (int i = 0; i < 2; i++)
		MPI_Sendrecv(buffer, SIZE_B, MPI_BYTE, 1 - rank, 0, other, SIZE_B, MPI_BYTE, 1 - rank,
			     0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Phases on rank 0 only: in the first, ranks compute 1 s each, in the second rank 0 alone. */
static void phases(void)
{
	if (rank == 0)
		mpisim_phase_begin("all");
	compute("all", 1);
	if (rank == 0) {
		mpisim_phase_end();
		mpisim_phase_begin("one");
		compute("one", 1);
		mpisim_phase_end();
	}
}

/* Ranks exchange 1 MB, compute 1 s, and then one computes 1 s before it sends 1 MB and the other
 * computes 1 s. */
static void in_turn(void)
{
	mpisim_phase_begin("exchange");
	MPI_Sendrecv_replace(buffer, SIZE_B, MPI_BYTE, 1 - rank, 0, 1 - rank, 0, MPI_COMM_WORLD,
			     MPI_STATUS_IGNORE);
	mpisim_phase_end();
	mpisim_phase_begin("all");
	compute("all", 1);
	mpisim_phase_end();
	mpisim_phase_begin("one");
	if (rank == 0) {
		compute("one", 1);
		send(1, SIZE_B);
	} else {
		recv(0, SIZE_B);
		compute("after", 1);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	mpisim_phase_end();
}

/* A receive that is posted while the request to send is under way. */
static void posted(void)
{
	compute("before", rank == 0 ? 1.5 : 2);
	if (rank == 0) {
		send(1, SIZE_B);
		compute("after", 1);
	} else {
		recv(0, SIZE_B);
	}
}

/* Rank 0 computes 2 s and puts 1 MB into rank 1, which waits for it in a fence. */
static void put(void)
{
	MPI_Win win;

	MPI_Win_create(buffer, SIZE_B, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	MPI_Win_fence(0, win);
	compute("before", rank == 0 ? 2 : 1);
	if (rank == 0)
		MPI_Put(buffer, SIZE_B, MPI_BYTE, 1, 0, SIZE_B, MPI_BYTE, win);
	MPI_Win_fence(0, win);
	MPI_Win_free(&win);
}

/* Rank 1 asks for a lock that rank 0 gives back after 3 s, and nothing else is waited for. */
static void locked(void)
{
	MPI_Win win;

	MPI_Win_create(buffer, SIZE_B, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	if (rank == 1)
		compute("before", 2);
	MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
	if (rank == 0)
		compute("before", 3);
	MPI_Win_unlock(0, win);
	if (rank == 0)
		compute("after", 3);
	MPI_Win_free(&win);
}

/* Each rank writes to a file of its own, and again while it computes; then the one sends what the
 * other waits for. */
static void files(void)
{
	char path[] = "waits-0.bytes";
	MPI_Request request;
	MPI_File fh;

	path[6] = (char)('0' + rank);
	MPI_File_open(MPI_COMM_SELF, path,
		      MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
		      &fh);
	MPI_File_write_at(fh, 0, buffer, SIZE_B, MPI_BYTE, MPI_STATUS_IGNORE);
	MPI_File_iwrite_at(fh, 0, buffer, SIZE_B, MPI_BYTE, &request);
	compute("between", 0.5);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	if (rank == 0)
		send(1, SIZE_B);
	else
		recv(0, SIZE_B);
	MPI_File_close(&fh);
}

/* Many messages, for what the analysis costs. */
static void loop(void)
{
	for (int i = 0; i < 40; i++) {
		compute("step", 1e-3);
		MPI_Barrier(MPI_COMM_WORLD);
	}
}

static void many(void)
{
	for (int i = 0; i < 2000; i++) {
		MPI_Sendrecv(buffer, 8, MPI_BYTE, (rank + 1) % n_ranks, 0, buffer + 8, 8, MPI_BYTE,
			     (rank + n_ranks - 1) % n_ranks, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		compute("step", 1e-6 * (1 + (rank * 7 + i) % 5));
	}
}

/* Rank 1 gives its node away while rank 0 computes 2 s, and computes 1 s on it again. */
static void reacquired(void)
{
	if (rank == 0) {
		compute("before", 2);
		send(1, 1);
	} else {
		mpisim_node_release();
		recv(0, 1);
		mpisim_node_acquire();
		compute("after", 1);
	}
}

/* Rank 0 computes 2 s; rank 1 does for 1 s, once rank 2 says so, after 1 s. */
static void joined(void)
{
	compute("before", rank == 0 ? 2 : rank == 2 ? 1 : 0);
	if (rank == 2)
		send(1, 0);
	if (rank == 1) {
		recv(2, 0);
		compute("after", 1);
	}
}

/* Rank 1 receives what nobody sends, rank 2 sends what nobody receives; rank 0 waits for rank 1 in a broadcast, rank 3 for all
 * in a barrier. All come at another time. */
static void stuck(void)
{
	MPI_Comm pair;

	MPI_Comm_split(MPI_COMM_WORLD, rank < 3, rank, &pair);
	compute("before", rank + 1);
	if (rank == 0)
		MPI_Bcast(buffer, 1, MPI_BYTE, 1, pair);
	else if (rank == 1)
		recv(3, 8);
	else if (rank == 2)
		MPI_Ssend(buffer, 8, MPI_BYTE, 3, 0, MPI_COMM_WORLD);
	else
		MPI_Barrier(MPI_COMM_WORLD);
}

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
    {"late_sender", late_sender},
    {"only_messages", only_messages},
    {"late_receiver", late_receiver},
    {"barrier", barrier},
    {"rooted", rooted},
    {"shared", shared},
    {"overlap", overlap},
    {"ring", ring},
    {"ahead", ahead},
    {"crossed", crossed},
    {"phases", phases},
    {"scanned", scanned},
    {"probed", probed},
    {"locked", locked},
    {"in_turn", in_turn},
    {"many", many},
    {"loop", loop},
    {"posted", posted},
    {"put", put},
    {"files", files},
    {"reacquired", reacquired},
    {"joined", joined},
    {"stuck", stuck},
};

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		if (argc > 1 && strcmp(argv[1], cases[i].name) == 0)
			cases[i].run();
	MPI_Finalize();
	return 0;
}
