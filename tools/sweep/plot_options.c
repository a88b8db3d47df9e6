// SPDX-License-Identifier: BSD-3-Clause
#include <getopt.h>
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

enum {
	OPTION_X = 0x100,
	OPTION_Y,
	OPTION_BY,
	OPTION_WHERE,
	OPTION_VALUE,
	OPTION_REFERENCE_PER_LINE,
	OPTION_RELATIVE,
	OPTION_STYLE,
	OPTION_FORMAT,
	OPTION_TITLE,
	OPTION_X_LABEL,
	OPTION_Y_LABEL,
};

static const struct option long_options[] = {
    {"x", required_argument, NULL, OPTION_X},
    {"y", required_argument, NULL, OPTION_Y},
    {"by", required_argument, NULL, OPTION_BY},
    {"where", required_argument, NULL, OPTION_WHERE},
    {"value", required_argument, NULL, OPTION_VALUE},
    {"reference-per-line", no_argument, NULL, OPTION_REFERENCE_PER_LINE},
    {"relative", no_argument, NULL, OPTION_RELATIVE},
    {"style", required_argument, NULL, OPTION_STYLE},
    {"format", required_argument, NULL, OPTION_FORMAT},
    {"output", required_argument, NULL, 'o'},
    {"title", required_argument, NULL, OPTION_TITLE},
    {"xlabel", required_argument, NULL, OPTION_X_LABEL},
    {"ylabel", required_argument, NULL, OPTION_Y_LABEL},
    {"help", no_argument, NULL, 'h'},
    {0}};

static int take_style(const char *value, struct sweep_plot_options *out, struct util_error *err)
{
	static const char *const names[] = {"paper", "screen", "dark"};

	for (int i = 0; i < 3; i++) {
		if (strcmp(names[i], value) == 0) {
			out->style = (enum sweep_style)i;
			return 0;
		}
	}
	return util_error_set(err, UTIL_EINPUT,
			      "--style: found \"%.40s\", wanted paper, screen or dark", value);
}

static int take_by(const char *value, struct sweep_plot_options *out, struct util_error *err)
{
	out->has_by = true;
	if (strcmp(value, "none") == 0)
		return 0;
	if (out->n_by == SWEEP_MAX_BY)
		return util_error_set(err, UTIL_EINPUT,
				      "found more than %d times --by, wanted fewer", SWEEP_MAX_BY);
	out->by[out->n_by++] = value;
	return 0;
}

static int check_formats(const char *list, struct util_error *err)
{
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
	return util_error_set(
	    err, UTIL_EINPUT,
	    "--format: found \"%.40s\", wanted png, svg, pdf or several as in png,pdf", list);
}

static int take_option(int option, const char *value, struct sweep_plot_options *out,
		       struct util_error *err)
{
	const char **const texts[] = {
	    [OPTION_X - OPTION_X] = &out->x,
	    [OPTION_Y - OPTION_X] = &out->y,
	    [OPTION_WHERE - OPTION_X] = &out->where,
	    [OPTION_VALUE - OPTION_X] = &out->value,
	    [OPTION_FORMAT - OPTION_X] = &out->formats,
	    [OPTION_TITLE - OPTION_X] = &out->title,
	    [OPTION_X_LABEL - OPTION_X] = &out->x_label,
	    [OPTION_Y_LABEL - OPTION_X] = &out->y_label,
	};

	switch (option) {
	case 'o':
		out->output = value;
		return 0;
	case OPTION_RELATIVE:
		out->is_relative = true;
		return 0;
	case OPTION_REFERENCE_PER_LINE:
		out->is_reference_per_line = true;
		return 0;
	case OPTION_BY:
		return take_by(value, out, err);
	case OPTION_STYLE:
		return take_style(value, out, err);
	default:
		*texts[option - OPTION_X] = value;
		return option == OPTION_FORMAT ? check_formats(value, err) : 0;
	}
}

int sweep_plot_options_parse(int argc, char **argv, struct sweep_plot_options *out,
			     struct util_error *err)
{
	struct sweep_plot_options found = {.style = SWEEP_STYLE_SCREEN, .formats = "png"};
	uint64_t given = 0;
	int option, failed = 0;

	opterr = 0;
	while (!failed && (option = getopt_long(argc, argv, ":o:h", long_options, NULL)) != -1) {
		if (option == 'h') {
			fputs(help, stdout);
			out->help = true;
			return 0;
		}
		if (option == '?' || option == ':')
			failed = util_option_refuse(option, argv, long_options,
						    "see mpisim-sweep plot --help", err);
		else
			failed = util_option_check(option, NULL, long_options,
						   option == OPTION_BY ? NULL : &given, err);
		if (!failed)
			failed = take_option(option, optarg, &found, err);
	}
	if (failed)
		return failed;
	if (argc - optind != 2)
		return util_error_set(err, UTIL_EINPUT,
				      "found %d words, wanted two: mpisim-sweep plot SWEEP.db KIND",
				      argc - optind);
	found.db = argv[optind];
	found.kind = argv[optind + 1];
	*out = found;
	return 0;
}
