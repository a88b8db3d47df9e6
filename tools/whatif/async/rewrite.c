// SPDX-License-Identifier: BSD-3-Clause
/* A whole trace: its tables as they are, its ranks one after the other. */
#include <stdlib.h>
#include <string.h>

#include "tools/whatif/async/plan.h"

/* In their order, so that numbers stay what they are. */
static void copy_tables(const struct mtrace_file *file, struct mtrace_writer *writer)
{
	bool is_new;

	for (uint32_t i = 0; i < file->n_strings; i++)
		mtrace_writer_string(writer, file->strings[i]);
	for (uint32_t i = 0; i < file->n_functions; i++)
		mtrace_writer_function(writer, file->functions[i].name,
				       file->functions[i].signature);
	for (uint32_t i = 0; i < file->n_sites; i++) {
		uint32_t site = mtrace_writer_site(writer, i + 1, &is_new);

		if (file->sites[i][0])
			mtrace_writer_set_site(writer, site, file->sites[i]);
	}
	for (uint32_t i = 0; i < file->n_doubts; i++) {
		const struct mtrace_doubt_entry *d = &file->doubts[i];

		mtrace_writer_doubt(writer, d->kind, d->function, d->site, (int)d->first_rank,
				    d->count);
	}
}

static int rewrite_rank(struct mtrace_file *file, int number, const struct async_setup *setup,
			struct async_needs *needs, struct mtrace_writer *writer,
			struct async_result *result, struct util_error *err)
{
	struct async_rank rank;
	int failed = async_rank_read(file, number, &rank, err);

	result->has_memory |= rank.n_memories > 0;
	if (!failed)
		failed = async_plan_rank(file, &rank, setup, needs,
					 writer ? mtrace_writer_stream(writer, number) : NULL,
					 result, err);
	async_rank_finish(&rank);
	return failed;
}

static int find_needs(struct mtrace_file *file, const struct async_setup *setup,
		      struct async_needs *needs, struct util_error *err)
{
	int failed = 0;

	for (int i = 0; i < file->n_ranks && !failed; i++) {
		struct async_result ignored = {.n_waits = 0};

		failed = rewrite_rank(file, i, setup, needs, NULL, &ignored, err);
		async_result_finish(&ignored);
	}
	async_needs_sort(needs);
	return failed;
}

/* The first site that reads like it. */
static uint32_t first_alike(const struct mtrace_file *file, uint32_t site)
{
	for (uint32_t i = 0; i < site && site < file->n_sites; i++)
		if (strcmp(file->sites[i], file->sites[site]) == 0)
			return i;
	return site;
}

/* Several calls of a line are one to the reader. */
static void merge_waits(const struct mtrace_file *file, struct async_result *result)
{
	size_t n = 0, k;

	for (size_t i = 0; i < result->n_waits; i++) {
		struct async_wait w = result->waits[i];

		w.site = first_alike(file, w.site);
		w.wait_site = first_alike(file, w.wait_site);
		for (k = 0; k < n && !async_wait_is_alike(&result->waits[k], &w); k++)
			;
		if (k < n)
			result->waits[k].count += w.count;
		else
			result->waits[n++] = w;
	}
	result->n_waits = n;
}

int async_rewrite(struct mtrace_file *file, const struct async_setup *setup, const char *path,
		  struct async_result *result, struct util_error *err)
{
	bool has_priority = setup->mode == ASYNC_PRIORITY;
	struct async_needs needs = {.n = 0};
	struct mtrace_writer *writer = NULL;
	int failed = has_priority ? find_needs(file, setup, &needs, err) : 0;

	*result = (struct async_result){.n_waits = 0};
	if (!failed)
		failed = mtrace_writer_create(path, mtrace_ranks_at_start(file), file->provenance,
					      &writer, err);
	if (!failed)
		copy_tables(file, writer);
	if (!failed && file->n_spawned > 0)
		mtrace_writer_add_ranks(writer, file->n_spawned);
	for (int i = 0; i < file->n_ranks && !failed; i++)
		failed =
		    rewrite_rank(file, i, setup, has_priority ? &needs : NULL, writer, result, err);
	merge_waits(file, result);
	if (!failed && !result->has_memory && result->n_converted > 0)
		failed = util_refuse(
		    err,
		    "'%s' does not say which memory is used, wanted a trace of mpisim-run "
		    "--record FILE --record-memory",
		    file->path);
	if (!failed)
		failed = mtrace_writer_close(writer, err);
	mtrace_writer_destroy(writer);
	free(needs.all);
	return failed;
}

void async_result_finish(struct async_result *result)
{
	free(result->waits);
	free(result->chains);
	*result = (struct async_result){.n_waits = 0};
}
