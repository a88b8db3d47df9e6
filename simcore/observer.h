/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SIMCORE_OBSERVER_H
#define SIMCORE_OBSERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "simcore/tally.h"
#include "simcore/time.h"

/*
 * What pdexec and mpi tell those who observe a run: traces, replay, the recording of mpi. Strings
 * are borrowed and live as long as the run: compare them by pointer. Ranks are ranks of
 * MPI_COMM_WORLD. Times are simulated. Records of one rank come in the order of their end times.
 */
struct sim_record_compute { /* one computation step that ended, or the share of it that one kernel
			       has */
	int rank;
	const char *kernel; /* NULL: not annotated */
	sim_time_ps begin, end;
	double useful_s; /* its time on one otherwise idle core of its node */
	double stolen_s; /* how much longer it took because communication used the CPU */
	double shared_s; /* … because other ranks computed on the node */
	bool is_offloaded; /* it launched work of its accelerator, or waited for it; a mark follows
			      by sim_causes.taken */
};

struct sim_record_offloaded { /* a piece of work of a stream of the rank's accelerator that ended */
	int rank;
	const char *kernel; /* "(copy)": it is one */
	sim_time_ps begin, end;
};

struct sim_record_call { /* one MPI call that ended */
	int rank;
	const char *function; /* "MPI_Send" */
	const void *site;     /* return address in the application */
	sim_time_ps begin, end;
	sim_time_ps waiting; /* of end - begin: blocked while no transfer for it was under way; the
				rest is communicating */
};

struct sim_record_message { /* one point-to-point message that was received; collectives' own
			       messages too */
	int source, dest, tag;
	int64_t size_B;
	sim_time_ps sent;     /* the send was called */
	sim_time_ps started;  /* its bulk transfer entered the network */
	sim_time_ps arrived;  /* its last byte arrived */
	sim_time_ps received; /* the receive completed */
	int in_collective;
};

/*
 * Who waits for whom, for whoever explains a run. Members that a listener leaves NULL are not told
 * to it. Without a listener nothing is paid. Calls come in the order of simulated time.
 *
 * A `token` stands for a message from its launch to its end: what message_begin returned; NULL when
 * memory ran out, and then nobody calls for it. `rank` is whoever acts on its fiber, -1: the step
 * follows at once from the message's last one. A `mark` is a point on the clock of an ideal
 * network, ps: it is handed on from who knows it to who waits for it. Of several listeners, the
 * first with `mark` says the marks, and all others are told those.
 */
struct sim_cause_place { /* a rank in an MPI call */
	int rank;
	const char *function;
	const void *site;
};

struct sim_cause_message {
	struct sim_cause_place sender;
	int dest;
	int64_t size_B;
	sim_time_ps sent; /* the send was called */
	int in_collective;
	int level; /* that its ranks have in common (cluster/levels.h); -1: they are on two nodes */
};

struct sim_cause_collective { /* a rank enters a blocking collective */
	struct sim_cause_place place;
	uint32_t comm;	       /* the same number on all its ranks, that of no other in the run */
	const char *comm_name; /* borrowed for the call */
	uint32_t sequence;     /* of the collectives of the communicator */
	int n_ranks, rank;     /* of the communicator */
	int root;	       /* who all others wait for, or who waits for all; -1: none */
	enum sim_collective_shape {
		SIM_COLLECTIVE_ALL,  /* nobody leaves before all have entered */
		SIM_COLLECTIVE_FROM, /* … before the root has */
		SIM_COLLECTIVE_TO,   /* the root does not leave before all have entered */
		SIM_COLLECTIVE_SCAN, /* … before all of lower rank have */
	} shape;
};

/* What a collective by formula takes after its last dependence, instead of messages. */
struct sim_cause_formula {
	int n_transfers,
	    n_intra_transfers; /* empty messages one after the other: between nodes, within one */
	int64_t size_B;	       /* that cross the busiest link */
	int is_within_node;    /* it is none between nodes */
};

struct sim_causes {
	void *context;
	void *(*message_begin)(void *context, const struct sim_cause_message *message,
			       sim_time_ps now);
	/* A transfer of the message enters the network; is_back: from the receiver's node to the
	 * sender's. */
	void (*transfer_begin)(void *context, void *token, int rank, int is_back, sim_time_ps now);
	/* … has moved `size_B` bytes: all (is_end), or so many and goes on. */
	void (*transfer_end)(void *context, void *token, int64_t size_B, int is_end,
			     sim_time_ps now);
	/* It was held back behind `other`, which is delivered now. */
	void (*follow)(void *context, void *token, void *other, sim_time_ps now);
	/* `posted`: the mark of the receive. */
	void (*matched)(void *context, void *token, int rank, int64_t posted, sim_time_ps now);
	/* What `rank` may wait for has happened to the message. Returns its mark. */
	int64_t (*released)(void *context, void *token, int rank, sim_time_ps now);
	void (*message_end)(void *context, void *token);
	int64_t (*mark)(void *context, int rank, sim_time_ps now); /* of the rank, now */
	/* The rank goes on knowing what has this mark. */
	void (*taken)(void *context, int rank, int64_t mark, sim_time_ps now);
	void (*block)(void *context, int rank);
	void (*resume)(void *context, const struct sim_cause_place *place, sim_time_ps begin,
		       sim_time_ps now);
	/* CPU overhead of `size_B` bytes of a message, on the rank's own fiber. */
	void (*overhead)(void *context, const struct sim_cause_place *place, int is_send,
			 int64_t size_B, sim_time_ps begin, sim_time_ps now);
	/*
	 * A formula begins as the rank at `place` enters, a token as of a message; for each rank
	 * that waited for it, it ends `now`.
	 */
	void *(*formula_begin)(void *context, const struct sim_cause_place *place, sim_time_ps now);
	void (*formula_end)(void *context, void *token, const struct sim_cause_formula *formula,
			    int rank, sim_time_ps now);
	/*
	 * Work of an accelerator is done, whose token is formula_begin's of the rank that handed it
	 * over. It began as that of `after` was done; NULL: as it was handed over, or nothing but
	 * the token becomes what `after` is (kernel NULL). Then: the rank goes on because of it.
	 */
	void (*worked)(void *context, void *token, const void *after, const char *kernel,
		       sim_time_ps now);
	void (*awaited)(void *context, int rank, const void *token);
	/* An access of the rank to a file is over. */
	void (*accessed)(void *context, int rank, sim_time_ps now);
};

/* What is charged to a rank, before it becomes a computation step. */
enum { SIM_CHARGE_MEASURED = 1, SIM_CHARGE_SKIPPED = 2, SIM_CHARGE_MEMORY = 4 }; /* enum mtrace_charge */

struct sim_record_charge {
	int rank;
	const char *kernel; /* NULL: not annotated */
	int n_params;
	const double *params; /* [n_params], borrowed for the call */
	double seconds;	      /* before scale factors */
	int flags;	      /* SIM_CHARGE_… */
};

/* Memory that a computation says it accesses (mpisim_touch). */
enum { SIM_TOUCH_READ = 1, SIM_TOUCH_WRITE = 2 }; /* MPISIM_READ, MPISIM_WRITE */

struct sim_touch_run { /* bytes without a hole */
	uintptr_t at;
	uint64_t size_B;
};

struct sim_record_touch {
	int rank;
	const void *site;
	const char *kernel; /* that is open, interned; NULL: none */
	int use;	    /* SIM_TOUCH_… */
	/* 0 … 1: when it is first accessed, of the kernel, or without one of what is computed from
	 * the MPI call before to the next one */
	double fraction;
	const struct sim_touch_run *runs; /* [n_runs], in the order of the datatype; borrowed for
					     the call */
	size_t n_runs;
};

/* One observer: a function for each event that it wants, NULL for the others. */
struct sim_observer {
	void *context;
	void (*compute)(void *context, const struct sim_record_compute *record);
	void (*offloaded)(void *context, const struct sim_record_offloaded *record);
	void (*call)(void *context, const struct sim_record_call *record);
	void (*message)(void *context, const struct sim_record_message *record);
	void (*phase)(void *context, int rank, const char *name, int is_begin, sim_time_ps now);
	void (*node_release)(void *context, int rank, sim_time_ps now);
	void (*node_acquire)(void *context, int rank, sim_time_ps now); /* after a release */
	void (*rank_end)(void *context, int rank, sim_time_ps now);
	/* A rank is added to the run, which begins on `node` now: behind all others. `parent` waits
	 * for it. */
	void (*rank_begin)(void *context, int rank, int parent, int node, sim_time_ps now);
	void (*collective)(void *context, const struct sim_cause_collective *entered,
			   sim_time_ps now);
	/* On the rank's fiber. */
	void (*charge)(void *context, const struct sim_record_charge *record);
	void (*accelerator)(void *context, int rank); /* the rank is about to use its accelerator */
	void (*touch)(void *context, const struct sim_record_touch *record);
	void (*clock)(void *context, int rank, const void *site); /* the program read a clock */
	void (*sleep)(void *context, int rank, const void *site, sim_time_ps duration);
	const struct sim_causes *causes; /* borrowed; from before the run until its end */
	/* Borrowed. Calls and messages may be added up there instead of being told one by one, and
	 * are when no other observer wants them. */
	struct sim_tally *tally;
};

/* All who observe a run, in the order in which they are told. */
enum { SIM_MOST_OBSERVERS = 8 };

enum sim_observed { /* which events somebody wants; the others are told to all */
		    SIM_OBSERVED_COMPUTE = 1,
		    SIM_OBSERVED_CALL = 2,
		    SIM_OBSERVED_MESSAGE = 4,
		    SIM_OBSERVED_PHASE = 8,
		    SIM_OBSERVED_NODE = 16,
		    SIM_OBSERVED_RANK = 32,
		    SIM_OBSERVED_COLLECTIVE = 64,
};

/* Several listeners of causes as one, or one that does not want all. */
struct sim_causes_fan {
	const struct sim_causes *of[SIM_MOST_OBSERVERS];
	int n;
	struct sim_causes causes; /* tells all of them */
};

struct sim_observers { /* all zero: nobody; it must not be copied but by sim_observers_copy */
	struct sim_observer of[SIM_MOST_OBSERVERS];
	int n;
	unsigned int wanted;		 /* enum sim_observed */
	const struct sim_causes *causes; /* has all members; NULL: nobody asks */
	struct sim_causes_fan fan;
	struct sim_tally *tally; /* NULL: calls and messages are told one by one */
};

/* Copies `observer`; behind the others. Room for SIM_MOST_OBSERVERS is the caller's concern. */
void sim_observers_add(struct sim_observers *observers, const struct sim_observer *observer);
/* Takes away the one with this context, if there is one. */
void sim_observers_remove(struct sim_observers *observers, const void *context);
/* To observers that are all zero. */
void sim_observers_copy(struct sim_observers *to, const struct sim_observers *from);

/* A further listener; what tells it and all before it. */
const struct sim_causes *sim_causes_fan_add(struct sim_causes_fan *fan,
					    const struct sim_causes *listener);

/* Tell all who want it. O(observers). */
void sim_tell_compute(const struct sim_observers *to, const struct sim_record_compute *record);
void sim_tell_offloaded(const struct sim_observers *to, const struct sim_record_offloaded *record);
void sim_tell_call(const struct sim_observers *to, const struct sim_record_call *record);
void sim_tell_message(const struct sim_observers *to, const struct sim_record_message *record);
void sim_tell_phase(const struct sim_observers *to, int rank, const char *name, int is_begin,
		    sim_time_ps now);
void sim_tell_node_release(const struct sim_observers *to, int rank, sim_time_ps now);
void sim_tell_node_acquire(const struct sim_observers *to, int rank, sim_time_ps now);
void sim_tell_rank_end(const struct sim_observers *to, int rank, sim_time_ps now);
void sim_tell_rank_begin(const struct sim_observers *to, int rank, int parent, int node,
			 sim_time_ps now);
void sim_tell_collective(const struct sim_observers *to, const struct sim_cause_collective *entered,
			 sim_time_ps now);
void sim_tell_charge(const struct sim_observers *to, const struct sim_record_charge *record);
void sim_tell_accelerator(const struct sim_observers *to, int rank);
void sim_tell_touch(const struct sim_observers *to, const struct sim_record_touch *record);
void sim_tell_clock(const struct sim_observers *to, int rank, const void *site);
void sim_tell_sleep(const struct sim_observers *to, int rank, const void *site,
		    sim_time_ps duration);

#endif
