// SPDX-License-Identifier: BSD-3-Clause
/*
 * The executable mpisim-run: enters the simulator, which lives in the MPI library, so that a
 * process holds it once. Its own part is the room for the thread-local variables of the simulated
 * program, which must lie directly below the thread pointer: the linker puts the executable's
 * there, and this is its only one.
 */
#include "tools/run/entry.h"

static _Thread_local char tls_area[65536] __attribute__((aligned(64)));

/*
 * AddressSanitizer, where it is built in, must not return memory to the system: it then reads the
 * clock with its allocator locked, and the clock of a rank is simulated and lets others run.
 */
const char *__asan_default_options(void);
__attribute__((visibility("default"))) const char *__asan_default_options(void)
{
	return "allocator_release_to_os_interval_ms=-1";
}

int main(int argc, char **argv)
{
	return mpisim_run_main(argc, argv, tls_area, sizeof tls_area);
}
