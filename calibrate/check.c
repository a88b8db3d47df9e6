/* SPDX-License-Identifier: BSD-3-Clause */
/* Measured and predicted samples, probe by probe. */
#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double CLOSE = 0.05, NEAR = CHECK_MOST;
static const double NOTHING = 0.01;
static const double MANY_TIMES = 10; /* more is not told apart */
/* Between sizes of which one is so many times the other a median is interpolated. */
static const double NEIGHBOURS = 1.25;

/*
 * What a probe's value is, and so what an error of it is a part of:
 * TIME: of itself, or of a message of as many bytes, if that takes longer: what is waited for may
 * be next to nothing. PART: of what it is a part of. SPEED: of what one core computes, as its
 * machine counts. CHOICE: it is more than a half, or not. PAUSED: the shortest is more than half of
 * its receiver's pause, or not. LEFT: it tells nothing that the model could say.
 */
enum kind { TIME, PAUSED, PART, SPEED, CHOICE, LEFT };
enum bytes { NO_BYTES, OF_X, OF_Y };

static const struct probe_kind {
	const char *name;
	enum kind kind;
	enum bytes bytes;
	bool is_curve; /* sizes between two others lie between them */
} KINDS[] = {
    {"one_way", TIME, OF_X, true},
    {"rested", TIME, OF_X, true},
    {"packet_stream", TIME, OF_X, true},
    {"late_receiver", PAUSED, OF_X, false},
    {"behind_large", PART, NO_BYTES, false},
    {"late_probe", CHOICE, NO_BYTES, false},
    {"late_tests", CHOICE, NO_BYTES, false},
    {"put_while_computing", CHOICE, NO_BYTES, false},
    {"used", TIME, OF_Y, false},
    {"used_eager", TIME, OF_Y, false},
    {"cores", LEFT, NO_BYTES, false},
    {"compute_speed", SPEED, NO_BYTES, false},
    {"gets_at_once", LEFT, NO_BYTES, false},
    {"updates_at_once", LEFT, NO_BYTES, false},
    {"vary_computing", LEFT, NO_BYTES, false},
    {"vary_messages", LEFT, NO_BYTES, false},
    {"coll_bcast", TIME, NO_BYTES, false},
    {"coll_allreduce", TIME, NO_BYTES, false},
    {"coll_alltoall", TIME, NO_BYTES, false},
    {"many_to_one", TIME, NO_BYTES, false},
    {"one_to_many", TIME, NO_BYTES, false},
    {"both_ways", TIME, NO_BYTES, false},
    {"sendrecv", TIME, NO_BYTES, false},
    {"ring", TIME, NO_BYTES, false},
    {"pairs", LEFT, NO_BYTES, false}, /* of older files */
    {"after_rest", LEFT, NO_BYTES, false},
};

static const struct probe_kind *kind_of(const char *name)
{
	static const struct probe_kind others = {"", TIME, OF_X, false},
				       old = {"", LEFT, NO_BYTES, false};

	if (!strncmp(name, "first_", 6)) /* of older files, too */
		return &old;
	for (size_t k = 0; k < sizeof(KINDS) / sizeof(KINDS[0]); k++)
		if (!strcmp(KINDS[k].name, name))
			return &KINDS[k];
	return &others;
}

/* --- what was measured and predicted --- */

struct keys {
	int n;
	struct sample_key *list; /* [n], each once, by name, place, y and x */
};

static int compare_keys(const void *a, const void *b)
{
	const struct sample_key *left = a, *right = b;
	int order = strcmp(left->name, right->name);

	if (!order)
		order = left->where - right->where;
	if (!order)
		order = (left->y > right->y) - (left->y < right->y);
	return order ? order : (left->x > right->x) - (left->x < right->x);
}

static int collect(const struct samples *samples, struct keys *keys)
{
	struct sample_key *list = calloc(samples->n + 1, sizeof(*list));

	*keys = (struct keys){0, list};
	if (!list)
		return -1;
	for (size_t i = 0; i < samples->n; i++)
		list[i] = samples->list[i].key;
	qsort(list, samples->n, sizeof(*list), compare_keys);
	for (size_t i = 0; i < samples->n; i++)
		if (keys->n == 0 || compare_keys(&list[keys->n - 1], &list[i]))
			list[keys->n++] = list[i];
	return 0;
}

static bool is_same_curve(const struct sample_key *a, const struct sample_key *b)
{
	return !strcmp(a->name, b->name) && a->where == b->where && a->y == b->y;
}

/* NAN: the probes on the file chose other sizes. */
static double predict(const struct samples *predicted, const struct keys *keys,
		      const struct sample_key *key)
{
	const struct sample_key *below = NULL, *above = NULL;
	struct summary time = samples_summary(predicted, key);
	double low, high;

	if (time.n)
		return kind_of(key->name)->kind == PAUSED ? time.minimum : time.median;
	for (int k = 0; k < keys->n; k++) {
		if (!is_same_curve(&keys->list[k], key))
			continue;
		if (keys->list[k].x < key->x)
			below = &keys->list[k];
		else if (!above)
			above = &keys->list[k];
	}
	if (!kind_of(key->name)->is_curve || !below || !above ||
	    (double)above->x > NEIGHBOURS * (double)below->x)
		return NAN;
	low = samples_summary(predicted, below).median;
	high = samples_summary(predicted, above).median;
	return low + (high - low) * (double)(key->x - below->x) / (double)(above->x - below->x);
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
	const struct probe_kind *kind = kind_of(key->name);
	int64_t size_B = kind->bytes == OF_Y ? key->y : key->x;

	if (kind->kind == PART || kind->kind == CHOICE)
		return 1;
	if (kind->kind == SPEED)
		return base->core;
	if (kind->bytes == NO_BYTES)
		return fabs(wanted->time.median);
	return fmax(fabs(wanted->time.median), message_s(base, key->where, size_B));
}

int check_begin(struct check_base *base, const struct samples *measured)
{
	struct keys keys;

	*base = (struct check_base){.core = core_of(measured)};
	if (collect(measured, &keys))
		return -1;
	base->list = calloc((size_t)keys.n + 1, sizeof(*base->list));
	for (int k = 0; k < keys.n && base->list; k++)
		if (kind_of(keys.list[k].name)->kind != LEFT)
			base->list[base->n++] = (struct check_wanted){
			    .key = keys.list[k], .time = samples_summary(measured, &keys.list[k])};
	free(keys.list);
	for (int k = 0; k < base->n; k++) {
		struct check_wanted *wanted = &base->list[k];

		wanted->of = measure_of(base, wanted);
		/* a send waited for its receiver, which came so late (probe_protocol.c) */
		wanted->late_s = 2 * (message_s(base, wanted->key.where, wanted->key.x) +
				      message_s(base, wanted->key.where, 0)) +
				 1e-3;
	}
	return base->list ? 0 : -1;
}

void check_end(struct check_base *base)
{
	free(base->list);
}

/* Right or wrong, where it is a question; 2: it is none. */
static int answer_error(const struct check_wanted *wanted, double predicted)
{
	enum kind kind = kind_of(wanted->key.name)->kind;

	if (kind == CHOICE)
		return (wanted->time.median > 0.5) != (predicted > 0.5);
	if (kind == PAUSED)
		return (wanted->time.minimum > wanted->late_s) != (predicted > wanted->late_s);
	return 2;
}

static double error_of(const struct check_wanted *wanted, double predicted)
{
	int wrong = answer_error(wanted, predicted);
	double off;

	if (wrong < 2)
		return wrong;
	off = fmax(fmax(wanted->time.low - predicted, predicted - wanted->time.high), 0);
	if (off == 0)
		return 0;
	return wanted->of > 0 ? off / wanted->of : 1;
}

/* With its sign, of the median. */
static double off_of(const struct check_wanted *wanted, double predicted)
{
	int wrong = answer_error(wanted, predicted);

	if (wrong < 2)
		return wrong;
	return wanted->of > 0 ? (predicted - wanted->time.median) / wanted->of : NAN;
}

double check_scatter(const struct check_wanted *wanted)
{
	if (kind_of(wanted->key.name)->kind == CHOICE || kind_of(wanted->key.name)->kind == PAUSED)
		return 0;
	return wanted->of > 0 ? (wanted->time.high - wanted->time.low) / 2 / wanted->of : 0;
}

/* --- the verdict --- */

/* Keeps the worst of each probe, in order. */
static void rank(struct check *check, const struct check_off *off)
{
	struct check_off *list = check->worst;
	int at = 0;

	while (at < check->n_worst && strcmp(list[at].key.name, off->key.name))
		at++;
	if (at < check->n_worst && list[at].error >= off->error)
		return;
	if (at == check->n_worst && at == CHECK_PROBES && list[--at].error >= off->error)
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
	check->sum += fmin(off->error, 1);
	rank(check, off);
}

static void write_row(const struct check_off *off, FILE *rows)
{
	const struct sample_key *key = &off->key;

	fprintf(rows, "%s %s %lld %lld %.9g %.9g\n", key->name,
		key->where == WITHIN_NODE ? "within" : "between", (long long)key->x,
		(long long)key->y, off->measured, off->predicted);
}

int check_compare(const struct check_base *base, const struct samples *predicted,
		  struct check *check, double *offs, FILE *rows)
{
	struct keys found = {0};
	int failed = collect(predicted, &found);
	double core = core_of(predicted);

	*check = (struct check){.is_made = !failed};
	for (int k = 0; !failed && k < base->n; k++) {
		const struct check_wanted *wanted = &base->list[k];
		struct check_off off = {.key = wanted->key, .measured = wanted->time.median};

		off.predicted = predict(predicted, &found, &wanted->key);
		if (kind_of(wanted->key.name)->kind == SPEED)
			off.predicted *= base->core / core;
		off.error = error_of(wanted, off.predicted);
		if (offs)
			offs[k] = isnan(off.predicted) ? NAN : off_of(wanted, off.predicted);
		if (isnan(off.predicted)) {
			check->n_apart++;
			continue;
		}
		check_add(check, &off);
		if (rows)
			write_row(&off, rows);
	}
	free(found.list);
	return failed ? -1 : 0;
}

static void write_value(const struct sample_key *key, double value, FILE *file)
{
	enum kind kind = kind_of(key->name)->kind;

	if (kind == TIME || kind == PAUSED)
		fprintf(file, fabs(value) < 1e-3 ? "%.4g us" : "%.4g ms",
			value * (fabs(value) < 1e-3 ? 1e6 : 1e3));
	else
		fprintf(file, "%.4g", value);
}

static void write_off(const struct check_off *off, FILE *file)
{
	fprintf(file, "%s %lld", off->key.name, (long long)off->key.x);
	if (off->key.y)
		fprintf(file, " %lld", (long long)off->key.y);
	fprintf(file, off->key.where == WITHIN_NODE ? " within a node: measured " : ": measured ");
	write_value(&off->key, off->measured, file);
	fputs(", predicted ", file);
	write_value(&off->key, off->predicted, file);
	if (off->error < MANY_TIMES)
		fprintf(file, ", %.*f %% off", off->error < 0.1, 100 * off->error);
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
		fprintf(file, "; %d were not compared, probes on the file chose other sizes",
			check->n_apart);
}

void check_list(const struct check *check, const char *prefix, FILE *file)
{
	for (int k = 0; k < check->n_worst && k < CHECK_LISTED; k++) {
		if (check->worst[k].error <= CHECK_MOST)
			return;
		fputs(prefix, file);
		write_off(&check->worst[k], file);
		fputc('\n', file);
	}
}
