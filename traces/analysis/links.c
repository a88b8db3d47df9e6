// SPDX-License-Identifier: BSD-3-Clause
#include "traces/analysis/links.h"

#include <stdlib.h>
#include <string.h>

#include "util/array.h"
#include "util/error.h"

/* Beyond so many disjoint intervals in the life of one transfer the oldest are settled: gaps
 * between them that it fills are not seen. */
enum { MAX_OPEN = 1024 };

int trace_links_init(struct trace_links *links, int n_nodes)
{
	links->n_nodes = n_nodes;
	links->out_of_memory = false;
	links->list = calloc(2 * (size_t)n_nodes, sizeof *links->list);
	return links->list ? 0 : UTIL_ENOMEM;
}

void trace_links_finish(struct trace_links *links)
{
	for (int i = 0; links->list && i < 2 * links->n_nodes; i++)
		free(links->list[i].open);
	free(links->list);
	links->list = NULL;
}

static void advance(struct trace_link *link, sim_time_ps now)
{
	link->active_ps += (double)link->n_active * (double)(now - link->updated);
	link->updated = now;
}

struct trace_links_mark trace_links_begin(struct trace_links *links, int source, int dest,
					  sim_time_ps now)
{
	struct trace_link *out = &links->list[source], *in = &links->list[links->n_nodes + dest];

	advance(out, now);
	advance(in, now);
	out->n_active++;
	in->n_active++;
	return (struct trace_links_mark){out->active_ps, in->active_ps};
}

static void settle(struct trace_link *link, int n)
{
	for (int i = 0; i < n; i++)
		link->busy += link->open[i].end - link->open[i].begin;
	link->n_open -= n;
	memmove(link->open, link->open + n, (size_t)link->n_open * sizeof *link->open);
}

/* Ends come in order: a new interval joins the last ones. */
static int add_busy(struct trace_link *link, sim_time_ps begin, sim_time_ps end)
{
	while (link->n_open > 0 && link->open[link->n_open - 1].end >= begin) {
		link->n_open--;
		if (link->open[link->n_open].begin < begin)
			begin = link->open[link->n_open].begin;
	}
	if (!util_array_room(&link->open, (size_t)link->n_open, sizeof *link->open))
		return -1;
	link->open[link->n_open++] = (struct trace_interval_ps){begin, end};
	if (link->n_active == 0 && link->n_open > 1)
		settle(link, link->n_open - 1);
	else if (link->n_open > MAX_OPEN)
		settle(link, MAX_OPEN / 2);
	return 0;
}

static void end_on(struct trace_links *links, struct trace_link *link, int64_t size_B,
		   sim_time_ps entered, sim_time_ps now)
{
	advance(link, now);
	link->n_active--;
	link->flow_ps += (double)(now - entered);
	link->bytes += (double)size_B;
	if (now > entered && add_busy(link, entered, now))
		links->out_of_memory = true;
}

void trace_links_end(struct trace_links *links, int source, int dest, int64_t size_B,
		     struct trace_links_mark mark, sim_time_ps entered, sim_time_ps lost,
		     sim_time_ps now)
{
	struct trace_link *out = &links->list[source], *in = &links->list[links->n_nodes + dest];
	double on_out, on_in;

	end_on(links, out, size_B, entered, now);
	end_on(links, in, size_B, entered, now);
	on_out = out->active_ps - mark.out_ps;
	on_in = in->active_ps - mark.in_ps;
	if (on_out >= on_in)
		out->lost_ps += on_out > on_in ? (double)lost : 0.5 * (double)lost;
	if (on_in >= on_out)
		in->lost_ps += on_in > on_out ? (double)lost : 0.5 * (double)lost;
}

sim_time_ps trace_link_busy(const struct trace_link *link)
{
	sim_time_ps busy = link->busy;

	for (int i = 0; i < link->n_open; i++)
		busy += link->open[i].end - link->open[i].begin;
	return busy;
}
