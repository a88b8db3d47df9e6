/* SPDX-License-Identifier: BSD-3-Clause */
#include "lu.h"

#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

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

static int parse_int(const char *text, int min, int *out)
{
	char *end;
	long value = strtol(text, &end, 10);

	if (end == text || *end || value < min || value > INT_MAX)
		return -1;
	*out = (int)value;
	return 0;
}

static int parse_variant(const char *text, struct lu_options *out)
{
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
static int parse_removals(const char *text, struct lu_options *out)
{
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
		if (parse_int(part, 1, &removal->n_nodes) || parse_int(at + 1, 1, &removal->after))
			return -1;
		out->n_removals++;
	}
	return 0;
}

static int parse_roles(const char *text, struct lu_options *out)
{
	static const char *const names[] = {"auto", "split", "both"};

	for (int i = 0; i < 3; i++) {
		if (!strcmp(text, names[i])) {
			out->roles = (enum lu_roles)i;
			return 0;
		}
	}
	return -1;
}

static int parse_seed(const char *text, unsigned long *out)
{
	char *end;

	*out = strtoul(text, &end, 10);
	return end == text || *end ? -1 : 0;
}

static int parse_one(int option, const char *value, struct lu_options *out)
{
	switch (option) {
	case 'n':
		return parse_int(value, 1, &out->n);
	case 'r':
		return parse_int(value, 1, &out->r);
	case 's':
		return parse_int(value, 1, &out->s);
	case 'v':
		return parse_variant(value, out);
	case 'w':
		return parse_int(value, 1, &out->window);
	case 'o':
		return parse_roles(value, out);
	case 'S':
		return parse_int(value, 1, &out->storage_nodes);
	case 'R':
		return parse_removals(value, out);
	case 'e':
		return parse_seed(value, &out->seed);
	case 'V':
		out->verify = true;
		return 0;
	case 'q':
		out->quiet = true;
		return 0;
	default:
		return -1;
	}
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
	static const struct option options[] = {
		{"n", required_argument, NULL, 'n'},
		{"r", required_argument, NULL, 'r'},
		{"s", required_argument, NULL, 's'},
		{"variant", required_argument, NULL, 'v'},
		{"window", required_argument, NULL, 'w'},
		{"roles", required_argument, NULL, 'o'},
		{"storage-nodes", required_argument, NULL, 'S'},
		{"remove", required_argument, NULL, 'R'},
		{"seed", required_argument, NULL, 'e'},
		{"verify", no_argument, NULL, 'V'},
		{"quiet", no_argument, NULL, 'q'},
		{"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0},
	};
	int option, index = 0;

	*out = (struct lu_options){.n = DEFAULT_N, .r = DEFAULT_R, .window = DEFAULT_WINDOW, .seed = 1};
	strcpy(out->variant, "basic");
	opterr = 0;
	while ((option = getopt_long(argc, argv, "", options, &index)) != -1) {
		if (option == 'h')
			return 1;
		if (option == '?') {
			snprintf(error, size, "unknown or incomplete option %s; see --help",
				 argv[optind - 1]);
			return -1;
		}
		if (parse_one(option, optarg, out)) {
			snprintf(error, size, "--%s %s is not understood; see --help",
				 options[index].name, optarg);
			return -1;
		}
	}
	if (optind < argc) {
		snprintf(error, size, "\"%s\" is not an option; see --help", argv[optind]);
		return -1;
	}
	return check(out, error, size);
}
