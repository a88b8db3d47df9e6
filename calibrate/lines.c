/* SPDX-License-Identifier: BSD-3-Clause */
/* Times by size as several lines: where they begin, how steep they are. */
#include "search.h"

#include <math.h>
#include <stddef.h>

/* Of a transfer; error: squares, of parts of the whole time. */
struct line {
	double at_0_s, per_byte_s, error;
};

enum { LINES = MACHINE_SEGMENTS + 1, LEAST_SIZES = 2 };
static const double LEAST_PER_BYTE_S = 1e-13, LEAST_LATENCY = 0.1; /* of the one before */

/* --- transfers --- */

/* What a message beyond the limit takes more than its size says: seen where bisection has been, or
 * two empty messages. */
static double rendezvous_s(const struct curve *curve, const struct machine *now)
{
	double limit_B = now->value[THRESHOLD];

	for (int k = 1; k < curve->n; k++)
		if (curve->sizes_B[k - 1] == limit_B && curve->sizes_B[k] == limit_B + 1)
			return curve->times_s[k] - curve->times_s[k - 1] +
			       (now->has[PER_BYTE] ? limit_B * now->value[PER_BYTE] : 0);
	return 2 * curve->times_s[0];
}

/* Without overheads, copies of eager messages, and what a rendezvous is before it sends. */
static void transfers_of(const struct curve *curve, const struct machine *now, double *times_s)
{
	double overhead_s = now->value[SEND_OVERHEAD] + now->value[RECV_OVERHEAD],
	       limit_B = now->has[THRESHOLD] ? now->value[THRESHOLD] : INFINITY,
	       later_s = rendezvous_s(curve, now);

	for (int k = 0; k < curve->n; k++) {
		double size_B = curve->sizes_B[k], more_s = overhead_s;

		if (size_B > limit_B)
			more_s += later_s;
		else if (now->has[PER_BYTE])
			more_s += size_B * now->value[PER_BYTE];
		times_s[k] = curve->times_s[k] - more_s;
	}
}

/* --- the best lines --- */

static struct line line_of(const struct curve *curve, const double *times_s, int first, int end)
{
	double w = 0, x = 0, y = 0, xx = 0, xy = 0;
	struct line line = {0};

	for (int k = first; k < end; k++) {
		double weight = 1 / (curve->times_s[k] * curve->times_s[k]);

		w += weight;
		x += weight * curve->sizes_B[k];
		y += weight * times_s[k];
		xx += weight * curve->sizes_B[k] * curve->sizes_B[k];
		xy += weight * curve->sizes_B[k] * times_s[k];
	}
	if (xx * w > x * x)
		line.per_byte_s = (xy * w - x * y) / (xx * w - x * x);
	line.per_byte_s = fmax(line.per_byte_s, LEAST_PER_BYTE_S);
	line.at_0_s = (y - line.per_byte_s * x) / w;
	for (int k = first; k < end; k++) {
		double off = (line.at_0_s + line.per_byte_s * curve->sizes_B[k] - times_s[k]) /
			     curve->times_s[k];

		line.error += off * off;
	}
	return line;
}

/* Where each of so many lines begins, and the end: by dynamic programming, since the best of n that
 * end somewhere are the best of n - 1 that end before, and a line. False: there are not that many. */
static bool partition(const struct curve *curve, const double *times_s, int n_lines, int *firsts)
{
	int n = curve->n, from[LINES + 1][CURVE + 1];
	double best[LINES + 1][CURVE + 1];

	for (int end = 0; end <= n; end++)
		best[0][end] = end == 0 ? 0 : INFINITY;
	for (int j = 1; j <= n_lines; j++)
		for (int end = 0; end <= n; end++) {
			best[j][end] = INFINITY;
			for (int k = 0; k + LEAST_SIZES <= end; k++) {
				double error = best[j - 1][k];

				if (k > 0 && !curve->may_begin[k])
					continue;
				if (isfinite(error))
					error += line_of(curve, times_s, k, end).error;
				if (error < best[j][end]) {
					best[j][end] = error;
					from[j][end] = k;
				}
			}
		}
	if (isinf(best[n_lines][n]))
		return false;
	firsts[n_lines] = n;
	for (int j = n_lines; j > 0; j--)
		firsts[j - 1] = from[j][firsts[j]];
	return true;
}

/* --- on a machine --- */

/* Of a transfer of that size on the lines that begin before. */
static double time_before(const struct machine *machine, enum parameter_id id, double size_B)
{
	int plain = id == SEGMENT ? LATENCY : INNER_LATENCY;
	double latency_s = machine->value[plain], rate_Bps = machine->value[plain + 1];

	for (int k = 0; k < MACHINE_SEGMENTS && machine->has[id + k]; k++) {
		double from_B = machine->value[id + k], time_s;

		if (from_B >= size_B)
			break;
		time_s =
		    (latency_s + from_B / rate_Bps) * machine->value[id + MACHINE_SEGMENTS + k];
		rate_Bps = machine->value[id + 2 * MACHINE_SEGMENTS + k];
		latency_s = time_s - from_B / rate_Bps;
	}
	return latency_s + size_B / rate_Bps;
}

/* The k-th one behind the first, behind messages of that size. What travels with a request is none
 * of a bulk's. */
static void add_line(struct machine *machine, enum parameter_id id, int k, double last_B,
		     const struct line *line)
{
	double from_B = last_B + 1, size_B = from_B;

	if (machine->has[REQUEST_DATA] && machine->has[THRESHOLD] &&
	    from_B > machine->value[THRESHOLD] + 1)
		from_B -= machine->value[REQUEST_DATA];
	machine_set(machine, id + MACHINE_SEGMENTS + k,
		    (line->at_0_s + line->per_byte_s * size_B) / time_before(machine, id, size_B));
	machine_set(machine, id + k, from_B);
	machine_set(machine, id + 2 * MACHINE_SEGMENTS + k, 1 / line->per_byte_s);
}

/* The best lines, so many: more than one, and as many as there can be. */
void vary_segments(const struct view *view, const struct machine *now, enum parameter_id id,
		   struct variants *out)
{
	const struct curve *curve = &view->curves[id == INNER_SEGMENT];
	enum parameter_id plain = id == SEGMENT ? LATENCY : INNER_LATENCY;
	double times_s[CURVE];
	int firsts[LINES + 1];

	if (now->has[id])
		machine_drop(variants_add(out, now), id);
	transfers_of(curve, now, times_s);
	for (int n = 2; n <= LINES && partition(curve, times_s, n, firsts); n++) {
		struct machine *machine = variants_add(out, now);
		struct line line = line_of(curve, times_s, 0, firsts[1]);

		while (machine->has[id])
			machine_drop(machine, id);
		machine_set(machine, plain, fmax(line.at_0_s, LEAST_LATENCY * now->value[plain]));
		machine_set(machine, plain + 1, 1 / line.per_byte_s);
		for (int k = 1; k < n; k++) {
			line = line_of(curve, times_s, firsts[k], firsts[k + 1]);
			add_line(machine, id, k - 1, curve->sizes_B[firsts[k] - 1], &line);
		}
	}
}
