// SPDX-License-Identifier: BSD-3-Clause
#include "tools/run/record.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "mpi/record/record.h"
#include "tools/run/reasons.h"
#include "tools/run/repeat.h"
#include "util/version.h"

/* PLAIN_…: of a run that is recorded for its reasons only. */
enum { MAX_CLUSTER_B = 1 << 24, MEMORY_LIMIT_B = 1 << 30, PLAIN_LIMIT_B = 64 << 20, PLAIN_POLLS = 100000 };

/* The text of the cluster file; JSON null when it cannot be read again. */
static json_t *read_text(const char *path)
{
	FILE *file = fopen(path, "re");
	char *text = file ? malloc(MAX_CLUSTER_B) : NULL;
	json_t *value = NULL;

	if (text)
		value = json_stringn(text, fread(text, 1, MAX_CLUSTER_B, file));
	if (file)
		fclose(file);
	free(text);
	return value ? value : json_null();
}

static json_t *strings(int n, const char *const *items)
{
	json_t *list = json_array();

	for (int i = 0; i < n; i++)
		json_array_append_new(list, json_string(items[i]));
	return list;
}

static json_t *describe_options(const struct run *run)
{
	const struct run_options *o = &run->options;
	json_t *options = json_object();

	json_object_set_new(options, "compute", json_string(run_mode_name(o->mode)));
	json_object_set_new(options, "set", strings(o->n_overrides, o->overrides));
	json_object_set_new(options, "scale", strings(o->n_scales, o->scales));
	json_object_set_new(options, "seed", json_integer(o->seed));
	if (run->gave_vary_compute)
		json_object_set_new(options, "vary_compute", json_real(o->vary_compute));
	if (run->gave_vary_transfer)
		json_object_set_new(options, "vary_transfer", json_real(o->vary_transfer));
	if (o->deterministic)
		json_object_set_new(options, "deterministic", json_true());
	if (o->n_repeats == 1)
		json_object_set_new(options, "repeat", json_integer(1));
	if (o->first_n > 0)
		json_object_set_new(options, "first_n", json_integer(o->first_n));
	if (o->no_alloc)
		json_object_set_new(options, "no_alloc", json_true());
	if (o->cpus_per_rank > 0)
		json_object_set_new(options, "cpus_per_rank", json_integer(o->cpus_per_rank));
	if (o->placement)
		json_object_set_new(options, "placement", json_string(o->placement));
	return options;
}

static json_t *describe(const struct run *run)
{
	const struct run_options *o = &run->options;
	json_t *root = json_object(), *command = json_array(), *nodes = json_array();

	for (char **word = o->program; word && *word; word++)
		json_array_append_new(command, json_string(*word));
	for (int rank = 0; rank < run->n_ranks; rank++)
		json_array_append_new(nodes, json_integer(run->node_of[rank]));
	json_object_set_new(root, "generator", json_sprintf("mpisim-run %s", util_version()));
	json_object_set_new(root, "command", command);
	json_object_set_new(root, "n_ranks", json_integer(run->n_ranks));
	json_object_set_new(root, "node_of", nodes);
	json_object_set_new(root, "cluster_file", json_string(o->cluster));
	json_object_set_new(root, "cluster", read_text(o->cluster));
	json_object_set_new(root, "options", describe_options(run));
	return root;
}

static int create(struct run *run, struct util_error *err)
{
	json_t *root = describe(run);
	char *text = json_dumps(root, JSON_COMPACT);
	int failed;

	json_decref(root);
	if (!text)
		return util_error_set(err, UTIL_ENOMEM, "--record: out of memory");
	failed = mpi_record_create(run->mpi, run->options.record, run->trace_fd,
				   run->is_varied || run->options.record_at_fd ? MEMORY_LIMIT_B
									       : PLAIN_LIMIT_B,
				   text, &run->record, err);
	free(text);
	if (!failed && !run->options.record && !run->options.record_at_fd && !run->options.explain &&
	    !run->is_varied)
		mpi_record_limit_polls(run->record, PLAIN_POLLS);
	if (!failed && (run->options.record_memory || run->options.record_touches))
		mpi_record_memory(run->record);
	if (!failed && run->options.record_touches)
		failed = mpi_record_touches(run->record, err);
	return failed && run->options.record ? util_error_prepend(err, "--record") : failed;
}

static int open_memory(const struct run_options *o, struct util_error *err)
{
	int fd = o->record_at_fd ? RUN_REPEAT_TRACE_FD : memfd_create("mpisim trace", MFD_CLOEXEC);

	if (fd >= 0 && fcntl(fd, F_SETFD, FD_CLOEXEC) == 0)
		return fd;
	util_error_errno(err, errno, "cannot keep a trace in memory");
	return -1;
}

bool run_is_recorded(const struct run *run)
{
	const struct run_options *o = &run->options;

	return o->record || o->record_at_fd || (run->is_varied && !run->schedule) ||
	       run_reasons_are_wanted(run);
}

int run_record_create(struct run *run, struct util_error *err)
{
	if (!run->options.record) {
		run->trace_fd = open_memory(&run->options, err);
		if (run->trace_fd < 0)
			return err->code;
	}
	return create(run, err);
}

int run_record_close(struct run *run)
{
	struct util_error err = run->record_error;

	if (run->signal || run->world->failure.kind != PD_FAILURE_NONE) {
		fprintf(run->console,
			"mpisim-run: no trace is written: the run did not end by itself\n");
		return 0;
	}
	if (!run->is_record_closed)
		mpi_record_close(run->record, true, &err);
	if (err.code) {
		fprintf(run->console, "mpisim-run: --record: %s\n", err.text);
		return err.code;
	}
	if (!run->options.quiet)
		fprintf(run->console, "trace: %s\n", run->options.record);
	return 0;
}
