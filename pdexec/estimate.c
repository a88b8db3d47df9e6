/* SPDX-License-Identifier: BSD-3-Clause */
#include "pdexec/estimate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "pdexec/image.h"
#include "util/units.h"

enum {
	STACK_B = 4096, /* a page: calls of MPI use no more */
	STATE_B = 4300, /* of the rank in all layers, and what its first calls leave */
	MAX_PATH_LENGTH = 512,
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

/* What one control group leaves, pages that it could do without included; INFINITY: it has no
 * limit. */
static double left_in_group_B(const char *folder)
{
	static const struct {
		const char *limit, *usage, *cache;
	} versions[] = {{"memory.max", "memory.current", "inactive_file"},
			{"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"}};
	char limit[MAX_PATH_LENGTH + 32], usage[MAX_PATH_LENGTH + 32], stat[MAX_PATH_LENGTH + 32];
	double least_B = INFINITY, left_B;

	snprintf(stat, sizeof stat, "%s/memory.stat", folder);
	for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++) {
		snprintf(limit, sizeof limit, "%s/%s", folder, versions[i].limit);
		snprintf(usage, sizeof usage, "%s/%s", folder, versions[i].usage);
		left_B = number_in(limit, "", 1, INFINITY) - number_in(usage, "", 1, 0) +
			 number_in(stat, versions[i].cache, 1, 0);
		least_B = left_B < least_B ? left_B : least_B;
	}
	return least_B;
}

double pd_estimate_group_B(const char *root, const char *membership)
{
	FILE *file = fopen(membership, "re");
	char line[MAX_PATH_LENGTH], folder[2 * MAX_PATH_LENGTH];
	double least_B = INFINITY, left_B;

	/* "4:memory:/a/b" of the first version, "0::/a/b" of the second */
	while (file && fgets(line, sizeof line, file)) {
		const char *memory = strstr(line, ":memory:"), *unified = strstr(line, "::/");
		size_t root_length;

		if (!memory && !unified)
			continue;
		root_length =
		    (size_t)snprintf(folder, sizeof folder, "%s%s", root, memory ? "/memory" : "");
		snprintf(folder + root_length, sizeof folder - root_length, "%s",
			 memory ? memory + strlen(":memory:") : unified + 2);
		folder[strcspn(folder, "\n")] = '\0';
		/* the group and those that it is in */
		for (char *end = folder; end; end = strrchr(folder + root_length, '/')) {
			*(end > folder ? end : folder + strlen(folder)) = '\0';
			left_B = left_in_group_B(folder);
			least_B = left_B < least_B ? left_B : least_B;
		}
	}
	if (file)
		fclose(file);
	return least_B;
}

double pd_estimate_available_B(void)
{
	const char *memory = "/proc/meminfo";
	double free_B = number_in(memory, "MemAvailable:", 1024, INFINITY);
	double group_B = pd_estimate_group_B("/sys/fs/cgroup", "/proc/self/cgroup");

	free_B += number_in(memory, "SwapFree:", 1024, 0);
	return free_B < group_B ? free_B : group_B;
}

int pd_estimate_check(int n_ranks, double needed_B, double available_B, struct util_error *err)
{
	char needed[32], each[32], there[32];

	if (needed_B <= available_B)
		return 0;
	return util_refuse(
	    err,
	    "%d ranks need about %s of memory before the program allocates anything (%s each: "
	    "stack, state and variables), and %s are to be had",
	    n_ranks, util_format_size(needed, sizeof needed, needed_B),
	    util_format_size(each, sizeof each, needed_B / n_ranks),
	    util_format_size(there, sizeof there, available_B > 0 ? available_B : 0));
}
