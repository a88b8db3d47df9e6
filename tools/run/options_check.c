// SPDX-License-Identifier: BSD-3-Clause
/* Options that go together, and those that do not. */
#include "tools/run/options.h"

#include <stdlib.h>
#include <string.h>

#include "cluster/named.h"
#include "mpi/verify/verify.h"
#include "tools/run/repeat.h"
#include "traces/graph/graph.h"

#define SEE_HELP "see mpisim-run --help"

/* Options that contradict each other would be silently half obeyed. */
static int check_compute(const struct run_options *o, struct util_error *err)
{
	bool measures_only = o->mode == PD_COMPUTE_DIRECT || o->mode == PD_COMPUTE_COLLECT;
	const char *mode = run_mode_name(o->mode);

	if (o->mode == PD_COMPUTE_COLLECT && !o->bench_out)
		return util_refuse(
		    err, "--compute collect needs --bench-out FILE, where measurements go");
	if (o->mode != PD_COMPUTE_COLLECT && o->bench_out)
		return util_refuse(err, "--bench-out needs --compute collect; found --compute %s",
				   mode);
	if (measures_only && o->bench_in)
		return util_refuse(err,
				   "--bench needs --compute partial or modelled; --compute %s "
				   "measures everything itself",
				   mode);
	if (o->mode == PD_COMPUTE_DIRECT && o->blas_model)
		return util_refuse(err,
				   "--blas-model needs --compute partial, modelled or collect; "
				   "--compute %s executes and measures everything",
				   mode);
	if (measures_only && o->vary_kernels)
		return util_refuse(err,
				   "--vary-kernels needs --compute partial or modelled; with "
				   "--compute %s kernels take what is measured",
				   mode);
	if (measures_only && o->no_alloc)
		return util_refuse(err,
				   "--no-alloc needs --compute partial or modelled; --compute %s "
				   "executes the kernels, which need their memory",
				   mode);
	if (o->first_n > 0 && o->no_alloc)
		return util_refuse(err, "--first-n executes kernels, which need the memory that "
					"--no-alloc does not give: use one of them");
	if (o->first_n > 0 && (o->mode == PD_COMPUTE_MODELLED || o->mode == PD_COMPUTE_COLLECT))
		return util_refuse(
		    err, "--first-n needs --compute direct or partial; found --compute %s", mode);
	return 0;
}

/* --deterministic: nothing varies. */
static int check_deterministic(const struct run_options *o, struct util_error *err)
{
	const char *found = !o->deterministic	    ? NULL
			    : o->n_repeats > 1	    ? "--repeat"
			    : o->vary_cluster	    ? "--vary-cluster"
			    : o->vary_kernels	    ? "--vary-kernels"
			    : o->vary_compute >= 0  ? "--vary-compute"
			    : o->vary_transfer >= 0 ? "--vary-transfer"
						    : NULL;

	return found ? util_refuse(err, "--deterministic is one run without variation; found %s",
				   found)
		     : 0;
}

/* --graph and mpisim-debug: of one run, which is not recorded. */
static int check_graph(const struct run_options *o, struct util_error *err)
{
	enum trace_graph_format format;
	const char *found = !o->graph && !o->debug_fd			   ? NULL
			    : o->record					   ? "--record"
			    : o->debug_fd && o->verify & MPI_VERIFY_ORDERS ? "--verify=orders"
			    : o->n_repeats > 1				   ? "--repeat"
									   : NULL;

	if (found)
		return util_refuse(err, "%s is of one run that is not recorded; found %s",
				   o->debug_fd ? "mpisim-debug" : "--graph", found);
	return o->graph && trace_graph_format_of(o->graph, &format, err)
		   ? util_error_prepend(err, "--graph")
		   : 0;
}

/* What may be said of one program and of a schedule. */
static int check_how(const struct run_options *options, struct util_error *err)
{
	int failed;

	if (options->record && (options->n_repeats > 1 || options->vary_cluster))
		return util_refuse(err, "--record records one run on the cluster of the file; "
					"found --repeat or --vary-cluster");
	if (options->verbose && options->quiet)
		return util_refuse(err,
				   "--verbose says more and --quiet nothing; wanted one of them");
	failed = check_compute(options, err);
	if (!failed)
		failed = check_deterministic(options, err);
	if (!failed)
		failed = check_graph(options, err);
	return failed ? failed : run_repeat_check(options, err);
}

/* A schedule says what runs, on how many ranks and where. */
static int check_schedule(const struct run_options *options, struct util_error *err)
{
	const char *found = options->program[0]	 ? options->program[0]
			    : options->n_ranks	 ? "-n"
			    : options->placement ? "--placement"
						 : NULL;

	if (found)
		return util_refuse(err,
				   "found %s beside --schedule, whose file gives every job's "
				   "program, ranks and placement",
				   found);
	if (options->mode == PD_COMPUTE_COLLECT)
		return util_refuse(err, "--compute collect measures one program; found --schedule");
	return check_how(options, err);
}

static int check_run(const struct run_options *options, struct util_error *err)
{
	if (!options->cluster)
		return util_refuse(
		    err,
		    "no cluster; wanted --cluster FILE, a description of the machine; " SEE_HELP);
	if (options->schedule)
		return check_schedule(options, err);
	if (options->n_ranks == 0)
		return util_refuse(err, "no number of ranks; wanted -n N; " SEE_HELP);
	if (!options->program[0])
		return util_refuse(
		    err, "no program; wanted mpisim-run --cluster FILE -n N PROGRAM [ARGUMENT…]");
	return check_how(options, err);
}

/* Verification looks at one run, by functions of its own between the program and MPI. */
static int check_verify(const struct run_options *o, struct util_error *err)
{
	const char *found = o->record	       ? "--record"
			    : o->n_repeats > 1 ? "--repeat"
			    : o->vary_cluster  ? "--vary-cluster"
					       : NULL;

	if (!o->verify && (o->verify_warn || o->verify_suppress))
		return util_refuse(err, "%s needs --verify",
				   o->verify_warn ? "--verify-warn" : "--verify-suppress");
	if (o->orders.is_given && !(o->verify & MPI_VERIFY_ORDERS))
		return util_refuse(err, "--orders needs --verify=orders");
	if (o->verify & MPI_VERIFY_ORDERS && (o->schedule || o->decisions))
		return util_refuse(err, "--verify=orders explores one program; found %s",
				   o->schedule ? "--schedule" : "--decisions");
	if (o->verify && found)
		return util_refuse(err, "--verify looks at one run of the program; found %s",
				   found);
	return 0;
}

/* What would need the program again. */
static const char *find_unreplayable(const struct run_options *o)
{
	const struct {
		bool is_given;
		const char *name;
	} all[] = {
	    {o->n_ranks != 0, "-n"},
	    {o->schedule, "--schedule"},
	    {o->mode != PD_COMPUTE_MODELLED, "--compute"},
	    {o->bench_out, "--bench-out"},
	    {o->blas_model, "--blas-model"},
	    {o->first_n, "--first-n"},
	    {o->cpus_per_rank != 0, "--cpus-per-rank"},
	    {o->no_alloc, "--no-alloc"},
	    {o->stack_size_B, "--stack-size"},
	    {o->isolation != PD_ISOLATION_AUTO, "--isolation"},
	    {o->n_private_libraries > 0, "--private-lib"},
	    {o->n_repeats > 1, "--repeat"},
	    {o->vary_cluster, "--vary-cluster"},
	    {o->tag_output, "--tag-output"},
	    {o->record, "--record"},
	    {o->graph, "--graph"},
	    {o->check_binary, "--check-binary"},
	    {o->show_cluster, "--show-cluster"},
	    {o->ignore_leaks, "--ignore-leaks"},
	    {o->verify != 0, "--verify"},
	    {o->decisions, "--decisions"},
	};

	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
		if (all[i].is_given)
			return all[i].name;
	return NULL;
}

static int check_replay(const struct run_options *options, struct util_error *err)
{
	const char *found = find_unreplayable(options);

	if (found)
		return util_refuse(err,
				   "%s is for mpisim-run: a replay makes the recorded calls, "
				   "without the program; see mpisim-replay --help",
				   found);
	if (!options->program[0] || options->program[1])
		return util_refuse(err, "found %s, wanted one trace: mpisim-replay FILE [OPTION…]",
				   options->program[0] ? "several files" : "none");
	return check_deterministic(options, err);
}

/* Nothing is simulated, so whatever else is said would not be obeyed. */
static int check_binary(const struct run_options *o, struct util_error *err)
{
	const char *found = o->program[0]  ? o->program[0]
			    : o->cluster   ? "--cluster"
			    : o->schedule  ? "--schedule"
			    : o->n_ranks   ? "-n"
			    : o->report	   ? "--report"
			    : o->record	   ? "--record"
			    : o->trace_out ? "--trace-out"
			    : o->html	   ? "--html"
			    : o->graph	   ? "--graph"
			    : o->explain   ? "--explain"
					   : NULL;

	return found ? util_refuse(err,
				   "found %s beside --check-binary, which looks at one file and "
				   "runs nothing; only --json and --quiet go with it",
				   found)
		     : 0;
}

static int check_show(const struct run_options *o, struct util_error *err)
{
	const char *found = o->program[0] ? o->program[0]
			    : o->schedule ? "--schedule"
			    : o->json	  ? "--json"
			    : o->html	  ? "--html"
			    : o->report	  ? "--report"
					  : NULL;

	if (found)
		return util_refuse(err,
				   "found %s beside --show-cluster, which runs nothing; only "
				   "--cluster, --set, -n and --placement go with it",
				   found);
	return o->cluster ? 0
			  : util_refuse(err, "--show-cluster: no cluster; wanted --cluster FILE");
}

static int check_touches(const struct run_options *o, struct util_error *err)
{
	if (!o->record_touches)
		return 0;
	if (!o->record || o->no_alloc)
		return util_refuse(err, "--record-touches: found %s",
				   o->record ? "--no-alloc, whose buffers have no memory"
					     : "no --record, wanted it, too");
	if (o->mode == PD_COMPUTE_DIRECT || o->mode == PD_COMPUTE_COLLECT)
		return 0;
	return util_refuse(err, "--record-touches: found --compute %s, wanted direct or collect: a "
				"program that does not compute accesses nothing",
			   run_mode_name(o->mode));
}

int run_options_check(const struct run_options *options, struct util_error *err)
{
	if (options->check_binary && !options->is_replay)
		return check_binary(options, err);
	if (options->show_cluster && !options->is_replay)
		return check_show(options, err);
	if (options->what_if && !options->html)
		return util_refuse(
		    err, "--what-if puts a table into the page of --html; found no --html");
	if (options->real && !options->html && !options->json)
		return util_refuse(err, "--real puts a real run beside the prediction of --html or "
					"--json; found neither");
	if (options->real && options->schedule)
		return util_refuse(err, "--real is a run of one program; found --schedule");
	if (options->record_memory && (!options->record || options->no_alloc))
		return util_refuse(err, "--record-memory: found %s",
				   options->record ? "--no-alloc, whose buffers have no memory"
						   : "no --record, wanted it, too");
	if (check_touches(options, err))
		return err->code;
	if (check_verify(options, err))
		return err->code;
	return options->is_replay ? check_replay(options, err) : check_run(options, err);
}

/* Neither summary nor --json or --report, which say the time, too; what else was asked for would be
 * missed. Runs of --repeat have the options of the first one. */
int run_options_keep_time_only(struct run_options *o, struct util_error *err)
{
	const char *found = o->record ? "--record" : o->trace_out ? "--trace-out" : NULL;

	if (!found && (o->html || o->graph))
		found = o->html ? "--html" : "--graph";
	if (found && strcmp(o->time_only, RUN_REPEAT_TIME) != 0)
		return util_refuse(
		    err, "--time-only writes the predicted time and nothing else; found %s", found);
	o->record_sites = o->explain || o->html || o->trace_out || o->report;
	if (strcmp(o->time_only, RUN_REPEAT_TIME) == 0) {
		o->record_at_fd = o->record && strcmp(o->record, RUN_REPEAT_TRACE) == 0;
		o->record = NULL;
	}
	o->json = o->report = o->trace_out = o->html = o->ideal = o->real = o->what_if =
	    o->compare = NULL;
	o->explain = false;
	o->quiet = true;
	return 0;
}

int run_options_find_cluster(struct run_options *options, struct util_error *err)
{
	int failed = 0;

	if (options->cluster && !options->cluster_path)
		failed = cluster_named_find(options->cluster, &options->cluster_path, err);
	if (options->cluster_path)
		options->cluster = options->cluster_path;
	return failed;
}

void run_options_finish(struct run_options *options)
{
	for (int i = 0; i < options->n_made; i++)
		free(options->made_overrides[i]);
	free(options->made_overrides);
	free(options->cluster_path);
	orders_options_finish(&options->orders);
	free(options->scales);
	free(options->overrides);
	free(options->private_libraries);
	run_programs_finish(&options->programs);
	options->scales = options->overrides = options->private_libraries = NULL;
	options->made_overrides = NULL;
	options->cluster_path = NULL;
	options->n_made = 0;
}
