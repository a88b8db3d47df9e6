/* SPDX-License-Identifier: BSD-3-Clause */
/* Algorithms that were asked for: lists such as "bcast=pipeline:64KiB,scan=linear". */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/coll/profile.h"
#include "util/units.h"

/* "linear, ring" in `text`, cut off when there are more than it holds. */
static void list_algorithms(enum mpi_coll_kind kind, char *text, size_t size)
{
	size_t used = 0;

	text[0] = '\0';
	for (int i = 0; mpi_coll_algorithms[i] && used < size; i++)
		if (mpi_coll_algorithms[i]->kinds & MPI_COLL_KIND(kind))
			used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "",
						 mpi_coll_algorithms[i]->name);
}

static void list_kinds(char *text, size_t size)
{
	size_t used = 0;

	for (int kind = 0; kind < N_COLL_KINDS && used < size; kind++)
		used += (size_t)snprintf(text + used, size - used, "%s%s", kind ? ", " : "",
					 mpi_coll_kind_name(kind));
}

/* "pipeline:64KiB"; `text` is changed. */
static int select_algorithm(struct mpi_coll_selection *selection, enum mpi_coll_kind kind,
			    char *text, struct util_error *err)
{
	char *colon = strchr(text, ':'), known[512];
	const struct mpi_coll_algorithm *algorithm;
	int64_t segment_B = 0;

	if (colon)
		*colon = '\0';
	algorithm = mpi_coll_algorithm_find(kind, text);
	if (!algorithm) {
		list_algorithms(kind, known, sizeof known);
		return util_refuse(err, "no algorithm \"%s\" for %s; there are: %s", text,
				   mpi_coll_kind_name(kind), known);
	}
	if (colon && !algorithm->has_segments)
		return util_refuse(err, "%s of %s has no segments; found \":%s\"", text,
				   mpi_coll_kind_name(kind), colon + 1);
	if (colon && (util_parse_size_B(colon + 1, &segment_B, err) || segment_B < 1))
		return util_refuse(
		    err, "found \"%s\" for segments of %s, wanted a size from 1 B on, e.g. 64KiB",
		    colon + 1, text);
	selection->chosen[kind] = algorithm;
	selection->segment_B[kind] = segment_B;
	return 0;
}

/* One "operation=algorithm"; `entry` is changed. */
static int select_entry(struct mpi_coll_selection *selection, char *entry, struct util_error *err)
{
	char *equals = strchr(entry, '=');
	char known[512];
	int kind;

	if (!equals)
		return util_refuse(
		    err, "found \"%s\", wanted OPERATION=ALGORITHM, e.g. bcast=binomial", entry);
	*equals = '\0';
	kind = mpi_coll_kind_find(entry);
	if (kind < 0) {
		list_kinds(known, sizeof known);
		return util_refuse(err, "no collective \"%s\"; there are: %s", entry, known);
	}
	return select_algorithm(selection, kind, equals + 1, err);
}

int mpi_coll_select(struct mpi_coll_selection *selection, const char *list, struct util_error *err)
{
	struct mpi_coll_selection wanted = *selection;
	char *copy = strdup(list), *rest = copy, *entry;
	int code = 0;

	if (!copy)
		return util_error_set(err, UTIL_ENOMEM, "out of memory for a list of algorithms");
	while (code == 0 && (entry = strsep(&rest, ",")))
		code = select_entry(&wanted, entry, err);
	free(copy);
	if (code == 0)
		*selection = wanted;
	return code;
}

void mpi_coll_print_help(FILE *file)
{
	fprintf(file, "profiles, for --coll-profile or --coll:\n");
	for (int i = 0; mpi_coll_profiles[i]; i++)
		fprintf(file, "  %-22s %s\n", mpi_coll_profiles[i]->name,
			mpi_coll_profiles[i]->title);
	fprintf(file, "\nalgorithms, for --coll OPERATION=ALGORITHM; [:SIZE] takes segments:\n");
	for (int kind = 0; kind < N_COLL_KINDS; kind++) {
		fprintf(file, "  %-22s", mpi_coll_kind_name(kind));
		for (int i = 0; mpi_coll_algorithms[i]; i++)
			if (mpi_coll_algorithms[i]->kinds & MPI_COLL_KIND(kind))
				fprintf(file, " %s%s", mpi_coll_algorithms[i]->name,
					mpi_coll_algorithms[i]->has_segments ? "[:SIZE]" : "");
		fprintf(file, "\n");
	}
}
