// SPDX-License-Identifier: BSD-3-Clause
/* The call path to a site, from the stack. */
#include <unwind.h>

#include "mpi/record/internal.h"
#include "pdexec/image.h"

enum { MOST_FRAMES = 64 }; /* of the library, above the program's */

struct walk {
	const struct pd_rank *rank;
	struct mpi_record_site *site;
	int n_frames, n;
	bool is_inside; /* the frame of the site has been passed */
};

/* Up to the first frame that is not of the program: below it are the simulator's own. */
static _Unwind_Reason_Code note(struct _Unwind_Context *context, void *argument)
{
	struct walk *walk = argument;
	const void *at = (const void *)(uintptr_t)_Unwind_GetIP(context);
	uint64_t place;

	if (!walk->is_inside) {
		walk->is_inside = at == walk->site->address;
		return walk->n_frames++ < MOST_FRAMES ? _URC_NO_REASON : _URC_END_OF_STACK;
	}
	if (walk->n == MPI_RECORD_CALLERS ||
	    !pd_image_locate(walk->rank->program->image, at, &place))
		return _URC_END_OF_STACK;
	walk->site->callers[walk->n++] = at;
	return _URC_NO_REASON;
}

void mpi_record_callers(const struct pd_rank *rank, struct mpi_record_site *out)
{
	struct walk walk = {.rank = rank, .site = out};

	_Unwind_Backtrace(note, &walk);
}
