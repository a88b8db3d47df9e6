/* SPDX-License-Identifier: BSD-3-Clause */
#include "pdexec/estimate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "pdexec/image.h"
#include "util/units.h"

enum {
	STACK_B = 8192, /* two pages: most programs' calls of MPI use no more */
	STATE_B = 2600, /* of the rank in all layers, page tables included */
};

double pd_estimate_ranks_B(int n_ranks)
{
	return (double)n_ranks * (STACK_B + STATE_B);
}

double pd_estimate_variables_B(const struct pd_image *image)
{
	const struct pd_elf *elf = &image->elf;
	double each_B = (double)(elf->writable.end - elf->writable.begin), file_B = 0;

	/* What is kept aside is written as a whole. Of an image of its own, a rank writes what
	 * comes from the file, by relocation; nobody knows what of the rest. */
	for (int i = 0; i < elf->n_phdrs; i++)
		if (elf->phdr[i].p_type == PT_LOAD && elf->phdr[i].p_flags & PF_W)
			file_B += (double)elf->phdr[i].p_filesz;
	return (image->isolation == PD_ISOLATION_MAP ? file_B : each_B) * image->n_ranks;
}

/* The number in the line of `path` that begins with `key` (or alone in the file: ""), in units of
 * `unit_B`; `otherwise` where there is none. */
static double number_in(const char *path, const char *key, double unit_B, double otherwise)
{
	FILE *file = fopen(path, "re");
	char line[256];
	double found = otherwise, value;

	while (file && fgets(line, sizeof line, file))
		if (strncmp(line, key, strlen(key)) == 0 &&
		    sscanf(line + strlen(key), " %lf", &value) == 1)
			found = value * unit_B;
	if (file)
		fclose(file);
	return found;
}

double pd_estimate_available_B(void)
{
	const char *memory = "/proc/meminfo", *group = "/sys/fs/cgroup/memory.max";
	double free_B = number_in(memory, "MemAvailable:", 1024, INFINITY);
	double group_B = number_in(group, "", 1, INFINITY);

	free_B += number_in(memory, "SwapFree:", 1024, 0);
	group_B -= number_in("/sys/fs/cgroup/memory.current", "", 1, 0);
	return free_B < group_B ? free_B : group_B;
}

int pd_estimate_check(int n_ranks, double needed_B, double available_B, struct util_error *err)
{
	char needed[32], each[32], there[32];

	if (needed_B <= available_B)
		return 0;
	return util_error_set(
	    err, UTIL_EINPUT,
	    "%d ranks need about %s of memory before the program allocates anything (%s "
	    "each: stack, state and variables), and %s are to be had",
	    n_ranks, util_format_size(needed, sizeof needed, needed_B),
	    util_format_size(each, sizeof each, needed_B / n_ranks),
	    util_format_size(there, sizeof there, available_B > 0 ? available_B : 0));
}
