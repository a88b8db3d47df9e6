// SPDX-License-Identifier: BSD-3-Clause
/* Where the OTF2 library was not found when mpisim was built. */
#include "traces/export/format.h"

static int check(const char *path, struct util_error *err)
{
	return util_refuse(err,
			   "found \"%s\", but this mpisim was built without OTF2: install "
			   "libopen-trace-format2-dev and build it again, or take a name that ends "
			   "in .json, .paje, .trace or .prv",
			   path);
}

const struct trace_format trace_format_otf2 = {.check = check};
