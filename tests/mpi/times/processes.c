/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What groups take that meet, and processes that are spawned: docs/model.md §9, with `spawn` of
 * times.yaml. Broadcasts go down a chain, allreduces are by recursive doubling, barriers
 * disseminations. With an argument it is what is spawned.
 */
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/mpi/times/times.h"

#define WORLD MPI_COMM_WORLD
#define NO_INFO MPI_INFO_NULL
#define INT ((int)sizeof(int))
/* Within a node. */
#define X_HERE(bytes) (OS + 500e-6 + (bytes)*0.5e-6 + OR)
/* Two roots agree, swap two ints, then the members of groups of n. */
#define MEETING(n) (X(INT) + X(2 * INT) + X((n)*INT))
/* A root tells the other one of its group of two; the first message takes `exchange`. */
#define TOLD(exchange) (times_rank % 2 == 0 ? 2 * OS : (exchange) + OR)
#define SPAWNED(n) (50e-3 + (n)*3e-3) /* on one node */

static MPI_Comm half; /* 0, 1 and 2, 3 */

static void ports(void)
{
	char port[MPI_MAX_PORT_NAME] = "";
	MPI_Comm inter;

	if (times_rank == 0)
		MPI_Open_port(NO_INFO, port);
	MPI_Bcast(port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, WORLD);
	times_together();
	if (times_rank < 2)
		TAKES(MEETING(2) + TOLD(X(3 * INT)),
		      MPI_Comm_accept(port, NO_INFO, 0, half, &inter));
	else
		TAKES(MEETING(2) + TOLD(X(3 * INT)),
		      MPI_Comm_connect(port, NO_INFO, 0, half, &inter));
	times_together();
	/* a barrier: in both groups, between their first ranks, in both */
	TAKES(2 * X(0) + (times_rank % 2 == 0 ? OS : X(0)), MPI_Comm_disconnect(&inter));
	if (times_rank == 0)
		MPI_Close_port(port);
}

/* The ends of a connection: [2]. All ranks have the descriptors of this process. */
static void connect_sockets(int ends[])
{
	struct sockaddr_in address = {.sin_family = AF_INET,
				      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof address;
	int server = socket(AF_INET, SOCK_STREAM, 0);

	times_expect("bind", bind(server, (struct sockaddr *)&address, size), 0);
	times_expect("listen", listen(server, 1), 0);
	getsockname(server, (struct sockaddr *)&address, &size);
	ends[1] = socket(AF_INET, SOCK_STREAM, 0);
	times_expect("connect", connect(ends[1], (struct sockaddr *)&address, size), 0);
	ends[0] = accept(server, NULL, NULL);
	close(server);
}

/* Nothing is sent over the socket: groups of one meet. */
static void sockets(void)
{
	int ends[2] = {-1, -1};
	MPI_Comm inter;

	if (times_rank == 0)
		connect_sockets(ends);
	MPI_Bcast(ends, 2, MPI_INT, 0, WORLD);
	times_together();
	if (times_rank < 2) {
		TAKES(MEETING(1), MPI_Comm_join(ends[times_rank], &inter));
		MPI_Comm_disconnect(&inter);
		close(ends[times_rank]);
	}
	times_together();
}

/*
 * The processes begin together, and their first one and the root meet at once: then the root has
 * sent two broadcasts, so that every other message between the two waits for the root. Here the
 * last one is from the other side.
 */
#define BORN (MEETING(2) + 2 * OS) /* the same for the others: their last one is the root's */

/* They have been waiting in their barrier, and their first rank's message is there. */
static void part(MPI_Comm inter)
{
	times_together();
	TAKES(X(0) + OS + OR + (times_rank == 0 ? OS : X(0)), MPI_Comm_disconnect(&inter));
}

static void spawns(char *program)
{
	char host[MPI_MAX_PROCESSOR_NAME] = "", *programs[] = {program, program};
	char *apart[] = {"apart", NULL}, *beside[] = {"beside", NULL},
	     **arguments[] = {beside, beside};
	MPI_Info info[2];
	MPI_Comm inter;
	int length;

	if (times_rank == 3)
		MPI_Get_processor_name(host, &length);
	MPI_Bcast(host, MPI_MAX_PROCESSOR_NAME, MPI_CHAR, 3, WORLD);
	times_together();
	if (times_rank > 1)
		return;
	/* each on a node of its own, as there are free ones */
	TAKES(SPAWNED(1) + MEETING(2) + TOLD(X(3 * INT)),
	      MPI_Comm_spawn(program, apart, 2, NO_INFO, 0, half, &inter, MPI_ERRCODES_IGNORE));
	part(inter);
	MPI_Info_create(&info[0]);
	MPI_Info_set(info[0], "host", host);
	info[1] = info[0];
	times_together();
	TAKES(SPAWNED(2) + MEETING(2) + TOLD(X(3 * INT)),
	      MPI_Comm_spawn_multiple(2, programs, arguments, (int[]){1, 1}, info, 0, half, &inter,
				      MPI_ERRCODES_IGNORE));
	part(inter);
	MPI_Info_free(&info[0]);
}

static int spawned(bool is_apart)
{
	MPI_Comm parent;
	int code;

	times_before();
	code = MPI_Init(NULL, NULL);
	times_begin("none of its own");
	times_after("MPI_Init(NULL, NULL)", code, false,
		    BORN + TOLD(is_apart ? X(3 * INT) : X_HERE(3 * INT)));
	MPI_Comm_get_parent(&parent);
	MPI_Comm_disconnect(&parent);
	return times_end();
}

int main(int argc, char **argv)
{
	if (argc > 1)
		return spawned(strcmp(argv[1], "apart") == 0);
	TAKES(0, MPI_Init(&argc, &argv));
	times_begin("processes");
	MPI_Comm_split(WORLD, times_rank / 2, 0, &half);
	ports();
	sockets();
	spawns(argv[0]);
	MPI_Comm_free(&half);
	return times_end();
}
