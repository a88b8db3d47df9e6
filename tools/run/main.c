// SPDX-License-Identifier: BSD-3-Clause
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mpi/coll/algorithms.h"
#include "mpi/record/record.h"
#include "mpi/verify/memory.h"
#include "mpi/verify/verify.h"
#include "pdexec/estimate.h"
#include "pdexec/image.h"
#include "pdexec/process.h"
#include "tools/check/check.h"
#include "tools/debug/debug.h"
#include "tools/orders/explore.h"
#include "tools/run/entry.h"
#include "tools/run/input.h"
#include "tools/run/launcher.h"
#include "util/outfile.h"
#include "util/units.h"
#include "util/version.h"
#include "tools/run/libtool.h"
#include "tools/run/python.h"
#include "tools/run/output.h"
#include "tools/run/place.h"
#include "tools/run/repeat.h"
#include "tools/run/record.h"
#include "tools/run/run.h"
#include "tools/run/schedule.h"
#include "tools/run/show.h"
#include "tools/run/variation.h"
#include "tools/verify/aside.h"
#include "tools/verify/valgrind.h"
#include "tools/verify/verify.h"

#define EXIT_USAGE 2
#define WORTH_TELLING_B 1e9

/* Puts drawn values in the place of those that the file has. */
static int vary_cluster(struct run *run, struct util_error *err)
{
	const struct run_options *o = &run->options;

	if (run->cluster->uncertainties.n == 0)
		return util_refuse(err,
				   "--vary-cluster: found no intervals in %s, wanted a section "
				   "\"uncertainty\", as mpisim-calibrate writes it",
				   o->cluster);
	cluster_draw(run->cluster, (uint64_t)o->seed);
	return 0;
}

static int prepare_programs(struct run *run, struct util_error *err)
{
	run->programs = calloc((size_t)run->n_programs, sizeof *run->programs);
	run->paths = calloc((size_t)run->n_programs, sizeof *run->paths);
	if (!run->programs || !run->paths)
		return util_error_set(err, UTIL_ENOMEM, "out of memory");
	for (int i = 0; i < run->n_programs; i++) {
		const struct run_job *job = run->schedule ? &run->schedule->jobs[i] : NULL;
		const struct run_program *program = job ? NULL : &run->options.programs.programs[i];
		struct pd_program_config *config = &run->programs[i];

		config->name = job ? job->name : NULL;
		config->argv = job ? job->argv : program->argv;
		config->n_ranks = job ? job->n_ranks : program->n_ranks;
		config->job = job ? i : 0;
		config->bench_in = job ? job->bench : NULL;
		config->path = run->paths[i] = run_find_program(config->argv[0]);
		if (!config->path)
			return util_error_set(err, UTIL_ENOMEM, "out of memory");
		if (run_python_replace(&run->paths[i], err))
			return err->code;
		config->path = run->paths[i];
	}
	return 0;
}

/* Jobs are placed when they begin. */
static int prepare_placement(struct run *run, struct util_error *err)
{
	const struct run_options *o = &run->options;
	int failed = pd_estimate_check(run->n_ranks, pd_estimate_ranks_B(run->n_ranks),
				       pd_estimate_available_B(), err);

	if (failed)
		return failed;
	run->node_of = calloc((size_t)run->n_ranks, sizeof *run->node_of);
	if (!run->node_of)
		return util_error_set(err, UTIL_ENOMEM, "out of memory for %d ranks", run->n_ranks);
	if (!run->schedule)
		failed = run_place(o->placement, run->cluster, o->cpus_per_rank, run->n_ranks,
				   run->node_of, err);
	if (failed)
		return util_error_prepend(err, o->placement ? "--placement" : "placement");
	/* Of a schedule: that each fits at all. */
	failed = run_place_check_cpus(run->cluster, o->cpus_per_rank,
				      run->schedule ? 1 : run->n_ranks, run->node_of, err);
	if (failed)
		return failed;
	return trace_summary_create(run->n_ranks, run->schedule ? NULL : run->node_of, run->cluster,
				    &run->summary, err);
}

static int prepare_cluster(struct run *run, struct util_error *err)
{
	const struct run_options *o = &run->options;
	int failed =
	    cluster_load_with(o->cluster, o->n_overrides, o->overrides, &run->cluster, err);

	if (!failed && o->vary_cluster)
		failed = vary_cluster(run, err);
	if (!failed) {
		run_variation_resolve(run);
		failed = run_repeat_check_varies(o, err);
	}
	if (!failed && o->schedule)
		failed = run_schedule_load(o->schedule, run->cluster, RUN_MAX_RANKS, &run->schedule,
					   err);
	run->schedule_command[0] = (char *)(uintptr_t) "--schedule";
	run->schedule_command[1] = (char *)(uintptr_t)o->schedule;
	if (failed)
		return failed;
	run->n_ranks = run->schedule ? run->schedule->n_ranks : o->n_ranks;
	run->n_programs = run->schedule ? run->schedule->n_jobs : o->programs.n;
	failed = prepare_placement(run, err);
	return failed ? failed : prepare_programs(run, err);
}

/* Why processes cannot be spawned; NULL: they can. */
static const char *no_spawn(const struct run_options *o)
{
	return o->real ? "--real: the trace beside it has only the ranks of the start" : NULL;
}

/* Who is told of each call. */
static int watch(struct run *run, struct util_error *err)
{
	struct mpi_watcher watcher;

	if (run->debug)
		run->mpi->no_spawn = "mpisim-debug: it knows only the ranks of the start";
	if (run->debug &&
	    run_debug_watch(run->debug, run->mpi, run->options.debug_fd, run->options.program))
		return util_error_set(err, UTIL_ENOMEM, "out of memory for mpisim-debug");
	if (!run->graph)
		return 0;
	watcher = trace_graph_watcher(run->graph);
	run->mpi->meets = trace_graph_meets(run->graph);
	return mpi_watch_add(run->mpi, &watcher)
		   ? util_error_set(err, UTIL_ENOMEM, "out of memory for the graph")
		   : 0;
}

/* What calls of the program are bound to; NULL: to MPI's functions. */
static void *(*substitute_of(const struct run *run))(const char *name)
{
	const struct run_options *o = &run->options;
	bool is_watched = o->graph || o->debug_fd;

	if (run->substitute)
		return run->substitute;
	if (o->verify & MPI_VERIFY_MEMORY)
		return mpi_memory_substitute;
	if (o->verify && is_watched)
		return mpi_watch_substitute;
	if (o->verify & MPI_VERIFY_ORDERS) /* functions that send are noted */
		return mpi_verify_substitute;
	if (o->verify)
		return mpi_verify_substitute_direct;
	if (run_is_recorded(run))
		return mpi_record_substitute;
	return is_watched ? mpi_watch_substitute : NULL;
}

static int prepare_world(struct run *run, struct util_error *err)
{
	const struct run_options *o = &run->options;
	struct pd_config config = {
	    .programs = run->programs,
	    .n_programs = run->n_programs,
	    .node_of = run->node_of,
	    .cpus_per_rank = o->cpus_per_rank ? o->cpus_per_rank
			     : run->schedule  ? 1 /* who runs beside whom is not known yet */
					      : 0,
	    .mode = o->mode,
	    .bench_in = o->bench_in,
	    .bench_out = o->bench_out,
	    .blas_model = o->blas_model,
	    .first_n = o->first_n,
	    .no_alloc = o->no_alloc,
	    .n_scales = o->n_scales,
	    .scales = o->scales,
	    .vary_compute = o->vary_compute,
	    .vary_transfer = o->vary_transfer,
	    .vary_kernels = o->vary_kernels,
	    .seed = (uint64_t)o->seed,
	    .stack_size_B = (size_t)o->stack_size_B,
	    .isolation = o->isolation,
	    .n_private_libraries = o->n_private_libraries,
	    .private_libraries = o->private_libraries,
	    .max_spawned = run->cluster->spawn.max_processes,
	    .substitute = substitute_of(run),
	    .tls_area = run->tls_area,
	    .tls_area_size_B = run->tls_size_B,
	};
	struct sim_observers observers = {.n = 0};
	int failed = run_observers_create(run, &observers, err);

	if (!failed)
		failed = pd_world_create(&config, run->cluster, &observers, &run->world, err);
	if (!failed && run->analysis)
		trace_analysis_set_model(run->analysis, run->world->model);
	if (!failed)
		failed = mpi_world_create(run->world, &run->mpi, err);
	if (!failed)
		run->mpi->no_spawn = no_spawn(o);
	if (!failed)
		failed = watch(run, err);
	if (!failed && run_is_recorded(run))
		failed = run_record_create(run, err);
	if (!failed && o->verify)
		failed = verify_create(run, err);
	if (!failed && run->schedule)
		failed = run_launcher_create(run, run->schedule, &run->launcher, err);
	if (!failed && o->tag_output)
		failed = run_output_create(run->world, &run->output, err);
	return failed;
}

int run_prepare(struct run *run, struct util_error *err)
{
	int failed = prepare_cluster(run, err);

	if (!failed && run->is_ordered)
		orders_prepare_cluster(run->cluster);
	return failed ? failed : prepare_world(run, err);
}

static void finish(struct run *run)
{
	json_decref(run->orders);
	json_decref(run->order_findings);
	free(run->reserve);
	run_output_destroy(run->output);
	run_launcher_destroy(run->launcher);
	mpi_record_destroy(run->record);
	verify_aside_end(run->aside);
	verify_suppressions_destroy(run->suppressions);
	mpi_world_destroy(run->mpi);
	pd_world_destroy(run->world);
	run_observers_destroy(run);
	for (int i = 0; run->paths && i < run->n_programs; i++)
		free(run->paths[i]);
	free(run->paths);
	free(run->programs);
	run_schedule_destroy(run->schedule);
	cluster_destroy(run->cluster);
	free(run->node_of);
	free(run->repeat_times_s);
	run_strings_finish(&run->notes);
	if (run->trace_fd > 0)
		close(run->trace_fd);
}

bool run_ended_well(const struct run *run)
{
	bool is_good = !run->signal && run->world->failure.kind == PD_FAILURE_NONE;

	for (int rank = 0; rank < run->world->n_ranks && is_good; rank++)
		is_good = run->world->ranks[rank].exit_code == 0;
	return is_good;
}

/* The further runs of --repeat, where the first one ended well. Returns the exit status so far. */
static int repeat(struct run *run)
{
	struct util_error err;

	if (run->options.n_repeats <= 1 || !run_ended_well(run) || !run_repeat(run, &err))
		return 0;
	fprintf(run->console, "mpisim-run: %s\n", err.text);
	return err.code == UTIL_EPROGRAM ? 1 : EXIT_USAGE;
}

static int run_world(struct run *run)
{
	int status, repeat_status = 0;

	pd_descriptors_keep();
	if (run->launcher)
		run_launcher_start(run->launcher);
	else
		pd_world_start(run->world);
	run_loop(run);
	fflush(stdout);
	run_output_destroy(run->output);
	run->output = NULL;
	/* the rank that ran last may have gone elsewhere */
	if (run->start_dir_fd >= 0 && fchdir(run->start_dir_fd))
		run_strings_add(&run->notes, "the working directory is not there any more");
	if (!run->is_varied)
		repeat_status = repeat(run);
	status = run->is_varied ? run_variation_finish(run, NULL) : run_recorded_finish(run);
	if ((run->options.record || run->options.record_at_fd) && run_record_close(run))
		status = status ? status : EXIT_USAGE;
	return status ? status : repeat_status;
}

/* Of small runs nobody has to know. */
static void tell_needs(const struct run *run)
{
	char needed[32], each[32];
	double needed_B = run->world->needed_B;

	if (run->options.quiet || needed_B < WORTH_TELLING_B)
		return;
	fprintf(run->console,
		"mpisim-run: %d ranks take about %s of memory (%s each), besides what the program "
		"allocates and messages under way\n",
		run->n_ranks, util_format_size(needed, sizeof needed, needed_B),
		util_format_size(each, sizeof each, needed_B / run->n_ranks));
}

static int simulate(struct run *run)
{
	struct util_error err = {0};
	int failed = run_options_find_cluster(&run->options, &err), status = EXIT_USAGE;

	if (!failed)
		failed = run_clash_check(&run->options, &err);
	if (!failed && verify_repeats(run))
		run->aside = verify_aside_start(run);
	if (!failed)
		failed = orders_prepare_run(run, &err);
	if (!failed)
		failed = run_results_check(&run->options, &err);
	if (failed) {
		fprintf(run->console, "mpisim-run: %s\n", err.text);
	} else {
		tell_needs(run);
		status = run_world(run);
	}
	finish(run);
	return status;
}

/* --check-binary. Returns the exit status. */
static int check_binary(const struct run *run)
{
	const struct run_options *o = &run->options;
	bool json_only = o->json && strcmp(o->json, "-") == 0;
	char *path = run_find_program(o->check_binary);
	struct check check;
	struct util_error err;
	int failed = path ? check_create(&check, path, run->tls_size_B, &err)
			  : util_error_set(&err, UTIL_ENOMEM, "out of memory");
	int status = EXIT_USAGE;

	free(path);
	if (!failed) {
		if (!json_only && !o->quiet)
			check_write_text(&check, stdout);
		failed = o->json ? util_outfile_write(o->json, check_write_json, &check, &err) : 0;
		status = check.stops.n > 0 ? 1 : 0;
		check_destroy(&check);
	}
	if (failed)
		fprintf(run->console, "mpisim-run: %s\n", err.text);
	return failed ? EXIT_USAGE : status;
}

/* Programs in libtool's wrappers. */
static int start_anew(char **argv, const struct run_options *o, struct util_error *err)
{
	int failed = o->check_binary ? run_libtool_start(argv, o->check_binary, err) : 0;

	for (int i = 0; i < o->programs.n && !failed; i++)
		failed = run_libtool_start(argv, o->programs.programs[i].argv[0], err);
	if (!failed && o->verify_valgrind)
		failed = verify_valgrind_start(argv, err);
	return failed;
}

int mpisim_run_main(int argc, char **argv, void *tls_area, size_t tls_size)
{
	struct run run = {
	    .tool = "mpisim-run",
	    .console = stderr,
	    .begin_s = run_host_time_s(),
	    .tls_area = tls_area,
	    .tls_size_B = tls_size,
	    .argv = argv,
	    .start_dir_fd = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC),
	    .input_begin = run_input_begin(),
	};
	static char buffer[BUFSIZ];
	struct util_error err;
	int status = 0, console_fd;

	if (run_options_parse(argc, argv, &run.options, &err) ||
	    start_anew(argv, &run.options, &err)) {
		fprintf(stderr, "mpisim-run: %s\n", err.text);
		return EXIT_USAGE;
	}
	console_fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	run.console = console_fd >= 0 ? fdopen(console_fd, "w") : stderr;
	if (!run.console)
		run.console = stderr;
	/* so that a run that is out of memory can still say so */
	else if (run.console != stderr)
		setvbuf(run.console, buffer, isatty(console_fd) ? _IOLBF : _IOFBF, sizeof buffer);
	if (run.options.help)
		run_help(stdout);
	else if (run.options.coll_help)
		mpi_coll_print_help(stdout);
	else if (run.options.coll_rules)
		mpi_coll_print_rules(stdout);
	else if (run.options.list_clusters)
		status = run_list_clusters("mpisim-run");
	else if (run.options.version)
		printf("mpisim-run %s\n", util_version());
	else if (run.options.show_cluster)
		status = run_show_cluster(&run.options);
	else if (run.options.check_binary)
		status = check_binary(&run);
	else
		status = simulate(&run);
	if (run.start_dir_fd >= 0)
		close(run.start_dir_fd);
	if (run.console != stderr)
		fclose(run.console);
	run_options_finish(&run.options);
	if (fflush(stdout) && status == 0) {
		perror("mpisim-run: cannot write to standard output");
		return EXIT_USAGE;
	}
	return status;
}
