// SPDX-License-Identifier: BSD-3-Clause
#include <string.h>

#include "tools/whatif/async.h"
#include "util/units.h"

enum { MOST_LINES = 20, PLACE_B = 256 };

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

/* Time that was lost waiting in calls there, of all ranks. */
static double lost_at(const struct whatif_base *base, const char *site)
{
	static const char *const kinds[] = {"late_sender", "late_receiver", "barrier",
					    "collective"};
	const json_t *states =
	    json_object_get(json_object_get(base->result, "analysis"), "wait_states");
	const json_t *entry;
	double lost_s = 0;
	size_t i;

	json_array_foreach(json_object_get(states, "sites"), i, entry)
	{
		const char *there = json_string_value(json_object_get(entry, "site"));

		for (int k = 0; k < 4 && there && strcmp(there, site) == 0; k++)
			lost_s += json_number_value(
			    json_object_get(json_object_get(entry, kinds[k]), "time_s"));
	}
	return lost_s;
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

static void print_modes(const struct whatif_base *base, const struct async_prediction *predictions,
			int n, FILE *out)
{
	char time[64], waiting[64];

	fprintf(out, "%-12s %12s %8s %14s %11s\n", "mode", "time", "gain", "waiting", "efficiency");
	fprintf(out, "%-12s %12s %8s %14s %9.1f %%\n", "as it is",
		util_format_time(time, sizeof time, base->time_s), "",
		util_format_time(waiting, sizeof waiting, async_waiting_s(base)),
		100 * efficiency_of(base));
	for (int i = 0; i < n; i++) {
		const struct async_prediction *p = &predictions[i];

		if (p->error) {
			fprintf(out, "%-12s  %s\n", async_mode_names[p->setup.mode], p->error);
			continue;
		}
		fprintf(out, "%-12s %12s %6.1f %% %14s %9.1f %%\n", async_mode_names[p->setup.mode],
			util_format_time(time, sizeof time, p->base.time_s),
			100 * (1 - p->base.time_s / base->time_s),
			util_format_time(waiting, sizeof waiting, async_waiting_s(&p->base)),
			100 * efficiency_of(&p->base));
	}
}

static void print_advice(const struct mtrace_file *file, const struct whatif_base *base,
			 const struct async_prediction *p, FILE *out)
{
	char text[4 * PLACE_B], lost[64];

	if (p->error || p->result.n_waits == 0)
		return;
	fprintf(out, "\n%s: %llu calls need not block\n", async_mode_names[p->setup.mode],
		(unsigned long long)p->result.n_converted);
	for (size_t i = 0; i < p->result.n_waits && i < MOST_LINES; i++) {
		const struct async_wait *w = &p->result.waits[i];

		advise(file, w, text, sizeof text);
		fprintf(
		    out, "  %s (%llu times; it waits %s now)\n", text, (unsigned long long)w->count,
		    util_format_time(lost, sizeof lost, lost_at(base, site_text(file, w->site))));
	}
	if (p->result.n_waits > MOST_LINES)
		fprintf(out, "  and %zu more; --json has all\n", p->result.n_waits - MOST_LINES);
	for (size_t i = 0; i < p->result.n_chains && i < MOST_LINES; i++) {
		warn_of(file, &p->result.chains[i], text, sizeof text);
		fprintf(out, "  hazard: %s\n", text);
	}
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

void async_report_text(const struct mtrace_file *file, const struct whatif_base *base,
		       const struct async_prediction *predictions, int n, FILE *out)
{
	fprintf(out, "%s\n", base->what);
	print_modes(base, predictions, n, out);
	for (int i = 0; i < n; i++)
		print_advice(file, base, &predictions[i], out);
	if (n > 0) {
		fputc('\n', out);
		print_limits(file, &predictions[0].result, out);
	}
	fflush(out);
}

/* --- JSON --- */

static json_t *advice_json(const struct mtrace_file *file, const struct whatif_base *base,
			   const struct async_result *r)
{
	json_t *list = json_array();
	char text[4 * PLACE_B];

	for (size_t i = 0; i < r->n_waits; i++) {
		const struct async_wait *w = &r->waits[i];

		advise(file, w, text, sizeof text);
		json_array_append_new(
		    list,
		    json_pack("{s:s, s:s, s:s?, s:I, s:f, s:s}", "call",
			      call_name(file, w->function), "site", site_text(file, w->site),
			      "wait",
			      w->wait_site == UINT32_MAX ? NULL : site_text(file, w->wait_site),
			      "count", (json_int_t)w->count, "waiting_s",
			      lost_at(base, site_text(file, w->site)), "advice", text));
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

	if (p->error)
		return json_pack("{s:s, s:s}", "mode", name, "error", p->error);
	return json_pack(
	    "{s:s, s:f, s:f, s:f, s:f, s:I, s:I, s:I, s:I, s:o, s:o}", "mode", name, "time_s",
	    p->base.time_s, "gain", 1 - p->base.time_s / base->time_s, "waiting_s",
	    async_waiting_s(&p->base), "efficiency", efficiency_of(&p->base), "converted",
	    (json_int_t)p->result.n_converted, "kept", (json_int_t)p->result.n_kept, "untold",
	    (json_int_t)p->result.n_untold, "short", (json_int_t)p->result.n_short, "advice",
	    advice_json(file, base, &p->result), "hazards", hazards_json(file, &p->result));
}

json_t *async_report_json(const struct mtrace_file *file, const struct whatif_base *base,
			  const struct async_prediction *predictions, int n)
{
	json_t *modes = json_array();

	for (int i = 0; i < n; i++)
		json_array_append_new(modes, mode_json(file, base, &predictions[i]));
	return json_pack("{s:i, s:s, s:f, s:f, s:f, s:o}", "version", 1, "trace", base->what,
			 "time_s", base->time_s, "waiting_s", async_waiting_s(base), "efficiency",
			 efficiency_of(base), "async", modes);
}
