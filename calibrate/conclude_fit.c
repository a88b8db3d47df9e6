/* SPDX-License-Identifier: BSD-3-Clause */
/* Under a real MPI: the fit follows in the same process. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "calibrate.h"
#include "child.h"
#include "fit.h"

int cal_cannot_conclude(const struct settings *settings, struct util_error *err)
{
	if (settings->output || settings->samples || settings->check)
		return 0;
	return util_error_set(err, UTIL_EINPUT, "nowhere to write to, wanted -o FILE");
}

void cal_hand_over(int argc, char **argv)
{
	struct util_error err;
	char program[PATH_MAX];

	for (int k = 1; k < argc; k++) {
		if (strcmp(argv[k], "--fit"))
			continue;
		if (child_find("mpisim-calibrate-fit", program, &err) == 0)
			execv(program, argv);
		fprintf(stderr, "mpisim-calibrate: --fit needs mpisim-calibrate-fit beside it\n");
		_exit(2);
	}
}

int cal_conclude(const struct settings *settings, const struct samples *samples)
{
	int status = 0;

	if (settings->samples && samples_write(samples, settings->samples) < 0) {
		fprintf(stderr, "mpisim-calibrate: cannot write %s: %s\n", settings->samples,
			strerror(errno));
		status = 1; /* what was measured is worth the other file all the same */
	}
	if (settings->output &&
	    fit_report("mpisim-calibrate", samples, settings->output, settings->plot, true) < 0)
		status = 1;
	if (settings->check)
		status |= fit_check("mpisim-calibrate", samples, settings->check);
	return status;
}
