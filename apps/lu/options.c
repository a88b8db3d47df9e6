/* SPDX-License-Identifier: BSD-3-Clause */
#include "lu.h"

#include <limits.h>
#include <strings.h>

#include "../common/options.h"

#define DEFAULT_N 1024
#define DEFAULT_R 128
#define DEFAULT_WINDOW 2

static const char help[] =
	"Block LU factorization with partial pivoting of a random n x n matrix (doubles).\n"
	"\n"
	"  --n N               order of the matrix (1024)\n"
	"  --r R               width of a column of blocks; divides n (128)\n"
	"  --variant V         basic, or a sum of: (basic)\n"
	"                        P   pipelined: no barriers, the next panel starts when its column is ready\n"
	"                        FC  flow control: a window limits multiplications in flight\n"
	"                        PM  parallel products: each r x r product is split into s x s parts\n"
	"  --s S               width of the parts; divides r (r/2 with PM)\n"
	"  --window W          multiplications in flight per worker with FC (2)\n"
	"  --roles ROLES       split: ranks 0 ... n/2-1 hold blocks, the others multiply;\n"
	"                      both: every rank does both; auto: split where two ranks share each node (auto)\n"
	"  --storage-nodes S   only the first S nodes hold blocks (all)\n"
	"  --remove N@K        the last N nodes, which hold no blocks, are released after iteration K;\n"
	"                      a list is possible: 2@1,2@3\n"
	"  --seed SEED         of the matrix (1)\n"
	"  --verify            check the result: prints PASS or FAIL with the residual; exit code 1 on FAIL\n"
	"  --quiet             print nothing but the verification\n"
	"  --help              this text\n";

const char *lu_options_help(void)
{
	return help;
}

static int parse_variant(const char *text, void *options)
{
	struct lu_options *out = options;
	char copy[sizeof(out->variant)], *rest = copy, *part;

	if (strlen(text) >= sizeof(copy))
		return -1;
	strcpy(copy, text);
	strcpy(out->variant, text);
	if (!strcasecmp(text, "basic"))
		return 0;
	while ((part = strsep(&rest, "+"))) {
		if (!strcasecmp(part, "P"))
			out->pipelined = true;
		else if (!strcasecmp(part, "FC"))
			out->flow_control = true;
		else if (!strcasecmp(part, "PM"))
			out->parallel_products = true;
		else
			return -1;
	}
	return 0;
}

/* "4@1,2@3" */
static int parse_removals(const char *text, void *options)
{
	struct lu_options *out = options;
	char copy[128], *rest = copy, *part;

	if (strlen(text) >= sizeof(copy))
		return -1;
	strcpy(copy, text);
	while ((part = strsep(&rest, ","))) {
		struct lu_removal *removal = &out->removals[out->n_removals];
		char *at = strchr(part, '@');

		if (!at || out->n_removals == LU_MAX_REMOVALS)
			return -1;
		*at = '\0';
		if (options_integer(part, 1, INT_MAX, &removal->n_nodes) ||
		    options_integer(at + 1, 1, INT_MAX, &removal->after))
			return -1;
		out->n_removals++;
	}
	return 0;
}

static int parse_seed(const char *text, void *seed)
{
	char *end;

	*(unsigned long *)seed = strtoul(text, &end, 10);
	return end == text || *end ? -1 : 0;
}

static int check(struct lu_options *options, char *error, size_t size)
{
	if (options->n % options->r) {
		snprintf(error, size, "--r %d does not divide --n %d", options->r, options->n);
		return -1;
	}
	if (options->s && !options->parallel_products) {
		snprintf(error, size, "--s needs a variant with PM");
		return -1;
	}
	if (!options->parallel_products)
		options->s = options->r;
	else if (!options->s)
		options->s = options->r % 2 ? options->r : options->r / 2;
	if (options->r % options->s) {
		snprintf(error, size, "--s %d does not divide --r %d", options->s, options->r);
		return -1;
	}
	return 0;
}

int lu_options_parse(int argc, char **argv, struct lu_options *out, char *error, size_t size)
{
	static const char *const roles[] = {"auto", "split", "both", NULL};
	const struct options_entry entries[] = {
		{"n", OPTIONS_INTEGER, .out = &out->n, .min = 1, .max = INT_MAX},
		{"r", OPTIONS_INTEGER, .out = &out->r, .min = 1, .max = INT_MAX},
		{"s", OPTIONS_INTEGER, .out = &out->s, .min = 1, .max = INT_MAX},
		{"variant", OPTIONS_OTHER, .out = out, .read = parse_variant},
		{"window", OPTIONS_INTEGER, .out = &out->window, .min = 1, .max = INT_MAX},
		{"roles", OPTIONS_WORD, .out = &out->roles, .words = roles},
		{"storage-nodes", OPTIONS_INTEGER, .out = &out->storage_nodes, .min = 1, .max = INT_MAX},
		{"remove", OPTIONS_OTHER, .out = out, .read = parse_removals},
		{"seed", OPTIONS_OTHER, .out = &out->seed, .read = parse_seed},
		{"verify", OPTIONS_SWITCH, .out = &out->verify},
		{"quiet", OPTIONS_SWITCH, .out = &out->quiet},
		{0},
	};
	struct options_problem problem;
	enum options_verdict verdict;

	*out = (struct lu_options){.n = DEFAULT_N, .r = DEFAULT_R, .window = DEFAULT_WINDOW, .seed = 1};
	strcpy(out->variant, "basic");
	verdict = options_scan(argc, argv, entries, &problem);
	if (verdict == OPTIONS_HELP)
		return 1;
	if (verdict == OPTIONS_OK)
		return check(out, error, size);
	if (problem.kind == OPTIONS_UNKNOWN)
		snprintf(error, size, "unknown or incomplete option %s; see --help", problem.text);
	else if (problem.kind == OPTIONS_VALUE)
		snprintf(error, size, "--%s %s is not understood; see --help", problem.name, problem.text);
	else
		snprintf(error, size, "\"%s\" is not an option; see --help", problem.text);
	return -1;
}
