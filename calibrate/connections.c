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

/* From the return of a send until the receiver's answer: what had not arrived, what ends a message,
 * and an empty one. */
static double left_s(const struct fit *fit, const struct sample_key *key)
{
	return fit_in_buffer_s(fit, samples_summary(fit->samples, key).median -
					fit->empty[fit->subject].value - fit_taking_s(fit));
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

/* Is what messages leave, by their size, what leaves unattended, by what the connection has
 * carried? A message counts to that itself, so that large ones do not leave more on a used
 * connection. */
static bool buffers_are_unattended(const struct fit *fit)
{
	int k = 0;

	for (int n = 0; n < fit->n_send_buffers; n++) {
		while (k < fit->n_used && fabs(fit->send_buffers[n].size_B - fit->used[k].size_B) >
					      SAME * fit->used[k].size_B)
			k++;
	}
	return fit->n_send_buffers > 1 && k < fit->n_used;
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

/* By more than the packet with which a send ends? */
static bool differs(const struct fit *fit, double left_B)
{
	return fit->n_send_buffers == 0 ||
	       fabs(left_B - fit->send_buffers[fit->n_send_buffers - 1].size_B) >= fit->payload_B;
}

static bool exceeds(const struct fit *fit, double left_B)
{
	return fit->n_send_buffers > 0 && differs(fit, left_B) &&
	       left_B > (1 + SAME) * fit->send_buffers[fit->n_send_buffers - 1].size_B;
}

void fit_send_buffer(struct fit *fit)
{
	double most_B = 0, left_B;
	int64_t more_B = 0; /* from that size on more was left behind, all of it */
	const struct sample_key *key = NULL,
				*used = samples_next(fit->samples, "send_buffer_used", -1);

	fit->is_buffer_unattended = fit->n_used > 1 && buffers_grow_by_use(fit);
	if (!isfinite(fit->bandwidth_Bps[fit->subject].value))
		return;
	while ((key = samples_next(fit->samples, "send_buffer", key ? key->x : -1))) {
		if (leaves(fit, key, &left_B)) {
			if (fit->n_send_buffers == 0 && most_B > 0)
				fit->least_telling_B = key->x;
			if (differs(fit, left_B))
				fit_add_since(fit->send_buffers, &fit->n_send_buffers,
					      fit->n_send_buffers ? (more_B ? more_B : key->x) : 0,
					      left_B);
			more_B = 0;
		} else if (more_B == 0 && exceeds(fit, left_B)) {
			more_B = key->x;
		}
		most_B = fmax(most_B, left_B);
	}
	fit->is_buffer_by_list = !fit->is_buffer_unattended && buffers_are_unattended(fit);
	if (fit->n_send_buffers > 0 || most_B == 0)
		return;
	/* new connections were too few, or the time */
	fit->buffer_is_doubtful = !used || !leaves(fit, used, &left_B);
	fit_add_since(fit->send_buffers, &fit->n_send_buffers, 0,
		      used ? fmax(left_B, most_B) : most_B);
}
