// SPDX-License-Identifier: BSD-3-Clause
#include "traces/summary.h"

static double overlap_s(sim_time_ps begin, sim_time_ps end, sim_time_ps from, sim_time_ps until)
{
	if (from > begin)
		begin = from;
	if (until < end)
		end = until;
	return end > begin ? sim_time_to_s(end - begin) : 0;
}

double trace_held_core_s(const struct trace_summary *summary, sim_time_ps begin, sim_time_ps end)
{
	double node_s = 0;
	int n_to_the_end = 0;

	for (int i = 0; i < summary->n_nodes; i++) {
		const struct trace_node *node = &summary->nodes[i];

		for (int hold = 0; hold < node->n_holds; hold++)
			node_s += overlap_s(begin, end, node->holds[hold].begin,
					    node->holds[hold].end);
		if (node->n_holding > 0 && node->since > 0)
			node_s += overlap_s(begin, end, node->since, SIM_TIME_MAX);
		else if (node->n_holding > 0)
			n_to_the_end++;
	}
	node_s += n_to_the_end * overlap_s(begin, end, 0, SIM_TIME_MAX);
	return node_s * summary->cluster->cores;
}

static double ratio(double useful_s, double held_core_s)
{
	return held_core_s > 0 ? useful_s / held_core_s : 0;
}

double trace_efficiency(const struct trace_summary *summary)
{
	return ratio(summary->useful_s, trace_held_core_s(summary, 0, summary->end));
}

double trace_phase_efficiency(const struct trace_summary *summary, const struct trace_phase *phase)
{
	return ratio(phase->useful_until[1] - phase->useful_until[0],
		     trace_held_core_s(summary, phase->begin, phase->end));
}

int trace_efficiency_curve(const struct trace_summary *summary, int max_windows,
			   struct trace_window out[])
{
	int n_bins = trace_curve_n(&summary->useful, summary->end);
	int per_window = (n_bins + max_windows - 1) / max_windows;
	int n = 0;

	for (int first = 0; first < n_bins; first += per_window, n++) {
		sim_time_ps begin = first * summary->useful.width;
		bool is_last = first + per_window >= n_bins;
		sim_time_ps end =
		    is_last ? summary->end : begin + per_window * summary->useful.width;
		struct trace_window *window = &out[n];

		*window = (struct trace_window){.begin_s = sim_time_to_s(begin),
						.end_s = sim_time_to_s(end)};
		for (int i = first; i < first + per_window && i < n_bins; i++)
			window->useful_s += summary->useful.amount[i];
		window->held_core_s = trace_held_core_s(summary, begin, end);
		window->efficiency = ratio(window->useful_s, window->held_core_s);
	}
	return n;
}

struct trace_breakdown trace_rank_breakdown(const struct trace_summary *summary, int rank)
{
	const struct trace_rank *r = &summary->ranks[rank];
	sim_time_ps ended = r->has_ended ? summary->end - r->sums.last : 0;
	sim_time_ps other = summary->end - ended - r->begin - r->computing - r->sums.in_calls;

	return (struct trace_breakdown){
	    .useful_s = r->useful_s - r->accelerator_s,
	    .accelerator_s = r->accelerator_s,
	    .stolen_s = r->stolen_s,
	    .shared_s = r->shared_s,
	    .communicating_s = sim_time_to_s(r->sums.in_calls - r->sums.waiting),
	    .waiting_s = sim_time_to_s(r->sums.waiting),
	    .ended_s = sim_time_to_s(ended),
	    .before_s = sim_time_to_s(r->begin),
	    .other_s = other > 0 ? sim_time_to_s(other) : 0,
	};
}

void trace_breakdown_add(struct trace_breakdown *sum, const struct trace_breakdown *one)
{
	sum->useful_s += one->useful_s;
	sum->accelerator_s += one->accelerator_s;
	sum->stolen_s += one->stolen_s;
	sum->shared_s += one->shared_s;
	sum->communicating_s += one->communicating_s;
	sum->waiting_s += one->waiting_s;
	sum->ended_s += one->ended_s;
	sum->before_s += one->before_s;
	sum->other_s += one->other_s;
}

struct trace_breakdown trace_mean_breakdown(const struct trace_summary *summary)
{
	struct trace_breakdown mean = {0};
	double n = summary->n_ranks;

	for (int rank = 0; rank < summary->n_ranks; rank++) {
		struct trace_breakdown one = trace_rank_breakdown(summary, rank);

		trace_breakdown_add(&mean, &one);
	}
	mean.useful_s /= n;
	mean.accelerator_s /= n;
	mean.stolen_s /= n;
	mean.shared_s /= n;
	mean.communicating_s /= n;
	mean.waiting_s /= n;
	mean.ended_s /= n;
	mean.before_s /= n;
	mean.other_s /= n;
	return mean;
}
