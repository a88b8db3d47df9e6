/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages of a train that share a link at a loss. */
#include <math.h>

#include "fit.h"

enum { MOST = 64 };

/* Seconds from the begin of the first of n messages, whose sender makes one after the other, until
 * the last one is there. Alone each would have its link for each_s; those that have it at once are
 * all as fast, and together as fast as their number lets them be. */
static double last_s(const struct fit *shared, int n, double each_s)
{
	double send_s = shared->send_overhead[shared->subject].value, left_s[MOST], now_s = 0;
	int first = 0, next = 0;

	while (first < n) {
		int m = next - first;
		double rate = m ? fit_sharing_efficiency(shared, m) / m : 0,
		       end_s = m ? now_s + left_s[first] / rate : INFINITY,
		       begin_s = next < n ? (next + 1) * send_s : INFINITY,
		       until_s = fmin(begin_s, end_s);

		for (int k = first; k < next; k++)
			left_s[k] -= (until_s - now_s) * rate;
		now_s = until_s;
		if (begin_s < end_s)
			left_s[next++] = each_s;
		else
			first++;
	}
	return now_s;
}

bool fit_losses_explain(const struct fit *fit, const struct sample_key *train)
{
	const double as_known = 0.001, of_a_link = 0.995;
	int w = fit->subject;
	struct fit shared = *fit;

	if (train->y < 1 || train->y > MOST / 2)
		return false;
	shared.n_sharing = 0;
	fit_sharing(&shared);
	if (fit_sharing_efficiency(&shared, (int)(2 * train->y)) > of_a_link)
		return false;
	for (int n = (int)train->y; n <= 2 * train->y; n += (int)train->y) {
		struct sample_key key = sample_key(train->name, w, train->x, n);
		struct summary time = samples_summary(fit->samples, &key);
		double expected_s = fit->empty[w].value + fit->recv_overhead[w].value;

		if (time.n == 0)
			return false;
		expected_s += last_s(&shared, n, fit->latency[w].value);
		if (fabs(time.median - expected_s) >
		    fmax(as_known * time.median, (time.high - time.low) / 2))
			return false;
	}
	return true;
}
