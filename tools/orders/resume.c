// SPDX-License-Identifier: BSD-3-Clause
/* Where a search stands, in a file: what is left, which states were seen, how executions ended. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/orders/decisions.h"
#include "tools/orders/explore.h"
#include "util/outfile.h"

static const char MAGIC[8] = "mpsmord1";

struct head {
	char magic[8];
	uint32_t view, merge, n_ranks, n_work, n_outcomes, n_tables;
	uint64_t program; /* hash of its command */
	uint64_t n_executions, n_choices, n_merged;
};

static char *path_of(const struct orders_view_run *view, const char *base)
{
	char *path;

	return asprintf(&path, "%s-%s", base, orders_view_name(view->view)) < 0 ? NULL : path;
}

static uint64_t hash_program(const struct run *run)
{
	uint64_t hash[2] = {0, 0};

	for (char **word = run->options.program; word && *word; word++)
		mpi_orders_mix(hash, mpi_registered_hash_bytes(*word, (int64_t)strlen(*word)));
	return hash[0];
}

static struct orders_table *table(struct orders_shared *shared, int i)
{
	return i == 0 ? &shared->states : &shared->finals[i - 1];
}

static void write_list(const struct orders_shared *shared, struct orders_list list, FILE *file)
{
	fwrite(&list.n, sizeof list.n, 1, file);
	fwrite(orders_at(shared, list.first), sizeof(struct mpi_decision), list.n, file);
}

static void write_table(const struct orders_shared *shared, const struct orders_table *t,
			FILE *file)
{
	const uint64_t *slots = orders_at(shared, t->first);

	fwrite(&t->n, sizeof t->n, 1, file);
	for (size_t i = 0; i <= t->mask; i++)
		if (slots[2 * i] != 0 || slots[2 * i + 1] != 0)
			fwrite(slots + 2 * i, sizeof(uint64_t), 2, file);
}

static void write_outcome(const struct orders_shared *shared, const struct orders_outcome *o,
			  FILE *file)
{
	fwrite(o, sizeof *o, 1, file);
	write_list(shared, o->decisions, file);
	if (o->values_B > 0)
		fwrite(orders_at(shared, o->values), 1, o->values_B, file);
}

static struct head head_of(const struct orders_view_run *view)
{
	const struct orders_shared *shared = view->shared;
	struct head head = {
	    .view = view->view,
	    .merge = view->options->merge,
	    .n_ranks = (uint32_t)view->run->n_ranks,
	    .n_work = shared->work_last - shared->work_first,
	    .n_outcomes = (uint32_t)shared->n_outcomes,
	    .n_tables = 1 + ORDERS_N_ENDS,
	    .program = hash_program(view->run),
	    .n_executions = shared->n_executions,
	    .n_choices = shared->n_choices,
	    .n_merged = shared->n_merged,
	};

	memcpy(head.magic, MAGIC, sizeof head.magic);
	return head;
}

static int write_state(const void *context, FILE *file, struct util_error *err)
{
	const struct orders_view_run *view = context;
	struct orders_shared *shared = view->shared;
	const struct orders_list *work = orders_at(shared, shared->work);
	struct head head = head_of(view);

	fwrite(&head, sizeof head, 1, file);
	for (uint32_t i = shared->work_first; i < shared->work_last; i++)
		write_list(shared, work[i], file);
	for (int i = 0; i < 1 + ORDERS_N_ENDS; i++)
		write_table(shared, table(shared, i), file);
	for (int i = 0; i < shared->n_outcomes; i++)
		write_outcome(shared, &shared->outcomes[i], file);
	return 0;
}

int orders_save_check(const struct orders_view_run *view, struct util_error *err)
{
	char *path = view->options->save ? path_of(view, view->options->save) : NULL;
	int failed =
	    path && util_outfile_check(path, err) ? util_error_prepend(err, "--orders: save") : 0;

	free(path);
	return failed;
}

int orders_save(const struct orders_view_run *view, struct util_error *err)
{
	char *path = path_of(view, view->options->save);
	int failed = path ? util_outfile_write(path, write_state, view, err)
			  : util_error_set(err, UTIL_ENOMEM, "out of memory");

	free(path);
	return failed;
}

/* --- reading --- */

static bool get(FILE *file, void *out, size_t size_B)
{
	return size_B == 0 || fread(out, size_B, 1, file) == 1;
}

static bool read_bytes(struct orders_shared *shared, FILE *file, size_t size_B, size_t *place)
{
	*place = orders_shared_allocate(shared, size_B);
	return *place && get(file, orders_at(shared, *place), size_B);
}

static bool read_list(struct orders_shared *shared, FILE *file, struct orders_list *out)
{
	return get(file, &out->n, sizeof out->n) &&
	       read_bytes(shared, file, out->n * sizeof(struct mpi_decision), &out->first);
}

static bool read_table(struct orders_shared *shared, struct orders_table *t, FILE *file)
{
	uint64_t hash[2];
	uint32_t n;

	if (!get(file, &n, sizeof n))
		return false;
	for (; n > 0 && get(file, hash, sizeof hash); n--)
		orders_table_add(shared, t, hash);
	return n == 0;
}

static bool read_outcome(struct orders_shared *shared, FILE *file)
{
	struct orders_outcome *o = &shared->outcomes[shared->n_outcomes++];

	return get(file, o, sizeof *o) && read_list(shared, file, &o->decisions) &&
	       read_bytes(shared, file, o->values_B, &o->values);
}

static bool read_all(struct orders_shared *shared, const struct head *head, FILE *file)
{
	bool is_good = head->n_outcomes <= ORDERS_MAX_OUTCOMES;

	for (uint32_t i = 0; i < head->n_work && is_good; i++) {
		struct orders_list list;

		is_good = read_list(shared, file, &list);
		if (is_good)
			orders_work_put(shared, list);
	}
	for (int i = 0; i < 1 + ORDERS_N_ENDS && is_good; i++)
		is_good = read_table(shared, table(shared, i), file);
	for (uint32_t i = 0; i < head->n_outcomes && is_good; i++)
		is_good = read_outcome(shared, file);
	shared->n_executions = head->n_executions;
	shared->n_choices = head->n_choices;
	shared->n_merged = head->n_merged;
	return is_good;
}

static int read_file(struct orders_view_run *view, const char *path, FILE *file,
		     struct util_error *err)
{
	const struct head wanted = head_of(view);
	struct head head;

	if (!get(file, &head, sizeof head) || memcmp(head.magic, MAGIC, sizeof head.magic) != 0)
		return util_error_set(err, UTIL_EINPUT, "%s: wanted a file of --orders save=FILE",
				      path);
	if (head.view != wanted.view || head.merge != wanted.merge ||
	    head.n_ranks != wanted.n_ranks || head.program != wanted.program ||
	    head.n_tables != wanted.n_tables)
		return util_error_set(
		    err, UTIL_EINPUT,
		    "%s: is of another program, number of ranks, view or way of merging", path);
	if (!read_all(view->shared, &head, file))
		return util_error_set(err, UTIL_EINPUT, "%s: ends too early", path);
	return 0;
}

int orders_resume(struct orders_view_run *view, bool *is_resumed, struct util_error *err)
{
	char *path = path_of(view, view->options->resume);
	FILE *file = path ? fopen(path, "rb") : NULL;
	int failed = file ? 0 : util_error_errno(err, errno, "%s", path ? path : "");

	if (file)
		failed = read_file(view, path, file, err);
	if (file)
		fclose(file);
	free(path);
	*is_resumed = !failed;
	return failed;
}
