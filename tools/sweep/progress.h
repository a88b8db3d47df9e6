/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_SWEEP_PROGRESS_H
#define TOOLS_SWEEP_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

/* One line on a terminal that says how far a sweep is; nothing elsewhere. */
struct sweep_progress {
	bool is_shown;
	int n_all, n_before; /* points of the grid; those that were there when this run began */
	int n_ended, n_failed, n_running; /* of this run */
	double begin_s, shown_s;
};

void sweep_progress_init(struct sweep_progress *progress, int n_all, int n_before, bool is_quiet);
void sweep_progress_show(struct sweep_progress *progress);
/* Takes the line away. */
void sweep_progress_finish(struct sweep_progress *progress);

/* "43 s", "12 min", "3 h 20 min". Returns `buf`. */
char *sweep_duration_text(double seconds, char *buf, size_t size);

#endif
