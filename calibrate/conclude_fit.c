/* SPDX-License-Identifier: BSD-3-Clause */
/* Under a real MPI: the fit follows in the same process. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "calibrate.h"
#include "fit.h"

int cal_cannot_conclude(const struct settings *settings, struct util_error *err)
{
	if (settings->output || settings->samples)
		return 0;
	return util_error_set(err, UTIL_EINPUT, "nowhere to write to, wanted -o FILE");
}

int cal_conclude(const struct settings *settings, const struct samples *samples)
{
	int status = 0;

	if (settings->samples && samples_write(samples, settings->samples) < 0) {
		fprintf(stderr, "mpisim-calibrate: cannot write %s: %s\n", settings->samples,
			strerror(errno));
		status = -1; /* what was measured is worth the other file all the same */
	}
	if (settings->output &&
	    fit_report("mpisim-calibrate", samples, settings->output, settings->plot, true) < 0)
		status = -1;
	return status;
}
