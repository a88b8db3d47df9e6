/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_RECORD_RECORD_H
#define MPI_RECORD_RECORD_H

#include "mpi/core/rank.h"

/*
 * Records a run as a trace (docs/trace-format.md). The program's calls are bound to generated
 * functions that note their arguments around the real ones, so a run that is not recorded pays
 * nothing. How to add a function: mpi/record/README.md.
 */
struct mpi_record;

/* What the program gets for the MPI function `name`: config->substitute of a run that is recorded;
 * NULL: no description. */
void *mpi_record_substitute(const char *name);

/*
 * Starts recording `world`, before its ranks run; sets world->record and observes the run. `provenance`: see
 * mtrace_writer_create. path NULL: to the
 * open file `fd`, the caller's, of at most `limit_B`, and what cannot be recorded ends the recording
 * instead of the run. Errors: UTIL_EUNSUPPORTED for runs of several programs; those of
 * mtrace_writer_create.
 */
int mpi_record_create(struct mpi_world *world, const char *path, int fd, uint64_t limit_B,
		      const char *provenance, struct mpi_record **out, struct util_error *err);
/* Records also which memory calls use and computation accesses (mpisim_touch), before the ranks run. */
void mpi_record_memory(struct mpi_record *record);
/* The same, and which pages of the buffers of messages computation accesses first, in a program that says nothing of it;
 * it has to compute. Errors: UTIL_ENOMEM. */
int mpi_record_touches(struct mpi_record *record, struct util_error *err);
/* Ends a recording in memory, not the run, after so many tests and probes that found nothing: each is
 * a step of its own there, which delays the others more than it does without a recording. */
void mpi_record_limit_polls(struct mpi_record *record, uint64_t most);
/* The run has ended as it should: completes the file. `with_sites`: helper processes find the
 * source lines of calls, else their places are "#0", "#1", … for mpi_record_describe. Errors: UTIL_ESYSTEM, UTIL_ENOMEM. */
int mpi_record_close(struct mpi_record *record, bool with_sites, struct util_error *err);
/* The source line of place `number`, "heat.c:20 (main)", by a helper process; of a recording that is closed. */
void mpi_record_describe(const struct mpi_record *record, uint32_t number, char *buf, size_t size);
/* Who called the function that it is in when it was first reached, up to main: "solve.c:9 (solve), main.c:30 (main)";
 * "": unknown, or main itself. */
void mpi_record_describe_callers(const struct mpi_record *record, uint32_t number, char *buf,
				 size_t size);
/* Why a recording to `fd` ended before the run; NULL: it did not. */
const char *mpi_record_given_up(const struct mpi_record *record);
/* NULL is fine. Without mpi_record_close no file is left. */
void mpi_record_destroy(struct mpi_record *record);

/* A call that did not come through a generated function: ends the run, or a recording in memory. */
void mpi_record_refuse(struct mpi_rank *me, const char *function, const void *site);

#endif
