// SPDX-License-Identifier: BSD-3-Clause
#include <string.h>

#include "tools/whatif/async.h"
#include "util/units.h"

enum { MOST_LINES = 20, PLACE_B = ASYNC_PLACE_B };

/* --- figures --- */

double async_waiting_s(const struct whatif_base *base)
{
	const json_t *rank;
	double waiting_s = 0;
	size_t i;

	json_array_foreach(json_object_get(base->result, "ranks"), i, rank) waiting_s +=
	    json_number_value(json_object_get(rank, "waiting_s"));
	return waiting_s;
}

static double efficiency_of(const struct whatif_base *base)
{
	return json_number_value(json_object_get(base->result, "efficiency"));
}

static const char *site_text(const struct mtrace_file *file, uint32_t site)
{
	return site < file->n_sites && file->sites[site][0] ? file->sites[site]
							    : "an unknown place";
}

static const char *call_name(const struct mtrace_file *file, uint32_t function)
{
	return function < file->n_functions ? file->functions[function].name : "";
}

/* Time in calls there, of all ranks. `name` NULL: of any function. */
static double time_in(const struct whatif_base *base, const char *name, const char *site)
{
	const json_t *analysis = json_object_get(base->result, "analysis"), *entry;
	double time_s = 0;
	size_t i;

	json_array_foreach(json_object_get(analysis, "calls"), i, entry)
	{
		const char *there = json_string_value(json_object_get(entry, "site"));
		const char *called = json_string_value(json_object_get(entry, "call"));

		if (there && strcmp(there, site) == 0 &&
		    (!name || (called && strcmp(called, name) == 0)))
			time_s += json_number_value(json_object_get(entry, "time_s"));
	}
	return time_s;
}

static double time_now(const struct mtrace_file *file, const struct whatif_base *base,
		       const struct async_wait *w)
{
	return time_in(base, call_name(file, w->function), site_text(file, w->site));
}

/* In the calls that post its messages. */
static double time_posting(const struct mtrace_file *file, const struct async_prediction *p,
			   const struct async_wait *w)
{
	double time_s = 0;

	for (int is_send = 0; is_send < 2; is_send++) {
		const char *posted = async_posted_name(call_name(file, w->function), is_send == 1);

		if (posted)
			time_s += time_in(&p->base, posted, site_text(file, w->site));
	}
	return time_s;
}

/* How much less time its calls and their waits take. Where a call waits at several places, or several
 * calls at one, each has its part by its number of messages. */
static double removed_by(const struct mtrace_file *file, const struct whatif_base *base,
			 const struct async_prediction *p, const struct async_wait *w)
{
	char place[PLACE_B];
	double n = (double)w->count;
	uint64_t n_calls = 0, n_there = 0;

	async_place_name(file, w->wait_site, place, sizeof place);
	for (size_t i = 0; i < p->result.n_waits; i++) {
		const struct async_wait *other = &p->result.waits[i];

		if (other->site == w->site && other->function == w->function)
			n_calls += other->count;
		if (other->wait_site == w->wait_site)
			n_there += other->count;
	}
	return n / (double)n_calls * (time_now(file, base, w) - time_posting(file, p, w)) -
	       n / (double)n_there * time_in(&p->base, NULL, place);
}

/* --- words --- */

static void describe_cause(const struct mtrace_file *file, enum async_cause cause,
			   uint32_t function, uint32_t site, char *text, size_t size)
{
	switch (cause) {
	case ASYNC_TOUCHED:
		snprintf(text, size, "the access of %s", site_text(file, site));
		break;
	case ASYNC_COMPUTED:
		if (function < file->n_functions)
			snprintf(text, size, "the computation before %s of %s",
				 call_name(file, function), site_text(file, site));
		else
			snprintf(text, size, "the next computation");
		break;
	case ASYNC_CALLED:
		snprintf(text, size, "%s of %s", call_name(file, function), site_text(file, site));
		break;
	case ASYNC_ENDED:
		snprintf(text, size, "the end");
	}
}

/* What to write instead of a call. */
static void advise(const struct mtrace_file *file, const struct async_wait *w, char *text,
		   size_t size)
{
	char cause[PLACE_B];

	describe_cause(file, w->cause, w->wait_function, w->wait_site, cause, sizeof cause);
	snprintf(text, size, "%s of %s: do not block there, wait before %s",
		 call_name(file, w->function), site_text(file, w->site), cause);
}

static void warn_of(const struct mtrace_file *file, const struct async_chain *c, char *text,
		    size_t size)
{
	char cause[PLACE_B];

	describe_cause(file, c->cause, c->wait_function, c->wait_site, cause, sizeof cause);
	snprintf(text, size,
		 "%s uses what %s of %s sends or receives before the chain ends that begins at %s",
		 cause, call_name(file, c->function), site_text(file, c->site),
		 site_text(file, c->first_site));
}

/* --- the table --- */

static void print_gain(double base_s, double time_s, FILE *out)
{
	if (base_s > 0)
		fprintf(out, " %6.1f %%", 100 * (1 - time_s / base_s));
	else
		fprintf(out, " %8s", "");
}

static void print_as_is(const struct async_prediction *as_is, FILE *out)
{
	const struct whatif_base *base = &as_is->base;
	char time[64], waiting[64];

	if (as_is->error)
		fprintf(out, "%-12s  %s\n", "as it is", as_is->error);
	else
		fprintf(out, "%-12s %12s %8s %14s %9.1f %%\n", "as it is",
			util_format_time(time, sizeof time, base->time_s), "",
			util_format_time(waiting, sizeof waiting, async_waiting_s(base)),
			100 * efficiency_of(base));
}

static void print_modes(const struct async_prediction *as_is,
			const struct async_prediction *predictions, int n, FILE *out)
{
	char time[64], waiting[64];

	fprintf(out, "%-12s %12s %8s %14s %11s\n", "mode", "time", "gain", "waiting", "efficiency");
	print_as_is(as_is, out);
	for (int i = 0; i < n; i++) {
		const struct async_prediction *p = &predictions[i];

		if (p->error) {
			fprintf(out, "%-12s  %s\n", async_mode_names[p->setup.mode], p->error);
			continue;
		}
		fprintf(out, "%-12s %12s", async_mode_names[p->setup.mode],
			util_format_time(time, sizeof time, p->base.time_s));
		print_gain(as_is->base.time_s, p->base.time_s, out);
		fprintf(out, " %14s %9.1f %%\n",
			util_format_time(waiting, sizeof waiting, async_waiting_s(&p->base)),
			100 * efficiency_of(&p->base));
	}
}

static void print_advice(const struct mtrace_file *file, const struct whatif_base *base,
			 const struct async_prediction *p, FILE *out)
{
	char text[4 * PLACE_B], now[64], removed[64];

	if (p->error || p->result.n_waits == 0)
		return;
	fprintf(out, "\n%s: %llu calls need not block\n", async_mode_names[p->setup.mode],
		(unsigned long long)p->result.n_converted);
	for (size_t i = 0; i < p->result.n_waits && i < MOST_LINES; i++) {
		const struct async_wait *w = &p->result.waits[i];

		advise(file, w, text, sizeof text);
		fprintf(out, "  %s (%llu times; all take %s now, %s less then)\n", text,
			(unsigned long long)w->count,
			util_format_time(now, sizeof now, time_now(file, base, w)),
			util_format_time(removed, sizeof removed, removed_by(file, base, p, w)));
	}
	if (p->result.n_waits > MOST_LINES)
		fprintf(out, "  and %zu more; --json has all\n", p->result.n_waits - MOST_LINES);
	for (size_t i = 0; i < p->result.n_chains && i < MOST_LINES; i++) {
		warn_of(file, &p->result.chains[i], text, sizeof text);
		fprintf(out, "  hazard: %s\n", text);
	}
}

static void print_deadlocks(const struct async_prediction *as_is,
			    const struct async_prediction *predictions, int n, FILE *out)
{
	if (!as_is->bare_error)
		return;
	fprintf(out,
		"\nWithout room for messages that nobody waits for yet (" ASYNC_BARE
		"), the run as it is ends otherwise: %s\n",
		as_is->bare_error);
	for (int i = 0; i < n; i++)
		if (!predictions[i].error)
			fprintf(out, "  %s: %s\n", async_mode_names[predictions[i].setup.mode],
				predictions[i].bare_error ? predictions[i].bare_error
							  : "it ends well");
}

static void print_limits(const struct mtrace_file *file, const struct async_result *r, FILE *out)
{
	if (r->n_kept > 0)
		fprintf(
		    out,
		    "%llu calls stay as they are: receives from any source whose status is read, "
		    "of matched messages, and MPI_Sendrecv_replace.\n",
		    (unsigned long long)r->n_kept);
	if (r->n_untold > 0)
		fprintf(out,
			"%llu computations do not say what they access (mpisim_touch): all that is "
			"under "
			"way is waited for before them.\n",
			(unsigned long long)r->n_untold);
	if (r->n_short > 0)
		fprintf(out, "%llu computations counted as none (--async-cost gap).\n",
			(unsigned long long)r->n_short);
	if (file->n_doubts > 0)
		fprintf(out,
			"Receives from any source, tests, probes and clocks gave what they gave in "
			"the recording.\n");
}

void async_report_text(const struct mtrace_file *file, const struct async_prediction *as_is,
		       const struct async_prediction *predictions, int n, FILE *out)
{
	fprintf(out, "%s\n", as_is->base.what);
	print_modes(as_is, predictions, n, out);
	for (int i = 0; i < n; i++)
		print_advice(file, &as_is->base, &predictions[i], out);
	print_deadlocks(as_is, predictions, n, out);
	if (n > 0) {
		fputc('\n', out);
		print_limits(file, &predictions[0].result, out);
	}
	fflush(out);
}

/* --- JSON --- */

static json_t *advice_json(const struct mtrace_file *file, const struct whatif_base *base,
			   const struct async_prediction *p)
{
	const struct async_result *r = &p->result;
	json_t *list = json_array();
	char text[4 * PLACE_B];

	for (size_t i = 0; i < r->n_waits; i++) {
		const struct async_wait *w = &r->waits[i];

		advise(file, w, text, sizeof text);
		json_array_append_new(
		    list,
		    json_pack("{s:s, s:s, s:s?, s:I, s:f, s:f, s:s}", "call",
			      call_name(file, w->function), "site", site_text(file, w->site),
			      "wait",
			      w->wait_site == UINT32_MAX ? NULL : site_text(file, w->wait_site),
			      "count", (json_int_t)w->count, "time_s", time_now(file, base, w),
			      "removed_s", removed_by(file, base, p, w), "advice", text));
	}
	return list;
}

static json_t *hazards_json(const struct mtrace_file *file, const struct async_result *r)
{
	json_t *list = json_array();
	char text[4 * PLACE_B];

	for (size_t i = 0; i < r->n_chains; i++) {
		const struct async_chain *c = &r->chains[i];

		warn_of(file, c, text, sizeof text);
		json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:I, s:s}", "chain",
						      site_text(file, c->first_site), "site",
						      site_text(file, c->site), "access",
						      site_text(file, c->wait_site), "count",
						      (json_int_t)c->count, "text", text));
	}
	return list;
}

static json_t *mode_json(const struct mtrace_file *file, const struct whatif_base *base,
			 const struct async_prediction *p)
{
	const char *name = async_mode_names[p->setup.mode];
	json_t *gain;

	if (p->error)
		return json_pack("{s:s, s:s}", "mode", name, "error", p->error);
	gain = base->time_s > 0 ? json_real(1 - p->base.time_s / base->time_s) : json_null();
	return json_pack(
	    "{s:s, s:f, s:o, s:f, s:f, s:I, s:I, s:I, s:I, s:s?, s:o, s:o}", "mode", name, "time_s",
	    p->base.time_s, "gain", gain, "waiting_s", async_waiting_s(&p->base), "efficiency",
	    efficiency_of(&p->base), "converted", (json_int_t)p->result.n_converted, "kept",
	    (json_int_t)p->result.n_kept, "untold", (json_int_t)p->result.n_untold, "short",
	    (json_int_t)p->result.n_short, "without_room", p->bare_error, "advice",
	    advice_json(file, base, p), "hazards", hazards_json(file, &p->result));
}

json_t *async_report_json(const struct mtrace_file *file, const struct async_prediction *as_is,
			  const struct async_prediction *predictions, int n)
{
	const struct whatif_base *base = &as_is->base;
	json_t *modes = json_array();

	for (int i = 0; i < n; i++)
		json_array_append_new(modes, mode_json(file, base, &predictions[i]));
	if (as_is->error)
		return json_pack("{s:i, s:s, s:s, s:o}", "version", 1, "trace", base->what, "error",
				 as_is->error, "async", modes);
	return json_pack("{s:i, s:s, s:f, s:f, s:f, s:s?, s:o}", "version", 1, "trace", base->what,
			 "time_s", base->time_s, "waiting_s", async_waiting_s(base), "efficiency",
			 efficiency_of(base), "without_room", as_is->bare_error, "async", modes);
}
