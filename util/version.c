/* SPDX-License-Identifier: BSD-3-Clause */
#include "util/version.h"

const char *util_version(void)
{
	return MPISIM_VERSION;
}
