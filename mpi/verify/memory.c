/* SPDX-License-Identifier: BSD-3-Clause */
/* What is looked at in the memory of which call. */
#include "mpi/verify/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/abi/call_info.h"
#include "mpi/p2p/message.h"
#include "mpi/verify/impact.h"
#include "mpi/verify/internal.h"
#include "mpi/verify/memcheck.h"
#include "mpi/verify/unread.h"
#include "mpi/verify/races.h"

static bool add_ranks(struct mpi_memory *memory, int n)
{
	struct mpi_memory_rank *ranks;

	if (n <= memory->n_ranks)
		return true;
	ranks = realloc(memory->ranks, (size_t)n * sizeof *ranks);
	if (!ranks)
		return false;
	memset(ranks + memory->n_ranks, 0, (size_t)(n - memory->n_ranks) * sizeof *ranks);
	for (int i = memory->n_ranks; i < n && memory->unread; i++)
		ranks[i].high = ranks[i].window_high = UINTPTR_MAX;
	memory->ranks = ranks;
	memory->n_ranks = n;
	return true;
}

int mpi_memory_create(struct mpi_world *world, struct mpi_memory **out)
{
	struct mpi_memory *memory = calloc(1, sizeof *memory);

	if (!memory)
		return UTIL_ENOMEM;
	memory->world = world;
	mpi_receiving_tell(world, mpi_memory_receiving);
	*out = memory;
	return add_ranks(memory, world->n_ranks) ? 0 : UTIL_ENOMEM;
}

int mpi_memory_use_valgrind(struct mpi_world *world, int fd)
{
	return mpi_memcheck_create(world->verify->memory, fd, &world->verify->memory->memcheck);
}

void mpi_memory_use_strict(struct mpi_world *world)
{
	world->verify->memory->is_strict = true;
}

int mpi_memory_use_unread(struct mpi_world *world)
{
	struct mpi_memory *memory = world->verify->memory;

	for (int i = 0; i < memory->n_ranks; i++)
		memory->ranks[i].high = memory->ranks[i].window_high = UINTPTR_MAX;
	return mpi_unread_create(memory, &memory->unread);
}

static void tell_unseen(struct mpi_memory *memory)
{
	mpi_verify_report(
	    memory->world,
	    &(struct mpi_finding){.class_name = "unchecked-accesses",
				  .severity = MPI_FINDING_NOTE,
				  .found =
				      "the program's own loads and stores in windows are not seen: "
				      "it was not compiled for it",
				  .wanted = "mpisim-cc --verify-memory"});
}

void mpi_memory_end(struct mpi_memory *memory)
{
	if (memory->unread)
		mpi_unread_report(memory->unread);
	else if (memory->has_windows && !memory->is_compiled && !memory->memcheck)
		tell_unseen(memory);
	if (memory->memcheck)
		mpi_memcheck_look(memory->memcheck, NULL);
}

void mpi_memory_destroy(struct mpi_memory *memory)
{
	struct mpi_memory_active *active;

	if (!memory)
		return;
	for (int i = 0; i < memory->n_ranks; i++)
		while ((active = memory->ranks[i].actives.first)) {
			active->is_held = false;
			mpi_memory_forget(memory, &memory->world->ranks[i], active);
		}
	mpi_memory_spares_finish(memory);
	mpi_memory_blocks_finish(memory);
	mpi_memcheck_destroy(memory->memcheck);
	mpi_unread_destroy(memory->unread);
	mpi_impact_destroy(memory->impact);
	mpi_memory_globals_destroy(memory->globals);
	mpi_memory_types_destroy(memory->types);
	mpi_races_destroy(memory->races);
	for (int i = 0; i < memory->n_ranks; i++)
		mpi_ranges_finish(&memory->ranks[i].locked);
	free(memory->ranks);
	free(memory);
}

struct mpi_memory *mpi_memory_here(struct mpi_rank **me)
{
	struct pd_rank *pd = pd_rank_here();
	struct mpi_memory *memory;

	*me = pd ? pd->mpi : NULL;
	if (!*me || !(*me)->world->verify || (*me)->depth > 0)
		return NULL;
	memory = (*me)->world->verify->memory;
	return memory && (*me)->rank < memory->n_ranks ? memory : NULL;
}

int mpi_memory_report(struct mpi_rank *me, const char *class_name, const char *why,
		      const struct mpi_finding_call calls[], int n_calls, const char *format, ...)
{
	struct mpi_finding finding = {
	    .class_name = class_name,
	    .severity = MPI_FINDING_ERROR,
	    .n_calls = n_calls,
	    .why = why,
	};
	char text[512];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	finding.found = text;
	memcpy(finding.calls, calls, (size_t)n_calls * sizeof *calls);
	return mpi_verify_report(me->world, &finding);
}

/* Partitions change hands one by one. */
static bool is_partitioned(const struct mpi_verify_call *call)
{
	return call->function->kind == MPI_CALL_PARTITIONED;
}

static MPI_File file_of(const struct mpi_verify_call *call, const struct mpi_call_info *info)
{
	int place = mpi_memory_parameter(info, PARAMETER_FILE);

	return (MPI_File)(uintptr_t)mpi_memory_argument(call, place).p;
}

/* Where messages have no memory nothing comes, whatever the status says. */
static bool is_receive(const struct mpi_verify_call *call)
{
	return (call->function->kind == MPI_CALL_RECV || call->function->kind == MPI_CALL_MRECV) &&
	       !call->me->world->pd->config.no_alloc;
}

/* What comes are messages of other ranks. */
static bool is_message(const struct mpi_verify_call *call)
{
	enum mpi_call_kind kind = call->function->kind;

	return (kind == MPI_CALL_RECV || kind == MPI_CALL_MRECV || kind == MPI_CALL_SENDRECV ||
		kind == MPI_CALL_COLL) &&
	       !call->me->world->pd->config.no_alloc;
}

static void deliver(struct mpi_memory *memory, struct mpi_rank *me,
		    const struct mpi_memory_buffer *buffer, const struct mpi_comm *comm,
		    const MPI_Status *status)
{
	struct mpi_unread_origin origin = {.source = -1, .dest = me->rank};
	size_t came_B = buffer->size_B;

	if (!(buffer->use & MEMORY_WRITE) || !mpi_memory_is_computed(memory, me))
		return;
	if (status && (status->MPI_SOURCE < 0 || mpi_status_cancelled(status)))
		return;
	if (status)
		came_B = (size_t)mpi_status_bytes(status);
	if (status && comm) {
		origin.source = mpi_comm_peer(comm, status->MPI_SOURCE);
		origin.context = mpi_message_context(comm, CHANNEL_P2P);
		origin.tag = status->MPI_TAG;
	}
	mpi_unread_deliver(memory->unread, me, buffer, came_B, &origin);
}

void mpi_memory_came(struct mpi_memory *memory, const struct mpi_memory_active *active,
		     const struct mpi_request *request)
{
	struct mpi_rank *me = &memory->world->ranks[active->buffer.call.rank];

	if (memory->unread && active->is_message && !active->is_lost)
		deliver(memory, me, &active->buffer, request->comm,
			active->is_receive ? &request->status : NULL);
}

/* The buffers of a blocking call. */
static void deliver_all(struct mpi_memory *memory, const struct mpi_verify_call *call)
{
	const struct mpi_call_info *info = mpi_memory_info(call);
	int place = mpi_memory_parameter(info, PARAMETER_COMM);
	const struct mpi_comm *comm =
	    place < 0
		? NULL
		: mpi_comm_get(call->me, (MPI_Comm)(uintptr_t)mpi_memory_argument(call, place).p);
	bool has_status = call->function->kind != MPI_CALL_COLL;

	for (int i = 0; i < call->buffers->n; i++)
		if (!call->buffers->actives[i])
			deliver(memory, call->me, &call->buffers->buffers[i], comm,
				has_status ? call->status : NULL);
}

static void hold(struct mpi_memory *memory, struct mpi_verify_call *call)
{
	const struct mpi_call_info *info = mpi_memory_info(call);
	bool is_one_sided = mpi_races_is_operation(call);

	for (int i = 0; i < call->buffers->n; i++) {
		struct mpi_memory_active *active = mpi_memory_hold(
		    memory, call->me, &call->buffers->buffers[i], is_receive(call));

		call->buffers->actives[i] = active;
		if (active)
			active->is_message = is_message(call);
		if (active && mpi_memory_is_split(info))
			active->file = file_of(call, info);
		if (active && is_one_sided) {
			int win = mpi_memory_parameter(info, PARAMETER_WIN);
			int target = mpi_memory_parameter(info, PARAMETER_RANK);

			active->win = mpi_win_get(
			    call->me, (MPI_Win)(uintptr_t)mpi_memory_argument(call, win).p);
			active->target = (int)mpi_memory_argument(call, target).i;
		}
		if (active && call->function->form != FORM_PERSISTENT)
			mpi_memory_lock(memory, active);
	}
}

/* Windows begin to be looked at when the first one is made. */
static void look_at_windows(struct mpi_memory *memory, struct mpi_verify_call *call)
{
	memory->has_windows |=
	    call->function->kind == MPI_CALL_LOCK || mpi_races_is_operation(call);
	if (!memory->races && !memory->has_no_races && memory->n_ranks <= RACE_MAX_RANKS &&
	    call->function->window == MPI_WINDOW_CREATE)
		memory->has_no_races = mpi_races_create(memory, &memory->races) != 0;
	if (memory->races && call->me->rank < memory->races->n)
		mpi_races_before(memory->races, call);
}

static uintptr_t frame_of(const struct mpi_verify_call *call, const struct mpi_call_info *info)
{
	return (uintptr_t)mpi_memory_argument(call, info->n_parameters).p;
}

static void look_at_buffers(struct mpi_memory *memory, struct mpi_verify_call *call)
{
	const struct mpi_call_info *info = mpi_memory_info(call);
	bool stays = info->form != FORM_BLOCKING || mpi_races_is_operation(call) ||
		     mpi_memory_is_split(info);

	for (int i = 0; i < call->buffers->n && info->form != FORM_PERSISTENT; i++) {
		struct mpi_memory_buffer *buffer = &call->buffers->buffers[i];

		mpi_memory_check(memory, call->me, buffer);
		mpi_memory_check_stack(memory, call->me, buffer, frame_of(call, info));
		mpi_memory_check_type(memory, call->me, buffer, frame_of(call, info));
		mpi_memory_touch_buffer(memory, call->me, buffer);
		if (memory->unread)
			mpi_unread_touch_buffer(memory->unread, buffer);
		for (size_t k = 0; memory->races && !stays && k < buffer->n_runs; k++)
			mpi_races_touch(memory->races, call->me->rank, buffer->runs[k].at,
					buffer->runs[k].size_B, buffer->use, &buffer->call);
	}
	if (stays)
		hold(memory, call);
}

static bool is_named(const struct mpi_call_info *info, const char *operation)
{
	return info->kind == MPI_CALL_MEMORY && strcmp(info->operation, operation) == 0;
}

void mpi_memory_before(struct mpi_memory *memory, struct mpi_verify_call *call)
{
	const struct mpi_call_info *info = mpi_memory_info(call);

	if (!info || !add_ranks(memory, call->me->world->n_ranks))
		return;
	if (memory->memcheck)
		mpi_memcheck_look(memory->memcheck, call->me);
	if (memory->unread)
		mpi_unread_look_at_stack(memory->unread, call->me, frame_of(call, info));
	mpi_memory_look_at_stack(memory, call->me, frame_of(call, info));
	if (mpi_memory_is_communication(info))
		call->buffers = calloc(1, sizeof *call->buffers);
	if (call->buffers) {
		mpi_memory_collect(call, call->buffers);
		mpi_memory_compare_buffers(call->me, call->buffers);
		if (!is_partitioned(call))
			look_at_buffers(memory, call);
	}
	if (is_named(info, "Free_mem"))
		call->values[0].p = mpi_memory_freed(memory, call->me, call->values[0].p);
	look_at_windows(memory, call); /* last: what was looked at is before what others learn */
}

void mpi_memory_exchange(struct mpi_verify_call *call, bool is_back)
{
	for (int i = 0; i < call->buffers->n; i++) {
		const struct mpi_memory_active *active = call->buffers->actives[i];

		if (!active || !active->mine)
			continue;
		call->values[active->buffer.place].p =
		    is_back ? (const void *)active->buffer.base
			    : active->mine + (active->buffer.base - active->buffer.low);
	}
}

static void settle(struct mpi_memory *memory, struct mpi_verify_call *call, int code,
		   struct mpi_memory_active *active)
{
	int place = mpi_memory_parameter(mpi_memory_info(call), PARAMETER_REQUEST);
	const MPI_Request *request = place >= 0 ? mpi_memory_argument(call, place).p : NULL;

	if (code == MPI_SUCCESS && request)
		mpi_memory_tie(memory, call->me, active, *request);
	if (active->is_held || ((active->win || active->file) && code == MPI_SUCCESS))
		return;
	if (code == MPI_SUCCESS)
		mpi_memory_unlock(memory, active);
	mpi_memory_forget(memory, call->me, active);
}

/* The buffer of MPI_Buffer_attach, until MPI_Buffer_detach. */
static void attach(struct mpi_memory *memory, struct mpi_verify_call *call)
{
	const struct mpi_call_info *info = mpi_memory_info(call);
	struct mpi_memory_buffers *buffers;
	struct mpi_memory_active *active;

	if (strcmp(info->operation, "Buffer_attach") != 0 ||
	    !(buffers = calloc(1, sizeof *buffers)))
		return;
	mpi_memory_forget_detached(memory, call->me);
	mpi_memory_collect(call, buffers);
	for (int i = 0; i < buffers->n; i++) {
		buffers->buffers[i].use = MEMORY_WRITE;
		mpi_memory_check(memory, call->me, &buffers->buffers[i]);
		active = mpi_memory_hold_in_place(memory, call->me, &buffers->buffers[i]);
		mpi_memory_buffer_finish(&buffers->buffers[i]);
		if (!active)
			continue;
		active->is_attached = true;
		mpi_memory_lock(memory, active);
	}
	free(buffers);
}

/* The second half. */
static void end_split(struct mpi_memory *memory, struct mpi_verify_call *call)
{
	const struct mpi_call_info *info = mpi_memory_info(call);
	const char *name = call->function->name;
	struct mpi_memory_active *active, *next;

	if (!info || strncmp(name, "MPI_File_", 9) != 0 || !strstr(name, "_end"))
		return;
	for (active = memory->ranks[call->me->rank].actives.first; active; active = next) {
		next = active->link.next;
		if (!active->file || active->file != file_of(call, info))
			continue;
		mpi_memory_unlock(memory, active);
		mpi_memory_forget(memory, call->me, active);
	}
}

void mpi_memory_after(struct mpi_memory *memory, struct mpi_verify_call *call, int code)
{
	if (code == MPI_SUCCESS) {
		end_split(memory, call);
		attach(memory, call);
		if (call->me->n_open > 0 && is_named(mpi_memory_info(call), "Alloc_mem"))
			mpi_memory_allocated(memory, *(void *const *)call->values[2].p,
					     (size_t)call->values[0].i, true);
	}
	if (code == MPI_SUCCESS && call->buffers && is_partitioned(call))
		mpi_memory_hold_partitions(memory, call);
	if (memory->races && call->me->rank < memory->races->n)
		mpi_races_after(memory->races, call, code);
	if (memory->unread && call->buffers && code == MPI_SUCCESS && is_message(call) &&
	    call->function->form == FORM_BLOCKING)
		deliver_all(memory, call);
	for (int i = 0; call->buffers && i < call->buffers->n; i++) {
		if (call->buffers->actives[i])
			settle(memory, call, code, call->buffers->actives[i]);
		else
			mpi_memory_buffer_finish(&call->buffers->buffers[i]);
	}
	free(call->buffers);
	call->buffers = NULL;
}
