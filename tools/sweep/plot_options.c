// SPDX-License-Identifier: BSD-3-Clause
#include <string.h>

#include "tools/sweep/options.h"
#include "tools/sweep/plot.h"
#include "util/options.h"

static const char help[] =
    "mpisim-sweep plot draws the results of a sweep with gnuplot.\n"
    "\n"
    "usage: mpisim-sweep plot SWEEP.db KIND [OPTION…]\n"
    "\n"
    "  speedup                against the nodes held; from the fastest run on the fewest nodes\n"
    "  efficiency             parallel efficiency against the nodes held; with --value efficiency\n"
    "                         mpisim's dynamic efficiency\n"
    "  time                   predicted time against a parameter, such as the block size\n"
    "  heatmap                predicted time over two parameters\n"
    "  tornado                how much each parameter changes the time, around the base\n"
    "  curves                 dynamic efficiency over time, of up to eight points\n"
    "  pareto                 time against node-seconds, with the points that nothing beats in "
    "both\n"
    "\n"
    "  --x PARAMETER          horizontal axis (default: the widest numeric parameter)\n"
    "  --y PARAMETER          heatmap: vertical axis\n"
    "  --by PARAMETER         a line for each of its values; may be repeated; none: one line\n"
    "                         (default: the first parameter that is no number)\n"
    "  --where CONDITION      only points for which it holds, as in \"nodes == 8\"\n"
    "  --value FIGURE         time, heatmap, efficiency: another figure, such as node_seconds\n"
    "  --reference-per-line   speedup, efficiency: each line has its own reference, its fewest\n"
    "                         nodes; for lines that are problems of different sizes\n"
    "  --relative             curves: time as a part of the running time\n"
    "  --style STYLE          screen (default), paper (no title, small, for a column), dark\n"
    "  --format LIST          png, svg, pdf, or several: png,pdf (default png)\n"
    "  -o, --output BASE      BASE.png … (default: SWEEP-KIND beside SWEEP.db)\n"
    "  --title TEXT, --xlabel TEXT, --ylabel TEXT\n"
    "  --help\n"
    "\n"
    "Of parameters that are on no axis the fastest combination counts, and the picture says so.\n"
    "Repetitions become their median, with bars from the least to the most; points that are\n"
    "measured or vary have their intervals as bars. BASE.gp and BASE.csv stay beside the picture:\n"
    "change the script and call gnuplot BASE.gp.\n"
    "Exit status: 0; 2 wrong usage or input, or no gnuplot.\n";

static const char *const style_names[] = {"paper", "screen", "dark", NULL};

static int take_by(const char *value, void *options, struct util_error *err)
{
	struct sweep_plot_options *out = options;

	out->has_by = true;
	if (strcmp(value, "none") == 0)
		return 0;
	if (out->n_by == SWEEP_MAX_BY)
		return util_refuse(err, "found more than %d times --by, wanted fewer",
				   SWEEP_MAX_BY);
	out->by[out->n_by++] = value;
	return 0;
}

static int take_formats(const char *list, void *options, struct util_error *err)
{
	struct sweep_plot_options *out = options;

	out->formats = list;
	for (const char *at = list; *at;) {
		size_t length = strcspn(at, ",");

		if (length != 3 || (strncmp(at, "png", 3) != 0 && strncmp(at, "svg", 3) != 0 &&
				    strncmp(at, "pdf", 3) != 0))
			break;
		at += length;
		if (!*at)
			return 0;
		at++;
	}
	return util_refuse(
	    err, "--format: found \"%.40s\", wanted png, svg, pdf or several as in png,pdf", list);
}

#define AT(member) .at = offsetof(struct sweep_plot_options, member)
static const struct util_option table[] = {
    {"x", UTIL_OPTION_TEXT, AT(x)},
    {"y", UTIL_OPTION_TEXT, AT(y)},
    {"by", UTIL_OPTION_CALL, .take = take_by, .may_repeat = true},
    {"where", UTIL_OPTION_TEXT, AT(where)},
    {"value", UTIL_OPTION_TEXT, AT(value)},
    {"reference-per-line", UTIL_OPTION_FLAG, AT(is_reference_per_line)},
    {"relative", UTIL_OPTION_FLAG, AT(is_relative)},
    {"style", UTIL_OPTION_WORD, AT(style), .words = style_names},
    {"format", UTIL_OPTION_CALL, .take = take_formats},
    {"output", UTIL_OPTION_TEXT, AT(output), .letter = 'o'},
    {"title", UTIL_OPTION_TEXT, AT(title)},
    {"xlabel", UTIL_OPTION_TEXT, AT(x_label)},
    {"ylabel", UTIL_OPTION_TEXT, AT(y_label)},
    {"help", UTIL_OPTION_LAST, AT(help), .letter = 'h'},
};

int sweep_plot_options_parse(int argc, char **argv, struct sweep_plot_options *out,
			     struct util_error *err)
{
	static const struct util_options options = {table, sizeof table / sizeof table[0],
						    "see mpisim-sweep plot --help",
						    .takes_empty = true};
	struct sweep_plot_options found = {.style = SWEEP_STYLE_SCREEN, .formats = "png"};
	uint64_t given = 0;
	int failed = util_options_read(argc, argv, &options, &given, &found, err);

	if (failed > 0) {
		fputs(help, stdout);
		out->help = true;
	}
	if (failed)
		return failed > 0 ? 0 : failed;
	if (argc - optind != 2)
		return util_refuse(err,
				   "found %d words, wanted two: mpisim-sweep plot SWEEP.db KIND",
				   argc - optind);
	found.db = argv[optind];
	found.kind = argv[optind + 1];
	*out = found;
	return 0;
}
