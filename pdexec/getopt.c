/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * getopt, getopt_long and getopt_long_only for ranks. libc's cannot be used: where it stands within
 * an argument is hidden in it, and ranks may be switched between two calls. Behaviour and messages
 * are those of glibc's manual page, getopt(3): options may follow other arguments, which are moved
 * behind them unless the option string starts with '+' or POSIXLY_CORRECT is set; '-' returns them
 * as option 1; ':' silences messages; `optind = 0` restarts.
 */
#include <stdio.h>
#include <string.h>

#include "pdexec/image.h"
#include "pdexec/libc-next.h"
#include "pdexec/process.h"

struct scan {
	int argc;
	char **argv;
	const char *options;	    /* without leading '+' or '-' and ':' */
	const struct option *longs; /* NULL: none */
	int *out_long_index;
	bool is_long_only, is_silent;
	enum { PERMUTE, STOP, RETURN } order;
	struct pd_getopt *state;
	int *optind, *opterr, *optopt; /* the program's own */
	char **optarg;
};

static void report(const struct scan *scan, const char *format, const char *text)
{
	if (*scan->opterr && !scan->is_silent) {
		fprintf(stderr, "%s: ", scan->argv[0]);
		fprintf(stderr, format, text);
		fputc('\n', stderr);
	}
}

static void reverse(char **list, int begin, int end)
{
	for (end--; begin < end; begin++, end--) {
		char *first = list[begin];

		list[begin] = list[end];
		list[end] = first;
	}
}

/* Moves the arguments that were skipped, [first_other, last_other), behind the options that
 * followed them. */
static void move_others(struct scan *scan)
{
	struct pd_getopt *state = scan->state;
	int begin = state->first_other, middle = state->last_other, end = *scan->optind;

	reverse(scan->argv, begin, middle);
	reverse(scan->argv, middle, end);
	reverse(scan->argv, begin, end);
	state->first_other += end - middle;
	state->last_other = end;
}

static bool is_option(const struct scan *scan, int index)
{
	return scan->argv[index][0] == '-' && scan->argv[index][1] != '\0';
}

enum { NOTHING = -2 }; /* an option begins: go on reading it */

/* Finds the next argument that is an option. -1: the end; 1: an argument that is none, in RETURN
 * order. */
static int next_argument(struct scan *scan)
{
	struct pd_getopt *state = scan->state;

	if (scan->order == PERMUTE) {
		if (state->last_other > *scan->optind)
			state->last_other = *scan->optind;
		if (state->first_other > *scan->optind)
			state->first_other = *scan->optind;
		if (state->first_other != state->last_other && state->last_other != *scan->optind)
			move_others(scan);
		else if (state->last_other != *scan->optind)
			state->first_other = *scan->optind;
		while (*scan->optind < scan->argc && !is_option(scan, *scan->optind))
			++*scan->optind;
		state->last_other = *scan->optind;
	}
	if (*scan->optind < scan->argc && !strcmp(scan->argv[*scan->optind], "--")) {
		++*scan->optind;
		if (state->first_other == state->last_other)
			state->first_other = *scan->optind;
		else
			move_others(scan);
		state->last_other = scan->argc;
		*scan->optind = scan->argc;
	}
	if (*scan->optind >= scan->argc) {
		if (state->first_other != state->last_other)
			*scan->optind = state->first_other;
		return -1;
	}
	if (!is_option(scan, *scan->optind)) {
		if (scan->order == STOP)
			return -1;
		*scan->optarg = scan->argv[(*scan->optind)++];
		return 1;
	}
	return NOTHING;
}

/* The long option that `name` (up to '=') stands for: whole, or the only one that it begins. -1:
 * none; -2: several. */
static int find_long(const struct scan *scan, const char *name)
{
	size_t length = strcspn(name, "=");
	int found = -1;

	for (int i = 0; scan->longs[i].name; i++) {
		const struct option *option = &scan->longs[i];

		if (strncmp(option->name, name, length))
			continue;
		if (strlen(option->name) == length)
			return i;
		if (found == -1)
			found = i;
		else if (found >= 0 && (option->has_arg != scan->longs[found].has_arg ||
					option->flag != scan->longs[found].flag ||
					option->val != scan->longs[found].val))
			found = -2;
	}
	return found;
}

static int missing_argument(const struct scan *scan)
{
	return scan->is_silent ? ':' : '?';
}

static int read_long(struct scan *scan, const char *text, const char *name)
{
	int index = find_long(scan, name);
	const char *value = strchr(name, '=');
	const struct option *option;

	++*scan->optind;
	*scan->optopt = 0;
	if (index < 0) {
		report(scan, index == -2 ? "option '%s' is ambiguous" : "unrecognized option '%s'",
		       text);
		return '?';
	}
	option = &scan->longs[index];
	if (value && option->has_arg == no_argument) {
		report(scan, "option '--%s' doesn't allow an argument", option->name);
		*scan->optopt = option->val;
		return '?';
	}
	*scan->optarg = value ? (char *)(uintptr_t)value + 1 : NULL;
	if (!value && option->has_arg == required_argument) {
		if (*scan->optind >= scan->argc) {
			report(scan, "option '--%s' requires an argument", option->name);
			*scan->optopt = option->val;
			return missing_argument(scan);
		}
		*scan->optarg = scan->argv[(*scan->optind)++];
	}
	if (scan->out_long_index)
		*scan->out_long_index = index;
	if (!option->flag)
		return option->val;
	*option->flag = option->val;
	return 0;
}

/* One letter of "-abc"; state->next points to it. */
static int read_short(struct scan *scan)
{
	struct pd_getopt *state = scan->state;
	char letter[2] = {*state->next++, '\0'};
	const char *option =
	    letter[0] == ':' || letter[0] == ';' ? NULL : strchr(scan->options, letter[0]);
	bool is_last = *state->next == '\0';

	if (is_last)
		++*scan->optind;
	if (!option) {
		report(scan, "invalid option -- '%s'", letter);
		*scan->optopt = letter[0];
		return '?';
	}
	if (option[1] != ':')
		return letter[0];
	*scan->optarg = is_last ? NULL : state->next;
	if (!is_last) {
		++*scan->optind;
	} else if (option[2] != ':') {
		if (*scan->optind >= scan->argc) {
			report(scan, "option requires an argument -- '%s'", letter);
			*scan->optopt = letter[0];
			state->next = NULL;
			return missing_argument(scan);
		}
		*scan->optarg = scan->argv[(*scan->optind)++];
	}
	state->next = NULL;
	return letter[0];
}

static void begin_scan(struct scan *scan)
{
	struct pd_getopt *state = scan->state;

	if (*scan->optind == 0 || !state->is_scanning) {
		if (*scan->optind == 0)
			*scan->optind = 1;
		*state = (struct pd_getopt){
		    .first_other = *scan->optind, .last_other = *scan->optind, .is_scanning = true};
	}
	if (scan->options[0] == '-' || scan->options[0] == '+')
		scan->order = *scan->options++ == '-' ? RETURN : STOP;
	else
		scan->order = getenv("POSIXLY_CORRECT") ? STOP : PERMUTE;
	if (scan->options[0] == ':') {
		scan->is_silent = true;
		scan->options++;
	}
}

static int scan_next(struct scan *scan)
{
	struct pd_getopt *state = scan->state;
	char *argument;
	int rc;

	*scan->optarg = NULL;
	if (!state->next || *state->next == '\0') {
		rc = next_argument(scan);
		if (rc != NOTHING)
			return rc;
		argument = scan->argv[*scan->optind];
		if (scan->longs && argument[1] == '-')
			return read_long(scan, argument, argument + 2);
		if (scan->longs && scan->is_long_only &&
		    (argument[2] || !strchr(scan->options, argument[1])) &&
		    (find_long(scan, argument + 1) != -1 || !strchr(scan->options, argument[1])))
			return read_long(scan, argument, argument + 1);
		state->next = argument + 1;
	}
	return read_short(scan);
}

/* Where a variable of getopt lies for this rank: in its image when the program holds a copy, else
 * in libc. */
static void *variable(const struct pd_rank *rank, uint64_t copy, void *libc)
{
	return copy ? pd_rank_base(rank) + copy : libc;
}

/* What was copied into the program's variables is where the simulator's own options ended. */
void pd_getopt_begin(struct pd_rank *rank)
{
	const struct pd_libc_copies *copies = &rank->program->image->link.copies;

	*(int *)variable(rank, copies->optind, &optind) = 1;
	*(int *)variable(rank, copies->opterr, &opterr) = 1;
	*(int *)variable(rank, copies->optopt, &optopt) = '?';
	*(char **)variable(rank, copies->optarg, &optarg) = NULL;
}

static int scan_as(struct pd_rank *rank, struct scan scan)
{
	const struct pd_libc_copies *copies = &rank->program->image->link.copies;

	if (scan.argc < 1)
		return -1;
	scan.state = &((struct pd_process *)rank->process)->getopt;
	scan.optind = variable(rank, copies->optind, &optind);
	scan.opterr = variable(rank, copies->opterr, &opterr);
	scan.optopt = variable(rank, copies->optopt, &optopt);
	scan.optarg = variable(rank, copies->optarg, &optarg);
	begin_scan(&scan);
	return scan_next(&scan);
}

PD_INTERPOSE int getopt(int argc, char *const argv[], const char *options)
{
	struct pd_rank *rank = pd_rank_here();

	if (!rank)
		return pd_libc_next()->getopt(argc, argv, options);
	return scan_as(
	    rank,
	    (struct scan){.argc = argc, .argv = (char **)(uintptr_t)argv, .options = options});
}

PD_INTERPOSE int getopt_long(int argc, char *const argv[], const char *options,
			     const struct option *longs, int *out_index)
{
	struct pd_rank *rank = pd_rank_here();

	if (!rank)
		return pd_libc_next()->getopt_long(argc, argv, options, longs, out_index);
	return scan_as(rank, (struct scan){.argc = argc,
					   .argv = (char **)(uintptr_t)argv,
					   .options = options,
					   .longs = longs,
					   .out_long_index = out_index});
}

PD_INTERPOSE int getopt_long_only(int argc, char *const argv[], const char *options,
				  const struct option *longs, int *out_index)
{
	struct pd_rank *rank = pd_rank_here();

	if (!rank)
		return pd_libc_next()->getopt_long_only(argc, argv, options, longs, out_index);
	return scan_as(rank, (struct scan){.argc = argc,
					   .argv = (char **)(uintptr_t)argv,
					   .options = options,
					   .longs = longs,
					   .out_long_index = out_index,
					   .is_long_only = true});
}
