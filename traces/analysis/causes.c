// SPDX-License-Identifier: BSD-3-Clause
/* Follows causes from rank to rank along messages: critical paths, ideal clocks, wait states. */
#include <stdlib.h>
#include <string.h>

#include "cluster/levels.h"
#include "netmodel/model.h"
#include "netmodel/topology.h"
#include "traces/analysis/collectives.h"
#include "traces/analysis/delays.h"
#include "traces/analysis/internal.h"
#include "util/array.h"

void trace_causes_advance(struct trace_analysis *analysis, int rank, int64_t ideal, sim_time_ps now)
{
	struct trace_analysis_rank *r = &analysis->ranks[rank];

	if (ideal > r->ideal) {
		trace_curve_add(&analysis->advance[r->job], r->ideal_seen, now,
				(double)(ideal - r->ideal));
		r->ideal = ideal;
	}
	if (now > r->ideal_seen)
		r->ideal_seen = now;
}

void trace_causes_see(struct trace_analysis *analysis, int rank, sim_time_ps now)
{
	struct trace_analysis_rank *r = &analysis->ranks[rank];

	if (r->idle > r->seen) { /* nothing else explains it */
		trace_path_extend(&analysis->paths, &r->path,
				  trace_key(r->idle_blame, r->idle_site), r->idle);
		r->seen = r->idle;
	}
	if (now <= r->seen)
		return;
	trace_path_extend(&analysis->paths, &r->path, trace_key(TRACE_BLAME_OTHER, 0), now);
	trace_causes_advance(analysis, rank, r->ideal + now - r->seen, now);
	r->seen = now;
}

/* A rank that polls looks between its pauses: so long a computation is no more than that. */
#define LOOK_PS (SIM_PS_PER_S / 1000000)

static struct trace_wait_total *wait_at(struct trace_analysis *analysis, int site)
{
	if (!util_array_reach(&analysis->waits, &analysis->n_waits, site, sizeof *analysis->waits))
		return NULL;
	return &analysis->waits[site];
}

static void add_wait(struct trace_wait_total *total, enum trace_wait wait, sim_time_ps waited,
		     bool is_open)
{
	total->time[wait] += waited;
	total->n[wait]++;
	total->open_time[wait] += is_open ? waited : 0;
	total->n_open[wait] += is_open;
}

void trace_causes_wait(struct trace_analysis *analysis, int rank, int site, enum trace_wait wait,
		       sim_time_ps waited, bool is_open)
{
	struct trace_wait_total *of_rank = &analysis->ranks[rank].waits;
	struct trace_wait_total *of_site = site < 0 ? NULL : wait_at(analysis, site);

	if (waited <= 0)
		return;
	add_wait(of_rank, wait, waited, is_open);
	if (!of_site) {
		analysis->out_of_memory = true;
		return;
	}
	add_wait(of_site, wait, waited, is_open);
}

static int site_of(struct trace_analysis *analysis, const struct sim_cause_place *place)
{
	int site = trace_sites_id(&analysis->sites, place->function, place->site);

	if (site < 0)
		analysis->out_of_memory = true;
	return site;
}

/* --- messages --- */

static void *message_begin(void *context, const struct sim_cause_message *message, sim_time_ps now)
{
	struct trace_analysis *analysis = context;
	struct trace_token *token = util_pool_get(&analysis->tokens);

	if (!token) {
		analysis->out_of_memory = true;
		return NULL;
	}
	*token = (struct trace_token){
	    .source = message->sender.rank,
	    .dest = message->dest,
	    .site = site_of(analysis, &message->sender),
	    .sent = message->sent,
	    .level = message->level,
	};
	trace_causes_see(analysis, token->source, now);
	return token;
}

static void message_end(void *context, void *of)
{
	struct trace_analysis *analysis = context;
	struct trace_token *token = of;

	trace_path_release(&analysis->paths, &token->path);
	util_pool_put(&analysis->tokens, token);
}

/* What the rank does now sets off the message's next step. */
static void set_off(struct trace_analysis *analysis, struct trace_token *token, int rank,
		    sim_time_ps now)
{
	struct trace_analysis_rank *r = &analysis->ranks[rank];

	trace_causes_see(analysis, rank, now);
	trace_path_copy(&analysis->paths, &token->path, &r->path);
	if (r->ideal > token->ideal)
		token->ideal = r->ideal;
}

static int node_of(const struct trace_analysis *analysis, int rank)
{
	return analysis->summary->ranks[rank].node;
}

static int from_node(const struct trace_analysis *analysis, const struct trace_token *token)
{
	return node_of(analysis, token->is_back ? token->dest : token->source);
}

static int to_node(const struct trace_analysis *analysis, const struct trace_token *token)
{
	return node_of(analysis, token->is_back ? token->source : token->dest);
}

static void transfer_begin(void *context, void *of, int rank, int is_back, sim_time_ps now)
{
	struct trace_analysis *analysis = context;
	struct trace_token *token = of;
	int from, to;

	if (rank >= 0)
		set_off(analysis, token, rank, now);
	else
		trace_path_extend(&analysis->paths, &token->path, trace_key(TRACE_BLAME_OTHER, 0),
				  now);
	token->begin = now;
	token->moved_B = 0;
	token->is_back = is_back;
	from = from_node(analysis, token);
	to = to_node(analysis, token);
	if (from != to)
		token->mark = trace_links_begin(&analysis->links, from, to, now);
}

static void count(struct trace_analysis *analysis, struct trace_token *token,
		  enum trace_path_count what, int64_t amount)
{
	trace_path_count(&analysis->paths, &token->path, trace_key(TRACE_N_BLAMES + what, 0),
			 amount);
}

/* Adds up to `duration` to the path, not beyond `now`. */
static void spend(struct trace_analysis *analysis, struct trace_token *token,
		  enum trace_blame blame, sim_time_ps duration, sim_time_ps now)
{
	sim_time_ps until = sim_time_add(token->path.until, duration);

	trace_path_extend(&analysis->paths, &token->path, trace_key(blame, token->site),
			  until < now ? until : now);
}

/* Two picoseconds or less are rounding. */
static void spend_rest(struct trace_analysis *analysis, struct trace_token *token,
		       double latency_share, sim_time_ps now)
{
	sim_time_ps rest = now - token->path.until;

	if (rest <= 2) {
		spend(analysis, token,
		      latency_share < 1 ? TRACE_BLAME_BANDWIDTH : TRACE_BLAME_LATENCY, rest, now);
		return;
	}
	spend(analysis, token, TRACE_BLAME_CONTENTION, rest, now);
	count(analysis, token, TRACE_COUNT_LATENCY_STRETCH,
	      (int64_t)(latency_share * (double)rest));
}

/* Of the transfer under way, with the links between switches. A detour counts as contention: it was
 * taken because of others. */
static struct net_minimum minimum_of(const struct trace_analysis *analysis,
				     const struct trace_token *token, int64_t size_B)
{
	int from = from_node(analysis, token), to = to_node(analysis, token);
	struct net_minimum all = net_transfer_minimum(analysis->cluster, token->level, size_B);

	if (from != to && analysis->topology) {
		all.latency_s += net_topology_delay_s(analysis->topology, from, to);
		all.is_delay = true;
	}
	return all;
}

static void leave_links(struct trace_analysis *analysis, const struct trace_token *token,
			int64_t size_B, const struct net_minimum *all, sim_time_ps now)
{
	sim_time_ps entered = token->begin, lost;

	if (all->is_delay)
		entered = sim_time_add(entered, sim_time_from_s(all->latency_s));
	if (entered > now)
		entered = now;
	lost = now - token->begin - sim_time_from_s(all->latency_s + all->bandwidth_s);
	trace_links_end(&analysis->links, from_node(analysis, token), to_node(analysis, token),
			size_B, token->mark, entered, lost > 2 ? lost : 0, now);
}

/* The transfer's own time up to here. A mark on the way leaves the path where it is: the rest comes
 * with the end, which is told from the mark by the bytes that are yet to come. */
static void transfer_end(void *context, void *of, int64_t size_B, sim_time_ps now)
{
	struct trace_analysis *analysis = context;
	struct trace_token *token = of;
	bool is_within = from_node(analysis, token) == to_node(analysis, token);
	struct net_minimum all = minimum_of(analysis, token, size_B);
	double latency_share = 0;

	if (token->moved_B == 0) {
		count(analysis, token,
		      is_within ? TRACE_COUNT_INTRA_TRANSFERS : TRACE_COUNT_TRANSFERS, 1);
		spend(analysis, token, TRACE_BLAME_LATENCY, sim_time_from_s(all.latency_s), now);
	}
	count(analysis, token, is_within ? TRACE_COUNT_INTRA_BYTES : TRACE_COUNT_BYTES,
	      size_B - token->moved_B);
	spend(analysis, token, TRACE_BLAME_BANDWIDTH,
	      sim_time_from_s(all.bandwidth_s * (double)(size_B - token->moved_B) /
			      (double)(size_B > 0 ? size_B : 1)),
	      now);
	if (!all.is_delay && all.latency_s > 0)
		latency_share = all.latency_s / (all.latency_s + all.bandwidth_s);
	else if (all.bandwidth_s <= 0)
		latency_share = 1;
	spend_rest(analysis, token, latency_share, now);
	token->moved_B = size_B;
}

static void transfer_done(void *context, void *of, int64_t size_B, int is_end, sim_time_ps now)
{
	struct trace_analysis *analysis = context;
	const struct trace_token *token = of;
	struct net_minimum all;

	transfer_end(context, of, size_B, now);
	if (!is_end || from_node(analysis, token) == to_node(analysis, token))
		return;
	all = minimum_of(analysis, token, size_B);
	leave_links(analysis, token, size_B, &all, now);
	if (analysis->model)
		trace_loads_add(&analysis->loads, analysis->model, token->site, size_B);
}

static void follow(void *context, void *of, void *other, sim_time_ps now)
{
	struct trace_analysis *analysis = context;
	struct trace_token *token = of;
	const struct trace_token *first = other;

	trace_path_copy(&analysis->paths, &token->path, &first->path);
	trace_path_extend(&analysis->paths, &token->path, trace_key(TRACE_BLAME_OTHER, 0), now);
}

static void matched(void *context, void *of, int rank, int64_t posted, sim_time_ps now)
{
	struct trace_analysis *analysis = context;
	struct trace_token *token = of;

	if (posted > token->ideal)
		token->ideal = posted;
	if (rank < 0)
		return;
	set_off(analysis, token, rank, now);
	token->matched = now;
}

static int64_t released(void *context, void *of, int rank, sim_time_ps now)
{
	struct trace_analysis *analysis = context;
	struct trace_token *token = of;
	struct trace_analysis_rank *r = &analysis->ranks[rank];
	bool is_receive = rank == token->dest;

	trace_path_extend(&analysis->paths, &token->path, trace_key(TRACE_BLAME_OTHER, 0), now);
	trace_path_copy(&analysis->paths, &r->cause, &token->path);
	r->has_cause = true;
	r->cause_wait = is_receive ? TRACE_WAIT_LATE_SENDER : TRACE_WAIT_LATE_RECEIVER;
	r->cause_by = is_receive ? token->source : token->dest;
	r->cause_ready = is_receive ? token->sent : token->matched;
	return token->ideal;
}

/* --- collectives by formula --- */

static void *formula_begin(void *context, const struct sim_cause_place *place, sim_time_ps now)
{
	const struct sim_cause_message entered = {.sender = *place, .sent = now};
	struct trace_token *token = message_begin(context, &entered, now);

	if (token)
		set_off(context, token, place->rank, now);
	return token;
}

static void spend_formula(struct trace_analysis *analysis, struct trace_token *token,
			  const struct sim_cause_formula *formula, sim_time_ps now)
{
	const struct cluster *cluster = analysis->cluster;
	int n = formula->n_transfers + formula->n_intra_transfers;
	double latency_s =
	    formula->n_transfers * (net_transfer_minimum(cluster, NET_BETWEEN_NODES, 0).latency_s +
				    net_topology_most_delay_s(cluster)) +
	    formula->n_intra_transfers *
		net_transfer_minimum(cluster, cluster_n_levels(cluster) - 1, 0).latency_s;

	count(analysis, token, TRACE_COUNT_TRANSFERS, formula->n_transfers);
	count(analysis, token, TRACE_COUNT_INTRA_TRANSFERS, formula->n_intra_transfers);
	count(analysis, token, TRACE_COUNT_SEND_OVERHEADS, n);
	count(analysis, token, TRACE_COUNT_RECV_OVERHEADS, n);
	count(analysis, token,
	      formula->is_within_node ? TRACE_COUNT_INTRA_BYTES : TRACE_COUNT_BYTES,
	      formula->size_B);
	spend(analysis, token, TRACE_BLAME_LATENCY, sim_time_from_s(latency_s), now);
	spend(analysis, token, TRACE_BLAME_SEND_OVERHEAD,
	      sim_time_from_s(n * cluster->protocol.send_overhead_s), now);
	spend(analysis, token, TRACE_BLAME_RECV_OVERHEAD,
	      sim_time_from_s(n * cluster->protocol.recv_overhead_s), now);
	/* what rounding leaves of the latency where there are no bytes is no bandwidth */
	spend(analysis, token, formula->size_B > 0 ? TRACE_BLAME_BANDWIDTH : TRACE_BLAME_LATENCY,
	      now - token->path.until, now);
}

static void formula_end(void *context, void *of, const struct sim_cause_formula *formula, int rank,
			sim_time_ps now)
{
	struct trace_analysis *analysis = context;
	struct trace_token *token = of;
	struct trace_analysis_rank *r = &analysis->ranks[rank];

	if (token->moved_B == 0) { /* for the first rank */
		token->moved_B = 1;
		spend_formula(analysis, token, formula, now);
	}
	trace_path_copy(&analysis->paths, &r->cause, &token->path);
	r->has_cause = true;
	r->cause_wait = TRACE_WAIT_COLLECTIVE;
	r->cause_by = token->source;
	r->cause_ready = token->sent;
}

/* --- ranks --- */

static int64_t mark(void *context, int rank, sim_time_ps now)
{
	struct trace_analysis *analysis = context;

	trace_causes_see(analysis, rank, now);
	return analysis->ranks[rank].ideal;
}

/* Who waited went on, on the clock, until the other side came; then messages were under way. */
static void taken(void *context, int rank, int64_t known, sim_time_ps now)
{
	struct trace_analysis *analysis = context;
	struct trace_analysis_rank *r = &analysis->ranks[rank];
	bool is_late = r->has_cause && r->cause_ready > r->ideal_seen && r->cause_ready < now;

	trace_causes_advance(analysis, rank, known, is_late ? r->cause_ready : now);
	if (is_late)
		r->ideal_seen = now;
}

static void block(void *context, int rank)
{
	struct trace_analysis *analysis = context;

	analysis->ranks[rank].has_cause = false;
}

static void resume(void *context, const struct sim_cause_place *place, sim_time_ps begin,
		   sim_time_ps now)
{
	struct trace_analysis *analysis = context;
	struct trace_analysis_rank *r = &analysis->ranks[place->rank];
	sim_time_ps ready = r->cause_ready < now ? r->cause_ready : now;
	int site;

	if (begin - r->idle > LOOK_PS || r->looks_since > begin ||
	    r->idle_blame != TRACE_BLAME_POLLING)
		r->looks_since = begin;
	if (r->idle == begin && r->idle > r->seen) /* it looked, and blocked again at once */
		begin = r->seen;
	else
		trace_causes_see(analysis, place->rank, begin);
	if (now <= begin)
		return;
	site = site_of(analysis, place);
	r->idle = now;
	r->idle_site = site;
	r->idle_blame = r->accessed == now  ? TRACE_BLAME_FILE
			: r->spawned == now ? TRACE_BLAME_START
					    : TRACE_BLAME_POLLING;
	if (!r->has_cause || r->cause.until <= begin)
		return;
	trace_path_copy(&analysis->paths, &r->path, &r->cause);
	r->seen = r->path.until;
	begin = r->looks_since < begin ? r->looks_since : begin;
	r->looks_since = SIM_TIME_MAX;
	if (r->in_collective)
		return;
	trace_causes_wait(analysis, place->rank, site, r->cause_wait, ready - begin, false);
	if (analysis->delays)
		trace_delays_wait(analysis->delays, place->rank, r->cause_by, begin, ready);
}

void trace_analysis_open_call(struct trace_analysis *analysis, const struct sim_cause_place *place,
			      enum trace_wait wait, sim_time_ps begin, sim_time_ps now)
{
	struct trace_analysis_rank *r = &analysis->ranks[place->rank];

	r->idle = 0; /* whatever woke it was not what it waits for */
	if (!r->in_collective && wait != TRACE_N_WAITS)
		trace_causes_wait(analysis, place->rank, site_of(analysis, place), wait,
				  now - begin, true);
}

static void overhead(void *context, const struct sim_cause_place *place, int is_send,
		     int64_t size_B, sim_time_ps begin, sim_time_ps now)
{
	struct trace_analysis *analysis = context;
	struct trace_analysis_rank *r = &analysis->ranks[place->rank];
	int what = is_send ? TRACE_COUNT_SEND_OVERHEADS : TRACE_COUNT_RECV_OVERHEADS;

	trace_causes_see(analysis, place->rank, begin);
	trace_path_extend(&analysis->paths, &r->path,
			  trace_key(is_send ? TRACE_BLAME_SEND_OVERHEAD : TRACE_BLAME_RECV_OVERHEAD,
				    site_of(analysis, place)),
			  now);
	trace_path_count(&analysis->paths, &r->path, trace_key(TRACE_N_BLAMES + what, 0), 1);
	trace_path_count(&analysis->paths, &r->path, trace_key(TRACE_N_BLAMES + what + 1, 0),
			 size_B);
	r->seen = now;
}

void trace_causes_collective(void *context, const struct sim_cause_collective *entered,
			     sim_time_ps now)
{
	struct trace_analysis *analysis = context;

	analysis->ranks[entered->place.rank].in_collective = true;
	if (trace_collectives_enter(analysis->collectives, entered,
				    site_of(analysis, &entered->place), now))
		analysis->out_of_memory = true;
}

void trace_causes_init(struct trace_analysis *analysis)
{
	analysis->causes = (struct sim_causes){
	    .context = analysis,
	    .message_begin = message_begin,
	    .transfer_begin = transfer_begin,
	    .transfer_end = transfer_done,
	    .follow = follow,
	    .matched = matched,
	    .released = released,
	    .message_end = message_end,
	    .mark = mark,
	    .taken = taken,
	    .block = block,
	    .resume = resume,
	    .overhead = overhead,
	    .formula_begin = formula_begin,
	    .formula_end = formula_end,
	    .worked = trace_causes_worked,
	    .awaited = trace_causes_awaited,
	    .accessed = trace_causes_accessed,
	};
}
