/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What making communicators takes: docs/model.md §11. Allreduces are by recursive doubling,
 * broadcasts down a chain, allgathers around a ring, reduce-scatters of blocks by recursive
 * halving, as meson.build asks for.
 */
#include "tests/mpi/times/times.h"

#define WORLD MPI_COMM_WORLD
#define NO_STATUS MPI_STATUS_IGNORE
#define INT ((int)sizeof(int))

/* n ints, among four ranks and among two. */
#define ALLREDUCE_4(n) (2 * X((n)*INT))
#define ALLREDUCE_2(n) X((n)*INT)
#define ALLGATHER_4(n) (3 * X((n)*INT))
#define ALLGATHER_2(n) X((n)*INT)

static bool is_leader; /* rank 0 or 2 */

/* --- from intracommunicators --- */

static void duplicates(void)
{
	MPI_Request request;
	MPI_Comm made;

	times_together();
	TAKES(ALLREDUCE_4(1), MPI_Comm_dup(WORLD, &made));
	times_together();
	TAKES(0, MPI_Comm_free(&made));
	TAKES(ALLREDUCE_4(1), MPI_Comm_dup_with_info(WORLD, MPI_INFO_NULL, &made));
	MPI_Comm_free(&made);
	times_together();
	TAKES(OS, MPI_Comm_idup(WORLD, &made, &request));
	ENDS(ALLREDUCE_4(1), MPI_Wait(&request, NO_STATUS));
	MPI_Comm_free(&made);
	times_together();
	TAKES(OS, MPI_Comm_idup_with_info(WORLD, MPI_INFO_NULL, &made, &request));
	ENDS(ALLREDUCE_4(1), MPI_Wait(&request, NO_STATUS));
	MPI_Comm_free(&made);
}

static void parts(void)
{
	MPI_Group world, group;
	MPI_Comm made;

	times_together();
	TAKES(ALLGATHER_4(2), MPI_Comm_split(WORLD, times_rank % 2, 0, &made));
	MPI_Comm_free(&made);
	times_together();
	TAKES(ALLGATHER_4(2),
	      MPI_Comm_split_type(WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &made));
	MPI_Comm_free(&made);
	MPI_Comm_group(WORLD, &world);
	MPI_Group_incl(world, 2, (int[]){0, 1}, &group);
	times_together();
	TAKES(ALLREDUCE_4(1), MPI_Comm_create(WORLD, group, &made)); /* members or not */
	if (times_rank < 2)
		MPI_Comm_free(&made);
	/* up and down a binomial tree: 1 to 0, 3 to 2, 2 to 0, and back, 2 before 1 */
	times_together();
	ENDS(times_rank == 0   ? 2 * X(INT) + 2 * OS
	     : times_rank == 2 ? 3 * X(INT) + OS
	     : times_rank == 1 ? 3 * X(INT) + OS
			       : 4 * X(INT),
	     MPI_Comm_create_group(WORLD, world, 0, &made));
	MPI_Comm_free(&made);
	MPI_Group_free(&group);
	MPI_Group_free(&world);
}

static void topologies(void)
{
	const int all[] = {1, 2, 3, 4}, edges[] = {1, 2, 3, 0};
	int next = (times_rank + 1) % N_RANKS, before = (times_rank + 3) % N_RANKS;
	int partner = times_rank ^ 1;
	MPI_Comm made, row;

	times_together();
	TAKES(ALLREDUCE_4(1), MPI_Cart_create(WORLD, 2, (int[]){2, 2}, (int[]){0, 0}, 0, &made));
	times_together();
	TAKES(ALLGATHER_4(2), MPI_Cart_sub(made, (int[]){1, 0}, &row));
	MPI_Comm_free(&made);
	MPI_Comm_free(&row);
	times_together();
	TAKES(ALLREDUCE_4(1), MPI_Graph_create(WORLD, N_RANKS, all, edges, 0, &made));
	MPI_Comm_free(&made);
	times_together();
	TAKES(ALLREDUCE_4(1),
	      MPI_Dist_graph_create_adjacent(WORLD, 1, &before, MPI_UNWEIGHTED, 1, &next,
					     MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made));
	MPI_Comm_free(&made);
	/* each names an edge of its partner to itself: two numbers to all, both ends to the
	 * partner, then the communicator */
	times_together();
	TAKES(X(2 * 2 * INT) + X(2 * INT) + X(2 * 2 * INT) + ALLREDUCE_4(1),
	      MPI_Dist_graph_create(WORLD, 1, &partner, (int[]){1}, &partner, MPI_UNWEIGHTED,
				    MPI_INFO_NULL, 0, &made));
	MPI_Comm_free(&made);
}

/* --- between two groups: 0, 1 and 2, 3 --- */

/* The leader has it OS after it began to tell, the other one when it has arrived. */
#define TOLD(n) (is_leader ? OS : X((n)*INT))

static void between_groups(void)
{
	int peer = times_rank < 2 ? 2 : 0, high = times_rank >= 2;
	MPI_Comm half, inter, made;
	MPI_Request request;
	MPI_Group group;

	MPI_Comm_split(WORLD, times_rank / 2, 0, &half);
	times_together();
	/* leaders swap two ints, then two members; each tells three ints, then the two members */
	ENDS(X(2 * INT) + X(2 * INT) + (is_leader ? 2 * OS : X(3 * INT) + OR),
	     MPI_Intercomm_create(half, 0, WORLD, peer, 0, &inter));
	times_together();
	/* each group agrees, the leaders swap what it came to, and tell it */
	ENDS(ALLREDUCE_2(2) + X(INT) + TOLD(1), MPI_Intercomm_merge(inter, high, &made));
	MPI_Comm_free(&made);
	times_together();
	/* reduced in each group, exchanged, broadcast */
	ENDS(2 * X(INT) + TOLD(1), MPI_Comm_dup(inter, &made));
	MPI_Comm_free(&made);
	times_together();
	MPI_Comm_idup(inter, &made, &request);
	ENDS(2 * X(INT) + TOLD(1), MPI_Wait(&request, NO_STATUS));
	MPI_Comm_free(&made);
	times_together();
	/* colours and keys: gathered in each group, swapped, told */
	ENDS(ALLGATHER_2(2) + X(4 * INT) + TOLD(4), MPI_Comm_split(inter, 0, 0, &made));
	MPI_Comm_free(&made);
	MPI_Comm_group(inter, &group);
	times_together();
	/* sizes swapped and told, then members: the leader does not wait to be heard */
	ENDS(X(INT) + OS + X(2 * INT) + TOLD(2), MPI_Comm_create(inter, group, &made));
	MPI_Comm_free(&made);
	MPI_Group_free(&group);
	MPI_Comm_free(&inter);
	MPI_Comm_free(&half);
}

/* --- without a parent --- */

static void from_groups(void)
{
	int own[2] = {times_rank / 2 * 2, times_rank / 2 * 2 + 1},
	    others[2] = {2 - own[0], 3 - own[0]};
	MPI_Group world, mine, theirs;
	MPI_Comm made;

	MPI_Comm_group(WORLD, &world);
	MPI_Group_incl(world, 2, own, &mine);
	MPI_Group_incl(world, 2, others, &theirs);
	times_together();
	TAKES(ALLREDUCE_4(1), MPI_Comm_create_from_group(world, "times", MPI_INFO_NULL,
							 MPI_ERRORS_ARE_FATAL, &made));
	MPI_Comm_free(&made);
	times_together();
	/* a communicator of each group, one of the leaders, then as MPI_Intercomm_create */
	ENDS(ALLREDUCE_2(1) + ALLREDUCE_2(1) + X(2 * INT) + X(2 * INT) +
		 (is_leader ? 2 * OS : X(3 * INT) + OR),
	     MPI_Intercomm_create_from_groups(mine, 0, theirs, 0, "times", MPI_INFO_NULL,
					      MPI_ERRORS_ARE_FATAL, &made));
	MPI_Comm_free(&made);
	MPI_Group_free(&mine);
	MPI_Group_free(&theirs);
	MPI_Group_free(&world);
}

int main(int argc, char **argv)
{
	TAKES(0, MPI_Init(&argc, &argv));
	times_begin("communicators");
	is_leader = times_rank % 2 == 0;
	duplicates();
	parts();
	topologies();
	between_groups();
	from_groups();
	return times_end();
}
