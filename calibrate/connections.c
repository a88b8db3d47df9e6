/* SPDX-License-Identifier: BSD-3-Clause */
/* Send buffers by size, from the probe of probe_used.c. */
#include <math.h>

#include "fit.h"

static const double SAME = 0.05;
static const double ALL_OF_IT = 0.98;

void fit_add_since(struct since *list, int *n, int64_t from_B, double size_B)
{
	const struct since *last = *n ? &list[*n - 1] : NULL;

	if (*n < FIT_SINCE &&
	    (!last || (from_B > last->from_B && fabs(size_B - last->size_B) > SAME * last->size_B)))
		list[(*n)++] = (struct since){from_B, size_B};
}

/* From the return of a send until the receiver's answer: what had not arrived, what ends a message,
 * and an empty one. */
static double left_s(const struct fit *fit, const struct sample_key *key)
{
	return fit_in_buffer_s(fit, samples_summary(fit->samples, key).median -
					fit->empty[fit->subject].value - fit_taking_s(fit));
}

/* What a send of that size leaves; false: all that is to leave, so that there may be room for more.
 * A send ends with a packet: up to a packet less is missing than may be. */
static bool leaves(const struct fit *fit, const struct sample_key *key, double *left_B)
{
	double bulk_B = (double)key->x - fmax(fit->request_data_B, 0), rest_s = left_s(fit, key),
	       rest_B = fmin(rest_s * fit_rate_at(fit, bulk_B), bulk_B);

	*left_B = fmin(rest_B + fit->payload_B / 2, bulk_B);
	return rest_B < ALL_OF_IT * bulk_B &&
	       rest_s <
		   ALL_OF_IT * (fit_curve_time(&fit->transfers[fit->subject], (int64_t)bulk_B) -
				fit->burst_s);
}

void fit_send_buffer(struct fit *fit)
{
	const struct sample_key *key = NULL;
	bool left_all = false;
	double left_B;

	while ((key = samples_next(fit->samples, "send_buffer", key ? key->x : -1))) {
		if (!leaves(fit, key, &left_B)) {
			left_all = true;
			continue;
		}
		if (fit->n_send_buffers == 0 && left_all)
			fit->least_telling_B = key->x;
		fit_add_since(fit->send_buffers, &fit->n_send_buffers,
			      fit->n_send_buffers ? key->x : 0, left_B);
	}
}
