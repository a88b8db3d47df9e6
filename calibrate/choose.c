/* SPDX-License-Identifier: BSD-3-Clause */
/* The machine on which the simulated probes take what the real ones did. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "fit.h"

struct probes {
	struct candidates candidates;
	struct machine_file file;
};

struct candidate {
	const struct machine *machine;
	const struct machine_file *file;
};

static void write_candidate(const void *candidate, FILE *file)
{
	const struct candidate *this = candidate;

	machine_write(this->machine, this->file, file);
}

static int predict(void *context, const struct machine *machines, int n, double *off,
		   struct util_error *err)
{
	struct probes *probes = context;
	struct check *checks = calloc((size_t)n, sizeof(*checks));
	struct candidate *list = calloc((size_t)n, sizeof(*list));
	const void **at = calloc((size_t)n, sizeof(*at));
	int n_made = 0;

	for (int k = 0; k < n && checks && list && at; k++) {
		list[k] = (struct candidate){&machines[k], &probes->file};
		at[k] = &list[k];
	}
	if (checks && list && at)
		candidates_run(&probes->candidates, at, n, checks, off);
	for (int k = 0; k < n && checks; k++)
		n_made += checks[k].is_made;
	if (!n_made)
		util_error_set(err, UTIL_EINPUT, "%s",
			       checks ? checks[0].why_not : "out of memory");
	free(checks);
	free(list);
	free(at);
	return n_made ? 0 : err->code;
}

static bool tells(void *context, int observation, enum parameter_id id)
{
	const struct probes *probes = context;
	const struct sample_key *key = &probes->candidates.base.list[observation].key;

	if (key->where == BETWEEN_NODES && PARAMETER[id].block == INNER)
		return false;
	/* a library's protocol changes all */
	return id == THRESHOLD || is_probe_named(PARAMETER[id].probes, key->name);
}

/* Of a probe, so many tell all that it has to say: messages by size carry most of a prediction. */
static const double ENOUGH = 8, ENOUGH_MESSAGES = 24;

static int64_t most_flows(const struct check_base *base)
{
	int64_t most = 0;

	for (int k = 0; k < base->n; k++)
		if (!strcmp(base->list[k].key.name, "many_to_one") && base->list[k].key.x > most)
			most = base->list[k].key.x;
	return most;
}

/* 0: what --few leaves out. */
static double weight_of(const struct candidates *candidates, int k)
{
	const struct check_base *base = &candidates->base;
	const struct sample_key *key = &base->list[k].key;
	bool is_flows = !strcmp(key->name, "many_to_one") || !strcmp(key->name, "one_to_many");
	int n = 0;

	if (candidates->is_few && key->x > 4 << 20 && !strcmp(key->name, "one_way"))
		return 0;
	if (candidates->is_few && is_flows && key->x > 2 && key->x < most_flows(base))
		return 0;
	for (int j = 0; j < base->n; j++)
		n += !strcmp(base->list[j].key.name, key->name) &&
		     base->list[j].key.where == key->where;
	return fmin(1, (strcmp(key->name, "one_way") ? ENOUGH : ENOUGH_MESSAGES) / n);
}

static void check_result(struct fit *fit, struct probes *probes, struct check *check)
{
	struct candidate candidate = {&fit->machine, &probes->file};
	const void *at[] = {&candidate};

	probes->candidates.repeats = true;
	candidates_run(&probes->candidates, at, 1, check, NULL);
}

void fit_choose(struct fit *fit, struct check *check)
{
	struct probes probes = {.candidates = {.measured = fit->samples, .write = write_candidate},
				.file = {.known = fit->known}};
	struct view view = {.predict = predict, .tells = tells, .context = &probes};
	struct search search = {.view = &view, .machine = fit->machine};
	struct util_error err = {0};
	double *scatter = NULL;

	*check = (struct check){.why_not = "out of memory"};
	probes.candidates.is_few = fit->machine.has[PAYLOAD]; /* nothing differs by their number */
	if (check_begin(&probes.candidates.base, fit->samples) == 0)
		scatter = calloc(2 * (size_t)probes.candidates.base.n + 1, sizeof(*scatter));
	if (scatter) {
		view.n = probes.candidates.base.n;
		view.scatter = scatter;
		view.weight = scatter + view.n;
		for (int k = 0; k < view.n; k++) {
			scatter[k] = check_scatter(&probes.candidates.base.list[k]);
			scatter[view.n + k] = weight_of(&probes.candidates, k);
		}
		fit_view(fit, &view);
		if (search_run(&search, &err) == 0)
			fit->machine = search.machine;
		fit_set_outer(fit);
		check_result(fit, &probes, check);
		search_finish(&search);
	}
	free(scatter);
	check_end(&probes.candidates.base);
}
