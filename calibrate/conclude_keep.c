/* SPDX-License-Identifier: BSD-3-Clause */
/* In the simulator: GSL stays out of its process; mpisim-calibrate-fit does the rest. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "calibrate.h"

int cal_conclude(const struct settings *settings, const struct samples *samples)
{
	if (!settings->samples || settings->output) {
		fprintf(stderr,
			"mpisim-calibrate: in the simulator, wanted --samples FILE and no -o; then "
			"mpisim-calibrate-fit FILE -o cluster.yaml\n");
		return -1;
	}
	if (samples_write(samples, settings->samples) < 0) {
		fprintf(stderr, "mpisim-calibrate: cannot write %s: %s\n", settings->samples,
			strerror(errno));
		return -1;
	}
	return 0;
}
