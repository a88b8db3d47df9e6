/* SPDX-License-Identifier: BSD-3-Clause */
/* In the simulator: GSL stays out of its process; mpisim-calibrate-fit does the rest. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "calibrate.h"

int cal_cannot_conclude(const struct settings *settings, struct util_error *err)
{
	if (settings->samples && !settings->output && !settings->check)
		return 0;
	return util_error_set(err, UTIL_EINPUT,
			      "%s in the simulator, wanted --samples FILE; then "
			      "mpisim-calibrate-fit FILE -o cluster.yaml",
			      settings->output	? "found -o FILE"
			      : settings->check ? "found --check FILE"
						: "nowhere to write to");
}

void cal_hand_over(int argc, char **argv)
{
}

int cal_conclude(const struct settings *settings, const struct samples *samples)
{
	if (samples_write(samples, settings->samples) == 0)
		return 0;
	fprintf(stderr, "mpisim-calibrate: cannot write %s: %s\n", settings->samples,
		strerror(errno));
	return 1;
}
