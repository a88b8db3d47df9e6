/* SPDX-License-Identifier: BSD-3-Clause */
#include "forward.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/cpus.h"
#include "util/outpath.h"

static int n_jobs;

void forward_set_jobs(int n)
{
	n_jobs = n;
}

FILE *forward_open(struct forward_run *run, const char *name, const char *mode)
{
	char path[PATH_MAX + 32];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", run->folder, name);
	file = fopen(path, mode);
	if (!file)
		util_error_errno(&run->err, errno, "cannot open %s", path);
	return file;
}

void forward_say_program(struct forward_run *run, const char *name)
{
	char path[PATH_MAX];

	if (!run->err.code && child_find(name, path, &run->err) == 0)
		child_say(&run->command, "%s", path);
}

static void say_cluster(const struct forward *forward, const struct machine *machine,
			struct forward_run *run)
{
	FILE *file;

	if (forward->cluster) {
		child_say(&run->command, "--cluster=%s", forward->cluster);
		return;
	}
	child_say(&run->command, "--cluster=%s/cluster.yaml", run->folder);
	file = forward_open(run, "cluster.yaml", "w");
	if (!file)
		return;
	machine_write(machine, &(struct machine_file){.known = forward->known}, file);
	if (fclose(file))
		util_error_errno(&run->err, errno, "cannot write %s/cluster.yaml", run->folder);
}

static void begin(const struct forward *forward, const struct machine *machine, int part,
		  struct forward_run *run)
{
	char output[PATH_MAX + 32], log[PATH_MAX + 32];

	run->err.code = 0;
	if (mkdir(run->folder, 0700))
		util_error_errno(&run->err, errno, "cannot make %s", run->folder);
	forward_say_program(run, "mpisim-run");
	child_say(&run->command, "--quiet");
	child_say(&run->command, "--deterministic"); /* probes repeat by themselves */
	if (!run->err.code)
		say_cluster(forward, machine, run);
	if (!run->err.code)
		forward->say(forward->context, part, run);
	if (!run->err.code && run->command.is_short)
		util_error_set(&run->err, UTIL_ESYSTEM, "out of memory, or too many nodes");
	snprintf(output, sizeof(output), "%s/output.txt", run->folder);
	snprintf(log, sizeof(log), "%s/log.txt", run->folder);
	if (!run->err.code)
		child_start(&run->command, output, log, &run->child, &run->err);
	child_forget(&run->command);
}

/* 1: it could be had. */
static int end(const struct forward *forward, int machine, int part, struct forward_run *run)
{
	char log[PATH_MAX + 32];

	snprintf(log, sizeof(log), "%s/log.txt", run->folder);
	if (!run->err.code && child_wait(run->child, log, &run->err) && forward->refused)
		util_error_prepend(&run->err, "%s", forward->refused);
	if (!run->err.code)
		forward->read(forward->context, machine, part, run);
	util_output_remove_folder(run->folder);
	return !run->err.code;
}

static int make_folder(char folder[PATH_MAX], struct util_error *err)
{
	const char *place = getenv("TMPDIR");

	snprintf(folder, PATH_MAX, "%.4000s/mpisim-calibrate.XXXXXX",
		 place && *place ? place : "/tmp");
	if (!mkdtemp(folder))
		return util_error_errno(err, errno, "cannot make %s", folder);
	util_output_guard(folder);
	return 0;
}

int forward(const struct forward *forward, const struct machine *machines, int n_machines,
	    struct util_error *err)
{
	static struct forward_run runs[FORWARD_JOBS];
	char folder[PATH_MAX];
	int begun = 0, n_made = 0, n_parts = forward->n_parts;

	if (n_jobs == 0)
		n_jobs = util_cpus() < FORWARD_JOBS ? util_cpus() : FORWARD_JOBS;
	if (make_folder(folder, err))
		return err->code;
	for (int k = 0; k < n_machines * n_parts; k++) {
		for (; begun < n_machines * n_parts && begun < k + n_jobs; begun++) {
			struct forward_run *run = &runs[begun % n_jobs];

			snprintf(run->folder, sizeof(run->folder), "%.4080s/%d", folder,
				 begun % n_jobs);
			begin(forward, &machines[begun / n_parts], begun % n_parts, run);
		}
		n_made += end(forward, k / n_parts, k % n_parts, &runs[k % n_jobs]);
		if (runs[k % n_jobs].err.code)
			*err = runs[k % n_jobs].err;
	}
	rmdir(folder);
	util_output_release(folder);
	return n_made > 0 || n_machines * n_parts == 0 ? 0 : err->code;
}
