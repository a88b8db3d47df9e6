/* SPDX-License-Identifier: BSD-3-Clause */
/* Streams: docs/model.md §12. Memory of accelerators and copies are in device_memory.c. */
#include "pdexec/device.h"

#include <stdlib.h>

#include "pdexec/annotate.h"

#pragma GCC visibility push(default)
#include "mpisim.h"
#pragma GCC visibility pop

struct work {
	struct work *next;
	enum net_device_server server;
	sim_time_ps duration, handed;
	const char *kernel; /* interned; a copy has the name `copy` */
	void *cause;	    /* struct sim_causes; NULL: nobody asks */
	int64_t ideal; /* when it was handed over, then when it is done, on an ideal network */
	const struct stream *other; /* it is none but waits for … */
	uint64_t until;		    /* … so many pieces of that stream; NULL: it is some */
};

struct stream {
	struct sim_event event; /* the end of the first piece, while that is served */
	struct pd_streams *all;
	struct work *first, **end;
	bool is_served;
	uint64_t n_pushed, n_done;
	int64_t ideal; /* when what is done was, on an ideal network */
	void *cause;   /* of that; as those of work */
	sim_time_ps at;
};

struct pd_streams {
	struct pd_rank *rank;
	struct net_device *device;
	bool is_waited; /* the rank blocks until some are empty */
	int n;		/* those of higher number have never had work */
	struct stream of[PD_MAX_STREAMS];
};

static const char accelerator[] = "(accelerator)", copy[] = "(copy)";

static sim_time_ps now(const struct pd_rank *rank)
{
	return rank->world->engine.now;
}

/* --- the rank's clock --- */

static int64_t mark_of(const struct pd_rank *rank)
{
	const struct sim_causes *causes = rank->world->observers.causes;

	return causes ? causes->mark(causes->context, rank->rank, now(rank)) : 0;
}

/* Since `begin` it has been busy with its accelerator, on an ideal network until `ideal`. */
static void tell(const struct pd_rank *rank, sim_time_ps begin, int64_t ideal)
{
	const struct sim_observers *observers = &rank->world->observers;
	const struct sim_record_compute record = {
	    .rank = rank->rank,
	    .kernel = accelerator,
	    .begin = begin,
	    .end = now(rank),
	    .useful_s = sim_time_to_s(now(rank) - begin),
	    .is_offloaded = true,
	};

	if (now(rank) > begin && (observers->wanted & SIM_OBSERVED_COMPUTE))
		sim_tell_compute(observers, &record);
	if (observers->causes)
		observers->causes->taken(observers->causes->context, rank->rank, ideal, now(rank));
}

/* --- what leads to what, for whoever explains the run --- */

static void *cause_of(const struct pd_rank *rank)
{
	const struct sim_causes *causes = rank->world->observers.causes;
	const struct sim_cause_place place = {rank->rank, rank->function, rank->site};

	return causes ? causes->formula_begin(causes->context, &place, now(rank)) : NULL;
}

static void drop(const struct pd_rank *rank, void **cause)
{
	const struct sim_causes *causes = rank->world->observers.causes;

	if (*cause && causes)
		causes->message_end(causes->context, *cause);
	*cause = NULL;
}

/* *to becomes what `from` is. */
static void become(const struct pd_rank *rank, void **to, const void *from)
{
	const struct sim_causes *causes = rank->world->observers.causes;

	if (!*to)
		*to = cause_of(rank);
	if (*to)
		causes->worked(causes->context, *to, from, NULL, now(rank));
}

/* The first work of the stream is done: it began as what came last before it was done. */
static void explain(struct stream *stream)
{
	struct work *work = stream->first;
	const struct pd_rank *rank = stream->all->rank;
	const struct sim_causes *causes = rank->world->observers.causes;
	struct net_device_last *last = &stream->all->device->last[work->server];
	const void *after = NULL;

	if (!work->cause)
		return;
	if (stream->cause && stream->at > work->handed)
		after = stream->cause;
	if (last->cause && last->at > work->handed && (!after || last->at > stream->at))
		after = last->cause;
	causes->worked(causes->context, work->cause, after, work->kernel, now(rank));
	become(rank, &last->cause, work->cause);
	last->at = now(rank);
	drop(rank, &stream->cause);
	stream->cause = work->cause;
	stream->at = now(rank);
	work->cause = NULL;
}

/* --- what streams do --- */

static int64_t later(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static void pop(struct stream *stream)
{
	struct work *done = stream->first;

	stream->ideal = later(stream->ideal, done->ideal);
	stream->first = done->next;
	if (!stream->first)
		stream->end = &stream->first;
	stream->n_done++;
	free(done);
}

/* True: it has gone on by itself, and others may wait for that. */
static bool advance_one(struct stream *stream)
{
	struct work *work = stream->first;
	struct pd_rank *rank = stream->all->rank;

	if (!work || stream->is_served)
		return false;
	if (work->other) {
		if (work->other->n_done < work->until)
			return false;
		work->ideal = later(work->ideal, work->other->ideal);
		if (work->other->cause && work->other->at > stream->at) {
			become(rank, &stream->cause, work->other->cause);
			stream->at = work->other->at;
		}
		pop(stream);
		return true;
	}
	work->ideal = later(work->ideal, stream->ideal);
	stream->is_served = true;
	sim_engine_at(&rank->world->engine, &stream->event,
		      net_device_serve(stream->all->device, work->server, now(rank), work->duration,
				       &work->ideal));
	return false;
}

static void advance(struct pd_streams *streams)
{
	bool has_changed = true;

	while (has_changed) {
		has_changed = false;
		for (int i = 0; i < streams->n; i++)
			while (advance_one(&streams->of[i]))
				has_changed = true;
	}
}

/* The first work of the stream is done. */
static void tell_done(const struct stream *stream)
{
	const struct pd_rank *rank = stream->all->rank;
	const struct sim_record_offloaded record = {
	    .rank = rank->rank,
	    .kernel = stream->first->kernel,
	    .begin = now(rank) - stream->first->duration,
	    .end = now(rank),
	};

	sim_tell_offloaded(&rank->world->observers, &record);
}

static void work_done(struct sim_event *event)
{
	struct stream *stream = (struct stream *)event;

	stream->is_served = false;
	tell_done(stream);
	explain(stream);
	pop(stream);
	advance(stream->all);
	if (stream->all->is_waited)
		sim_task_wake(&stream->all->rank->task);
}

/* --- work is handed over --- */

static _Noreturn void fail_memory(struct pd_rank *rank)
{
	pd_fail(rank, PD_FAILURE_MEMORY, "no memory for work of an accelerator");
}

static struct net_device *device_of(struct pd_rank *rank)
{
	struct pd_world *world = rank->world;
	struct net_device *device;

	if (!world->devices)
		world->devices = net_devices_create(world->cluster);
	device = world->devices ? net_devices_of(world->devices, rank->node, rank->place) : NULL;
	if (!device)
		fail_memory(rank);
	return device;
}

void pd_streams_check(struct pd_rank *rank, int stream)
{
	if (rank->world->cluster->accelerators.per_node == 0)
		pd_fail(rank, PD_FAILURE_ANNOTATION,
			"the cluster has no accelerators: wanted accelerators.per_node in its file");
	if (stream < 0 || stream >= PD_MAX_STREAMS)
		pd_fail(rank, PD_FAILURE_ANNOTATION, "found stream %d, wanted 0 to %d", stream,
			PD_MAX_STREAMS - 1);
	sim_tell_accelerator(&rank->world->observers, rank->rank);
}

static struct pd_streams *streams_get(struct pd_rank *rank)
{
	struct pd_streams *streams = rank->streams;

	if (streams)
		return streams;
	streams = calloc(1, sizeof *streams);
	if (!streams)
		fail_memory(rank);
	rank->streams = streams;
	streams->rank = rank;
	streams->device = device_of(rank);
	streams->device->n_users++;
	for (int i = 0; i < PD_MAX_STREAMS; i++) {
		struct stream *stream = &streams->of[i];

		sim_event_init(&stream->event, work_done);
		stream->all = streams;
		stream->end = &stream->first;
	}
	return streams;
}

static void push(struct pd_rank *rank, int stream, struct work work)
{
	struct pd_streams *streams = streams_get(rank);
	struct stream *to = &streams->of[stream];
	struct work *kept = malloc(sizeof *kept);

	if (!kept)
		fail_memory(rank);
	*kept = work;
	*to->end = kept;
	to->end = &kept->next;
	to->n_pushed++;
	if (streams->n <= stream)
		streams->n = stream + 1;
	advance(streams);
}

/* The time of a launch passes. Returns when that is on an ideal network. */
static int64_t launch(struct pd_rank *rank)
{
	sim_time_ps begin = now(rank);
	sim_time_ps duration = sim_time_from_s(rank->world->cluster->accelerators.launch_s);
	int64_t ideal = mark_of(rank) + duration;

	if (duration > 0) {
		sim_task_sleep(&rank->task, duration);
		tell(rank, begin, ideal);
	}
	return ideal;
}

void pd_streams_push(struct pd_rank *rank, int stream, const char *kernel,
		     enum net_device_server server, sim_time_ps duration)
{
	int64_t ideal = launch(rank);

	push(rank, stream,
	     (struct work){.server = server,
			   .duration = duration,
			   .handed = now(rank),
			   .kernel = kernel ? kernel : copy,
			   .cause = cause_of(rank),
			   .ideal = ideal});
}

void pd_device_stage(struct pd_rank *rank, enum net_device_server server, int64_t size_B)
{
	int64_t ideal = mark_of(rank);
	sim_time_ps end = net_device_serve(
	    device_of(rank), server, now(rank),
	    net_device_copy_time(rank->world->cluster, (double)size_B), &ideal);

	if (end > now(rank))
		sim_task_sleep(&rank->task, end - now(rank));
}

/* --- waiting --- */

static bool has_work(const struct pd_streams *streams, int first, int n)
{
	for (int i = first; i < first + n; i++)
		if (streams->of[i].first)
			return true;
	return false;
}

static void wait_for(struct pd_rank *rank, int first, int n)
{
	struct pd_streams *streams = streams_get(rank);
	const struct sim_causes *causes = rank->world->observers.causes;
	sim_time_ps begin = now(rank);
	int64_t ideal = mark_of(rank);
	const void *cause = NULL; /* of what was done last */

	streams->is_waited = true;
	while (has_work(streams, first, n))
		sim_task_block(&rank->task);
	streams->is_waited = false;
	for (int i = first; i < first + n; i++) {
		const struct stream *stream = &streams->of[i];

		ideal = later(ideal, stream->ideal);
		if (stream->cause && stream->at == now(rank))
			cause = stream->cause;
	}
	tell(rank, begin, ideal);
	if (cause && now(rank) > begin)
		causes->awaited(causes->context, rank->rank, cause);
}

/* --- mpisim.h --- */

int mpisim_stream_kernel_begin(const char *name, int n_params, const double params[], int stream)
{
	const void *site = __builtin_return_address(0);
	struct pd_rank *rank = pd_annotation_enter(__func__, site);

	if (!rank) /* outside of any rank annotations mean nothing */
		return 1;
	pd_streams_check(rank, stream);
	return pd_annotation_begin_kernel(rank, __func__, site, name, n_params, params, stream);
}

void mpisim_stream_synchronize(int stream)
{
	struct pd_rank *rank = pd_annotation_enter_instant(__func__, __builtin_return_address(0));

	if (!rank)
		return;
	pd_streams_check(rank, stream);
	wait_for(rank, stream, 1);
	pd_annotation_leave(rank);
}

void mpisim_device_synchronize(void)
{
	struct pd_rank *rank = pd_annotation_enter_instant(__func__, __builtin_return_address(0));

	if (!rank)
		return;
	pd_streams_check(rank, 0);
	wait_for(rank, 0, PD_MAX_STREAMS);
	pd_annotation_leave(rank);
}

void mpisim_stream_wait(int stream, int other)
{
	struct pd_rank *rank = pd_annotation_enter_instant(__func__, __builtin_return_address(0));
	const struct stream *of;

	if (!rank)
		return;
	pd_streams_check(rank, stream);
	pd_streams_check(rank, other);
	of = &streams_get(rank)->of[other];
	push(rank, stream,
	     (struct work){.other = of, .until = of->n_pushed, .ideal = mark_of(rank)});
	pd_annotation_leave(rank);
}

/* --- the end --- */

static void forget_causes(struct pd_streams *streams)
{
	for (int i = 0; i < streams->n; i++)
		drop(streams->rank, &streams->of[i].cause);
	if (--streams->device->n_users > 0)
		return;
	for (int i = 0; i < NET_DEVICE_N_SERVERS; i++)
		drop(streams->rank, &streams->device->last[i].cause);
}

void pd_streams_end(struct pd_rank *rank)
{
	for (int i = 0; rank->streams && i < rank->streams->n; i++)
		if (rank->streams->of[i].first)
			pd_fail(rank, PD_FAILURE_ANNOTATION,
				"the rank ended while stream %d has work: wanted "
				"mpisim_device_synchronize before",
				i);
	if (rank->streams)
		forget_causes(rank->streams);
}

void pd_streams_destroy(struct pd_rank *rank)
{
	struct pd_streams *streams = rank->streams;

	for (int i = 0; streams && i < streams->n; i++) {
		while (streams->of[i].first)
			pop(&streams->of[i]);
	}
	free(streams);
	rank->streams = NULL;
}
