// SPDX-License-Identifier: BSD-3-Clause
#include "traces/real/real.h"

#include <stdlib.h>
#include <string.h>

#include "traces/real/compare.h"
#include "traces/real/walk.h"

enum { PS_PER_NS = 1000 };

/* --- what was measured, as the simulator would record it --- */

struct stream { /* of a rank, while the trace is read */
	struct trace_real_walk walk;
	struct trace_real_item item; /* the next one, told when it is the earliest */
	int64_t key_ns;
	int64_t last_ns; /* end of what was told last */
};

struct reading {
	struct trace_real *real;
	struct sim_observers to, to_summary; /* summary and timeline; summary */
	int64_t zero_ns; /* when the last rank has left MPI_Init: predictions begin there */
	struct stream *streams;
	int *heap; /* [n] ranks, that with the earliest item first */
	int n;
};

/* Ranks that are at the same time stay in their order. */
static bool is_before(const struct reading *r, int a, int b)
{
	const struct stream *x = &r->streams[a], *y = &r->streams[b];

	return x->key_ns != y->key_ns ? x->key_ns < y->key_ns : a < b;
}

static void sift_down(struct reading *r, int i)
{
	for (;;) {
		int least = i, rank = r->heap[i];

		for (int child = 2 * i + 1; child <= 2 * i + 2 && child < r->n; child++)
			if (is_before(r, r->heap[child], r->heap[least]))
				least = child;
		if (least == i)
			return;
		r->heap[i] = r->heap[least];
		r->heap[least] = rank;
		i = least;
	}
}

/* Computation fills the gap before the call: its parts one after the other, shortened where it was
 * measured to be longer than the gap. */
static void tell_computation(struct reading *r, int rank, int64_t until_ns)
{
	struct stream *s = &r->streams[rank];
	double sum_s = 0, gap_s = (double)(until_ns - s->last_ns) * 1e-9, scale, at_s = 0;

	for (int i = 0; i < s->walk.n_charges; i++)
		sum_s += s->walk.charges[i].seconds;
	r->real->computing.measured_n += (uint64_t)s->walk.n_charges;
	r->real->computing.measured_s += sum_s;
	scale = sum_s > gap_s && sum_s > 0 ? gap_s / sum_s : 1;
	for (int i = 0; i < s->walk.n_charges; i++) {
		sim_time_ps base = (s->last_ns - r->zero_ns) * PS_PER_NS;
		double took_s = s->walk.charges[i].seconds * scale;

		sim_tell_compute(&r->to, &(struct sim_record_compute){
						 .rank = rank,
						 .kernel = s->walk.charges[i].kernel,
						 .begin = base + sim_time_from_s(at_s),
						 .end = base + sim_time_from_s(at_s + took_s),
						 .useful_s = took_s,
					     });
		at_s += took_s;
	}
	s->walk.n_charges = 0;
}

static void tell_call(struct reading *r, int rank)
{
	const struct trace_real_item *item = &r->streams[rank].item;
	bool is_edge = trace_real_is_edge(item->name);
	const struct sim_observers *to = is_edge ? &r->to_summary : &r->to;

	sim_tell_call(to, &(struct sim_record_call){
				  .rank = rank,
				  .function = item->name,
				  .begin = (item->begin_ns - r->zero_ns) * PS_PER_NS,
				  .end = (item->end_ns - r->zero_ns) * PS_PER_NS,
			      });
}

static void tell(struct reading *r, int rank)
{
	struct stream *s = &r->streams[rank];
	const struct trace_real_item *item = &s->item;
	bool is_call = item->kind == TRACE_REAL_CALL;
	int64_t end_ns = is_call && trace_real_is_edge(item->name) ? item->begin_ns : item->end_ns;

	if (!item->has_times)
		return;
	tell_computation(r, rank, item->begin_ns);
	if (is_call)
		tell_call(r, rank);
	else
		sim_tell_phase(&r->to, rank, item->name, item->kind == TRACE_REAL_PHASE_BEGIN,
			    (item->begin_ns - r->zero_ns) * PS_PER_NS);
	s->last_ns = item->end_ns;
	if (end_ns - r->zero_ns > r->real->end_ns)
		r->real->end_ns = end_ns - r->zero_ns;
	r->real->has_times = true;
}

/* 1: the rank has another item. */
static int advance(struct reading *r, int rank, struct util_error *err)
{
	struct stream *s = &r->streams[rank];
	int more = trace_real_walk_next(&s->walk, &s->item, err);

	if (more > 0 && s->item.has_times)
		s->key_ns = s->item.kind == TRACE_REAL_CALL ? s->item.end_ns : s->item.begin_ns;
	return more;
}

static int read_all(struct reading *r, struct util_error *err)
{
	int more;

	for (int rank = 0; rank < r->real->n_ranks; rank++) {
		int failed = trace_real_walk_open(r->real->file, rank, &r->streams[rank].walk, err);

		more = failed ? failed : advance(r, rank, err);
		if (more < 0)
			return more;
		if (more > 0)
			r->heap[r->n++] = rank;
		if (more > 0 && r->streams[rank].item.end_ns > r->zero_ns)
			r->zero_ns = r->streams[rank].item.end_ns;
	}
	for (int i = r->n / 2; i >= 0 && r->n > 0; i--)
		sift_down(r, i);
	while (r->n > 0) {
		tell(r, r->heap[0]);
		more = advance(r, r->heap[0], err);
		if (more < 0)
			return more;
		if (more == 0)
			r->heap[0] = r->heap[--r->n];
		if (r->n > 0)
			sift_down(r, 0);
	}
	return 0;
}

static int read_trace(struct trace_real *real, struct util_error *err)
{
	size_t n = (size_t)real->n_ranks;
	struct reading r = {.real = real,
			    .streams = calloc(n, sizeof *r.streams),
			    .heap = calloc(n, sizeof *r.heap)};
	const struct sim_observer summary = trace_summary_observer(real->summary);
	const struct sim_observer detail = trace_detail_observer(real->detail);
	int failed;

	sim_observers_add(&r.to_summary, &summary);
	sim_observers_add(&r.to, &summary);
	sim_observers_add(&r.to, &detail);
	failed = r.streams && r.heap
		     ? read_all(&r, err)
		     : util_error_set(err, UTIL_ENOMEM, "out of memory for a real run");
	for (size_t rank = 0; r.streams && rank < n; rank++)
		trace_real_walk_close(&r.streams[rank].walk);
	free(r.streams);
	free(r.heap);
	if (!failed && !real->has_times)
		failed = util_refuse(
		    err, "found no times, wanted a trace of a real run (libmpisim-trace)");
	if (!failed)
		trace_summary_close(real->summary, real->end_ns * PS_PER_NS);
	return failed;
}

/* --- life --- */

static int create_parts(struct trace_real *real, const struct cluster *cluster,
			struct util_error *err)
{
	size_t n = (size_t)real->n_ranks;
	int *nowhere = calloc(n, sizeof *nowhere);
	int failed = 0;

	real->walks = calloc(n, sizeof *real->walks);
	real->is_lost = calloc(n, sizeof *real->is_lost);
	if (!nowhere || !real->walks || !real->is_lost)
		failed = util_error_set(err, UTIL_ENOMEM, "out of memory for a real run");
	if (!failed) /* what depends on nodes is not asked for */
		failed = trace_summary_create(real->n_ranks, nowhere, cluster, &real->summary, err);
	if (!failed)
		failed = trace_detail_create(real->n_ranks, &real->detail, err);
	for (int rank = 0; !failed && rank < real->n_ranks; rank++)
		failed = trace_real_walk_open(real->file, rank, &real->walks[rank], err);
	free(nowhere);
	return failed;
}

int trace_real_open(const char *path, int n_ranks, const struct cluster *cluster,
		    struct trace_real **out, struct util_error *err)
{
	struct trace_real *real = calloc(1, sizeof *real);
	int failed;

	if (!real)
		return util_error_set(err, UTIL_ENOMEM, "out of memory for a real run");
	real->path = path;
	failed = mtrace_file_open(path, &real->file, err);
	if (!failed) {
		real->n_ranks = real->file->n_ranks;
		if (real->n_ranks != n_ranks)
			failed = util_refuse(
			    err, "%s: found a run of %d ranks, wanted %d, as are predicted", path,
			    real->n_ranks, n_ranks);
	}
	if (!failed)
		failed = create_parts(real, cluster, err);
	if (!failed && (failed = read_trace(real, err)))
		util_error_prepend(err, "%s", path);
	if (failed)
		trace_real_close(real);
	else
		*out = real;
	return failed;
}

void trace_real_close(struct trace_real *real)
{
	if (!real)
		return;
	for (int rank = 0; real->walks && rank < real->n_ranks; rank++)
		trace_real_walk_close(&real->walks[rank]);
	free(real->walks);
	free(real->is_lost);
	trace_detail_destroy(real->detail);
	trace_summary_destroy(real->summary);
	mtrace_file_close(real->file);
	free(real);
}

sim_time_ps trace_real_end(const struct trace_real *real)
{
	return real->end_ns * PS_PER_NS;
}

const struct trace_detail *trace_real_detail(const struct trace_real *real)
{
	return real->detail;
}
