/* SPDX-License-Identifier: BSD-3-Clause */
/* Whose rules choose the algorithms of collective operations: the library's by its name, unless
 * three that were timed say another's. */
#include <math.h>
#include <string.h>

#include "fit.h"

/* What is off by less is right; another profile must be so many times better. */
static const double RIGHT = 0.1, BETTER = 0.5;

static const char *const PROFILES[] = {"default", "openmpi", "mpich"};
enum { N_PROFILES = sizeof(PROFILES) / sizeof(PROFILES[0]) };

const char *fit_profile_by_name(const struct samples *samples)
{
	const char *library = samples_get_fact(samples, "library", 0);

	if (library && strstr(library, "Open MPI"))
		return "openmpi";
	return library && strstr(library, "MPICH") ? "mpich" : "default";
}

bool fit_profile_is_other(const struct samples *samples, const char *profile)
{
	const char *library = samples_get_fact(samples, "library", 0),
		   *version = strcmp(profile, "openmpi") ? "4.0" : "4.1";
	const char *found = library ? strpbrk(library, "0123456789") : NULL;

	return strcmp(profile, "default") && found && strncmp(found, version, strlen(version)) != 0;
}

double fit_collective_off(const struct check *check, double *mean)
{
	double most = -1, sum = 0;
	int n = 0;

	for (int k = 0; k < check->n_worst; k++) {
		const struct check_off *off = &check->worst[k];

		if (strncmp(off->key.name, "coll_", 5))
			continue;
		most = fmax(most, off->error);
		sum += fmin(off->error, 1);
		n++;
	}
	*mean = n ? sum / n : 0;
	return most;
}

void fit_collectives(struct fit *fit, struct candidates *candidates, struct check *check)
{
	double mean, other_mean;

	if (!check->is_made || fit_collective_off(check, &mean) <= RIGHT)
		return;
	for (int k = 0; k < N_PROFILES; k++) {
		struct fit other = *fit;
		const void *list[] = {&other};
		struct check with;

		other.profile = PROFILES[k];
		if (!strcmp(other.profile, fit->profile))
			continue;
		candidates_run(candidates, list, 1, &with, NULL);
		if (!with.is_made || fit_collective_off(&with, &other_mean) < 0 ||
		    other_mean > BETTER * mean)
			continue;
		fit->profile = other.profile;
		mean = other_mean;
		*check = with;
	}
}
