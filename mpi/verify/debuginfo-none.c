/* SPDX-License-Identifier: BSD-3-Clause */
/* Without libdw; debuginfo.c is the other choice of mpi/verify/meson.build. */
#include "mpi/verify/debuginfo.h"

struct mpi_debuginfo *mpi_debuginfo_open(int fd)
{
	return NULL;
}

void mpi_debuginfo_close(struct mpi_debuginfo *info)
{
}

void mpi_debuginfo_search(struct mpi_debuginfo *info, const struct mpi_debuginfo_search *search)
{
}

void mpi_debuginfo_leaf(const struct mpi_debuginfo_object *object, uintptr_t at,
			struct mpi_debuginfo_leaf *out)
{
	*out = (struct mpi_debuginfo_leaf){.kind = DEBUGINFO_UNKNOWN};
}

bool mpi_debuginfo_climb(struct mpi_debuginfo *info, struct mpi_debuginfo_place *place,
			 uintptr_t *site)
{
	return false;
}
