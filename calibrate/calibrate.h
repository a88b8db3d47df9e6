/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CALIBRATE_H
#define CALIBRATE_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "samples.h"
#include "util/error.h"

/*
 * The measuring part of mpisim-calibrate: an MPI program, the same source under every library and
 * in the simulator. All ranks walk through the probes together; rank 0 drives, decides and keeps
 * the samples.
 */
struct settings {
	const char *output;  /* cluster file to write; NULL: none */
	const char *samples; /* file for all samples; NULL: none */
	const char *check;   /* cluster file to compare with what is measured; NULL: none */
	const char *times;   /* table of times to write, in the place of all others; NULL: none */
	const char *plot;    /* directory for pictures; NULL: none */
	const char *storage; /* directory on the storage that is measured; NULL: none is */
	bool spawns;	     /* measures how long processes take to start */
	double budget_s;     /* measure about that long */
	double tolerance;    /* enough when the median's interval is within ± this fraction */
	int64_t max_size_B;  /* largest message */
	int n_transfers; /* CPU cost for 0 … this many transfers each way; -1: as many as there are
			    other nodes */
	int cores;	 /* of a node; 0: find out */
	double window_s; /* one measurement of CPU cost, about */
	bool is_quick;
	/* samples whose probes run again, in the simulator; NULL: none */
	const char *replay;
};

struct cal {
	struct settings settings;
	char *program;		/* argv[0] */
	struct samples samples; /* rank 0 */
	/* A replay makes the same decisions as the run that it repeats: by what that one measured. */
	bool is_replay;
	struct samples measured; /* rank 0, in a replay */
	/* who is where */
	int rank, n_ranks, n_nodes;
	int *node;     /* [n_ranks] */
	int *leader;   /* [n_nodes]: the first rank of each */
	int *place;    /* [n_ranks]: how many ranks of its node come before it */
	int n_here;    /* ranks on the node of rank 0 */
	int far, near; /* partner of rank 0 on another node, on its own; -1: there is none */
	int subject;   /* enum where: what is between nodes, or, of one node only, within it */
	bool *is_used; /* [n_nodes²], by source, then destination: carried something large */
	char host[MPI_MAX_PROCESSOR_NAME + 1];
	bool is_simulated;
	char *send_buf, *recv_buf; /* settings.max_size_B each */
	/* what later probes need to know, the same on every rank */
	double resolution_s;  /* of MPI_Wtime */
	double empty_s[2];    /* an empty message, one way; indexed by enum where */
	double per_byte_s[2]; /* of the largest messages */
	int64_t largest_B[2]; /* that was measured */
	double spared_s; /* what links save up in a rest, about, if that is more than they regain in
			    a game of ping-pong; else 0 */
	double recv_overhead_s, recv_per_B_s; /* of what is there before it is asked for; by size
						 after probe_eager */
	double send_overhead_s, send_per_B_s; /* likewise */
	double unattended_s; /* so long a large message goes on whose sender computes; INFINITY: to
				its end */
	double queue_s;	     /* of a large message, before what its node sends next */
	double request_B;    /* comes with a rendezvous' request at most */
	bool is_ordered;     /* a short message does not pass a long one */
	bool has_packets;
	bool is_latency_shared; /* latencies take links */
	int64_t
	    threshold_B; /* the largest eager message; INT64_MAX: all measured are; -1: none is */
	/* time */
	double begin_s, group_end_s;
	double from, to, until; /* of the budget: the part of what comes next, its own end */
	const char *group;
	int points_left; /* in the group */
	/* Rank 0 alone. Launchers may pass stderr on through a pipe. */
	enum { NO_PROGRESS, ON_TERMINAL, BY_LINES } progress;
};

/* world.c */
void cal_world_init(struct cal *cal);
void cal_world_finish(struct cal *cal);
int cal_partner(const struct cal *cal, int where);
/* A connection between nodes that has carried nothing large yet, to use: the ranks at its ends.
 * False: there are none. */
bool cal_new_connection(struct cal *cal, int ranks[2]);

/* load.c: computation that takes time: charged in the simulator, a loop elsewhere. */
void load_init(struct cal *cal);
void load_compute(double seconds);
/* A pause that leaves the CPU and MPI alone. */
void load_pause(double seconds);

/* repeat.c */
typedef double (*cal_measure_fn)(struct cal *cal, void *context);
/* The next group of probes; n_points calls of cal_repeat follow. */
void cal_group(struct cal *cal, const char *name, int n_points);
bool cal_is_over(const struct cal *cal); /* the group's time */
/* At rank 0; memory that is out ends the run. */
void cal_keep(struct cal *cal, const char *name, int where, int64_t x, int64_t y, double value);
void cal_fact(struct cal *cal, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/*
 * Measures until the median is known well enough or the point's share of the time is spent. All
 * ranks call it and all measure; rank 0's values count; NAN ends it, it could not be measured.
 * Returns the median on all ranks; in a replay the measured one, or NAN at once if there is none.
 */
double cal_repeat(struct cal *cal, const char *name, int where, int64_t x, int64_t y,
		  cal_measure_fn measure, void *context);
/* What later decisions are made by, at rank 0: in a replay, what was measured; n = 0: nothing. */
struct summary cal_summary(const struct cal *cal, const char *name, int where, int64_t x, int64_t y);
/* A fact of the run that is replayed, as a number; at rank 0. */
double cal_measured_fact(const struct cal *cal, const char *name, double otherwise);
void cal_progress_end(const struct cal *cal);
/* Rank 0's value on all ranks. */
double cal_share(double value);
/* The same of a whole number, while the others sleep: ranks that poll would disturb what rank 0
 * does, or what comes next. */
void cal_share_asleep(const struct cal *cal, int *value);
/* Of a message of that size, about, before it is measured. */
double cal_estimate(const struct cal *cal, int where, int64_t size_B);
/* The smaller of two sizes. */
int64_t smaller(int64_t a, int64_t b);
/* Whether something holds of a size, on all ranks; negative: nobody needs to know any more. */
typedef int (*cal_holds_fn)(struct cal *cal, int64_t size_B, void *context);
/* The first size, in whole units, of which it holds, of those behind low_B, up to high_B. */
int64_t cal_bisect(struct cal *cal, int64_t low_B, int64_t high_B, int64_t unit_B,
		   cal_holds_fn holds, void *context);
/* The same of sizes that double from first_B on, up to most_B; -1: it holds of none. */
int64_t cal_find(struct cal *cal, int64_t low_B, int64_t first_B, int64_t most_B, int64_t unit_B,
		 cal_holds_fn holds, void *context);

/*
 * pattern.c: what each rank of a probe does, a step after the other. Ranks are 0, its partner and a
 * third one; a digit behind a letter says with which of them.
 *   S R  send, receive size_B bytes        I J  start to, as a request that is under way
 *   s r  i j  the same of nothing          B D  the same as S R of one byte
 *   T U  as S R, not to be taken for them  y k  synchronous sends of nothing: blocking, a request
 *   w W  wait for the last request, for all of them
 *   M    rank 0 and that one meet: both are there and awake
 *   l L  look at the last request a few times; at other requests, which are complete
 *   b e  the clock begins; a time since it did, divided by what stands behind it
 *   f p c  look for the last request, pause, compute for as long as stands behind it
 *   Q q  ask for a message, for the last request: in the place of a time, whether the answer is no
 *   ( )  what is between them, as often as a number behind the bracket says, or else n times
 * What stands behind a letter is a colon and multiples, added: of S and B, the times of an empty
 * message and of the bytes of this one, t and h, which the caller says, g, what links spare, n, or
 * m, milliseconds.
 */
enum { PATTERN_RANKS = 3, PATTERN_TIMES = 4 };
struct probe {
	const char *name; /* of its samples */
	const char *steps[PATTERN_RANKS];
	int timed_by; /* whose first time it is; the others are told it if it is not rank 0's */
};
extern const struct probe probe_table[]; /* in probes.c, found by name */

/* What one measurement varies. */
struct exchange {
	int where; /* enum where */
	int64_t size_B, y;
	int n;
	double time_s, begin_s;	       /* t, h */
	int ranks[PATTERN_RANKS];      /* all 0: 0, its partner, the first of the third node */
	double times_s[PATTERN_TIMES]; /* taken by this rank */
};
void exchange_run(struct cal *cal, const char *name, struct exchange *point);
/* Measures the first time again and again, by size and y. */
double exchange_repeat(struct cal *cal, const char *name, struct exchange point);

/* probe_together.c: transfers at once, between first ranks of nodes. */
enum { MOST_FLOWS = 64 };
struct flows {
	int n, n_sharing;			  /* that share a link */
	int source[MOST_FLOWS], dest[MOST_FLOWS]; /* ranks */
	int64_t sizes_B[MOST_FLOWS];		  /* those to one rank have one size */
};
/*
 * All ranks start their ends of them behind a barrier, at *begin; how many requests: receives, in
 * this order, then sends. Where messages of a pair follow each other, the answer to a request must
 * not come behind the bulk that goes the same way: of ranks that have both ways the late one (-1:
 * none) has all requests before it sends its own, and answers behind that to the same rank.
 */
int flows_start(const struct cal *cal, const struct flows *flows, int late, MPI_Request *requests,
		int *n_receives, double *begin);

/* The probes; main.c has their order, docs/calibration-reference.md says what each does. */
void probe_clock(struct cal *cal);
void probe_universe(struct cal *cal); /* asks only */
typedef void cal_probe_fn(struct cal *cal, int where);
cal_probe_fn probe_sizes, probe_overhead, probe_eager, probe_overhead_by_size, probe_protocol,
    probe_rest, probe_ends, probe_breaks, probe_rested, probe_trains, probe_packets, probe_used,
    probe_send_buffer, probe_sharing, probe_cores, probe_cpu_cost, probe_spawn, probe_rma,
    probe_storage, probe_collectives, probe_variation;

/* probe_spawn.c: this process was spawned by another one of this program, and what it does then. */
#define SPAWN_CHILD "--spawned"
bool spawn_is_child(int argc, char **argv);
void spawn_child(void);

/* One way, half of a round trip, of size_B bytes; measured at rank 0. For points that others ask
 * for. */
double probe_one_way(struct cal *cal, int where, int64_t size_B);

/* At the end, on rank 0: fits and writes, or compares; which one meson chooses. The exit status. */
int cal_conclude(const struct settings *settings, const struct samples *samples);

/* measure_times.c: settings.times in the place of all probes. The exit status. */
enum { TIMES_LARGEST_B = 1 << 20 };
int measure_times(struct cal *cal);

/* launcher.c */
/* Ends this process at once with a word, from a signal's handler or beside a call that does not
 * return. */
_Noreturn void launcher_leave(int code, const char *text);
/* From now on this process ends, with exit code 1, when the one that started it does.
 */
void launcher_watch(void);
/* After success, before MPI_Finalize, on all ranks: under MPICH and its launcher they leave without
 * it; else a process that it keeps for some seconds ends, with exit code 0, and rank 0 says so. */
void launcher_end(int rank);

/* options.c */
enum verdict { GO_ON, HELP_SHOWN, WRONG };
enum verdict cal_options(int argc, char **argv, int rank, struct settings *settings);

#endif
