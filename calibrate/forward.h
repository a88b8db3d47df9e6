/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CALIBRATE_FORWARD_H
#define CALIBRATE_FORWARD_H

#include <stdio.h>

#include "child.h"
#include "machine.h"

/*
 * The forward model: what was measured, simulated on candidates of the cluster file by the
 * mpisim-run that lies beside this program. No MPI, no GSL.
 */
enum { FORWARD_JOBS = 64 };
/* How many are simulated at once; else as many as this process has cores. */
void forward_set_jobs(int n);

struct forward_run {
	char folder[PATH_MAX]; /* for what is there meanwhile only */
	struct child_command command;
	pid_t child;
	struct util_error err; /* why it is none, if code */
};

struct forward {
	const char *known;   /* of the cluster file, beside the machine's keys */
	const char *cluster; /* the file; NULL: it is written of each machine */
	const char *refused; /* what errors of the simulator begin with; NULL: nothing */
	int n_parts;	     /* runs of each machine */
	/* What is run, behind mpisim-run's options that are the same for all. */
	void (*say)(void *context, int part, struct forward_run *run);
	/* What it left in its folder: output.txt has its standard output. Not called of one that
	 * failed. */
	void (*read)(void *context, int machine, int part, struct forward_run *run);
	void *context;
};

/* Several at once. 0, or negative: none could be had, of which *err has the last one's reason. */
int forward(const struct forward *forward, const struct machine *machines, int n_machines,
	    struct util_error *err);
/* A file in the run's folder; NULL: run->err says why. */
FILE *forward_open(struct forward_run *run, const char *name, const char *mode);
/* One more word of its command: a program of mpisim's. */
void forward_say_program(struct forward_run *run, const char *name);

#endif
