/* SPDX-License-Identifier: BSD-3-Clause */
/* In the simulator: the samples are all. */
#include "calibrate.h"

int cal_conclude(const struct settings *settings, const struct samples *samples)
{
	return 0;
}
