/* SPDX-License-Identifier: BSD-3-Clause */
/* The life of a recording, and what is recorded beside calls. */
#include "mpi/record/record.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/abi/functions.h"
#include "mpi/record/internal.h"
#include "mpi/watch/watch.h"
#include "pdexec/image.h"
#include "pdexec/pages.h"

/* First ids: those below are predefined. */
enum { FIRST_SITES = 256, SITE_TEXT_B = 512 };

void *mpi_record_substitute(const char *name)
{
	const struct mpi_call_info *function = mpi_call_info(name);

	return function && function->record != RECORD_NONE ? mpi_watch_address(function) : NULL;
}

/* Calls that are under way go on writing to their streams. */
static __attribute__((format(printf, 2, 3))) void give_up(struct mpi_record *record,
							  const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(record->given_up, sizeof record->given_up, format, arguments);
	va_end(arguments);
	record->world->record = NULL;
	mpi_watch_remove(record->world, record);
	sim_observers_remove(&record->world->pd->observers, record);
}

void mpi_record_refuse(struct mpi_rank *me, const char *function, const void *site)
{
	struct mpi_record *record = me->world->record;

	if (record->is_in_memory) {
		give_up(record, "a library calls %s", function);
		return;
	}
	me->pd->function = function;
	me->pd->site = site;
	pd_fail(me->pd, PD_FAILURE_UNSUPPORTED,
		"%s was called by a library, whose calls --record cannot record: link the "
		"library statically",
		function);
}

void mpi_record_refuse_nested(struct mpi_record_call *call)
{
	const char *function = call->function->name;

	if (!call->record->is_in_memory)
		pd_fail(call->me->pd, PD_FAILURE_UNSUPPORTED,
			"%s was called within or after an error handler that did not return: "
			"--record cannot record that",
			function);
	give_up(call->record, "%s was called within or after an error handler that did not return",
		function);
}

void mpi_record_refuse_error(struct mpi_record_call *call, int code)
{
	const char *function = call->function->name;

	if (!call->record->is_in_memory)
		pd_fail(call->me->pd, PD_FAILURE_UNSUPPORTED,
			"%s returned error %d, which --record cannot record", function, code);
	give_up(call->record, "%s returned error %d", function, code);
}

void mpi_record_limit_polls(struct mpi_record *record, uint64_t most)
{
	record->most_polls = most;
}

void mpi_record_poll(struct mpi_record *record)
{
	if (++record->n_polls == record->most_polls)
		give_up(record, "ranks poll all the time: --explain looks at it");
}

const char *mpi_record_given_up(const struct mpi_record *record)
{
	return record->given_up[0] ? record->given_up : NULL;
}

/* --- sites and ids --- */

uint32_t mpi_record_site(struct mpi_record *record, const struct pd_rank *rank, const void *site)
{
	uint64_t key = (uint64_t)(uintptr_t)site;
	uint32_t number;
	bool is_new;

	if (pd_image_locate(rank->program->image, site, &key))
		key |= (uint64_t)(rank->program - rank->world->programs) << 48;
	number = mtrace_writer_site(record->writer, key, &is_new);
	if (!is_new)
		return number;
	if (number >= record->site_capacity) {
		uint32_t capacity = record->site_capacity ? 2 * record->site_capacity : FIRST_SITES;
		struct mpi_record_site *sites = realloc(record->sites, capacity * sizeof *sites);

		if (!sites) {
			record->is_out_of_memory = true;
			return number;
		}
		record->sites = sites;
		record->site_capacity = capacity;
	}
	record->sites[number] = (struct mpi_record_site){.address = site};
	mpi_record_callers(rank, &record->sites[number]);
	record->n_sites = number + 1;
	return number;
}

uint32_t mpi_record_id(const struct mpi_record *record, uintptr_t handle)
{
	uint64_t index = mpi_handle_index(handle);

	return index < record->id_capacity ? record->ids[index] : 0;
}

void mpi_record_set_id(struct mpi_record *record, uintptr_t handle, uint32_t id)
{
	uint64_t index = mpi_handle_index(handle);

	if (index >= record->id_capacity) {
		uint64_t capacity = 2 * index + 64;
		uint32_t *ids = realloc(record->ids, capacity * sizeof *ids);

		if (!ids) {
			record->is_out_of_memory = true;
			return;
		}
		memset(ids + record->id_capacity, 0,
		       (capacity - record->id_capacity) * sizeof *ids);
		record->ids = ids;
		record->id_capacity = capacity;
	}
	record->ids[index] = id;
}

/* --- beside calls --- */

/* Within a call, what a callback of the program did comes after the call. */
static struct mtrace_stream *stream_of(struct mpi_record *record, int rank)
{
	struct mpi_record_rank *r = &record->ranks[rank];

	return r->is_open ? &r->aside : r->stream;
}

static void end_record(struct mpi_record *record, int rank, struct mtrace_stream *stream)
{
	if (stream == record->ranks[rank].stream)
		mtrace_record_end(stream);
	else
		stream->n_records++;
}

void mpi_record_polls(struct mpi_record_call *call, uint32_t n, bool is_waiting)
{
	mtrace_put_uint(call->stream, MTRACE_POLLS);
	mtrace_put_uint(call->stream, n);
	mtrace_put_uint(call->stream, is_waiting);
	end_record(call->record, call->me->rank, call->stream);
}

static void refuse_accelerator(void *context, int rank)
{
	struct mpi_record *record = context;

	if (!record->is_in_memory)
		pd_fail(&record->world->pd->ranks[rank], PD_FAILURE_UNSUPPORTED,
			"--record cannot record what accelerators do");
	give_up(record, "accelerators are used");
}

static void record_charge(void *context, const struct sim_record_charge *charge)
{
	struct mpi_record *record = context;
	struct mtrace_stream *s = stream_of(record, charge->rank);

	mtrace_put_uint(s, MTRACE_CHARGE);
	mtrace_put_uint(s, charge->kernel ? mtrace_writer_string(record->writer, charge->kernel) + 1
					  : 0);
	mtrace_put_byte(s, (unsigned char)charge->flags);
	mtrace_put_double(s, charge->seconds);
	mtrace_put_byte(s, (unsigned char)charge->n_params);
	for (int i = 0; i < charge->n_params; i++)
		mtrace_put_double(s, charge->params[i]);
	end_record(record, charge->rank, s);
}

static void record_phase(void *context, int rank, const char *name, int is_begin, sim_time_ps now)
{
	struct mpi_record *record = context;
	struct mtrace_stream *s = stream_of(record, rank);

	mtrace_put_uint(s, is_begin ? MTRACE_PHASE_BEGIN : MTRACE_PHASE_END);
	if (is_begin)
		mtrace_put_uint(s, mtrace_writer_string(record->writer, name));
	end_record(record, rank, s);
}

static void record_node_release(void *context, int rank, sim_time_ps now)
{
	struct mtrace_stream *s = stream_of(context, rank);

	mtrace_put_uint(s, MTRACE_NODE_RELEASE);
	end_record(context, rank, s);
}

static void record_node_acquire(void *context, int rank, sim_time_ps now)
{
	struct mtrace_stream *s = stream_of(context, rank);

	mtrace_put_uint(s, MTRACE_NODE_ACQUIRE);
	end_record(context, rank, s);
}

static uint32_t site_of(struct mpi_record *record, int rank, const void *site)
{
	return mpi_record_site(record, &record->world->pd->ranks[rank], site);
}

static void record_clock(void *context, int rank, const void *site)
{
	struct mpi_record *record = context;
	struct mtrace_stream *s = stream_of(record, rank);
	uint32_t number = site_of(record, rank, site);

	mtrace_put_uint(s, MTRACE_CLOCK);
	mtrace_put_uint(s, number);
	end_record(record, rank, s);
	mtrace_writer_doubt(record->writer, MTRACE_DOUBT_CLOCK, UINT32_MAX, number, rank, 1);
}

static void record_sleep(void *context, int rank, const void *site, sim_time_ps duration)
{
	struct mpi_record *record = context;
	struct mtrace_stream *s = stream_of(record, rank);

	mtrace_put_uint(s, MTRACE_SLEEP);
	mtrace_put_uint(s, (uint64_t)duration);
	mtrace_put_uint(s, site_of(record, rank, site));
	end_record(record, rank, s);
}

static void record_rank_begin(void *context, int rank, int parent, int node, sim_time_ps now)
{
	struct mpi_record *record = context;

	mtrace_writer_add_ranks(record->writer, 1);
	if (mtrace_writer_failed(record->writer, NULL))
		return;
	record->ranks[rank].stream = mtrace_writer_stream(record->writer, rank);
	record->ranks[rank].aside.writer = record->writer;
	record->n_ranks++;
}

static void record_rank_end(void *context, int rank, sim_time_ps now)
{
	struct mpi_record *record = context;
	struct mtrace_stream *s = record->ranks[rank].stream;

	mtrace_record_drop(s); /* a call that the rank left by exit() */
	mtrace_put_uint(s, MTRACE_END);
	mtrace_put_uint(s, (uint64_t)record->world->pd->ranks[rank].exit_code);
	mtrace_record_end(s);
}

/* --- life --- */

static void observe(struct mpi_record *record)
{
	const struct sim_observer observer = {
	    .context = record,
	    .phase = record_phase,
	    .node_release = record_node_release,
	    .node_acquire = record_node_acquire,
	    .rank_begin = record_rank_begin,
	    .rank_end = record_rank_end,
	    .charge = record_charge,
	    .accelerator = refuse_accelerator,
	    .clock = record_clock,
	    .sleep = record_sleep,
	};

	sim_observers_add(&record->world->pd->observers, &observer);
}

int mpi_record_create(struct mpi_world *world, const char *path, int fd, uint64_t limit_B,
		      const char *provenance, struct mpi_record **out, struct util_error *err)
{
	struct mpi_record *record;
	int failed = 0;

	if (world->pd->programs[world->pd->n_programs - 1].config.job > 0)
		return util_error_set(
		    err, UTIL_EUNSUPPORTED,
		    "a schedule of several jobs cannot be recorded: record each job alone");
	record = calloc(1, sizeof *record);
	if (!record)
		return util_error_set(err, UTIL_ENOMEM, "out of memory for a recording");
	record->world = world;
	record->n_ranks = world->n_ranks;
	record->is_in_memory = !path;
	record->numbers = malloc(2 * (size_t)mpi_n_functions * sizeof *record->numbers);
	record->ranks = calloc((size_t)world->n_ranks + (size_t)world->pd->config.max_spawned,
			       sizeof *record->ranks);
	if (!record->numbers || !record->ranks)
		failed = util_error_set(err, UTIL_ENOMEM, "out of memory for a recording");
	if (!failed)
		failed = path ? mtrace_writer_create(path, world->n_ranks, provenance,
						     &record->writer, err)
			      : mtrace_writer_create_at(fd, world->n_ranks, provenance, limit_B,
							&record->writer, err);
	if (failed) {
		mpi_record_destroy(record);
		return failed;
	}
	memset(record->numbers, 0xff, 2 * (size_t)mpi_n_functions * sizeof *record->numbers);
	record->failed = record->numbers + mpi_n_functions;
	for (int rank = 0; rank < world->n_ranks; rank++) {
		record->ranks[rank].stream = mtrace_writer_stream(record->writer, rank);
		record->ranks[rank].aside.writer = record->writer;
	}
	if (mpi_record_watch(record)) {
		mpi_record_destroy(record);
		return util_error_set(err, UTIL_ENOMEM, "out of memory for a recording");
	}
	world->record = record;
	observe(record);
	*out = record;
	return 0;
}

void mpi_record_describe(const struct mpi_record *record, uint32_t number, char *buf, size_t size)
{
	*buf = 0;
	if (number < record->n_sites && record->sites[number].address)
		pd_describe_site(record->world->pd, record->sites[number].address, buf, size);
}

static bool is_main(const char *frame)
{
	return strstr(frame, "(main)") || strstr(frame, "(MAIN__)");
}

void mpi_record_describe_callers(const struct mpi_record *record, uint32_t number, char *buf,
				 size_t size)
{
	const void *addresses[1 + MPI_RECORD_CALLERS] = {NULL};
	char frames[SITE_TEXT_B], *rest, *frame;
	bool is_site = true; /* the first frame is the place itself */
	size_t length = 0;

	*buf = 0;
	if (number >= record->n_sites)
		return;
	addresses[0] = record->sites[number].address;
	memcpy(addresses + 1, record->sites[number].callers, sizeof record->sites[number].callers);
	for (int i = 0; i <= MPI_RECORD_CALLERS && addresses[i]; i++) {
		rest = pd_describe_frames(record->world->pd, addresses[i], frames, sizeof frames);
		while ((frame = strsep(&rest, "\n"))) {
			if (!is_site && length + strlen(frame) + 3 > size)
				return;
			if (!is_site)
				length += (size_t)sprintf(buf + length, "%s%s", length ? ", " : "",
							  frame);
			is_site = false;
			if (is_main(frame))
				return;
		}
	}
}

/* A site and who called its function, a line each. */
static void describe_all(const struct mpi_record *record, uint32_t site, char *buf, size_t size)
{
	size_t length;

	mpi_record_describe(record, site, buf, size);
	length = strlen(buf);
	if (length + 2 > size)
		return;
	mpi_record_describe_callers(record, site, buf + length + 1, size - length - 1);
	if (buf[length + 1])
		buf[length] = '\n';
}

int mpi_record_close(struct mpi_record *record, bool with_sites, struct util_error *err)
{
	char text[2 * SITE_TEXT_B];

	if (record->is_out_of_memory)
		return util_error_set(err, UTIL_ENOMEM, "out of memory for the recording");
	for (uint32_t site = 0; site < record->n_sites; site++) {
		if (!record->sites[site].address)
			continue;
		if (with_sites)
			describe_all(record, site, text, sizeof text);
		else
			snprintf(text, sizeof text, "#%u", (unsigned int)site);
		mtrace_writer_set_site(record->writer, site, text);
	}
	return mtrace_writer_close(record->writer, err);
}

static void finish_rank(struct mpi_record_rank *rank)
{
	free(rank->aside.bytes);
	free(rank->comms.free_ones);
	free(rank->requests.free_ones);
	free(rank->messages.free_ones);
	free(rank->wins.free_ones);
	free(rank->sessions.free_ones);
	free(rank->shapes);
	free(rank->matches);
	free(rank->listed);
	free(rank->statuses);
	io_effects_finish(&rank->effects);
}

void mpi_record_destroy(struct mpi_record *record)
{
	if (!record)
		return;
	if (record->world->record == record) {
		record->world->record = NULL;
		mpi_watch_remove(record->world, record);
		sim_observers_remove(&record->world->pd->observers, record);
	}
	for (int rank = 0; record->ranks && rank < record->n_ranks; rank++)
		finish_rank(&record->ranks[rank]);
	if (record->has_touches)
		pd_pages_destroy(record->world->pd);
	mtrace_writer_destroy(record->writer);
	free(record->ranks);
	free(record->numbers);
	free(record->ids);
	free(record->sites);
	free(record);
}
