/* SPDX-License-Identifier: BSD-3-Clause */
/* --coll and --coll-profile: what they ask for becomes keys of the cluster file, so that a recorded trace, a sweep and a
 * what-if know it as they know --set. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/coll/profile.h"
#include "tools/run/options.h"

/* "KEY VALUE", the value up to `length`. */
static int add_override(const char *key, const char *value, size_t length, struct run_options *out,
			struct util_error *err)
{
	char *text = NULL;

	if (asprintf(&text, "%s%.*s", key, (int)length, value) < 0)
		return util_error_set(err, UTIL_ENOMEM, "out of memory");
	out->made_overrides[out->n_made++] = text;
	out->overrides[out->n_overrides++] = text;
	return 0;
}

static bool is_profile(const char *name)
{
	for (int i = 0; mpi_coll_profiles[i]; i++)
		if (strcmp(mpi_coll_profiles[i]->name, name) == 0)
			return true;
	return false;
}

int run_options_take_profile(const char *option, const char *name, struct run_options *out,
			     struct util_error *err)
{
	char known[128] = "";

	for (int i = 0; mpi_coll_profiles[i]; i++) {
		strcat(known, i ? ", " : "");
		strcat(known, mpi_coll_profiles[i]->name);
	}
	if (!is_profile(name))
		return util_refuse(err, "%s: found \"%s\", wanted one of %s", option, name, known);
	return add_override("protocol.collectives=", name, strlen(name), out, err);
}

int run_options_take_coll(const char *text, struct run_options *out, struct util_error *err)
{
	struct mpi_coll_selection checked = {.profile = CLUSTER_COLL_DEFAULT};
	int failed;

	if (strcmp(text, "help") == 0) {
		out->coll_help = true;
		return 0;
	}
	if (strcmp(text, "rules") == 0) {
		out->coll_rules = true;
		return 0;
	}
	if (is_profile(text))
		return run_options_take_profile("--coll", text, out, err);
	failed = mpi_coll_select(&checked, text, err);
	if (failed)
		return util_error_prepend(err, "--coll");
	while (!failed && text) {
		size_t length = strcspn(text, ",");

		failed = add_override("run.algorithms.", text, length, out, err);
		text = text[length] ? text + length + 1 : NULL;
	}
	return failed;
}

int run_options_count_overrides(int argc, char **argv)
{
	int n = 1;

	for (int i = 0; i < argc; i++) {
		n++;
		for (const char *c = argv[i]; *c; c++)
			n += *c == ',';
	}
	return n;
}
