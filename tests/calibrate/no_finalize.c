/* SPDX-License-Identifier: BSD-3-Clause */
/* Preloaded: an MPI_Finalize that never returns. */
#include <unistd.h>

int MPI_Finalize(void);

int MPI_Finalize(void)
{
	for (;;)
		pause();
}
