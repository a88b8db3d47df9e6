/* SPDX-License-Identifier: BSD-3-Clause */
/* Under a real MPI: the fit follows in the same process. */
#include "calibrate.h"
#include "fit.h"

int cal_conclude(const struct settings *settings, const struct samples *samples)
{
	int status = 0;

	if (settings->output &&
	    fit_report("mpisim-calibrate", samples, settings->output, settings->plot, true) < 0)
		status = 1;
	if (settings->check)
		status |= fit_check("mpisim-calibrate", samples, settings->check);
	return status;
}
