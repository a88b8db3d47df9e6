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
	mpi_ranges_finish(&apart->ranges);
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

/* Where it lies; its runs are yet to be found. */
static struct mpi_memory_buffer place_of(const struct mpi_apart_buffer *buffer,
					 struct mpi_finding_call call)
{
	const struct mpi_datatype *type = buffer->type;
	struct mpi_memory_buffer place = {
	    .base = (uintptr_t)buffer->buf,
	    .first_item = (uintptr_t)buffer->buf,
	    .n_items = buffer->count,
	    .size_B = (size_t)(buffer->count * type->size_B),
	    .type = type,
	    .use = buffer->is_receive ? MEMORY_WRITE : MEMORY_READ,
	    .call = call,
	    .known = {.peer = buffer->is_receive ? "source" : "dest",
		      .rank = buffer->peer,
		      .tag = buffer->tag,
		      .has_tag = true},
	};
	MPI_Count others_B = (buffer->count - 1) * type->extent_B;

	if (buffer->count <= 0 || type->size_B == 0)
		return place;
	place.low = place.base + (uintptr_t)type->true_lb_B;
	place.high = place.low + (uintptr_t)type->true_extent_B;
	*(others_B < 0 ? &place.low : &place.high) += (uintptr_t)others_B;
	return place;
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

/* False: it has bytes of the buffer of an active request other than its own. */
static bool look(struct mpi_rank *me, struct mpi_apart *apart, struct mpi_memory_buffer *mine,
		 uintptr_t own)
{
	struct mpi_ranges *ranges = &apart->ranges;
	bool is_apart = true;

	for (size_t i = mpi_ranges_near(ranges, mine->low);
	     i < ranges->n && ranges->sorted[i].low < mine->high;) {
		const struct mpi_shadow_request *told;
		const struct mpi_request *request = find(me, ranges->sorted[i].number, &told);
		struct mpi_apart_buffer theirs;
		struct mpi_memory_buffer other;
		int64_t first;
		size_t n;

		if (!request || ranges->sorted[i].number == own) {
			mpi_ranges_remove(ranges, i);
			continue;
		}
		theirs = buffer_of(request);
		other = place_of(
		    &theirs, (struct mpi_finding_call){
				 told->rank, mpi_call_infos[told->function - 1].name, told->site});
		n = (mine->use | other.use) & MEMORY_WRITE && ranges->sorted[i].high > mine->low
			? common(mine, &other, &first)
			: 0;
		if (n > 0)
			report(me, mine, &other, n, first);
		is_apart &= n == 0;
		i++;
	}
	return is_apart;
}

static void insert(struct mpi_rank *me, struct mpi_apart *apart,
		   const struct mpi_memory_buffer *place, uintptr_t request)
{
	struct mpi_ranges *ranges = &apart->ranges;
	const struct mpi_shadow_request *told;
	size_t n = 0;

	if (place->low == place->high)
		return;
	if (ranges->n >= 2 * (size_t)apart->n_active + FEW_OVER) {
		for (size_t i = 0; i < ranges->n; i++)
			if (find(me, ranges->sorted[i].number, &told))
				ranges->sorted[n++] = ranges->sorted[i];
		ranges->n = n;
	}
	if (!mpi_ranges_insert(ranges,
			       (struct mpi_range){place->low, place->high, {.number = request}}))
		mpi_request_fail_memory(me);
}

/* What was known to be all right has no ranges yet. */
static void sort(struct mpi_rank *me, struct mpi_apart *apart)
{
	const struct mpi_shadow_request *told;
	const struct mpi_request *request;
	struct mpi_apart_buffer buffer;
	struct mpi_memory_buffer place;

	for (; apart->n_sorted < apart->n; apart->n_sorted++) {
		uintptr_t handle = apart->posts[apart->n_sorted].request;

		request = handle ? find(me, handle, &told) : NULL;
		if (!request)
			continue;
		buffer = buffer_of(request);
		place = place_of(&buffer, (struct mpi_finding_call){.rank = me->rank});
		insert(me, apart, &place, handle);
	}
}

void mpi_apart_look(struct mpi_rank *me, struct mpi_apart *apart,
		    const struct mpi_apart_buffer *buffer, uintptr_t request)
{
	struct mpi_memory_buffer mine =
	    place_of(buffer, (struct mpi_finding_call){me->rank, me->pd->function, me->pd->site});
	struct mpi_apart_post *post;
	bool is_apart;

	sort(me, apart);
	is_apart = look(me, apart, &mine, request);
	mpi_memory_buffer_finish(&mine);
	if (request)
		insert(me, apart, &mine, request);
	apart->is_sequence &= apart->n < MAX_POSTS;
	if (!apart->is_sequence)
		return;
	if (!util_array_reach(&apart->posts, &apart->n_room, apart->n, sizeof *apart->posts))
		mpi_request_fail_memory(me);
	post = &apart->posts[apart->n++];
	post->request = request;
	apart->n_sorted = apart->n;
	apart->hash = mpi_apart_hash(apart->hash, buffer);
	if (is_apart) {
		post->known[1] = post->known[0];
		post->known[0] = apart->hash;
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
	sort(call->me, apart);
	mpi_memory_collect(call, &all);
	for (int i = 0; i < all.n; i++) {
		look(call->me, apart, &all.buffers[i], 0);
		mpi_memory_buffer_finish(&all.buffers[i]);
	}
}
