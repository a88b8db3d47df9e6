// SPDX-License-Identifier: BSD-3-Clause
/* The executable mpisim-replay: enters the simulator, which lives in the MPI library. */
#include "tools/replay/entry.h"

int main(int argc, char **argv)
{
	return mpisim_replay_main(argc, argv);
}
