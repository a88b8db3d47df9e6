// SPDX-License-Identifier: BSD-3-Clause
/* How the running time follows the bandwidth of the network, by replays. */
#include <math.h>
#include <stdlib.h>

#include "tools/run/reasons.h"
#include "tools/run/run.h"

#define LEAST_FACTOR 0.125 /* of the cluster's bandwidth; each point has twice the one before */
#define KNEE_SHARE 0.05	   /* of the time with the largest bandwidth */

/* Where the time comes so near to the last point's: between two points on a line over the logarithm
 * of the bandwidth. 0: the first point is as near. */
static double knee_of(const struct trace_bandwidth *curve)
{
	double near_s = (1 + KNEE_SHARE) * curve->points[TRACE_N_BANDWIDTHS - 1].predicted_s;
	int i = TRACE_N_BANDWIDTHS - 1;
	const struct trace_bandwidth_point *at = curve->points;

	while (i > 0 && at[i - 1].predicted_s <= near_s)
		i--;
	if (i == 0)
		return 0;
	return at[i].bandwidth_Bps * exp2(-(near_s - at[i].predicted_s) /
					  (at[i - 1].predicted_s - at[i].predicted_s));
}

int reasons_find_bandwidth(struct reasons *reasons, struct trace_bandwidth **out,
			   struct util_error *err)
{
	double own_Bps = reasons->run->cluster->network.bandwidth_Bps, factor = LEAST_FACTOR;
	struct trace_bandwidth *curve = calloc(1, sizeof *curve);
	int failed = curve ? 0 : util_error_set(err, UTIL_ENOMEM, "out of memory");

	for (int i = 0; i < TRACE_N_BANDWIDTHS && !failed && !reasons->run->signal; i++) {
		curve->points[i] = (struct trace_bandwidth_point){.bandwidth_Bps = factor * own_Bps,
								  .predicted_s = reasons->time_s};
		if (factor != 1)
			failed = reasons_try_bandwidth(reasons, factor,
						       &curve->points[i].predicted_s, err);
		factor *= 2;
	}
	if (failed || reasons->run->signal) {
		free(curve);
		return failed;
	}
	curve->own_Bps = own_Bps;
	curve->knee_Bps = knee_of(curve);
	*out = curve;
	return 0;
}
