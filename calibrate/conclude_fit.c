/* SPDX-License-Identifier: BSD-3-Clause */
/* Under a real MPI: the fit follows in the same process. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "calibrate.h"
#include "fit.h"

int cal_conclude(const struct settings *settings, const struct samples *samples)
{
	if (settings->samples && samples_write(samples, settings->samples) < 0) {
		fprintf(stderr, "mpisim-calibrate: cannot write %s: %s\n", settings->samples,
			strerror(errno));
		return -1;
	}
	return settings->output ? fit_report(samples, settings->output, settings->plot) : 0;
}
