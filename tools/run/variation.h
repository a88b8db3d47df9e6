/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_RUN_VARIATION_H
#define TOOLS_RUN_VARIATION_H

#include <stdbool.h>
#include <stdint.h>

#include "mtrace/reader.h"
#include "replay/replay.h"
#include "util/error.h"

/*
 * The variation that a cluster file has by default: a plain run is then the median of several runs
 * with seeds that follow --seed. The first one is the program's. The others replay what it did,
 * so that no computation is executed twice; only a program whose course depends on time, and whose
 * computation is modelled, runs again, in processes of their own.
 */
struct run;

/* Puts the cluster's variation where the options say none, and says whether the run is varied. */
void run_variation_resolve(struct run *run);

/*
 * The first run is over: makes the others, and reports the one whose time is the median. `file`:
 * the trace that is replayed; NULL: what the first run recorded. Returns the exit status.
 */
int run_variation_finish(struct run *run, struct mtrace_file *file);
/* The same of one run, which may be recorded for tools/run/reasons.h. */
int run_recorded_finish(struct run *run);
/* The trace of a run that ended well, which the caller closes. UTIL_EUNSUPPORTED: the recording was
 * given up. */
int run_recorded_open(struct run *run, struct mtrace_file **out, struct util_error *err);

/* A world that replays `file` with the run's options and `seed`, in run->world and run->mpi; the
 * run's traces observe it (run->summary alone with `only_time`). */
int run_replay_create(struct run *run, struct mtrace_file *file, int64_t seed, bool only_time,
		      struct replay **out, struct util_error *err);

/* One more run of the same, by replay: init, run_replay_create with twin->run, go, finish. */
struct run_twin;
void run_twin_init(struct run_twin *twin, const struct run *first);
/* Errors: UTIL_EPROGRAM for a replay that does not end well. After an interrupt twin->run.signal is
 * set. */
int run_twin_go(struct run_twin *twin, struct util_error *err);
void run_twin_finish(struct run_twin *twin);

#endif
