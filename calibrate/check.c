/* SPDX-License-Identifier: BSD-3-Clause */
/* Measured and predicted samples, probe by probe. */
#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double CLOSE = 0.05, NEAR = CHECK_MOST;
static const double NOTHING = 0.01;
static const double MANY_TIMES = 10; /* more is not told apart */

/*
 * What a probe's value is, and so what an error of it is a part of:
 * TIME: of itself, or of a message of as many bytes, if that takes longer: what is waited for may
 * be next to nothing. OF_Y: the bytes are its y. ALONE: of itself. PART: of what it is a part of. SPEED: of what one core
 * computes, as its machine counts. CHOICE: it is more than a half, or not. PAUSED: the shortest is
 * more than half of its receiver's pause, or not. LEFT: it tells nothing that the model could say.
 */
enum kind { TIME, OF_Y, ALONE, PAUSED, PART, SPEED, CHOICE, LEFT }; /* PART on: no time */

static enum kind kind_of(const char *name)
{
	static const char *const names[] = {
	    [OF_Y] = "used used_eager",
	    [ALONE] = "coll_bcast coll_allreduce coll_alltoall many_to_one one_to_many both_ways "
		      "sendrecv ring",
	    [PAUSED] = "late_receiver",
	    [PART] = "behind_large",
	    [SPEED] = "compute_speed",
	    [CHOICE] = "late_probe late_tests put_while_computing",
	    /* the last two: of older files */
	    [LEFT] = "cores gets_at_once updates_at_once vary_computing vary_messages "
		     "after_rest pairs",
	};

	if (!strncmp(name, "first_", 6)) /* of older files, too */
		return LEFT;
	for (enum kind kind = OF_Y; kind <= LEFT; kind++)
		if (is_probe_named(names[kind], name))
			return kind;
	return TIME;
}

/* --- what was measured and predicted --- */

/* NAN: it was not measured. */
static double predict(const struct check_base *predicted, const struct sample_key *key)
{
	const struct check_wanted *found =
	    bsearch(key, predicted->list, (size_t)predicted->n, sizeof(*found), sample_key_compare);

	if (!found)
		return NAN;
	return kind_of(key->name) == PAUSED ? found->time.minimum : found->time.median;
}

/* Of a message of that size, or of the largest one below that was measured, one way. */
static double message_s(const struct check_base *base, int where, int64_t size_B)
{
	const struct check_wanted *best = NULL;

	for (int k = 0; k < base->n; k++)
		if (!strcmp(base->list[k].key.name, "one_way") &&
		    base->list[k].key.where == where && base->list[k].key.x <= size_B)
			best = &base->list[k];
	return best ? best->time.median : 0;
}

/* What a core computes alone, in the units of compute_speed. */
static double core_of(const struct samples *samples)
{
	struct sample_key key = sample_key("cores", WITHIN_NODE, 1, 0);
	const char *window = samples_get_fact(samples, "window_s", 0);
	double alone = samples_summary(samples, &key).median;

	return window && alone > 0 ? strtod(window, NULL) / alone : 1;
}

/* What an error of this measurement is a part of. */
static double measure_of(const struct check_base *base, const struct check_wanted *wanted)
{
	const struct sample_key *key = &wanted->key;
	enum kind kind = kind_of(key->name);
	double itself = fabs(wanted->time.median);

	if (kind == PART)
		return 1;
	if (kind == SPEED)
		return base->core;
	if (kind == ALONE)
		return itself;
	return fmax(itself, message_s(base, key->where, kind == OF_Y ? key->y : key->x));
}

/* Where the question is only whether it is more. */
static double limit_of(const struct check_base *base, const struct sample_key *key)
{
	enum kind kind = kind_of(key->name);

	if (kind == CHOICE)
		return 0.5;
	if (kind != PAUSED)
		return NAN;
	/* a send waited for its receiver, which came so late (probes.c) */
	return 2 * (message_s(base, key->where, key->x) + message_s(base, key->where, 0)) + 1e-3;
}

/* Each key once, with its statistics. */
static void collect(struct check_base *base, const struct samples *samples)
{
	struct check_wanted *list = base->list;

	for (size_t i = 0; i < samples->n; i++)
		list[i].key = samples->list[i].key;
	qsort(list, samples->n, sizeof(*list), sample_key_compare);
	for (size_t i = 0; i < samples->n; i++)
		if (kind_of(list[i].key.name) != LEFT &&
		    (base->n == 0 || sample_key_compare(&list[base->n - 1].key, &list[i].key)))
			list[base->n++] = (struct check_wanted){
			    .key = list[i].key, .time = samples_summary(samples, &list[i].key)};
}

int check_begin(struct check_base *base, const struct samples *samples)
{
	*base = (struct check_base){.core = core_of(samples),
				    .list = calloc(samples->n + 1, sizeof(*base->list))};
	if (!base->list)
		return -1;
	collect(base, samples);
	for (int k = 0; k < base->n; k++) {
		struct check_wanted *wanted = &base->list[k];

		wanted->of = measure_of(base, wanted);
		wanted->limit = limit_of(base, &wanted->key);
	}
	return 0;
}

void check_end(struct check_base *base)
{
	free(base->list);
}

/* Is the answer wrong, where it is a question? */
static bool is_wrong(const struct check_wanted *wanted, double predicted)
{
	bool is_paused = kind_of(wanted->key.name) == PAUSED;
	double measured = is_paused ? wanted->time.minimum : wanted->time.median;

	return (measured > wanted->limit) != (predicted > wanted->limit);
}

static double part_of(const struct check_wanted *wanted, double off, double of_nothing)
{
	return wanted->of > 0 ? off / wanted->of : of_nothing;
}

static double error_of(const struct check_wanted *wanted, double predicted)
{
	double off = fmax(fmax(wanted->time.low - predicted, predicted - wanted->time.high), 0);

	if (!isnan(wanted->limit))
		return is_wrong(wanted, predicted);
	return off > 0 ? part_of(wanted, off, 1) : 0;
}

/* With its sign, of the median. */
static double off_of(const struct check_wanted *wanted, double predicted)
{
	if (!isnan(wanted->limit))
		return is_wrong(wanted, predicted);
	return part_of(wanted, predicted - wanted->time.median, NAN);
}

double check_scatter(const struct check_wanted *wanted)
{
	if (!isnan(wanted->limit))
		return 0;
	return part_of(wanted, (wanted->time.high - wanted->time.low) / 2, 0);
}

/* --- the verdict --- */

static bool is_same_probe(const struct check_off *a, const struct check_off *b)
{
	return !strcmp(a->key.name, b->key.name);
}

/* Keeps the worst of each probe, in order. */
static void rank(struct check *check, const struct check_off *off)
{
	struct check_off *list = check->worst;
	int at = 0;

	while (at < check->n_worst && !is_same_probe(&list[at], off))
		at++;
	if (at == CHECK_PROBES) /* the least of all makes room */
		at--;
	if (at < check->n_worst && list[at].error >= off->error)
		return;
	if (at == check->n_worst)
		check->n_worst++;
	for (; at > 0 && list[at - 1].error < off->error; at--)
		list[at] = list[at - 1];
	list[at] = *off;
}

void check_add(struct check *check, const struct check_off *off)
{
	check->n++;
	check->n_close += off->error <= CLOSE;
	check->n_near += off->error <= NEAR;
	check->n_off += off->error > NEAR;
	rank(check, off);
}

/* part: how far off, with sign, as it counts. */
static void write_row(const struct check_off *off, double part, FILE *rows)
{
	const struct sample_key *key = &off->key;

	fprintf(rows, "%s %s %lld %lld %.9g %.9g %.4f\n", key->name,
		key->where == WITHIN_NODE ? "within" : "between", (long long)key->x,
		(long long)key->y, off->measured, off->predicted, part);
}

int check_compare(const struct check_base *base, const struct samples *predicted,
		  struct check *check, double *offs, FILE *rows)
{
	struct check_base found;
	int failed = check_begin(&found, predicted);

	*check = (struct check){.is_made = !failed};
	for (int k = 0; !failed && k < base->n; k++) {
		const struct check_wanted *wanted = &base->list[k];
		struct check_off off = {.key = wanted->key,
					.measured = wanted->time.median,
					.predicted = predict(&found, &wanted->key)};

		if (kind_of(wanted->key.name) == SPEED)
			off.predicted *= base->core / found.core;
		off.error = error_of(wanted, off.predicted);
		off.is_of_message =
		    kind_of(wanted->key.name) <= OF_Y && wanted->of > fabs(off.measured);
		if (offs)
			offs[k] = isnan(off.predicted) ? NAN : off_of(wanted, off.predicted);
		if (isnan(off.predicted)) {
			check->n_apart++;
			continue;
		}
		check_add(check, &off);
		if (rows)
			write_row(&off, off_of(wanted, off.predicted), rows);
	}
	check_end(&found);
	return failed;
}

static void write_value(const struct sample_key *key, double value, FILE *file)
{
	enum kind kind = kind_of(key->name);

	if (kind >= PART)
		fprintf(file, "%.4g", value);
	else if (fabs(value) < 1e-3)
		fprintf(file, "%.4g us", value * 1e6);
	else if (fabs(value) < 1)
		fprintf(file, "%.4g ms", value * 1e3);
	else
		fprintf(file, "%.4g s", value);
}

static void write_off(const struct check_off *off, FILE *file)
{
	if (off->name[0])
		fputs(off->name, file);
	else
		fprintf(file, "%s %lld", off->key.name, (long long)off->key.x);
	if (off->key.y)
		fprintf(file, " %lld", (long long)off->key.y);
	fprintf(file, off->key.where == WITHIN_NODE ? " within a node: measured " : ": measured ");
	write_value(&off->key, off->measured, file);
	fputs(", predicted ", file);
	write_value(&off->key, off->predicted, file);
	if (off->error < MANY_TIMES)
		fprintf(file, ", %.*f %% %soff", off->error < 0.1, 100 * off->error,
			off->is_of_message ? "of a message's time " : "");
	else
		fprintf(file, ", off by more than %.0f times as much", MANY_TIMES);
}

void check_verdict(const struct check *check, FILE *file)
{
	if (!check->is_made) {
		fprintf(file, "not compared with its own measurements: %s", check->why_not);
		return;
	}
	fprintf(file, "the file reproduces %d of %d measurements within 5 %%, %d within 10 %%",
		check->n_close, check->n, check->n_near);
	if (check->n_worst > 0 && check->worst[0].error > NOTHING) {
		fputs("; the worst: ", file);
		write_off(&check->worst[0], file);
	} else if (check->n > 0) {
		fputs(", none is off by more than 1 %", file);
	}
	if (check->n_apart > 0)
		fprintf(file, "; %d were not compared: probes on the file did not make them",
			check->n_apart);
}

void check_list(const struct check *check, const char *warning, const char *prefix, FILE *file)
{
	if (warning && check->n_off > 0)
		fprintf(file, "%s%d measurement%s more than 10 %% off; the worst of each probe:\n",
			warning, check->n_off, check->n_off == 1 ? " is" : "s are");
	for (int k = 0; k < check->n_worst && k < CHECK_LISTED; k++) {
		if (check->worst[k].error <= CHECK_MOST)
			return;
		fputs(prefix, file);
		write_off(&check->worst[k], file);
		fputc('\n', file);
	}
}
