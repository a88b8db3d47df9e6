// SPDX-License-Identifier: BSD-3-Clause
#include <stdlib.h>
#include <string.h>

#include "mpi/coll/algorithms.h"
#include "replay/replay.h"
#include "tools/replay/doubts.h"
#include "tools/replay/entry.h"
#include "tools/replay/provenance.h"
#include "tools/run/place.h"
#include "tools/run/run.h"
#include "tools/run/variation.h"
#include "util/version.h"

#define EXIT_USAGE 2

static const char help[] =
    "mpisim-replay predicts from a trace how long the program would run on a cluster, without\n"
    "the program.\n"
    "\n"
    "usage: mpisim-replay FILE [OPTION…]\n"
    "\n"
    "FILE comes from mpisim-run --record. Without options the prediction is that of the\n"
    "recorded run.\n"
    "\n"
    "  --cluster FILE         another machine (docs/cluster-file.md); default: the recorded one\n"
    "  --set KEY=VALUE        replaces a value of the cluster file; may be repeated\n"
    "  --coll LIST, --coll-profile NAME\n"
    "                         algorithms of collectives, as of mpisim-run\n"
    "  --placement WHERE      block, spread, cyclic, random or a node for each rank; default: as\n"
    "                         recorded, or with --cluster the recorded rule\n"
    "  --bench FILE           times of annotated kernels come from measurements or models in\n"
    "                         FILE instead of the trace (docs/benchmark-store.md)\n"
    "  --scale KERNEL=FACTOR  time of a kernel times FACTOR; *=FACTOR: of all computation; may\n"
    "                         be repeated; replaces the recorded factor of the kernel\n"
    "  --vary-compute A, --vary-transfer A, --deterministic, --seed N\n"
    "                         random variation, as of mpisim-run\n"
    "  --json FILE, --report DIR, --html FILE, --what-if FILE, --real FILE,\n"
    "  --compare FILE, --trace-out FILE, --explain, --verbose, --quiet\n"
    "                         results, as of mpisim-run\n"
    "  --version, --help\n"
    "\n"
    "exit status: 0 the program ended well; 1 it failed; 2 wrong usage or input.\n"
    "docs/replay.md has the details.\n";

struct session { /* one invocation */
	struct run run;
	struct mtrace_file *file;
	struct replay_provenance provenance;
	struct replay *replay;
	const char **overrides, **scales; /* recorded ones and the command line's */
	int n_overrides, n_scales;
};

/* Whether the command line has a factor for the same kernel. */
static bool is_rescaled(const struct run_options *o, const char *recorded)
{
	size_t length = (size_t)(strrchr(recorded, '=') ? strrchr(recorded, '=') - recorded : 0);

	for (int i = 0; i < o->n_scales; i++)
		if (strncmp(o->scales[i], recorded, length + 1) == 0)
			return true;
	return false;
}

static int merge_options(struct session *s, struct util_error *err)
{
	struct run_options *o = &s->run.options;
	const struct replay_provenance *p = &s->provenance;

	s->overrides = calloc((size_t)(p->n_overrides + o->n_overrides) + 1, sizeof *s->overrides);
	s->scales = calloc((size_t)(p->n_scales + o->n_scales) + 1, sizeof *s->scales);
	if (!s->overrides || !s->scales)
		return util_error_set(err, UTIL_ENOMEM, "out of memory");
	for (int i = 0; i < p->n_overrides && !o->cluster; i++)
		s->overrides[s->n_overrides++] = p->overrides[i];
	for (int i = 0; i < o->n_overrides; i++)
		s->overrides[s->n_overrides++] = o->overrides[i];
	for (int i = 0; i < p->n_scales; i++)
		if (!is_rescaled(o, p->scales[i]))
			s->scales[s->n_scales++] = p->scales[i];
	for (int i = 0; i < o->n_scales; i++)
		s->scales[s->n_scales++] = o->scales[i];
	return 0;
}

static int load_cluster(struct session *s, struct util_error *err)
{
	const struct run_options *o = &s->run.options;
	const struct replay_provenance *p = &s->provenance;

	if (o->cluster)
		return cluster_load_with(o->cluster, s->n_overrides, s->overrides, &s->run.cluster,
					 err);
	if (!p->cluster)
		return util_refuse(err, "'%s' names no cluster; wanted --cluster FILE",
				   s->file->path);
	return cluster_parse_with(p->cluster_file ? p->cluster_file : "the recorded cluster",
				  p->cluster, strlen(p->cluster), s->n_overrides, s->overrides,
				  &s->run.cluster, err);
}

static int place(struct session *s, struct util_error *err)
{
	const struct run_options *o = &s->run.options;
	const struct replay_provenance *p = &s->provenance;
	int n_ranks = mtrace_ranks_at_start(s->file);
	bool as_recorded = !o->cluster && !o->placement && p->node_of;

	s->run.n_ranks = n_ranks;
	s->run.node_of = calloc((size_t)n_ranks, sizeof *s->run.node_of);
	if (!s->run.node_of)
		return util_error_set(err, UTIL_ENOMEM, "out of memory for %d ranks", n_ranks);
	for (int rank = 0; rank < n_ranks && as_recorded; rank++) {
		s->run.node_of[rank] = p->node_of[rank];
		as_recorded = p->node_of[rank] >= 0 && p->node_of[rank] < s->run.cluster->n_nodes;
	}
	if (as_recorded)
		return 0;
	if (run_place(o->placement ? o->placement : p->placement, s->run.cluster, p->cpus_per_rank,
		      n_ranks, s->run.node_of, err))
		return util_error_prepend(err, o->placement ? "--placement" : "placement");
	return 0;
}

/* Whether a rank is on another node than it was in the recording, or nobody knows where that was.
 */
static bool is_moved(const struct session *s)
{
	const int *recorded = s->provenance.node_of;

	return !recorded ||
	       memcmp(recorded, s->run.node_of, (size_t)s->run.n_ranks * sizeof *recorded) != 0;
}

/* The run is described by what was recorded, where the command line does not say otherwise. */
static void describe(struct session *s)
{
	struct run_options *o = &s->run.options;
	const struct replay_provenance *p = &s->provenance;

	if (!o->cluster)
		o->cluster = p->cluster_file ? p->cluster_file : s->file->path;
	if (!o->placement)
		o->placement = p->placement;
	o->deterministic |= p->deterministic && o->vary_compute < 0 && o->vary_transfer < 0;
	if (o->vary_compute < 0 && !o->deterministic)
		o->vary_compute = p->vary_compute;
	if (o->vary_transfer < 0 && !o->deterministic)
		o->vary_transfer = p->vary_transfer;
	if (p->is_single)
		o->n_repeats = 1;
	if (o->seed < 0)
		o->seed = p->seed;
	free(o->overrides);
	free(o->scales);
	o->overrides = s->overrides; /* and theirs to free */
	o->n_overrides = s->n_overrides;
	o->scales = s->scales;
	o->n_scales = s->n_scales;
	s->overrides = s->scales = NULL;
	o->mode = p->mode;
	o->first_n = p->first_n;
	o->no_alloc = p->no_alloc;
	o->cpus_per_rank = p->cpus_per_rank;
	o->program = p->command;
	o->n_ranks = mtrace_ranks_at_start(s->file);
	run_variation_resolve(&s->run);
}

static int prepare(struct session *s, struct util_error *err)
{
	int failed = run_options_find_cluster(&s->run.options, err);

	if (!failed)
		failed = run_clash_check(&s->run.options, err);
	if (!failed)
		failed = mtrace_file_open(s->run.options.program[0], &s->file, err);
	if (!failed)
		failed = replay_provenance_read(s->file, &s->provenance, err);
	if (!failed)
		failed = merge_options(s, err);
	if (!failed)
		failed = load_cluster(s, err);
	if (!failed)
		failed = place(s, err);
	if (failed)
		return failed;
	describe(s);
	replay_doubts_note(s->file, is_moved(s), &s->run.notes);
	failed = run_replay_create(&s->run, s->file, s->run.options.seed, false, &s->replay, err);
	return failed ? failed : run_results_check(&s->run.options, err);
}

static void finish(struct session *s)
{
	replay_destroy(s->replay);
	run_observers_destroy(&s->run);
	cluster_destroy(s->run.cluster);
	run_strings_finish(&s->run.notes);
	free(s->run.repeat_times_s);
	free(s->run.reserve);
	replay_provenance_finish(&s->provenance);
	mtrace_file_close(s->file);
	free(s->run.node_of);
	free(s->overrides);
	free(s->scales);
}

static int replay(struct session *s)
{
	struct util_error err = {0};
	int status = EXIT_USAGE;

	s->run.reserve = malloc(RUN_RESERVE_B);
	if (prepare(s, &err)) {
		fprintf(s->run.console, "mpisim-replay: %s\n", err.text);
	} else {
		pd_world_start(s->run.world);
		run_loop(&s->run);
		s->run.trace = s->file;
		status =
		    s->run.is_varied ? run_variation_finish(&s->run, s->file) : run_finish(&s->run);
	}
	finish(s);
	return status;
}

int mpisim_replay_main(int argc, char **argv)
{
	struct session session = {
	    .run = {.tool = "mpisim-replay", .console = stderr, .begin_s = run_host_time_s()}};
	struct run_options *options = &session.run.options;
	struct util_error err;
	int status = 0;

	if (run_options_parse_replay(argc, argv, options, &err)) {
		fprintf(stderr, "mpisim-replay: %s\n", err.text);
		return EXIT_USAGE;
	}
	if (options->help)
		fputs(help, stdout);
	else if (options->coll_help)
		mpi_coll_print_help(stdout);
	else if (options->coll_rules)
		mpi_coll_print_rules(stdout);
	else if (options->list_clusters)
		status = run_list_clusters("mpisim-replay");
	else if (options->version)
		printf("mpisim-replay %s\n", util_version());
	else
		status = replay(&session);
	run_options_finish(options);
	return fflush(stdout) && status == 0 ? EXIT_USAGE : status;
}
