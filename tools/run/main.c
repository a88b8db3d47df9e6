// SPDX-License-Identifier: BSD-3-Clause
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "netmodel/placement.h"
#include "tools/run/entry.h"
#include "tools/run/jsonfile.h"
#include "tools/run/output.h"
#include "tools/run/run.h"
#include "util/version.h"

#define EXIT_USAGE 2

static bool is_runnable_file(const char *path)
{
	struct stat found;

	return stat(path, &found) == 0 && S_ISREG(found.st_mode) && access(path, X_OK) == 0;
}

/* The program's file: as given when it has a directory, else as a shell finds it, else in the
 * working directory. */
static char *find_program(const char *name)
{
	const char *path = getenv("PATH");
	char *found = NULL;

	if (strchr(name, '/') || !path)
		return strdup(name);
	while (*path) {
		size_t length = strcspn(path, ":");

		if (length > 0 && asprintf(&found, "%.*s/%s", (int)length, path, name) < 0)
			return NULL;
		if (found && is_runnable_file(found))
			return found;
		free(found);
		found = NULL;
		path += length + (path[length] == ':');
	}
	return strdup(name);
}

static int prepare_cluster(struct run *run, struct util_error *err)
{
	const struct run_options *o = &run->options;
	int failed =
		net_cluster_load_with(o->cluster, o->n_overrides, o->overrides, &run->cluster, err);

	if (failed)
		return failed;
	run->node_of = calloc((size_t)o->n_ranks, sizeof *run->node_of);
	if (!run->node_of)
		return util_error_set(err, UTIL_ENOMEM, "out of memory for %d ranks", o->n_ranks);
	failed = net_place(o->placement, run->cluster, o->n_ranks, run->node_of, err);
	if (failed)
		return o->placement ? util_error_prepend(err, "--placement") : failed;
	return trace_summary_create(o->n_ranks, run->node_of, run->cluster, &run->summary, err);
}

/* The timeline and the matrix cost time and memory: only for those who look at them. */
static int prepare_recorder(struct run *run, struct sim_recorder *out, struct util_error *err)
{
	struct sim_recorder recorder = trace_summary_recorder(run->summary);
	int failed = 0;

	if (run->options.report)
		failed = trace_detail_create(run->options.n_ranks, &recorder, &run->detail, err);
	if (!failed)
		*out = run->detail ? trace_detail_recorder(run->detail) : recorder;
	return failed;
}

static int prepare_world(struct run *run, const char *program, struct util_error *err)
{
	const struct run_options *o = &run->options;
	struct pd_config config = {
		.program = program,
		.argv = o->program,
		.n_ranks = o->n_ranks,
		.node_of = run->node_of,
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
		.tls_area = run->tls_area,
		.tls_area_size_B = run->tls_size_B,
	};
	struct sim_recorder recorder;
	int failed = prepare_recorder(run, &recorder, err);

	if (!failed)
		failed = pd_world_create(&config, run->cluster, &recorder, &run->world, err);
	if (!failed)
		failed = mpi_world_create(run->world, &run->mpi, err);
	if (!failed && o->tag_output)
		failed = run_output_create(run->world, &run->output, err);
	return failed;
}

/* A result that cannot be written is better known before a long run than after it. */
static int check_results(const struct run_options *options, struct util_error *err)
{
	if (options->json && run_json_check(options->json, err))
		return util_error_prepend(err, "--json");
	if (options->report && trace_report_check(options->report, err))
		return util_error_prepend(err, "--report");
	return 0;
}

static int simulate(struct run *run)
{
	struct util_error err = {0};
	char *program = find_program(run->options.program[0]);
	int failed = 0, status = EXIT_USAGE;

	if (!program)
		failed = util_error_set(&err, UTIL_ENOMEM, "out of memory");
	if (!failed)
		failed = prepare_cluster(run, &err);
	if (!failed)
		failed = prepare_world(run, program, &err);
	if (!failed)
		failed = check_results(&run->options, &err);
	if (failed) {
		fprintf(run->console, "mpisim-run: %s\n", err.text);
	} else {
		pd_world_start(run->world);
		run_loop(run);
		fflush(stdout);
		run_output_destroy(run->output);
		run->output = NULL;
		status = run_finish(run);
	}
	run_output_destroy(run->output);
	mpi_world_destroy(run->mpi);
	pd_world_destroy(run->world);
	trace_detail_destroy(run->detail);
	trace_summary_destroy(run->summary);
	net_cluster_destroy(run->cluster);
	free(run->node_of);
	free(program);
	return status;
}

int mpisim_run_main(int argc, char **argv, void *tls_area, size_t tls_size)
{
	struct run run = {
		.console = stderr,
		.begin_s = run_host_time_s(),
		.tls_area = tls_area,
		.tls_size_B = tls_size,
	};
	struct util_error err;
	int status = 0, console_fd;

	if (run_options_parse(argc, argv, &run.options, &err)) {
		fprintf(stderr, "mpisim-run: %s\n", err.text);
		return EXIT_USAGE;
	}
	console_fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	run.console = console_fd >= 0 ? fdopen(console_fd, "w") : stderr;
	if (!run.console)
		run.console = stderr;
	if (run.options.help)
		run_help(stdout);
	else if (run.options.version)
		printf("mpisim-run %s\n", util_version());
	else
		status = simulate(&run);
	if (run.console != stderr)
		fclose(run.console);
	run_options_finish(&run.options);
	return fflush(stdout) && status == 0 ? EXIT_USAGE : status;
}
