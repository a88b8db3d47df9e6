/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_DYNAMIC_SPAWN_H
#define MPI_DYNAMIC_SPAWN_H

#include "mpi/core/rank.h"
#include "util/error.h"

/*
 * Processes that are spawned: a job of their own, which begins some time after the root of the
 * spawning group asked for it (docs/model.md §9). Its first rank and that root meet in its
 * MPI_Init.
 */
struct mpi_info;

/* One of the commands of a spawn, as the root gives it. Borrowed. */
struct mpi_command {
	const char *name;
	char *const *arguments; /* NULL at its end; NULL: none */
	int n_max;
	const struct mpi_info *info; /* NULL: none */
};

/* What is made of it (mpi/dynamic/spawn_command.c). */
struct mpi_launch {
	char *path;	 /* of the file */
	char *directory; /* to begin in */
	char **argv;
	int *hosts; /* [n_hosts] nodes to choose from; NULL: all */
	int n_hosts;
	int n_wanted, n_ranks;
	enum mpi_errors_at_start {
		ERRORS_FATAL,
		ERRORS_ABORT,
		ERRORS_RETURN
	} errors; /* info key mpi_initial_errhandler */
};

/* One MPI_Comm_spawn or MPI_Comm_spawn_multiple; lives as long as the world. */
struct mpi_spawn {
	struct mpi_spawn *next;
	int number;		     /* from 1 */
	int root;		     /* in the world */
	struct mpi_launch *launches; /* [n_launches] */
	int n_launches, n_ranks;
	struct pd_program_config *programs; /* [n_launches] */
	int *node_of;			    /* [n_ranks] */
	struct mpi_world *world;
	struct sim_event start;
	bool has_started; /* or failed */
	int first_rank;	  /* of the job, in the world, once it has started */
	struct util_error error;
	int *codes; /* [n_wanted] for those that spawn, where it goes by stages */
	int n_wanted;
	struct mpi_spawn_stages *stages; /* NULL: the launcher has none */
};

/* Terms of the time until the new processes and those that spawned them have met. */
enum mpi_spawn_term {
	MPI_SPAWN_PUBLISH,
	MPI_SPAWN_LAUNCH,
	MPI_SPAWN_INIT,
	MPI_SPAWN_CONNECT,
	MPI_SPAWN_EXCHANGE,
	MPI_SPAWN_BROADCAST,
	MPI_N_SPAWN_TERMS
};
extern const char *const mpi_spawn_terms[MPI_N_SPAWN_TERMS]; /* "publish", … */
/* [MPI_N_SPAWN_TERMS]; NULL: the launcher has no stages. */
const sim_time_ps *mpi_spawn_times(const struct mpi_spawn *spawn);

/* --- stages of a launcher that is not `nodes` (mpi/dynamic/spawn_stages.c) --- */

/* Errors: UTIL_ENOMEM. `n_parents`: who spawn. */
int mpi_spawn_stages_create(struct mpi_spawn *spawn, int n_parents);
void mpi_spawn_stages_destroy(struct mpi_spawn_stages *stages); /* NULL is fine */
/* The processes begin. */
void mpi_spawn_stages_begin(struct mpi_spawn *spawn);
/* struct mpi_leader_link.wait, by the number of the spawn. */
void mpi_spawn_stages_wait(struct mpi_rank *me, int number, bool are_leaders);
/* In MPI_Init of a new process: it is ready to meet the others. */
void mpi_spawn_stages_init(struct mpi_rank *me, const struct mpi_spawn *spawn);
struct mpi_spawn *mpi_spawn_of_number(const struct mpi_world *world, int number);
bool mpi_spawn_has_stages(const struct mpi_world *world);

/*
 * Spawns processes; on the fiber of the root, which waits until they begin. MPI_SUCCESS with *out,
 * or an error class and `err`.
 */
int mpi_spawn(struct mpi_rank *me, const struct mpi_command commands[], int n, int n_parents,
	      struct mpi_spawn **out, struct util_error *err);
/* Root and first rank find each other, by a communicator that is the caller's to release; others get
 * what they need of `link`. */
struct mpi_leader_link;
void mpi_spawn_link(struct mpi_rank *me, const struct mpi_spawn *spawn, struct mpi_comm **pair,
		    struct mpi_leader_link *link);
/* In MPI_Init of a rank: meets those who spawned it, if any. MPI_SUCCESS or what mpi_raise
 * returned. */
int mpi_spawn_meet_parent(struct mpi_rank *me);
void mpi_spawns_destroy(struct mpi_world *world);

/*
 * Finds the file of a command, copies its arguments and reads what its info says; at most `n_left`
 * ranks can be had. MPI_SUCCESS; MPI_ERR_SPAWN, MPI_ERR_INFO_VALUE, MPI_ERR_NO_MEM with `err`. To
 * be finished whatever it returned.
 */
int mpi_launch_init(struct mpi_launch *launch, const struct mpi_rank *me,
		    const struct mpi_command *command, int n_left, struct util_error *err);
void mpi_launch_finish(struct mpi_launch *launch);

#endif
