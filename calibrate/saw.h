/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CALIBRATE_SAW_H
#define CALIBRATE_SAW_H

/* A line with jumps of one height at equal distances. No MPI, no GSL. */
enum { SAW_POINTS = 512 };
struct saw_points {
	int n;
	double size_B[SAW_POINTS], time_s[SAW_POINTS], weight[SAW_POINTS];
};

struct saw {
	double first_B, distance_B; /* jumps at first_B + k distance_B, behind these sizes */
	/* found: the best line, its weighted variance, the jump's standard error */
	double start_s, per_byte_s, jump_s, rest, jump_error_s;
};

double saw_number_of_jumps(const struct saw *saw, double size_B);
/* Least squares of time = start + per_byte size + jump n(size), behind the first jump; rest is
 * INFINITY where fewer than least_points tell it. */
void saw_fit(const struct saw_points *points, int least_points, struct saw *saw);

#endif
