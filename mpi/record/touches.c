/* SPDX-License-Identifier: BSD-3-Clause */
/* Accesses of programs that say nothing of them: seen by pages (pdexec/pages.h). */
#include "mpi/record/internal.h"
#include "pdexec/annotate.h"
#include "pdexec/pages.h"
#include "pdexec/signals.h"

static double fraction_of(double at_s, double length_s)
{
	if (at_s <= 0 || length_s <= 0)
		return 0;
	return at_s < length_s ? at_s / length_s : 1;
}

static void put(struct mpi_record *record, struct pd_rank *rank,
		const struct pd_page_access *access, double length_s)
{
	struct mtrace_stream *s = record->ranks[rank->rank].stream;
	int flags = MTRACE_COMPUTED | (pd_annotation_is_in_kernel(rank) ? MTRACE_KERNEL : 0);

	if (access)
		flags |= access->is_write ? MTRACE_WRITTEN : MTRACE_READ;
	mtrace_put_uint(s, MTRACE_MEMORY);
	mtrace_put_byte(s, (unsigned char)flags);
	mtrace_put_uint(s, mpi_record_site(record, rank, access ? access->site : NULL));
	mtrace_put_double(s, access ? fraction_of(access->at_s, length_s) : 0);
	mtrace_put_uint(s, access ? 1 : 0);
	if (access) {
		mtrace_put_uint(s, access->at);
		mtrace_put_uint(s, PD_PAGE_B);
		mtrace_put_uint(s, 1);
		mtrace_put_uint(s, 0);
	}
	mtrace_record_end(s);
}

/* One that accesses none says so. */
static void tell(void *context, struct pd_rank *rank, const struct pd_page_access accesses[],
		 size_t n, double length_s)
{
	struct mpi_record *record = context;

	if (record->ranks[rank->rank].is_open) /* by what the program does within a call */
		return;
	if (n == 0)
		put(record, rank, NULL, length_s);
	for (size_t i = 0; i < n; i++)
		put(record, rank, &accesses[i], length_s);
}

void mpi_record_watch_pages(struct mpi_record_call *call, uintptr_t low, uintptr_t high,
			    bool is_written)
{
	const struct mpi_call_info *function = call->function;
	bool blocks = function->form == FORM_BLOCKING &&
		      (function->kind == MPI_CALL_SEND || function->kind == MPI_CALL_RECV ||
		       function->kind == MPI_CALL_SENDRECV);

	if (call->record->has_touches && blocks)
		pd_pages_arm(call->me->pd, low, high, is_written);
}

int mpi_record_touches(struct mpi_record *record, struct util_error *err)
{
	const struct pd_pages_user user = {
	    .context = record, .tell = tell, .frames = pd_signals_frames};

	record->has_touches = true;
	return pd_pages_create(record->world->pd, &user, err);
}
