// SPDX-License-Identifier: BSD-3-Clause
#include "tools/sweep/progress.h"

#include <stdio.h>
#include <unistd.h>

#include "tools/sweep/pool.h"

#define INTERVAL_S 0.1

void sweep_progress_init(struct sweep_progress *progress, int n_all, int n_before, bool is_quiet)
{
	*progress = (struct sweep_progress){
	    .is_shown = !is_quiet && isatty(STDERR_FILENO),
	    .n_all = n_all,
	    .n_before = n_before,
	    .begin_s = sweep_host_time_s(),
	};
}

char *sweep_duration_text(double seconds, char *buf, size_t size)
{
	long minutes = (long)(seconds / 60 + 0.5);

	if (seconds < 99.5)
		snprintf(buf, size, "%.0f s", seconds);
	else if (minutes < 100)
		snprintf(buf, size, "%ld min", minutes);
	else
		snprintf(buf, size, "%ld h %ld min", minutes / 60, minutes % 60);
	return buf;
}

void sweep_progress_show(struct sweep_progress *progress)
{
	int n_there = progress->n_before + progress->n_ended, n_left = progress->n_all - n_there;
	double now_s = sweep_host_time_s();
	char left[32], failed[32] = "", time[48] = "";

	if (!progress->is_shown || now_s - progress->shown_s < INTERVAL_S)
		return;
	progress->shown_s = now_s;
	if (progress->n_failed)
		snprintf(failed, sizeof failed, ", %d failed", progress->n_failed);
	if (progress->n_ended)
		snprintf(
		    time, sizeof time, ", %s left",
		    sweep_duration_text((now_s - progress->begin_s) / progress->n_ended * n_left,
					left, sizeof left));
	fprintf(stderr, "\r\033[K%d of %d points (%d %%)%s, %d at work%s", n_there, progress->n_all,
		(int)(100.0 * n_there / progress->n_all), failed, progress->n_running, time);
	fflush(stderr);
}

void sweep_progress_finish(struct sweep_progress *progress)
{
	if (progress->is_shown && progress->shown_s > 0)
		fputs("\r\033[K", stderr);
	progress->shown_s = 0;
}
