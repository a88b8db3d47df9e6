/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/verify/apart.h"

#include <stdlib.h>

#include "mpi/verify/held.h"
#include "mpi/verify/internal.h"
#include "mpi/verify/shadow.h"
#include "util/array.h"

enum { MAX_POSTS = 1 << 12, FEW_OVER = 32 }; /* of a sequence; ranges of requests that are over */

void mpi_apart_finish(struct mpi_apart *apart)
{
	free(apart->posts);
	for (int i = 0; i < 2; i++) {
		for (size_t k = 0; k < apart->held[i].n; k++)
			((struct mpi_apart_held *)apart->held[i].sorted[k].owner)->is_entered =
			    false;
		mpi_ranges_finish(&apart->held[i]);
		mpi_ranges_finish(&apart->ranges[i]);
	}
}

/* NULL: it is not active. */
static const struct mpi_request *find(const struct mpi_rank *me, uintptr_t handle,
				      const struct mpi_shadow_request **told)
{
	const struct mpi_request *request = mpi_request_get(me, (MPI_Request)handle);

	*told = mpi_shadow_request(me->world->verify->shadow, mpi_handle_index(handle));
	return request && *told && (*told)->is_active ? request : NULL;
}

static struct mpi_apart_buffer buffer_of(const struct mpi_request *request)
{
	return (struct mpi_apart_buffer){.buf = request->buf,
					 .count = request->count,
					 .type = request->type,
					 .peer = request->peer,
					 .tag = request->tag,
					 .is_receive = request->kind == REQUEST_RECV};
}

/* Where it lies. */
static struct mpi_range range_of(const struct mpi_apart_buffer *buffer)
{
	const struct mpi_datatype *type = buffer->type;
	MPI_Count others_B = (buffer->count - 1) * type->extent_B;
	struct mpi_range range = {.low = (uintptr_t)buffer->buf + (uintptr_t)type->true_lb_B};

	range.high = range.low;
	if (buffer->count <= 0 || type->size_B == 0)
		return range;
	range.high += (uintptr_t)type->true_extent_B;
	*(others_B < 0 ? &range.low : &range.high) += (uintptr_t)others_B;
	return range;
}

/* Its runs are yet to be found. */
static struct mpi_memory_buffer place_of(const struct mpi_apart_buffer *buffer,
					 struct mpi_finding_call call)
{
	struct mpi_range range = range_of(buffer);

	return (struct mpi_memory_buffer){
	    .base = (uintptr_t)buffer->buf,
	    .first_item = (uintptr_t)buffer->buf,
	    .n_items = buffer->count,
	    .size_B = (size_t)(buffer->count * buffer->type->size_B),
	    .type = buffer->type,
	    .use = buffer->is_receive ? MEMORY_WRITE : MEMORY_READ,
	    .low = range.low,
	    .high = range.high,
	    .call = call,
	    .known = {.peer = buffer->is_receive ? "source" : "dest",
		      .rank = buffer->peer,
		      .tag = buffer->tag,
		      .has_tag = true},
	};
}

static void find_runs(struct mpi_memory_buffer *buffer)
{
	struct mpi_memory_buffer whole = *buffer;

	if (buffer->n_runs == 0)
		mpi_memory_part(&whole, 0, whole.n_items, buffer);
}

static void report(struct mpi_rank *me, const struct mpi_memory_buffer *mine,
		   const struct mpi_memory_buffer *other, size_t n_B, int64_t first)
{
	const struct mpi_finding_call calls[] = {mine->call, other->call};

	mpi_memory_report(
	    me, "overlapping-buffers",
	    "what is there, or what is sent, depends on which comes first", calls, 2,
	    "%zu byte%s, from offset %lld on, of %s are also in %s, which is not complete", n_B,
	    n_B == 1 ? "" : "s", (long long)first, MEMORY_TEXT(mine), MEMORY_TEXT(other));
}

/* False: both have some bytes, which is told. */
static bool compare(struct mpi_rank *me, struct mpi_memory_buffer *mine,
		    const struct mpi_memory_buffer *other)
{
	int64_t first;
	size_t n;

	find_runs(mine);
	n = mpi_memory_common(mine, other, &first);
	if (n > 0)
		report(me, mine, other, n, first);
	return n == 0;
}

static bool overlap(const struct mpi_range *a, uintptr_t low, uintptr_t high)
{
	return a->low < high && low < a->high;
}

/* False: it has bytes of the buffer of an active request other than its own, of these messages. */
static bool look_among_messages(struct mpi_rank *me, struct mpi_ranges *ranges,
				struct mpi_memory_buffer *mine, uintptr_t own)
{
	bool is_apart = true;

	for (size_t i = mpi_ranges_near(ranges, mine->low);
	     i < ranges->n && ranges->sorted[i].low < mine->high; i++) {
		const struct mpi_shadow_request *told;
		const struct mpi_request *request;
		struct mpi_apart_buffer theirs;
		struct mpi_memory_buffer other;

		if (!overlap(&ranges->sorted[i], mine->low, mine->high))
			continue;
		request = find(me, ranges->sorted[i].number, &told);
		if (!request || ranges->sorted[i].number == own) {
			mpi_ranges_remove(ranges, i--);
			continue;
		}
		theirs = buffer_of(request);
		other = place_of(
		    &theirs, (struct mpi_finding_call){
				 told->rank, mpi_call_infos[told->function - 1].name, told->site});
		find_runs(&other);
		is_apart &= compare(me, mine, &other);
		mpi_memory_buffer_finish(&other);
	}
	return is_apart;
}

/* The same of what is held. */
static bool look_among_held(struct mpi_rank *me, const struct mpi_ranges *held,
			    struct mpi_memory_buffer *mine)
{
	bool is_apart = true;

	for (size_t i = mpi_ranges_near(held, mine->low);
	     i < held->n && held->sorted[i].low < mine->high; i++) {
		const struct mpi_apart_held *other = held->sorted[i].owner;

		if (overlap(&held->sorted[i], mine->low, mine->high))
			is_apart &= compare(me, mine, &other->buffer);
	}
	return is_apart;
}

static bool is_far(const struct mpi_apart *apart, uintptr_t low, uintptr_t high, bool is_written)
{
	return !overlap(&apart->hulls[1], low, high) &&
	       !(is_written && overlap(&apart->hulls[0], low, high));
}

static void insert(struct mpi_rank *me, struct mpi_apart *apart, struct mpi_range range,
		   bool is_receive)
{
	struct mpi_ranges *ranges = &apart->ranges[is_receive];
	const struct mpi_shadow_request *told;
	size_t n = 0;

	if (range.low == range.high)
		return;
	if (ranges->n >= 2 * (size_t)apart->n_active + FEW_OVER) {
		for (size_t i = 0; i < ranges->n; i++)
			if (find(me, ranges->sorted[i].number, &told))
				ranges->sorted[n++] = ranges->sorted[i];
		ranges->n = n;
	}
	if (!mpi_ranges_insert(ranges, range))
		mpi_request_fail_memory(me);
}

static void widen(struct mpi_range *hull, struct mpi_range range)
{
	if (range.low == range.high)
		return;
	if (hull->high == 0)
		*hull = range;
	hull->low = range.low < hull->low ? range.low : hull->low;
	hull->high = range.high > hull->high ? range.high : hull->high;
}

/* The request of a post of the sequence and where its buffer lies; false: it is over. */
static bool find_post(const struct mpi_rank *me, const struct mpi_apart_post *post,
		      struct mpi_range *range, bool *is_receive)
{
	const struct mpi_shadow_request *told;
	const struct mpi_request *request = post->request ? find(me, post->request, &told) : NULL;
	struct mpi_apart_buffer buffer;

	if (!request)
		return false;
	buffer = buffer_of(request);
	*range = range_of(&buffer);
	range->number = post->request;
	*is_receive = buffer.is_receive;
	return true;
}

static void enter_in_ranges(struct mpi_rank *me, struct mpi_apart *apart)
{
	struct mpi_range range;
	bool is_receive;

	for (; apart->n_in_ranges < apart->n; apart->n_in_ranges++)
		if (find_post(me, &apart->posts[apart->n_in_ranges], &range, &is_receive))
			insert(me, apart, range, is_receive);
}

static void enter_in_hulls(const struct mpi_rank *me, struct mpi_apart *apart)
{
	struct mpi_range range;
	bool is_receive;

	for (; apart->n_in_hulls < apart->n; apart->n_in_hulls++)
		if (find_post(me, &apart->posts[apart->n_in_hulls], &range, &is_receive))
			widen(&apart->hulls[is_receive], range);
}

/* Among all; those that are sent are no matter for what is read. */
static bool look(struct mpi_rank *me, struct mpi_apart *apart, struct mpi_memory_buffer *mine,
		 uintptr_t own)
{
	bool is_written = mine->use & MEMORY_WRITE, is_apart = true;

	if (is_far(apart, mine->low, mine->high, is_written))
		return true;
	enter_in_ranges(me, apart);
	for (int i = is_written ? 0 : 1; i < 2; i++) {
		is_apart &= look_among_messages(me, &apart->ranges[i], mine, own);
		is_apart &= look_among_held(me, &apart->held[i], mine);
	}
	return is_apart;
}

/* The next of the sequence. */
static void add_post(struct mpi_rank *me, struct mpi_apart *apart,
		     uintptr_t request, uint64_t hash, bool is_apart)
{
	struct mpi_apart_post *post;

	if (!util_array_reach(&apart->posts, &apart->n_room, apart->n, sizeof *apart->posts))
		mpi_request_fail_memory(me);
	post = &apart->posts[apart->n++];
	post->request = request;
	apart->hash = hash;
	if (is_apart) {
		post->known[1] = post->known[0];
		post->known[0] = hash;
	}
}

void mpi_apart_look(struct mpi_rank *me, struct mpi_apart *apart,
		    const struct mpi_apart_buffer *buffer, uintptr_t request, uint64_t hash)
{
	struct mpi_range range = range_of(buffer);
	struct mpi_memory_buffer mine;
	bool is_apart;

	enter_in_hulls(me, apart);
	is_apart = is_far(apart, range.low, range.high, buffer->is_receive);
	if (!is_apart) {
		mine = place_of(
		    buffer, (struct mpi_finding_call){me->rank, me->pd->function, me->pd->site});
		is_apart = look(me, apart, &mine, request);
		mpi_memory_buffer_finish(&mine);
	}
	if (request)
		widen(&apart->hulls[buffer->is_receive], range);
	apart->is_sequence &= apart->n < MAX_POSTS;
	if (apart->is_sequence) {
		add_post(me, apart, request, hash, is_apart);
		apart->n_in_hulls = apart->n;
	} else if (request) {
		enter_in_ranges(me, apart);
		range.number = request;
		insert(me, apart, range, buffer->is_receive);
	}
}

void mpi_apart_post_request(struct mpi_rank *me, MPI_Request handle)
{
	struct mpi_shadow *shadow = me->world->verify->shadow;
	const struct mpi_request *request = mpi_request_get(me, handle);
	struct mpi_apart_buffer buffer;

	if (!shadow->looks_at_buffers || !request ||
	    (request->kind != REQUEST_SEND && request->kind != REQUEST_RECV))
		return;
	buffer = buffer_of(request);
	mpi_apart_post(me, &shadow->ranks[me->rank].apart, &buffer, (uintptr_t)handle);
}

void mpi_apart_look_at_call(const struct mpi_verify_call *call)
{
	struct mpi_apart *apart = &call->shadow->ranks[call->me->rank].apart;
	struct mpi_memory_buffers all;

	if (!call->shadow->looks_at_buffers || apart->n_active == 0 ||
	    call->function->form != FORM_BLOCKING || !mpi_memory_is_communication(call->function))
		return;
	mpi_memory_collect(call, &all);
	if (all.n > 0)
		enter_in_hulls(call->me, apart);
	for (int i = 0; i < all.n; i++) {
		look(call->me, apart, &all.buffers[i], 0);
		mpi_memory_buffer_finish(&all.buffers[i]);
	}
}

void mpi_apart_enter(struct mpi_rank *me, int n, struct mpi_apart_held held[])
{
	struct mpi_apart *apart = &me->world->verify->shadow->ranks[me->rank].apart;

	enter_in_hulls(me, apart);
	for (int i = 0; i < n && apart->n_active > 0; i++)
		look(me, apart, &held[i].buffer, 0);
	for (int i = 0; i < n; i++) {
		const struct mpi_memory_buffer *buffer = &held[i].buffer;
		bool is_written = buffer->use & MEMORY_WRITE;
		struct mpi_range range = {buffer->low, buffer->high, {&held[i]}};

		mpi_apart_begin(apart);
		apart->is_sequence = false;
		widen(&apart->hulls[is_written], range);
		if (!mpi_ranges_insert(&apart->held[is_written], range))
			mpi_request_fail_memory(me);
		held[i].is_entered = true;
	}
}

void mpi_apart_leave(struct mpi_rank *me, int n, struct mpi_apart_held held[])
{
	for (int i = 0; i < n; i++) {
		const struct mpi_memory_buffer *buffer = &held[i].buffer;
		struct mpi_apart *apart;
		struct mpi_ranges *ranges;
		size_t at;

		if (!held[i].is_entered)
			continue;
		apart = &me->world->verify->shadow->ranks[me->rank].apart;
		ranges = &apart->held[buffer->use & MEMORY_WRITE ? 1 : 0];
		at = mpi_ranges_from(ranges, buffer->low);
		while (ranges->sorted[at].owner != &held[i])
			at++;
		mpi_ranges_remove(ranges, at);
		held[i].is_entered = false;
		mpi_apart_end(apart);
	}
}
