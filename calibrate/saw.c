/* SPDX-License-Identifier: BSD-3-Clause */
#include "saw.h"

#include <math.h>

double saw_number_of_jumps(const struct saw *saw, double size_B)
{
	return ceil((size_B - saw->first_B) / saw->distance_B);
}

void saw_fit(const struct saw_points *points, int least_points, struct saw *saw)
{
	double n = 0, s = 0, k = 0, t = 0, ss = 0, sk = 0, kk = 0, st = 0, kt = 0, tt = 0,
	       determinant;
	int n_points = 0;

	for (int i = 0; i < points->n; i++) {
		double size = points->size_B[i], time = points->time_s[i], w = points->weight[i],
		       jumps = saw_number_of_jumps(saw, size);

		if (jumps < 1)
			continue;
		n_points++;
		n += w;
		s += w * size;
		k += w * jumps;
		t += w * time;
		ss += w * size * size;
		sk += w * size * jumps;
		kk += w * jumps * jumps;
		st += w * size * time;
		kt += w * jumps * time;
		tt += w * time * time;
	}
	saw->per_byte_s = saw->jump_s = 0;
	saw->rest = INFINITY;
	if (n_points < least_points)
		return;
	ss -= s * s / n;
	sk -= s * k / n;
	kk -= k * k / n;
	st -= s * t / n;
	kt -= k * t / n;
	tt -= t * t / n;
	determinant = ss * kk - sk * sk;
	if (determinant <= 1e-9 * ss * kk)
		return;
	saw->per_byte_s = (st * kk - kt * sk) / determinant;
	saw->jump_s = (kt * ss - st * sk) / determinant;
	saw->start_s = (t - saw->per_byte_s * s - saw->jump_s * k) / n;
	saw->rest = (tt - saw->per_byte_s * st - saw->jump_s * kt) / (n_points - 3);
	saw->jump_error_s = sqrt(fmax(saw->rest, 0) * ss / determinant);
}
