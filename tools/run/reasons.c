// SPDX-License-Identifier: BSD-3-Clause
#include "tools/run/reasons.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/record/record.h"
#include "tools/run/record.h"
#include "tools/run/run.h"
#include "tools/run/variation.h"
#include "traces/brief.h"
#include "util/array.h"

/* What a plain run does for it: records and messages of all replays together, ranks. */
enum { PLAIN_COST = 2000000, PLAIN_RANKS = 4096, LEAST_TRIED = 3 };
#define LEAST_GAIN 0.005 /* of the running time */

bool run_reasons_are_wanted(const struct run *run)
{
	const struct run_options *o = &run->options;

	if (o->verify || o->graph || o->debug_fd || run->schedule || o->time_only ||
	    o->record_at_fd || o->mode == PD_COMPUTE_COLLECT)
		return false;
	return o->explain || (!o->quiet && run->n_ranks <= PLAIN_RANKS);
}

/* --- what the candidates are made with --- */

static bool is_place(const void *item, const void *wanted)
{
	return memcmp(item, wanted, sizeof(struct replay_region)) == 0;
}

struct numbered { /* in the map */
	struct replay_region place;
	int number;
};

int reasons_place(struct reasons *reasons, const struct replay_region *region)
{
	uint64_t key = util_hash(region, sizeof *region, 0);
	struct numbered *found = util_map_find_equal(&reasons->numbers, key, is_place, region);

	if (found)
		return found->number;
	found = malloc(sizeof *found);
	if (!found || !util_array_room(&reasons->places, (size_t)reasons->n_places,
				       sizeof *reasons->places)) {
		free(found);
		reasons->is_lost = true;
		return -1;
	}
	*found = (struct numbered){*region, reasons->n_places};
	if (util_map_put(&reasons->numbers, key, found)) {
		free(found);
		reasons->is_lost = true;
		return -1;
	}
	reasons->places[reasons->n_places] = *region;
	return reasons->n_places++;
}

struct reasons_candidate *reasons_add(struct reasons *reasons, enum trace_reason_kind kind)
{
	struct reasons_candidate *candidate;

	if (!util_array_room(&reasons->candidates, (size_t)reasons->n_candidates,
			     sizeof *reasons->candidates)) {
		reasons->is_lost = true;
		return NULL;
	}
	candidate = &reasons->candidates[reasons->n_candidates++];
	*candidate = (struct reasons_candidate){.reason.kind = kind, .place = -1, .site = -1};
	return candidate;
}

void reasons_blame(struct reasons *reasons, struct trace_reason *reason, const int ranks[], int n)
{
	reason->ranks = malloc(((size_t)n + 1) * sizeof *reason->ranks);
	if (!reason->ranks) {
		reasons->is_lost = true;
		return;
	}
	memcpy(reason->ranks, ranks, (size_t)n * sizeof *ranks);
	reason->n_ranks = n;
}

const char *reasons_ranks(const struct trace_reason *reason, char *buf, size_t size)
{
	int begin = snprintf(buf, size, reason->n_ranks == 1 ? "rank " : "ranks ");

	run_format_ranks(buf + begin, size - (size_t)begin, reason->ranks, reason->n_ranks);
	return buf;
}

/* --- the replay that is looked at --- */

static double note_compute(void *context, int rank, const struct replay_region *region,
			   double seconds)
{
	struct reasons *reasons = context;
	int number = reasons_place(reasons, region);

	if (number >= 0)
		trace_delays_enter(reasons->delays, rank, number);
	reasons_even_note(reasons, rank, region, seconds);
	return 1;
}

static void note_lock(void *context, int rank, int target, bool is_exclusive, uint64_t site)
{
	struct reasons *reasons = context;

	if (!is_exclusive || target < 0 || target >= reasons->n_ranks)
		return;
	if (reasons->n_locks[target]++ == 0)
		reasons->lock_site = site;
	reasons->n_locking[rank]++;
}

static bool is_pair(const void *item, const void *wanted)
{
	const struct reasons_traffic *a = item, *b = wanted;

	return a->low == b->low && a->high == b->high;
}

static void note_message(void *context, const struct sim_record_message *message)
{
	struct reasons *reasons = context;
	bool goes_up = message->source < message->dest;
	struct reasons_traffic pair = {.low = goes_up ? message->source : message->dest,
				       .high = goes_up ? message->dest : message->source};
	uint64_t key = (uint64_t)pair.low << 32 | (uint32_t)pair.high;
	struct reasons_traffic *found;

	reasons->n_sent[message->source]++;
	found = util_map_find_equal(&reasons->traffic, key, is_pair, &pair);
	if (!found) {
		found = malloc(sizeof *found);
		if (!found || util_map_put(&reasons->traffic, key, found)) {
			free(found);
			reasons->is_lost = true;
			return;
		}
		*found = pair;
	}
	found->size_B += (double)message->size_B;
}

/* The twin of the run, with no results of its own. */
static void begin_twin(const struct reasons *reasons, struct run_twin *twin)
{
	struct run_options *o = &twin->run.options;

	run_twin_init(twin, reasons->run);
	twin->run.trace = reasons->run->trace;
	o->report = o->html = o->real = o->compare = o->trace_out = o->graph = o->ideal = NULL;
	o->explain = true;
	o->quiet = true;
	twin->run.is_varied = false;
}

/* The seed of the run that is reported. */
static int64_t seed_of(const struct run *run)
{
	return run->interval.n_runs > 0 ? (int64_t)run->interval.reported_seed : run->options.seed;
}

/* Who has ended waits for the last one, that is for the end of the run. */
static void note_ends(struct reasons *reasons, const struct trace_summary *summary)
{
	const struct trace_rank *ranks = summary->ranks;
	int last = 0;

	for (int rank = 0; rank < reasons->n_ranks; rank++)
		if (ranks[rank].sums.last > ranks[last].sums.last)
			last = rank;
	for (int rank = 0; rank < reasons->n_ranks; rank++)
		trace_delays_wait(reasons->delays, rank, last, ranks[rank].sums.last,
				  ranks[last].sums.last);
}

static void add_candidates(struct reasons *reasons, struct run *twin,
			   struct trace_explanation *explanation)
{
	struct run_strings texts = {.items = NULL};
	struct trace_run description = {.n_jobs = 0};

	run_explain(twin, &texts, explanation, &description);
	reasons->explanation = description.explanation;
	note_ends(reasons, twin->summary);
	if (!description.explanation || trace_delays_settle(reasons->delays)) {
		reasons->is_lost = true;
	} else {
		reasons_add_computation(reasons);
		reasons_add_network(reasons);
	}
	free((void *)(uintptr_t)explanation->site_texts);
	run_strings_finish(&texts);
}

static int look(struct reasons *reasons, struct trace_reasons *out, struct util_error *err)
{
	struct replay_change notes = {
	    .context = reasons, .compute = note_compute, .lock = note_lock};
	struct sim_observer messages = {.context = reasons, .message = note_message};
	struct trace_explanation explanation = {.blame = NULL};
	struct run_twin twin;
	int failed;

	begin_twin(reasons, &twin);
	twin.run.change = &notes;
	failed = run_replay_create(&twin.run, reasons->run->trace, seed_of(reasons->run), false,
				   &twin.replay, err);
	if (!failed) {
		twin.run.analysis->delays = reasons->delays;
		run_observe(&twin.run.world->observers, messages);
		failed = run_twin_go(&twin, err);
	}
	if (!failed && twin.run.world->engine.now != reasons->run->world->engine.now)
		failed =
		    util_error_set(err, UTIL_EPROGRAM, "a replay of the run takes another time");
	if (!failed) {
		trace_summary_close(twin.run.summary, twin.run.world->engine.now);
		add_candidates(reasons, &twin.run, &explanation);
		out->tree = explanation.tree;
		out->has_tree = reasons->explanation != NULL;
	}
	reasons->run->signal = twin.run.signal;
	trace_explanation_finish(&explanation);
	run_twin_finish(&twin);
	return failed;
}

/* --- replays without a cause --- */

static double leave_out(void *context, int rank, const struct replay_region *region, double seconds)
{
	void **of = context;
	struct reasons *reasons = of[0];
	const struct reasons_candidate *candidate = of[1];
	double factor;
	int number;

	if (reasons_even_factor(reasons, candidate, rank, region, seconds, &factor))
		return factor;
	number = reasons_place(reasons, region);
	if (number < 0 || number >= candidate->n_factors || !candidate->factors[number])
		return 1;
	return candidate->factors[number][rank];
}

int reasons_try_without(struct reasons *reasons, struct reasons_candidate *candidate,
			struct util_error *err)
{
	void *context[2] = {reasons, candidate};
	struct replay_change change = {
	    .context = context,
	    .compute = candidate->factors || candidate->evens ? leave_out : NULL,
	    .shares_locks = candidate->shares_locks,
	};
	struct run_twin twin;
	int failed;

	begin_twin(reasons, &twin);
	reasons_even_begin(reasons);
	if (change.compute || candidate->shares_locks)
		twin.run.change = &change;
	if (candidate->cluster)
		twin.run.cluster = candidate->cluster;
	if (candidate->node_of)
		twin.run.node_of = candidate->node_of;
	failed = run_replay_create(&twin.run, reasons->run->trace, seed_of(reasons->run), true,
				   &twin.replay, err);
	if (!failed)
		failed = run_twin_go(&twin, err);
	if (!failed) {
		candidate->reason.predicted_s = sim_time_to_s(twin.run.world->engine.now);
		candidate->reason.gain_s = reasons->time_s - candidate->reason.predicted_s;
	}
	reasons->run->signal = twin.run.signal;
	run_twin_finish(&twin);
	return failed;
}

static int compare_weights(const void *a, const void *b)
{
	const struct reasons_candidate *x = a, *y = b;

	return x->weight != y->weight ? (x->weight < y->weight ? 1 : -1)
				      : (int)x->reason.kind - (int)y->reason.kind;
}

static int compare_gains(const void *a, const void *b)
{
	const struct trace_reason *x = &((const struct reasons_candidate *)a)->reason;
	const struct trace_reason *y = &((const struct reasons_candidate *)b)->reason;

	return x->gain_s != y->gain_s ? (x->gain_s < y->gain_s ? 1 : -1)
				      : (int)x->kind - (int)y->kind;
}

/* What one replay costs: records, and messages, of which a collective's record may make many. */
static uint64_t cost_of(const struct run *run)
{
	return run->trace->n_records + run->mpi->n_messages + run->mpi->n_collective_messages;
}

/* How many replays are worth their time: of a small run all of the candidates. */
static int n_tried(const struct reasons *reasons)
{
	uint64_t n = PLAIN_COST / (cost_of(reasons->run) + 1);

	n = n < LEAST_TRIED ? LEAST_TRIED : n > REASONS_MOST ? REASONS_MOST : n;
	return reasons->n_candidates < (int)n ? reasons->n_candidates : (int)n;
}

/* A placement is one cause, whichever rule is the best. */
static bool is_doubled(const struct trace_reasons *out, const struct trace_reason *reason)
{
	for (int k = 0; k < out->n; k++)
		if (out->list[k].kind == TRACE_REASON_PLACEMENT &&
		    reason->kind == TRACE_REASON_PLACEMENT)
			return true;
	return false;
}

/* The ones of the first `n` that gain something, largest gain first; those that are shown get their
 * places. */
static void keep_gains(struct reasons *reasons, int n, struct trace_reasons *out)
{
	const struct run_options *o = &reasons->run->options;
	int n_shown = o->verbose || o->explain ? n : TRACE_BRIEF_REASONS;

	if (n > 0)
		qsort(reasons->candidates, (size_t)n, sizeof *reasons->candidates, compare_gains);
	for (int i = 0; i < n; i++) {
		struct reasons_candidate *candidate = &reasons->candidates[i];

		if (candidate->reason.gain_s < LEAST_GAIN * reasons->time_s ||
		    is_doubled(out, &candidate->reason))
			continue;
		if (out->n < n_shown)
			reasons_describe(reasons, candidate);
		out->list[out->n++] = candidate->reason;
		candidate->reason.ranks = NULL;
	}
}

static int try_all(struct reasons *reasons, struct trace_reasons *out, struct util_error *err)
{
	int n = n_tried(reasons), failed = 0;

	if (n > 0)
		qsort(reasons->candidates, (size_t)reasons->n_candidates,
		      sizeof *reasons->candidates, compare_weights);
	out->list = calloc((size_t)n + 1, sizeof *out->list);
	if (!out->list)
		return util_error_set(err, UTIL_ENOMEM, "out of memory");
	for (int i = 0; i < n && !failed && !reasons->run->signal; i++)
		failed = reasons_try_without(reasons, &reasons->candidates[i], err);
	if (!failed && !reasons->run->signal)
		keep_gains(reasons, n, out);
	return failed;
}

void reasons_candidate_finish(struct reasons_candidate *candidate)
{
	for (int k = 0; candidate->factors && k < candidate->n_factors; k++)
		free(candidate->factors[k]);
	free(candidate->factors);
	free(candidate->evens);
	free(candidate->cluster);
	free(candidate->segments[0]);
	free(candidate->segments[1]);
	free(candidate->node_of);
	free(candidate->reason.ranks);
}

static void finish(struct reasons *reasons)
{
	for (int i = 0; i < reasons->n_candidates; i++)
		reasons_candidate_finish(&reasons->candidates[i]);
	free(reasons->candidates);
	trace_delays_destroy(reasons->delays);
	reasons_even_finish(reasons);
	util_map_finish_items(&reasons->numbers);
	util_map_finish_items(&reasons->traffic);
	free(reasons->places);
	free(reasons->n_sent);
	free(reasons->n_locks);
	free(reasons->n_locking);
}

/* The bandwidth's curve is one of --explain, where several nodes send, of runs that a plain run looks
 * at, too. */
static bool has_curve(const struct reasons *reasons)
{
	const struct run *run = reasons->run;
	bool is_spread = false;

	for (int rank = 1; rank < reasons->n_ranks; rank++)
		is_spread |= run->node_of[rank] != run->node_of[0];
	return is_spread && run->options.explain && cost_of(run) <= PLAIN_COST &&
	       isfinite(run->cluster->network.bandwidth_Bps) && run->mpi->n_messages > 0;
}

static int find(struct reasons *reasons, struct trace_reasons *out, struct util_error *err)
{
	size_t n = (size_t)reasons->n_ranks;
	int failed;

	reasons->n_sent = calloc(n, sizeof *reasons->n_sent);
	reasons->n_locks = calloc(n, sizeof *reasons->n_locks);
	reasons->n_locking = calloc(n, sizeof *reasons->n_locking);
	if (!reasons->n_sent || !reasons->n_locks || !reasons->n_locking ||
	    trace_delays_create(reasons->n_ranks, &reasons->delays))
		return util_error_set(err, UTIL_ENOMEM, "out of memory");
	failed = look(reasons, out, err);
	if (!failed && reasons->is_lost)
		failed =
		    util_error_set(err, UTIL_ENOMEM, "the run is too long to be kept in memory");
	if (!failed && !reasons->run->signal)
		failed = try_all(reasons, out, err);
	if (!failed && !reasons->run->signal && has_curve(reasons))
		failed = reasons_find_bandwidth(reasons, &out->bandwidth, err);
	return failed;
}

/* Why the recording is of no use; NULL: it is. */
static const char *obstacle(const struct run *run)
{
	if (!run->trace)
		return run->record && mpi_record_given_up(run->record)
			   ? mpi_record_given_up(run->record)
			   : "the run was not recorded";
	if (run->trace->n_spawned > 0)
		return "ranks were spawned";
	if (!run->options.explain && cost_of(run) > PLAIN_COST)
		return "the run is long: --explain looks at it";
	return NULL;
}

void run_reasons_find(struct run *run, struct trace_reasons *out)
{
	struct reasons reasons = {
	    .run = run, .n_ranks = run->n_ranks, .time_s = sim_time_to_s(run->world->engine.now)};
	const char *why = obstacle(run);
	struct util_error err;

	*out = (struct trace_reasons){.n = 0};
	if (why) {
		snprintf(out->why_not, sizeof out->why_not, "%s", why);
		return;
	}
	if (find(&reasons, out, &err))
		snprintf(out->why_not, sizeof out->why_not, "%.250s", err.text);
	finish(&reasons);
}
