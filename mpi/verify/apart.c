/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/verify/apart.h"

#include <stdlib.h>

#include "mpi/verify/internal.h"
#include "mpi/verify/memory.h"
#include "mpi/verify/shadow.h"
#include "util/array.h"

enum { MAX_POSTS = 1 << 12, FEW_OVER = 32 }; /* of a sequence; ranges of requests that are over */

void mpi_apart_finish(struct mpi_apart *apart)
{
	free(apart->posts);
	mpi_ranges_finish(&apart->ranges[0]);
	mpi_ranges_finish(&apart->ranges[1]);
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

/* How many bytes of `mine` an active request has, too. */
static size_t common(struct mpi_memory_buffer *mine, const struct mpi_memory_buffer *other,
		     int64_t *first)
{
	struct mpi_memory_buffer whole = *mine, theirs;
	size_t n;

	if (mine->n_runs == 0)
		mpi_memory_part(&whole, 0, whole.n_items, mine);
	mpi_memory_part(other, 0, other->n_items, &theirs);
	n = mpi_memory_common(mine, &theirs, first);
	mpi_memory_buffer_finish(&theirs);
	return n;
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

static bool overlap(const struct mpi_range *a, uintptr_t low, uintptr_t high)
{
	return a->low < high && low < a->high;
}

/* False: it has bytes of the buffer of an active request other than its own, of these. */
static bool look_among(struct mpi_rank *me, struct mpi_ranges *ranges,
		       struct mpi_memory_buffer *mine, uintptr_t own)
{
	bool is_apart = true;

	for (size_t i = mpi_ranges_near(ranges, mine->low);
	     i < ranges->n && ranges->sorted[i].low < mine->high; i++) {
		const struct mpi_shadow_request *told;
		const struct mpi_request *request;
		struct mpi_apart_buffer theirs;
		struct mpi_memory_buffer other;
		int64_t first;
		size_t n;

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
		n = common(mine, &other, &first);
		if (n > 0)
			report(me, mine, &other, n, first);
		is_apart &= n == 0;
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
	bool is_written = mine->use & MEMORY_WRITE, is_apart;

	if (is_far(apart, mine->low, mine->high, is_written))
		return true;
	enter_in_ranges(me, apart);
	is_apart = look_among(me, &apart->ranges[1], mine, own);
	if (is_written)
		is_apart &= look_among(me, &apart->ranges[0], mine, own);
	return is_apart;
}

/* The next of the sequence. */
static void add_post(struct mpi_rank *me, struct mpi_apart *apart,
		     const struct mpi_apart_buffer *buffer, uintptr_t request, bool is_apart)
{
	struct mpi_apart_post *post;

	if (!util_array_reach(&apart->posts, &apart->n_room, apart->n, sizeof *apart->posts))
		mpi_request_fail_memory(me);
	post = &apart->posts[apart->n++];
	post->request = request;
	apart->hash = mpi_apart_hash(apart->hash, buffer);
	if (is_apart) {
		post->known[1] = post->known[0];
		post->known[0] = apart->hash;
	}
}

void mpi_apart_look(struct mpi_rank *me, struct mpi_apart *apart,
		    const struct mpi_apart_buffer *buffer, uintptr_t request)
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
		add_post(me, apart, buffer, request, is_apart);
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
	    call->function->form == FORM_PERSISTENT ||
	    (call->function->form == FORM_NONBLOCKING &&
	     (call->function->kind == MPI_CALL_SEND || call->function->kind == MPI_CALL_RECV)))
		return;
	mpi_memory_collect(call, &all);
	if (all.n > 0)
		enter_in_hulls(call->me, apart);
	for (int i = 0; i < all.n; i++) {
		look(call->me, apart, &all.buffers[i], 0);
		mpi_memory_buffer_finish(&all.buffers[i]);
	}
}
