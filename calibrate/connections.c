/* SPDX-License-Identifier: BSD-3-Clause */
/* Send buffers by size, from the probe of probe_used.c. */
#include <math.h>
#include <string.h>

#include "fit.h"

static const double SAME = 0.05;
static const double ALL_OF_IT = 0.98;
static const double GROWTH = 1.2; /* what is more than two measurements differ by */

void fit_add_since(struct since *list, int *n, int64_t from_B, double size_B)
{
	const struct since *last = *n ? &list[*n - 1] : NULL;

	if (*n < FIT_SINCE &&
	    (!last || (from_B > last->from_B && fabs(size_B - last->size_B) > SAME * last->size_B)))
		list[(*n)++] = (struct since){from_B, size_B};
}

/* Of transfers of that size. */
static double rate_at(const struct fit *fit, double size_B)
{
	const struct curve *curve = &fit->transfers[fit->subject];
	int k = 0;

	if (fit_plain_error(fit, fit->subject) <= FIT_PLAIN_ENOUGH || !curve->n_segments)
		return fit->bandwidth_Bps[fit->subject].value;
	while (k + 1 < curve->n_segments && size_B >= (double)curve->segments[k + 1].from_B)
		k++;
	return 1 / fmax(curve->segments[k].per_byte_s, 1e-19);
}

/* From the return of a send until the receiver's answer: what had not arrived, and an empty
 * message. */
static double left_s(const struct fit *fit, const struct sample_key *key)
{
	return fmax(samples_summary(fit->samples, key).median - fit->empty[fit->subject].value -
			fit->recv_overhead[fit->subject].value,
		    0);
}

/* Does the same message leave more on a connection that others have used? */
static bool buffers_grow_by_use(const struct fit *fit)
{
	const struct sample_key *used = samples_next(fit->samples, "send_buffer_used", -1);
	struct sample_key fresh;

	if (!used)
		return false;
	fresh = sample_key("send_buffer", used->where, used->x, used->y);
	return samples_summary(fit->samples, &fresh).n > 0 &&
	       left_s(fit, used) > GROWTH * left_s(fit, &fresh);
}

void fit_send_buffer(struct fit *fit)
{
	int w = fit->subject;
	double most_B = 0;
	const struct sample_key *key = NULL;

	fit->is_buffer_unattended = fit->n_used > 1 && buffers_grow_by_use(fit);

	while (isfinite(fit->bandwidth_Bps[w].value) &&
	       (key = samples_next(fit->samples, "send_buffer", key ? key->x : -1))) {
		double bulk_B = (double)key->x - fmax(fit->request_data_B, 0),
		       rest_s = left_s(fit, key), left_B = rest_s * rate_at(fit, bulk_B);

		most_B = fmax(most_B, fmin(left_B, bulk_B));
		/* what held all of a message may hold more */
		if (left_B < ALL_OF_IT * bulk_B &&
		    rest_s < ALL_OF_IT * (fit_curve_time(&fit->transfers[w], (int64_t)bulk_B) -
					  fit->burst_s))
			fit_add_since(fit->send_buffers, &fit->n_send_buffers,
				      fit->n_send_buffers ? key->x : 0, left_B);
	}
	if (fit->n_send_buffers == 0 && most_B > 0)
		fit_add_since(fit->send_buffers, &fit->n_send_buffers, 0, most_B);
}
