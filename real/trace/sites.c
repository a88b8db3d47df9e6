/* SPDX-License-Identifier: BSD-3-Clause */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "real/trace/trace.h"

void mpi_trace_describe(const void *site, char *text, size_t size)
{
	Dl_info info;
	const char *file;

	if (!dladdr(site, &info) || !info.dli_fname) {
		snprintf(text, size, "%p", site);
		return;
	}
	file = strrchr(info.dli_fname, '/');
	file = file ? file + 1 : info.dli_fname;
	snprintf(text, size, "%s+0x%zx%s%s%s", file,
		 (size_t)((const char *)site - (const char *)info.dli_fbase),
		 info.dli_sname ? " (" : "", info.dli_sname ? info.dli_sname : "",
		 info.dli_sname ? ")" : "");
}
