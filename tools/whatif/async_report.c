// SPDX-License-Identifier: BSD-3-Clause
#include <math.h>
#include <stdlib.h>
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

/* --- advice --- */

struct row { /* of the advice: calls of a place, and one of the places where they wait */
	const struct async_wait *wait;
	double now_s;	  /* what the calls take now */
	double blocked_s; /* … beyond what their posts take */
	double part;	  /* of their messages, that wait there */
	double removed_s; /* from the calls, over all places where they wait */
};

static bool are_same_calls(const struct row *a, const struct row *b)
{
	return a->wait->site == b->wait->site && a->wait->function == b->wait->function;
}

static double part_of(const struct row *rows, size_t n, const struct row *row)
{
	double count = 0;

	for (size_t i = 0; i < n; i++)
		count += are_same_calls(&rows[i], row) ? (double)rows[i].wait->count : 0;
	return (double)row->wait->count / count;
}

/* Of the time that is waited at the place: calls that block longer now are those that are waited for. */
static double share_of(const struct row *rows, size_t n, const struct row *row)
{
	double all_s = 0, count = 0;

	for (size_t i = 0; i < n; i++)
		if (rows[i].wait->wait_site == row->wait->wait_site) {
			all_s += rows[i].part * fmax(rows[i].blocked_s, 0);
			count += (double)rows[i].wait->count;
		}
	return all_s > 0 ? row->part * fmax(row->blocked_s, 0) / all_s
			 : (double)row->wait->count / count;
}

static int compare_rows(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->removed_s != y->removed_s)
		return x->removed_s > y->removed_s ? -1 : 1;
	if (x->wait->site != y->wait->site)
		return x->wait->site < y->wait->site ? -1 : 1;
	if (x->wait->function != y->wait->function)
		return x->wait->function < y->wait->function ? -1 : 1;
	return x->wait < y->wait ? -1 : 1;
}

static void find_removed(const struct mtrace_file *file, const struct async_prediction *p,
			 struct row *rows, size_t n)
{
	char place[PLACE_B];

	for (size_t i = 0; i < n; i++)
		rows[i].removed_s = rows[i].blocked_s;
	for (size_t i = 0; i < n; i++) {
		double waited_s;

		async_place_name(file, rows[i].wait->wait_site, place, sizeof place);
		waited_s = share_of(rows, n, &rows[i]) * time_in(&p->base, NULL, place);
		for (size_t k = 0; k < n; k++)
			rows[k].removed_s -= are_same_calls(&rows[i], &rows[k]) ? waited_s : 0;
	}
}

/* [p->result.n_waits], those of a place together, first those that remove most; NULL: none, or out of memory. */
static struct row *rows_of(const struct mtrace_file *file, const struct whatif_base *base,
			   const struct async_prediction *p)
{
	size_t n = p->result.n_waits;
	struct row *rows = n > 0 ? calloc(n, sizeof *rows) : NULL;

	if (!rows)
		return NULL;
	for (size_t i = 0; i < n; i++) {
		rows[i].wait = &p->result.waits[i];
		rows[i].now_s = time_now(file, base, rows[i].wait);
		rows[i].blocked_s = rows[i].now_s - time_posting(file, p, rows[i].wait);
	}
	for (size_t i = 0; i < n; i++)
		rows[i].part = part_of(rows, n, &rows[i]);
	find_removed(file, p, rows, n);
	for (size_t i = 0; i < n; i++) /* a sum that is rounded */
		rows[i].removed_s = fabs(rows[i].removed_s) < 1e-12 ? 0 : rows[i].removed_s;
	qsort(rows, n, sizeof *rows, compare_rows);
	return rows;
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
	struct row *rows = p->error ? NULL : rows_of(file, base, p);

	if (!rows)
		return;
	fprintf(out, "\n%s: %llu calls need not block\n", async_mode_names[p->setup.mode],
		(unsigned long long)p->result.n_converted);
	for (size_t i = 0; i < p->result.n_waits && i < MOST_LINES; i++) {
		advise(file, rows[i].wait, text, sizeof text);
		fprintf(out, "  %s (%llu times", text, (unsigned long long)rows[i].wait->count);
		if (i == 0 || !are_same_calls(&rows[i - 1], &rows[i]))
			fprintf(out, "; all take %s now, %s %s then",
				util_format_time(now, sizeof now, rows[i].now_s),
				util_format_time(removed, sizeof removed, fabs(rows[i].removed_s)),
				rows[i].removed_s < 0 ? "more" : "less");
		fputs(")\n", out);
	}
	free(rows);
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
	struct row *rows = rows_of(file, base, p);
	json_t *list = json_array();
	char text[4 * PLACE_B];

	for (size_t i = 0; i < p->result.n_waits && rows; i++) {
		const struct async_wait *w = rows[i].wait;

		advise(file, w, text, sizeof text);
		json_array_append_new(
		    list,
		    json_pack("{s:s, s:s, s:s?, s:I, s:f, s:f, s:s}", "call",
			      call_name(file, w->function), "site", site_text(file, w->site),
			      "wait",
			      w->wait_site == UINT32_MAX ? NULL : site_text(file, w->wait_site),
			      "count", (json_int_t)w->count, "time_s", rows[i].now_s, "removed_s",
			      rows[i].removed_s, "advice", text));
	}
	free(rows);
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
