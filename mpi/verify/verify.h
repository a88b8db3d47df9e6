/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_VERIFY_VERIFY_H
#define MPI_VERIFY_VERIFY_H

#include <stdarg.h>
#include <stdint.h>

#include "mpi/core/rank.h"

/*
 * What `mpisim-run --verify` finds. world->verify is NULL without it, and nothing of this costs
 * anything then.
 *
 * A producer (matching, deadlock, orders, leaks, memory) fills a struct mpi_finding and gives it to
 * mpi_verify_report, which copies it. Findings with the same class and the same calls, in whatever
 * rank, are one with a count. A tool reads them when the run is over (mpi_verify_finding).
 *
 *     mpi_verify_report(world, &(struct mpi_finding){
 *             .class_name = "message-race", .severity = MPI_FINDING_ERROR,
 *             .n_calls = 2, .calls = {{rank, "MPI_Recv", site}, {other, "MPI_Send", other_site}},
 *             .found = "…", .wanted = "…", .why = "…", .decisions = "race-1.json"});
 *
 * Classes are stable names, in lower case with hyphens; docs/verify*.md list them.
 */
enum mpi_verify_part {
	MPI_VERIFY_MATCHING = 1,
	MPI_VERIFY_DEADLOCK = 2,
	MPI_VERIFY_ORDERS = 4,
	MPI_VERIFY_LEAKS = 8,
	MPI_VERIFY_MEMORY = 16,
};
/* What --verify without a list looks for. */
#define MPI_VERIFY_DEFAULT (MPI_VERIFY_MATCHING | MPI_VERIFY_DEADLOCK | MPI_VERIFY_LEAKS)

enum mpi_finding_severity {
	MPI_FINDING_ERROR, /* the standard forbids it, or the program cannot go on */
	MPI_FINDING_WARNING, /* the program may be right, or goes on for another reason than it should */
	MPI_FINDING_NOTE, /* good to know; does not change the exit status */
};

struct mpi_finding_call {
	int rank;
	const char *function; /* "MPI_Send"; lives as long as the world */
	const void *site;     /* where the program called it; NULL: unknown */
};

#define MPI_FINDING_MAX_CALLS 8

struct mpi_finding {
	const char *class_name; /* lives as long as the world, as `why` */
	enum mpi_finding_severity severity;
	struct mpi_finding_call
	    calls[MPI_FINDING_MAX_CALLS]; /* [n_calls], the one at fault first */
	int n_calls;
	bool is_of_orders;	    /* of other runs than this: the time says nothing */
	sim_time_ps time;	    /* of simulated time; 0: mpi_verify_report fills in now */
	const char *found, *wanted; /* borrowed, copied; wanted may be NULL */
	const char *why;	    /* why it matters; may be NULL */
	const char *decisions; /* file that brings it about; borrowed, copied; NULL: any run does */
	uint64_t count;	       /* times it was found; 0: once */
};

struct mpi_verify;

/* Starts verification of `world` for `parts` (enum mpi_verify_part): before the ranks run, with
 * mpi_verify_substitute as config->substitute. 0 or UTIL_ENOMEM. */
int mpi_verify_create(struct mpi_world *world, unsigned parts);
void mpi_verify_destroy(struct mpi_verify *verify); /* NULL is fine */
/* A rank that has been spawned begins. */
void mpi_verify_add_rank(struct mpi_rank *me);
/* What the program gets for the MPI function `name`, of runs that nobody else watches; NULL: the
 * function itself. */
void *mpi_verify_substitute(const char *name);
/* The same, faster for most messages: of runs without MPI_VERIFY_MEMORY. */
void *mpi_verify_substitute_direct(const char *name);
/* The run is over, well or not: what can be said only now. Once. */
void mpi_verify_end(struct mpi_world *world);

/* Whether `part` was asked for. False without --verify. */
bool mpi_verify_wants(const struct mpi_world *world, enum mpi_verify_part part);
/* Returns which finding it is (mpi_verify_finding); -1: none. */
int mpi_verify_report(struct mpi_world *world, const struct mpi_finding *finding);
/* Adds to what was found: "…; `more`". */
void mpi_verify_add(struct mpi_world *world, int finding, const char *more);
/* The same for the call that `me` is in, with one call; `format`: what was found. */
void mpi_verify_report_here(struct mpi_rank *me, const char *class_name,
			    enum mpi_finding_severity severity, const char *wanted, const char *why,
			    const char *format, ...) __attribute__((format(printf, 6, 7)));

/* The function that sends there, "a send" where that is not known: of messages that nobody received,
 * and of all of a run with MPI_VERIFY_ORDERS. */
const char *mpi_verify_sender_at(const struct mpi_world *world, const void *site);

/* In the order in which they were found; 0 without --verify. */
int mpi_verify_n_findings(const struct mpi_world *world);
const struct mpi_finding *mpi_verify_finding(const struct mpi_world *world, int i);

/*
 * What the library itself finds wrong becomes a finding: an error that is raised (mpi/world/call.c),
 * whatever the program's error handler does with it, and the failure that ends a run, whose class
 * whoever fails may name first (world->failure_class). These are for world->verify != NULL.
 */
void mpi_verify_raised(struct mpi_rank *me, int error_class, const char *format, va_list arguments);
/* A function was entered by a call that verification did not see: a library made it. */
void mpi_verify_unseen(struct mpi_rank *me, const char *function, const void *site);
/* Of objects that are still there at MPI_Finalize (mpi/env/leaks.c). */
struct mpi_leak;
void mpi_verify_leak(struct mpi_world *world, const struct mpi_leak *leak);

#endif
