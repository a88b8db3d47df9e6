/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From the plain model on: a latency, a bandwidth and overheads. Then one mechanism more at a time,
 * whichever makes the times better explained, kept only if it predicts times better that were left
 * out of the fit, by more than chance would.
 */
#include "search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_errno.h>

enum { VARIANTS = 40, MOST_MECHANISMS = 10, MOST_TRIED = 2 };
enum { REFINED = 4, FEW_STEPS = 2, FOLD_STEPS = 2, MANY_STEPS = 8, FOLDS = 2 };
static const double LEAST_GAIN = 0.03; /* of the loss of what was left out */
static const double GIVEN_UP = 1e9;
/* What most times are off is their noise: not less than the first one, nor more than the second. */
static const double LEAST_NOISE = 0.01, MOST_NOISE = 0.2;
static const double MEDIAN_TO_DEVIATION = 1.4826;

struct variants {
	int n;
	struct machine list[VARIANTS];
};

static struct machine *add(struct variants *variants, const struct machine *machine)
{
	if (variants->n == VARIANTS)
		return &variants->list[VARIANTS - 1];
	variants->list[variants->n] = *machine;
	return &variants->list[variants->n++];
}

static bool has_kind(const struct search *search, enum benchmark_kind first,
		     enum benchmark_kind last)
{
	for (int k = 0; k < search->observations->n; k++) {
		const struct benchmark *what = search->observations->list[k].what;

		if (!what || (what->kind >= first && what->kind <= last))
			return true;
	}
	return false;
}

/* --- mechanisms: what they begin with --- */

static void try_one(const struct machine *now, enum parameter_id id, const double *values, int n,
		    struct variants *out)
{
	for (int k = 0; k < n; k++)
		machine_set(add(out, now), id, values[k]);
}

static int compare_sizes(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/* Below each size that was timed, but the smallest ones. */
static void vary_threshold(const struct search *search, const struct machine *now,
			   struct variants *out)
{
	enum { LEAST_B = 128, MOST_B = 4 << 20, MOST_SIZES = 4096 };
	int sizes[MOST_SIZES], n = 0, before = 0;

	for (int k = 0; k < search->observations->n && n < MOST_SIZES; k++)
		if (search->observations->list[k].what)
			sizes[n++] = search->observations->list[k].size_B;
	qsort(sizes, (size_t)n, sizeof(*sizes), compare_sizes);
	for (int k = 0; k < n && out->n < VARIANTS; k++) {
		bool is_new = k == 0 || sizes[k] > sizes[k - 1];

		if (is_new && before >= LEAST_B && sizes[k] <= MOST_B &&
		    !(now->has[THRESHOLD] && now->value[THRESHOLD] == before))
			machine_set(add(out, now), THRESHOLD, before);
		before = sizes[k];
	}
}

/* Makes room for a line from there on, behind those that begin before; which one it is. The steps
 * of those behind it stay what they are. */
static int insert_segment(struct machine *machine, double from_B)
{
	int place = 0, last = 0;

	while (last < MACHINE_SEGMENTS && machine->has[SEGMENT + last])
		last++;
	while (place < last && machine->value[SEGMENT + place] < from_B)
		place++;
	for (int k = last; k > place; k--)
		for (int id = SEGMENT; id < SEND_OVERHEAD; id += MACHINE_SEGMENTS)
			machine_set(machine, (enum parameter_id)(id + k),
				    machine->value[id + k - 1]);
	return place;
}

/* A line of its own from some sizes on: later, slower or faster than the one before. */
static void vary_segments(const struct search *search, const struct machine *now,
			  struct variants *out)
{
	static const double steps[] = {1.25, 1, 1}, rates[] = {1, 0.6, 1.7};
	struct variants *places = calloc(1, sizeof(*places));

	if (places && !now->has[PAYLOAD] && !now->has[SEGMENT + MACHINE_SEGMENTS - 1])
		vary_threshold(search, now, places);
	for (int k = 0; places && k < places->n; k += 2)
		for (int j = 0; j < 3; j++) {
			struct machine *machine = add(out, now);
			double from_B = places->list[k].value[THRESHOLD];
			int place = insert_segment(machine, from_B);
			double rate_Bps =
			    place ? now->value[SEGMENT_RATE + place - 1] : now->value[BANDWIDTH];

			machine_set(machine, (enum parameter_id)(SEGMENT + place), from_B);
			machine_set(machine, (enum parameter_id)(SEGMENT_STEP + place), steps[j]);
			machine_set(machine, (enum parameter_id)(SEGMENT_RATE + place),
				    rates[j] * rate_Bps);
		}
	free(places);
}

static void vary_control(const struct search *search, const struct machine *now,
			 struct variants *out)
{
	static const double values[] = {64, 1000, 10000};

	(void)search;
	if (now->has[THRESHOLD] && !now->has[CONTROL])
		try_one(now, CONTROL, values, 3, out);
}

static void vary_data(const struct search *search, const struct machine *now, struct variants *out)
{
	(void)search;
	if (now->has[THRESHOLD] && !now->has[REQUEST_DATA])
		machine_set(add(out, now), REQUEST_DATA, now->value[THRESHOLD]);
}

/* Processors copy what is eager. */
static void vary_copies(const struct search *search, const struct machine *now,
			struct variants *out)
{
	static const double parts[] = {0.1, 0.5, 2};

	(void)search;
	for (int k = 0; k < 3 && !now->has[SEND_PER_BYTE]; k++) {
		struct machine *machine = add(out, now);

		machine_set(machine, SEND_PER_BYTE, parts[k] / now->value[BANDWIDTH]);
		machine_set(machine, RECV_PER_BYTE, parts[k] / now->value[BANDWIDTH]);
	}
}

/* Messages in a row are bound by the side that is busy for longer: whichever that is. */
static void vary_sides(const struct search *search, const struct machine *now, struct variants *out)
{
	struct machine *machine = add(out, now);

	(void)search;
	machine_set(machine, SEND_OVERHEAD, now->value[RECV_OVERHEAD]);
	machine_set(machine, RECV_OVERHEAD, now->value[SEND_OVERHEAD]);
}

static void vary_burst(const struct search *search, const struct machine *now, struct variants *out)
{
	static const double values[] = {1000, 3000, 10000, 50000};

	(void)search;
	if (!now->has[BURST])
		try_one(now, BURST, values, 4, out);
}

static void vary_packets(const struct search *search, const struct machine *now,
			 struct variants *out)
{
	static const double payloads[] = {1448, 8948};

	(void)search;
	for (int k = 0; k < 2 && !now->has[PAYLOAD]; k++) {
		struct machine *machine = add(out, now);

		machine_set(machine, PAYLOAD, payloads[k]);
		machine_set(machine, HEADER, 90);
		/* excluded beside packets */
		machine->has[DUPLEX] = machine->has[SHARING] = false;
		memset(&machine->has[SEGMENT], 0, 3 * MACHINE_SEGMENTS * sizeof(bool));
	}
}

static void vary_queue(const struct search *search, const struct machine *now, struct variants *out)
{
	static const double values[] = {30000, 100000, 300000};

	(void)search;
	if (now->has[PAYLOAD] && !now->has[QUEUE])
		try_one(now, QUEUE, values, 3, out);
}

static void vary_duplex(const struct search *search, const struct machine *now,
			struct variants *out)
{
	static const double values[] = {0.03, 0.2, 0.5};

	if (!now->has[PAYLOAD] && !now->has[DUPLEX] &&
	    (has_kind(search, BENCHMARK_BOTH_WAYS, BENCHMARK_EXCHANGE) ||
	     has_kind(search, BENCHMARK_BARRIER, BENCHMARK_REDUCE_SCATTER)))
		try_one(now, DUPLEX, values, 3, out);
}

static void vary_sharing(const struct search *search, const struct machine *now,
			 struct variants *out)
{
	static const double values[] = {0.95, 0.7};

	if (!now->has[PAYLOAD] && !now->has[SHARING] &&
	    has_kind(search, BENCHMARK_BARRIER, BENCHMARK_REDUCE_SCATTER))
		try_one(now, SHARING, values, 2, out);
}

static void vary_depth(const struct search *search, const struct machine *now, struct variants *out)
{
	static const double values[] = {1, 2, 4, 8, 16, 32};

	if (!now->has[DEPTH] && has_kind(search, BENCHMARK_PUT, BENCHMARK_GET_STREAM))
		try_one(now, DEPTH, values, 6, out);
}

static void vary_library(const struct search *search, const struct machine *now,
			 struct variants *out)
{
	for (int k = 0; k < LIBRARIES && search->wanted == LIBRARIES; k++)
		if (k != (int)now->library)
			add(out, now)->library = (enum library)k;
}

static const struct mechanism {
	const char *name;
	void (*vary)(const struct search *search, const struct machine *now, struct variants *out);
} MECHANISMS[] = {
    {"an eager limit", vary_threshold},
    {"copies of eager messages", vary_copies},
    {"control messages", vary_control},
    {"data with requests", vary_data},
    {"bursts", vary_burst},
    {"packets", vary_packets},
    {"a queue", vary_queue},
    {"losses both ways", vary_duplex},
    {"losses by sharing", vary_sharing},
    {"a depth of one-sided messages", vary_depth},
    {"the other side's overhead", vary_sides},
    {"a library's protocol", vary_library},
    {"lines by size", vary_segments},
};
enum { N_MECHANISMS = sizeof(MECHANISMS) / sizeof(MECHANISMS[0]) };

/* --- one more --- */

struct trial {
	const struct mechanism *mechanism;
	struct machine machine;
	double loss;
};

static double loss_at(struct search *search, const struct machine *machine)
{
	double *times = calloc((size_t)search->observations->n, sizeof(*times)), loss = GIVEN_UP;
	struct util_error err;

	if (times && predictor_run(&search->predictor, machine, 1, times, &err) == 0)
		loss = loss_of_all(search, times);
	free(times);
	return loss;
}

/* The best of its variants. */
static struct trial try_mechanism(struct search *search, const struct mechanism *mechanism)
{
	struct variants *variants = calloc(1, sizeof(*variants));
	size_t n = (size_t)search->observations->n;
	double *times = calloc(n * VARIANTS, sizeof(*times));
	struct trial trial = {mechanism, search->machine, GIVEN_UP};
	struct util_error err;

	if (variants)
		mechanism->vary(search, &search->machine, variants);
	if (times && variants && variants->n > 0 &&
	    predictor_run(&search->predictor, variants->list, variants->n, times, &err) == 0)
		for (int k = 0; k < variants->n; k++) {
			double loss = loss_of_all(search, times + (size_t)k * n);

			if (loss < trial.loss) {
				trial.loss = loss;
				trial.machine = variants->list[k];
			}
		}
	free(variants);
	free(times);
	return trial;
}

/* After a few steps of the fit. */
static void refine_trial(struct search *search, struct trial *trial)
{
	struct util_error err;

	if (trial->loss < GIVEN_UP &&
	    refine(search, &trial->machine, NULL, FEW_STEPS, false, &err) == 0)
		trial->loss = loss_at(search, &trial->machine);
}

/* Every second time of each operation by size, or the others, are left out. */
static void choose_fold(const struct observations *observations, int fold, bool *is_left_out)
{
	for (int k = 0, place = 0; k < observations->n; k++) {
		place = k > 0 && observation_is_same_curve(&observations->list[k - 1],
							   &observations->list[k])
			    ? place + 1
			    : k;
		is_left_out[k] = place % FOLDS == fold;
	}
}

/* Each time as predicted from the others. */
static int predict_left_out(struct search *search, const struct machine *machine,
			    double *left_out_s)
{
	const struct observations *all = search->observations;
	bool *is_left_out = calloc((size_t)all->n, sizeof(*is_left_out));
	double *times = calloc((size_t)all->n, sizeof(*times));
	struct util_error err;
	int failed = !is_left_out || !times;

	for (int fold = 0; fold < FOLDS && !failed; fold++) {
		struct machine other = *machine;

		choose_fold(all, fold, is_left_out);
		failed = refine(search, &other, is_left_out, FOLD_STEPS, false, &err) ||
			 predictor_run(&search->predictor, &other, 1, times, &err);
		for (int k = 0; k < all->n && !failed; k++)
			if (is_left_out[k])
				left_out_s[k] = times[k];
	}
	free(is_left_out);
	free(times);
	return failed;
}

/* In the mean by a part of it, and by more than its standard error. */
static bool is_better(const struct search *search, const double *now_s, const double *with_s)
{
	int n = search->observations->n;
	double sum = 0, squares = 0, before = 0, mean, error;

	for (int k = 0; k < n; k++) {
		const struct observation *o = &search->observations->list[k];
		double now = loss_of(search, o, now_s[k]),
		       gain = now - loss_of(search, o, with_s[k]);

		sum += gain;
		squares += gain * gain;
		before += now;
	}
	mean = sum / n;
	error = sqrt(fmax(squares / n - mean * mean, 0) / n);
	return mean > error && sum > LEAST_GAIN * before;
}

static int compare_trials(const void *a, const void *b)
{
	const struct trial *left = a, *right = b;

	return (left->loss > right->loss) - (left->loss < right->loss);
}

static int compare_numbers(const void *a, const void *b)
{
	const double *left = a, *right = b;

	return (*left > *right) - (*left < *right);
}

/* What most times are off, and how good the machine is in units of it. */
static void accept(struct search *search, const char *what)
{
	int n = search->observations->n;
	double *off = calloc((size_t)n, sizeof(*off));
	struct util_error err;

	if (off &&
	    predictor_run(&search->predictor, &search->machine, 1, search->predicted, &err) == 0) {
		for (int k = 0; k < n; k++)
			off[k] =
			    fabs(log(search->predicted[k] / search->observations->list[k].time_s));
		qsort(off, (size_t)n, sizeof(*off), compare_numbers);
		search->noise =
		    fmin(fmax(MEDIAN_TO_DEVIATION * off[n / 2], LEAST_NOISE), MOST_NOISE);
		search->loss = loss_of_all(search, search->predicted);
	}
	free(off);
	if (search->tell)
		search->tell(search, what);
}

/* The best of those that predict what was left out; false: none does. */
static bool add_mechanism(struct search *search, double *now_s, double *with_s)
{
	struct trial trials[N_MECHANISMS];
	struct util_error err;

	for (int k = 0; k < N_MECHANISMS; k++)
		trials[k] = try_mechanism(search, &MECHANISMS[k]);
	qsort(trials, N_MECHANISMS, sizeof(*trials), compare_trials);
	for (int k = 0; k < REFINED; k++)
		refine_trial(search, &trials[k]);
	qsort(trials, REFINED, sizeof(*trials), compare_trials);
	for (int k = 0; k < MOST_TRIED && trials[k].loss < search->loss; k++) {
		if (predict_left_out(search, &trials[k].machine, with_s) ||
		    !is_better(search, now_s, with_s) ||
		    refine(search, &trials[k].machine, NULL, MANY_STEPS, false, &err))
			continue;
		search->machine = trials[k].machine;
		memcpy(now_s, with_s, (size_t)search->observations->n * sizeof(*now_s));
		accept(search, trials[k].mechanism->name);
		return true;
	}
	return false;
}

/* --- the beginning --- */

/* The least time of a kind; 0: there is none. Of a byte, if `by_byte`. */
static double least_s(const struct search *search, enum benchmark_kind kind, bool by_byte)
{
	double least = 0;

	for (int k = 0; k < search->observations->n; k++) {
		const struct observation *o = &search->observations->list[k];
		double value = o->time_s / (by_byte && o->size_B > 0 ? o->size_B : 1);

		if (!o->what || o->what->kind != kind || (by_byte && o->size_B == 0))
			continue;
		least = least > 0 ? fmin(least, value) : value;
	}
	return least;
}

/* Closed forms: an empty message is a latency and two overheads; a window of them an overhead each;
 * bytes of the largest ones take what the link does. */
static void begin_plain(struct search *search)
{
	struct machine *machine = &search->machine;
	double empty_s = least_s(search, BENCHMARK_LATENCY, false),
	       each_s = least_s(search, BENCHMARK_STREAM, false),
	       byte_s = least_s(search, BENCHMARK_STREAM, true);

	if (byte_s == 0)
		byte_s = least_s(search, BENCHMARK_LATENCY, true);
	if (byte_s == 0)
		byte_s = least_s(search, BENCHMARK_BOTH_WAYS, true);
	if (empty_s == 0)
		empty_s = each_s > 0 ? 5 * each_s : 20e-6;
	if (each_s == 0 || each_s > empty_s / 2)
		each_s = empty_s / 10;
	machine_set(machine, BANDWIDTH, byte_s > 0 ? 1 / byte_s : 1e9);
	machine_set(machine, LATENCY, fmax(empty_s - 2 * each_s, empty_s / 10));
	machine_set(machine, SEND_OVERHEAD, each_s);
	machine_set(machine, RECV_OVERHEAD, each_s);
}

int search_run(struct search *search, struct util_error *err)
{
	size_t n = (size_t)search->observations->n;
	double *now = calloc(n, sizeof(*now)), *with = calloc(n, sizeof(*with));
	int failed = 0;

	gsl_set_error_handler_off();
	search->predicted = calloc(n, sizeof(*search->predicted));
	if (!now || !with || !search->predicted)
		failed = util_error_set(err, UTIL_ENOMEM, "out of memory");
	begin_plain(search);
	search->noise = MOST_NOISE;
	if (!failed)
		failed = predictor_run(&search->predictor, &search->machine, 1, search->predicted,
				       err) ||
			 refine(search, &search->machine, NULL, MANY_STEPS, false, err);
	if (!failed) {
		accept(search, "latency, bandwidth and overheads");
		failed = predict_left_out(search, &search->machine, now) != 0;
	}
	for (int k = 0; k < MOST_MECHANISMS && !failed; k++)
		if (!add_mechanism(search, now, with))
			break;
	if (!failed)
		failed =
		    refine(search, &search->machine, NULL, MANY_STEPS, true, err) ||
		    predictor_run(&search->predictor, &search->machine, 1, search->predicted, err);
	free(now);
	free(with);
	return failed ? err->code : 0;
}

void search_finish(struct search *search)
{
	free(search->predicted);
	search->predicted = NULL;
}
