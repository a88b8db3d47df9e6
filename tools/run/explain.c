// SPDX-License-Identifier: BSD-3-Clause
#include "tools/run/run.h"

#include <stdlib.h>

#include "pdexec/image.h"
#include "tools/run/failure.h"
#include "tools/run/launcher.h"

/* The job that a place is of; NULL: nobody asks, or it is not known. */
static const char *job_of(const struct run *run, const void *address)
{
	uint64_t place;

	for (int i = 0; run->schedule && i < run->world->n_programs; i++)
		if (pd_image_locate(run->world->programs[i].image, address, &place))
			return run->world->programs[i].config.name;
	return NULL;
}

void run_explain(struct run *run, struct run_strings *texts, struct trace_explanation *out,
		 struct trace_run *description)
{
	const struct trace_sites *sites;
	const char **site_texts, **site_jobs;
	struct util_error err;

	if (run->launcher) {
		description->jobs = run_launcher_close(run->launcher, run->world->engine.now);
		description->n_jobs = run->schedule->n_jobs;
	}
	if (!run->analysis)
		return;
	trace_analysis_close(run->analysis);
	if (trace_explain(run->analysis, run->ideal, description->jobs, description->n_jobs, out,
			  &err)) {
		fprintf(run->console, "%s: --explain: %s\n", run->tool, err.text);
		return;
	}
	sites = &run->analysis->sites;
	site_texts = calloc((size_t)sites->n + 1, sizeof *site_texts);
	for (int i = 0; site_texts && i < sites->n; i++)
		site_texts[i] = run_site(run, texts, sites->list[i].address);
	out->site_texts = site_texts;
	site_jobs = run->schedule ? calloc((size_t)sites->n + 1, sizeof *site_jobs) : NULL;
	for (int i = 0; site_jobs && i < sites->n; i++)
		site_jobs[i] = job_of(run, sites->list[i].address);
	out->site_jobs = site_jobs;
	for (int i = 0; i < out->n_jobs; i++)
		out->jobs[i].site_texts = site_texts;
	description->explanation = out;
}
