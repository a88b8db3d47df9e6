/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory of accelerators: this host's, at addresses by which MPI calls know it (pdexec/noalloc.h). */
#include <string.h>

#include "pdexec/annotate.h"
#include "pdexec/device.h"
#include "pdexec/noalloc.h"
#include "pdexec/process.h"

#pragma GCC visibility push(default)
#include "mpisim.h"
#pragma GCC visibility pop

void *mpisim_device_alloc(size_t size_B)
{
	struct pd_rank *rank = pd_annotation_enter(__func__, __builtin_return_address(0));
	struct util_error err;
	void *buffer;

	if (!rank)
		return mpisim_alloc(size_B);
	pd_streams_check(rank, 0);
	if (!rank->world->noalloc && pd_noalloc_create(&rank->world->noalloc, &err))
		pd_fail(rank, PD_FAILURE_MEMORY, "%s", err.text);
	buffer = pd_noalloc_get_with_part(rank->world->noalloc, true, size_B, 0,
					  rank->world->config.no_alloc ? 0 : size_B);
	pd_annotation_leave(rank);
	return buffer;
}

void mpisim_device_free(void *buffer)
{
	struct pd_rank *rank = pd_annotation_enter(__func__, __builtin_return_address(0));

	if (!rank) {
		mpisim_free(buffer);
		return;
	}
	if (buffer && (!pd_memory_is_device(buffer) || pd_noalloc_put(rank->world->noalloc, buffer)))
		pd_fail(rank, PD_FAILURE_ANNOTATION,
			"mpisim_device_free(%p): not the start of a buffer of mpisim_device_alloc, "
			"or freed already",
			buffer);
	pd_annotation_leave(rank);
}

/* Ends the run when the bytes reach beyond the buffer of the accelerator. */
static void check_end(struct pd_rank *rank, const void *address, size_t size_B)
{
	char *there;
	size_t there_B = pd_memory_part(address, size_B, &there);

	if (!rank->world->config.no_alloc && there_B < size_B)
		pd_fail(rank, PD_FAILURE_ANNOTATION,
			"found a copy of %zu B, wanted at most %zu B: there the accelerator's "
			"buffer ends",
			size_B, there_B);
}

static bool is_absent(const void *address, size_t size_B)
{
	return size_B == 0 || pd_memory_is_absent(address);
}

void mpisim_stream_copy(void *to, const void *from, size_t size_B, int stream)
{
	struct pd_rank *rank = pd_annotation_enter_instant(__func__, __builtin_return_address(0));
	bool is_in;

	if (!rank) {
		memcpy(to, from, size_B);
		return;
	}
	pd_streams_check(rank, stream);
	is_in = pd_memory_is_device(to);
	if (is_in == pd_memory_is_device(from))
		pd_fail(rank, PD_FAILURE_ANNOTATION,
			"found a copy from %s to %s, wanted one of them of mpisim_device_alloc",
			is_in ? "an accelerator" : "the host", is_in ? "the same" : "the host");
	check_end(rank, is_in ? to : from, size_B);
	if (!is_absent(to, size_B) && !is_absent(from, size_B))
		memcpy(to, from, size_B);
	pd_streams_push(rank, stream, NULL, is_in ? NET_DEVICE_IN : NET_DEVICE_OUT,
			net_device_copy_time(rank->world->cluster, (double)size_B));
	pd_annotation_leave(rank);
}
