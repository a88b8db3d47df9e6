/* SPDX-License-Identifier: BSD-3-Clause */
#include "cluster/named.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cluster/cluster.h"
#include "util/nearest.h"

#define ENDING ".yaml"

/* The folder of this executable; false: unknown. */
static bool find_own_folder(char *out, size_t size)
{
	ssize_t n = readlink("/proc/self/exe", out, size - 1);
	char *slash;

	if (n < 0)
		return false;
	out[n] = '\0';
	slash = strrchr(out, '/');
	if (slash)
		*slash = '\0';
	return slash != NULL;
}

/* The files that came with mpisim: installed, or in its build folder. */
static bool list_files(glob_t *files)
{
	static const char *const places[] = {"../share/mpisim/clusters", "../clusters"};
	char folder[4096], pattern[4200];

	*files = (glob_t){0};
	if (!find_own_folder(folder, sizeof folder))
		return false;
	for (int i = 0; i < 2; i++) {
		snprintf(pattern, sizeof pattern, "%s/%s/*" ENDING, folder, places[i]);
		if (glob(pattern, 0, NULL, files) == 0)
			return true;
		globfree(files);
	}
	return false;
}

/* "infiniband-hdr" of "…/infiniband-hdr.yaml". */
static void take_name(const char *path, char *out, size_t size)
{
	const char *base = strrchr(path, '/') + 1;

	snprintf(out, size, "%.*s", (int)(strlen(base) - strlen(ENDING)), base);
}

static int refuse(const char *name, const glob_t *files, struct util_error *err)
{
	struct util_nearest nearest = {.word = name, .best_distance = UTIL_NEAREST_NEVER};
	char known[UTIL_NEAREST_LENGTH], best[UTIL_NEAREST_LENGTH] = "";

	for (size_t i = 0; i < files->gl_pathc; i++) {
		take_name(files->gl_pathv[i], known, sizeof known);
		util_nearest_try(&nearest, files->gl_pathv[i], util_nearest_distance(name, known));
	}
	if (nearest.best)
		take_name(nearest.best, best, sizeof best);
	return util_error_set(
	    err, UTIL_EINPUT,
	    "cannot open the cluster file %s: no such file, and no cluster of mpisim's has "
	    "this name%s%s%s; see mpisim-run --list-clusters",
	    name, nearest.best ? " (did you mean " : "", best, nearest.best ? "?)" : "");
}

int cluster_named_find(const char *name, char **path, struct util_error *err)
{
	char known[UTIL_NEAREST_LENGTH];
	glob_t files;
	int rc = 0;

	*path = NULL;
	if (strchr(name, '/') || access(name, F_OK) == 0) {
		*path = strdup(name);
	} else {
		list_files(&files);
		for (size_t i = 0; i < files.gl_pathc && !*path; i++) {
			take_name(files.gl_pathv[i], known, sizeof known);
			if (strcmp(known, name) == 0)
				*path = strdup(files.gl_pathv[i]);
		}
		if (!*path)
			rc = refuse(name, &files, err);
		globfree(&files);
	}
	return rc || *path ? rc : util_error_set(err, UTIL_ENOMEM, "out of memory");
}

int cluster_named_list(FILE *out, struct util_error *err)
{
	char name[UTIL_NEAREST_LENGTH];
	glob_t files;
	int rc = 0;

	if (!list_files(&files))
		return util_error_set(err, UTIL_EINPUT, "found no cluster files beside mpisim-run");
	for (size_t i = 0; i < files.gl_pathc && !rc; i++) {
		struct cluster *cluster;

		rc = cluster_load(files.gl_pathv[i], &cluster, err);
		if (rc)
			break;
		take_name(files.gl_pathv[i], name, sizeof name);
		fprintf(out, "%-26s %s: %d nodes of %d core%s\n", name, cluster->name,
			cluster->n_nodes, cluster->cores, cluster->cores == 1 ? "" : "s");
		cluster_destroy(cluster);
	}
	globfree(&files);
	return rc;
}
